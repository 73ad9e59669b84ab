package wheel

import "math/bits"

// freeSet holds the freed timers, a bit each. The next Add takes the neighbour of
// the one before it, in whatever order they were freed: a list would lead it
// criss-cross through memory.
//
// Invariant: bit i of words[k] is set if and only if words[k-1][i] is not zero. Timer i
// is unused if and only if its bit is set in words[0] or, as bit i-from, in taken.
type freeSet struct {
	taken uint64       // the fine word from which the next Adds are served: not in words
	block *[word]timer // its timers
	from  uint32       // the first of them
	n     int          // timers in words
	top   int          // where to begin in the coarsest words
	words [3][]uint64
}

// word is how many timers one fine word stands for.
const word = 64

// add puts in a timer that is not there.
func (f *freeSet) add(i uint32) {
	if i/word == f.from/word {
		f.taken |= 1 << (i % word)
		return
	}
	f.n++
	at := int(i)
	for k := range f.words {
		i, bit := at/64, uint64(1)<<(at%64)
		for len(f.words[k]) <= i {
			f.words[k] = append(f.words[k], 0)
		}
		was := f.words[k][i]
		f.words[k][i] = was | bit
		if was != 0 {
			return
		}
		at = i
	}
	f.top = at
}

// len returns how many timers are free.
func (f *freeSet) len() int { return f.n + bits.OnesCount64(f.taken) }

// refill takes out the fine word after the last one, or another one; one is not zero.
func (f *freeSet) refill() {
	i := int(f.from/word) + 1
	if i >= len(f.words[0]) || f.words[0][i] == 0 {
		i = f.find()
	}
	f.taken, f.from = f.words[0][i], uint32(i*word)
	f.n -= bits.OnesCount64(f.taken)
	f.words[0][i] = 0
	for k := 1; k < len(f.words); k++ {
		bit := i % 64
		i /= 64
		if f.words[k][i] &^= 1 << bit; f.words[k][i] != 0 {
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
