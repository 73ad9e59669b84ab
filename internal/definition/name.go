package definition

import (
	"path/filepath"
	"strings"
)

// IsDefinitions reports whether [Load] reads a file of that name where it stands in a folder.
//
// Any goroutine may call it.
func IsDefinitions(name string) bool {
	_, known := FormatOf(name)
	return known && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".schema.json")
}

// FormatOf returns the format that Load takes a file for, by its name, and reports
// whether it takes it at all. Any goroutine may call it.
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

// isTable reports whether a file of that name is a table.
func isTable(name string) bool {
	f, _ := FormatOf(name)
	return f == CSV
}
