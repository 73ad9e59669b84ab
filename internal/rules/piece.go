package rules

import (
	"unsafe"

	"github.com/bufftick/bufftick/wheel"
)

// piece is the memory of an Owner's slots and their keys: a row of cache lines. Each slot is one
// line; the keys follow the slots; the last word is the name of the piece.
//
//	base ─▸ slot 0 │ slot 1 │ … │ filed, hashes: see keys │ name
//
// Every turn reads slots and keys. With unsafe, both are computed from one pointer and an index,
// without another access to memory, and the garbage collector has to follow only one pointer per
// owner. Unsafe is used only here and for the rows in keys.go. Access to a slot or key beyond the
// piece panics. A row of keys ends with the last slot in use.
type piece struct {
	base *record // the first slot
	size uint16  // number of slots
	used uint16  // number of slots that have, or have had, an instance
	live int16   // number of live instances
}

// cacheLine is one line of a chunk: a slot, or eight words of keys.
type cacheLine [wordsOfLine]wheel.Time

// wordsOfLine is the number of words in a cache line.
const wordsOfLine = 8

// An instance must have exactly the size of a line.
var _ [unsafe.Sizeof(cacheLine{})]byte = [unsafe.Sizeof(record{})]byte{}

// pieceName says where a piece was cut from. It is stored in the last word of the piece.
type pieceName struct {
	chunk uint32 // index in Memory.chunks; 0 if the piece is not part of a chunk
	at    uint16 // index of the piece in its chunk
}

// pieceLines returns the number of lines of a piece of n slots, with the keys and the name.
func pieceLines(n int) int { return n + (keyWords(n)+wordsOfLine)/wordsOfLine }

// newPiece makes a piece of n slots from the first lines of a list of cache lines.
func newPiece(of []cacheLine, n int, name pieceName) piece {
	of = of[:pieceLines(n)]
	of[len(of)-1][wordsOfLine-1] = wheel.Time(name.chunk)<<16 | wheel.Time(name.at)
	return piece{base: (*record)(unsafe.Pointer(&of[0])), size: uint16(n)}
}

// noLines is the memory of all Owners that have never had a slot.
var noLines [1]cacheLine

func noPiece() piece { return piece{base: (*record)(unsafe.Pointer(&noLines[0]))} }

// room returns the number of slots, used or not.
func (p *piece) room() int { return int(p.size) }

// bound panics if there is no such slot.
func (p *piece) bound(at uint16) {
	if at >= p.size {
		panic("rules: slot out of range")
	}
}

func (p *piece) record(at uint16) *record {
	p.bound(at)
	return (*record)(unsafe.Add(unsafe.Pointer(p.base), uintptr(at)*unsafe.Sizeof(cacheLine{})))
}

// word returns a word after the slots.
func (p *piece) word(at int) *wheel.Time {
	return (*wheel.Time)(unsafe.Add(unsafe.Pointer(p.base), int(p.size)*int(unsafe.Sizeof(cacheLine{}))+at*8))
}

// slots returns all slots, used or not.
func (p *piece) slots() []record { return unsafe.Slice(p.base, p.size) }

// keys returns the keys of all slots.
func (p *piece) keys() keys { return unsafe.Slice(p.word(0), keyWords(p.room())) }

// name returns the name of a piece, which must have slots.
func (p *piece) name() pieceName {
	word := *p.word((pieceLines(p.room())-p.room())*wordsOfLine - 1)
	return pieceName{chunk: uint32(word >> 16), at: uint16(word)}
}
