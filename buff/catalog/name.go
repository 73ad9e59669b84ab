package catalog

import "strings"

// IsDefinitions reports whether [Load] reads a file of that name where it stands in a folder.
//
// Any goroutine may call it.
func IsDefinitions(name string) bool {
	return !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".schema.json") && isDefinitions(name)
}
