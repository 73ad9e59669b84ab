// Package definition reads, checks and writes definition files. It implements buff/catalog,
// and is also used by the command-line tool.
//
//	text ──▸ Tree ──▸ definitions ──▸ buff.Build ──▸ *buff.Catalog
//	  ▴        │            └────────▸ Check: the warnings
//	  └─ Write ┘
//
// The format and the rules of the warnings are documented in package buff/catalog. Tests in this
// package check that each field and each rule is documented there.
//
// [Tree], [Fields], [Text], [Describe] and [ErrorAt] are for files that contain more than
// definitions, such as scenarios. [ParseNode] and [ParseFields] read the definitions in the tree
// of such a file. [Write] is the inverse of Tree. All functions are safe for concurrent use.
package definition
