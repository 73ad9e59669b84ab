package buff

import (
	"unsafe"

	"github.com/bufftick/bufftick/wheel"
)

// piece is where the slots of a Set are, and the keys of these: so many cache lines in a row. A slot is one of them, and the keys are in the
// lines behind; the last word of all is the piece's name.
//
//	base ─▸ slot 0 │ slot 1 │ … │ dues, hashes, orders: see keys │ name
//
// A turn looks at slots and keys all the time: both are found by one pointer and a number, with nothing between that would have to be
// waited for, and the collector has one pointer of an owner to look up. That is what unsafe is for: in this file, and for the rows of keys.go. Who
// asks for a slot or its key is told by a panic if there is none; the rows end with the slots that are in use.
type piece struct {
	base *instance // the first slot
	size uint16    // slots
	used uint16    // those that carry an instance, or have carried one
	live int16     // instances
}

// cacheLine is one line of a chunk: a slot, or eight words of keys.
type cacheLine [wordsOfLine]wheel.Time

// wordsOfLine is how many words of keys are in a cache line.
const wordsOfLine = 8

// An instance is as long as a line, to the byte.
var _ [unsafe.Sizeof(cacheLine{})]byte = [unsafe.Sizeof(instance{})]byte{}

// pieceName is what a piece has in its last word: where it was cut from.
type pieceName struct {
	chunk uint32 // in Memory.chunks; 0: it was cut from none
	at    uint16 // which of its pieces
}

// pieceLines returns how many lines a piece of n slots has: the slots, their keys and the name.
func pieceLines(n int) int { return n + (keyWords(n)+wordsOfLine)/wordsOfLine }

// newPiece makes a piece of n slots of the lines at the begin of a row of them.
func newPiece(of []cacheLine, n int, name pieceName) piece {
	of = of[:pieceLines(n)]
	of[len(of)-1][wordsOfLine-1] = wheel.Time(name.chunk)<<16 | wheel.Time(name.at)
	return piece{base: (*instance)(unsafe.Pointer(&of[0])), size: uint16(n)}
}

// noLines is where a Set has its slots that has had none.
var noLines [1]cacheLine

func noPiece() piece { return piece{base: (*instance)(unsafe.Pointer(&noLines[0]))} }

// room returns for how many slots there is room.
func (p *piece) room() int { return int(p.size) }

// bound panics if there is no room for such a slot.
func (p *piece) bound(at uint16) {
	if at >= p.size {
		panic("buff: a slot beyond those that the owner has")
	}
}

// slot returns a slot.
func (p *piece) slot(at uint16) *instance {
	p.bound(at)
	return (*instance)(unsafe.Add(unsafe.Pointer(p.base), uintptr(at)*unsafe.Sizeof(cacheLine{})))
}

// word returns a word behind the slots.
func (p *piece) word(at int) *wheel.Time {
	return (*wheel.Time)(unsafe.Add(unsafe.Pointer(p.base), int(p.size)*int(unsafe.Sizeof(cacheLine{}))+at*8))
}

// slots returns all slots, also those that are not in use.
func (p *piece) slots() []instance { return unsafe.Slice(p.base, p.size) }

// keys returns the keys of all slots.
func (p *piece) keys() keys { return unsafe.Slice(p.word(0), keyWords(p.room())) }

// name returns where a piece was cut from. There must be slots.
func (p *piece) name() pieceName {
	word := *p.word((pieceLines(p.room())-p.room())*wordsOfLine - 1)
	return pieceName{chunk: uint32(word >> 16), at: uint16(word)}
}
