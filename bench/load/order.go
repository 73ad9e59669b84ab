package load

import (
	"math"
	"slices"
)

// median sorts the values and returns the middle value.
func median(v []int64) int64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[len(v)/2]
}

func maxOf(v []int64) (most int64) {
	for _, x := range v {
		most = max(most, x)
	}
	return most
}

// Spread has the mean of samples. PlusMinus is half the width of the mean's 95 % confidence
// interval.
type Spread struct{ Mean, PlusMinus float64 }

// SpreadOf returns the spread of the samples, computed with Student's t-distribution.
func SpreadOf(samples []float64) Spread {
	n := float64(len(samples))
	if n == 0 {
		return Spread{}
	}
	var sum, squares float64
	for _, s := range samples {
		sum += s
	}
	mean := sum / n
	if n < 2 {
		return Spread{Mean: mean}
	}
	for _, s := range samples {
		squares += (s - mean) * (s - mean)
	}
	return Spread{mean, student(len(samples)-1) * math.Sqrt(squares/(n-1)/n)}
}

// student returns the 97.5 % quantile of Student's t-distribution for the given number of degrees
// of freedom.
func student(freedom int) float64 {
	points := []float64{12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09}
	if freedom > len(points) {
		return 2
	}
	return points[freedom-1]
}
