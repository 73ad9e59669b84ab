package definition

import _ "embed" // for the schema

//go:embed bufftick.schema.json
var schema string

// Schema returns the JSON Schema (draft 7) of a definition file, for editors. It accepts
// everything that Load accepts, but Load may refuse more. It is safe for concurrent use.
func Schema() string { return schema }
