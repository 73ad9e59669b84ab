package definition

// Spent reports whether a table may give that number of empty texts to the parser.
func Spent(texts int) bool {
	t, ok := &reading{}, true
	for range texts {
		ok = t.spend("")
	}
	return ok
}

// MaxFlow is the largest number of signs and elements that a file may have.
const MaxFlow = maxFlow
