package misspelt

// Near returns the name that is most similar to s, the first one if several are equally similar,
// or "" if no name is similar. A name is similar if s can be turned into it by few changes: a
// letter changed, omitted, added, or swapped with its neighbour. Few means a third of the letters
// of s, but at least one and at most three. Near costs O(len(names)).
func Near(s string, names []string) string {
	if len(s) < 2 || len(s) > 40 {
		return ""
	}
	best, least := "", 1+min(3, max(1, len(s)/3))
	for _, n := range names {
		if d := distance(s, n, least); d < least && n != s {
			best, least = n, d
		}
	}
	return best
}

// distance returns the number of letters to insert, remove, change or swap with their neighbour to
// turn a into b, but at most `most`.
func distance(a, b string, most int) int {
	if max(len(a)-len(b), len(b)-len(a)) >= most {
		return most
	}
	before, last, this := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		this[0] = i
		for j := 1; j <= len(b); j++ {
			differs := 1
			if a[i-1] == b[j-1] {
				differs = 0
			}
			this[j] = min(last[j]+1, this[j-1]+1, last[j-1]+differs)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				this[j] = min(this[j], before[j-2]+1)
			}
		}
		before, last, this = last, this, before
	}
	return min(last[len(b)], most)
}
