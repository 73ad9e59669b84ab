// Package definition reads, checks and writes files of definitions: it is what buff/catalog
// stands in front of, and what the tool calls beside it.
//
//	text ──▸ Tree ──▸ definitions ──▸ buff.Build ──▸ *buff.Catalog
//	  ▴        │            └────────▸ Check: the warnings
//	  └─ Write ┘
//
// The format and the rules of the warnings are explained in the documentation of
// buff/catalog; tests here hold that it names each field and each rule.
//
// [Tree], [Fields], [Text], [Describe] and [ErrorAt] are for files in which definitions stand
// among other things, as in a scenario; [ParseNode] and [ParseFields] read them from such a
// tree. [Write] is the way back. Any goroutine may call any of the functions.
package definition
