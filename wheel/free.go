package wheel

import "math/bits"

// freeSet holds the freed timers, a bit each. The next Add takes the neighbour of
// the one before it, in whatever order they were freed: a list would lead it
// criss-cross through memory.
//
// Invariant: bit i of words[k] is set if and only if words[k-1][i] is not zero; for
// words[0], if and only if timer i is unused.
type freeSet struct {
	n     int
	words [3][]uint64
	top   int // where to begin in the coarsest words
	word  int // the fine word from which the last one was taken
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
	word := f.word
	if word >= len(f.words[0]) || f.words[0][word] == 0 {
		word = f.find()
		f.word = word
	}
	bit := bits.TrailingZeros64(f.words[0][word])
	i := uint32(word*64 + bit)
	for k := range f.words {
		f.words[k][word] &^= 1 << bit
		if f.words[k][word] != 0 {
			break
		}
		word, bit = word/64, word%64
	}
	return i
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
