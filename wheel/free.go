package wheel

import "math/bits"

// freeSet holds the freed timers, a bit each. The next Add takes the neighbour of
// the one before it, in whatever order they were freed: a list would lead it
// criss-cross through memory.
//
// Invariant: bit i of words[k] is set if and only if words[k-1][i] is not zero. Timer i
// is unused if and only if its bit is set in words[0] or, as bit i-from, in taken.
type freeSet struct {
	n     int
	taken uint64 // a fine word that was taken out of words, for the next Adds
	from  uint32 // its first timer
	top   int    // where to begin in the coarsest words
	words [3][]uint64
}

func (f *freeSet) add(i uint32) {
	f.n++
	at := int(i)
	for k := range f.words {
		word, bit := at/64, uint64(1)<<(at%64)
		for len(f.words[k]) <= word {
			f.words[k] = append(f.words[k], 0)
		}
		was := f.words[k][word]
		f.words[k][word] = was | bit
		if was != 0 {
			return
		}
		at = word
	}
	f.top = at
}

// take returns one that is free; there is one.
func (f *freeSet) take() uint32 {
	f.n--
	if f.taken == 0 {
		f.refill()
	}
	i := f.from + uint32(bits.TrailingZeros64(f.taken))
	f.taken &= f.taken - 1
	return i
}

// refill takes out the neighbour of the last fine word, or one somewhere else.
func (f *freeSet) refill() {
	word := int(f.from/64) + 1
	if word >= len(f.words[0]) || f.words[0][word] == 0 {
		word = f.find()
	}
	f.taken, f.from = f.words[0][word], uint32(word*64)
	f.words[0][word] = 0
	for k := 1; k < len(f.words); k++ {
		bit := word % 64
		word /= 64
		if f.words[k][word] &^= 1 << bit; f.words[k][word] != 0 {
			break
		}
	}
}

// find returns a fine word that is not zero.
func (f *freeSet) find() int {
	coarse := f.words[2]
	for coarse[f.top] == 0 {
		if f.top++; f.top == len(coarse) {
			f.top = 0
		}
	}
	at := f.top
	for k := 2; k > 0; k-- {
		at = at*64 + bits.TrailingZeros64(f.words[k][at])
	}
	return at
}
