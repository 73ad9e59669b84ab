package slots

import "unsafe"

// piece is the memory of one Slots: a row of cache lines. Each slot is one line; the keys and the
// hashes follow the slots; the last word is the name of the piece. The zero piece has no slots.
//
//	base ─▸ slot 0 │ slot 1 │ … │ keys, hashes │ name
type piece struct {
	base *cacheLine // the first slot
	size uint16     // number of slots

	// Counts of the Slots that has the piece. They are here because they need no memory here.
	used        uint16 // number of slots that have been used
	live, limit uint16 // number of records, and its maximum
}

// cacheLine is one line of a chunk: a slot, or eight words of keys.
type cacheLine [wordsOfLine]uint64

const (
	wordsOfLine = 8
	lineSize    = 8 * wordsOfLine
)

// pieceName says where a piece was cut from. It is stored in the last word of the piece.
type pieceName struct {
	chunk uint32 // index in Memory.chunks; 0 if the piece is not part of a chunk
	at    uint16 // index of the piece in its chunk
}

// hashWords returns the number of words of the hashes of n slots.
func hashWords(n int) int { return (n + 3) / 4 }

// pieceLines returns the number of lines of a piece of n slots, with the keys and the name.
func pieceLines(n int) int { return n + (n+hashWords(n)+wordsOfLine)/wordsOfLine }

// newPiece makes a piece of n slots from the first lines of a list of cache lines.
func newPiece(lines []cacheLine, n int, name pieceName) piece {
	lines = lines[:pieceLines(n)]
	lines[len(lines)-1][wordsOfLine-1] = uint64(name.chunk)<<16 | uint64(name.at)
	return piece{base: &lines[0], size: uint16(n)}
}

// bound panics if there is no such slot.
func (p *piece) bound(slot uint16) {
	if slot >= p.size {
		panic("slots: slot out of range")
	}
}

func (p *piece) line(slot uint16) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(p.base), int(slot)*lineSize)
}

// header returns the end of the record in a slot.
func (p *piece) header(slot uint16) *Header {
	p.bound(slot)
	return (*Header)(unsafe.Add(p.line(slot), lineSize-unsafe.Sizeof(Header{})))
}

// word returns a word after the slots.
func (p *piece) word(k int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(p.base), int(p.size)*lineSize+k*8)
}

// lines returns the lines of all slots, used or not.
func (p *piece) lines() []cacheLine { return unsafe.Slice(p.base, p.size) }

// rows returns the words of the keys and the hashes of all slots.
func (p *piece) rows() []uint64 {
	return unsafe.Slice((*uint64)(p.word(0)), int(p.size)+hashWords(int(p.size)))
}

// copyFrom copies the first n slots of another piece, with their keys and hashes. Further hashes
// become zero.
func (p *piece) copyFrom(from piece, n int) {
	copy(p.lines(), from.lines()[:n])
	rows, old := p.rows(), from.rows()
	copy(rows, old[:n])
	hashes := rows[p.size:]
	clear(hashes[copy(hashes, old[from.size:int(from.size)+hashWords(n)]):])
}

// name returns the name of a piece, which must have slots.
func (p *piece) name() pieceName {
	n := int(p.size)
	word := *(*uint64)(p.word((pieceLines(n)-n)*wordsOfLine - 1))
	return pieceName{chunk: uint32(word >> 16), at: uint16(word)}
}
