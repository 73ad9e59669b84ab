package buff

import "strings"

// wrongTag returns what is wrong with the name of a tag, or "".
func wrongTag(name string) string {
	for _, part := range strings.Split(name, ".") {
		if part == "" {
			return "a tag is words with dots between them, and none may be empty"
		}
	}
	if strings.ContainsAny(name, " \t\r\n") {
		return "a tag must not have spaces"
	}
	return ""
}
