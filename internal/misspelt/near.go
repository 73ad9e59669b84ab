package misspelt

// Near returns the name that s is most likely meant to be, the first of equals, or "" if none
// is near. Near is what a third of the letters of s, but one at least and three at most, make of it
// when they are changed, left out, added or swapped with their neighbours. It costs
// O(len(names)).
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

// distance returns how many letters have to be put in, taken out, changed or
// swapped with their neighbour to make b of a, or most if it is that or more.
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
