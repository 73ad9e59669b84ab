package definition

import (
	"path/filepath"
	"strings"
)

// IsDefinitions reports whether [Load] reads a file with the given name if it is in a folder. It is
// safe for concurrent use.
func IsDefinitions(name string) bool {
	_, known := FormatOf(name)
	return known && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".schema.json")
}

// FormatOf returns the format of a file according to its name, and reports whether Load
// accepts it. It is safe for concurrent use.
func FormatOf(name string) (Format, bool) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml":
		return YAML, true
	case ".json":
		return JSON, true
	case ".csv":
		return CSV, true
	}
	return 0, false
}

// isTable reports whether a file with the given name is a table.
func isTable(name string) bool {
	f, _ := FormatOf(name)
	return f == CSV
}
