package definition

import _ "embed" // for the schema

//go:embed bufftick.schema.json
var schema string

// Schema returns the JSON Schema of a file of definitions, draft 7, as an editor wants it.
// What Load takes it takes; what it takes Load may refuse. Any goroutine may call it.
func Schema() string { return schema }
