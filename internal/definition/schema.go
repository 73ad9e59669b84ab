package definition

import _ "embed" // for the schema

//go:embed bufftick.schema.json
var schema string

// Schema returns the JSON Schema (draft 7) of a definition file, for editors. The schema accepts
// every file that Load accepts, and also some files that Load rejects. Schema is safe for
// concurrent use.
func Schema() string { return schema }
