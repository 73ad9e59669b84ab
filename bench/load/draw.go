package load

import (
	"math"
	"math/rand/v2"
)

// lifetimes is the distribution of the lifetimes of auras in a public log of an arena fight. Each
// point has a lifetime in ms, and the fraction of auras that last at most as long. Between two
// points, the distribution is linear.
var lifetimes = []struct{ share, ms float64 }{
	{0, 200}, {0.10, 930}, {0.25, 2500}, {0.50, 6000}, {0.75, 11_000}, {0.90, 17_700}, {1, 30_000},
}

// lifetime draws the duration of a short buff, in ms.
func lifetime(rng *rand.Rand) int64 {
	p := rng.Float64()
	for i := 1; i < len(lifetimes); i++ {
		a, b := lifetimes[i-1], lifetimes[i]
		if p <= b.share {
			return int64(a.ms + (b.ms-a.ms)*(p-a.share)/(b.share-a.share))
		}
	}
	return int64(lifetimes[len(lifetimes)-1].ms)
}

// logUniform draws a number from lo to hi. The logarithm of the number is uniformly distributed.
func logUniform(rng *rand.Rand, lo, hi float64) int64 {
	return int64(lo * math.Exp(rng.Float64()*math.Log(hi/lo)))
}

// poisson draws a number from a Poisson distribution with the given mean.
func poisson(rng *rand.Rand, mean float64) int {
	if mean > 30 { // an approximation with constant cost
		return max(0, int(math.Round(mean+math.Sqrt(mean)*rng.NormFloat64())))
	}
	n, p, limit := 0, 1.0, math.Exp(-mean)
	for {
		p *= rng.Float64()
		if p <= limit {
			return n
		}
		n++
	}
}

// shortKind draws the definition of a short buff by weight. The parameter "pulsing" is the
// probability in percent that the buff pulses.
func shortKind(rng *rand.Rand, pulsing float64) int {
	pulses := rng.Float64()*100 < pulsing
	at := rng.IntN(weight(pulses))
	for i, k := range kinds {
		if k.weight == 0 || (k.period > 0) != pulses {
			continue
		}
		if at < k.weight {
			return i
		}
		at -= k.weight
	}
	panic("load: the weights do not add up")
}

// weight returns the total weight of the definitions of short buffs. If pulses is true, it counts
// the definitions that pulse; otherwise it counts the definitions that do not pulse.
func weight(pulses bool) int {
	if pulses {
		return pulsingWeight
	}
	return plainWeight
}

var pulsingWeight, plainWeight = func() (pulsing, plain int) {
	for _, k := range kinds {
		if k.period > 0 {
			pulsing += k.weight
		} else {
			plain += k.weight
		}
	}
	return pulsing, plain
}()
