package rival

import "slices"

// middle sorts the values and returns their median.
func middle(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
