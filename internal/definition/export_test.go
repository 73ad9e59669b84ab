package definition

// Spent reports whether so many empty texts of one table may be given to the parser.
func Spent(texts int) bool {
	t, ok := &reading{}, true
	for range texts {
		ok = t.spend("")
	}
	return ok
}

// MaxFlow is how many signs and elements a file may have.
const MaxFlow = maxFlow
