package storetest

import (
	"math/rand/v2"
	"slices"
)

// Trace is what a program has done to one file, in order: recorded from a real run, so that the
// file can be made as a power loss at any point would have left it.
type Trace struct {
	Start []byte // the file before, all of it on disk
	Ops   []Op
}

// Op is one call of the program.
type Op struct {
	Kind OpKind
	At   int64  // of a Write: where; of a Truncate: the new length; of an Ack: its number
	Data []byte // of a Write
}

// OpKind says what an [Op] is.
type OpKind uint8

// The kinds of an [Op].
const (
	Write    OpKind = iota + 1
	Truncate        // makes the file longer, or shorter
	Sync            // all before it is on disk when it has returned
	Ack             // the program says that something will last
)

// sector is what a disk writes as a whole, as far as anybody promises.
const sector = 512

// Disk is a file on a disk that loses what was not synced when the power goes. It walks along a
// [Trace].
type Disk struct {
	trace   *Trace
	next    int    // of Trace.Ops
	synced  []byte // what is on disk for certain
	pending []Op   // what is not
	acked   int64
}

// NewDisk returns the disk before the first Op.
func NewDisk(t *Trace) *Disk { return &Disk{trace: t, synced: slices.Clone(t.Start)} }

// Step does the next Op and reports whether there was one.
func (d *Disk) Step() bool {
	if d.next == len(d.trace.Ops) {
		return false
	}
	op := d.trace.Ops[d.next]
	d.next++
	switch op.Kind {
	case Ack:
		d.acked = op.At
	case Sync:
		for _, op := range d.pending {
			d.synced = op.apply(d.synced, nil)
		}
		d.pending = d.pending[:0]
	default:
		d.pending = append(d.pending, op)
	}
	return true
}

// Acknowledged returns the number of the last Ack, 0 before there is one: what must be on disk.
func (d *Disk) Acknowledged() int64 { return d.acked }

// Crash returns the file as a power loss now may leave it, by dice: of what was not synced each
// write is kept, or dropped, or torn into sectors, or at a byte, in any order. The disk stays as
// it is: there can be many.
func (d *Disk) Crash(dice *rand.Rand) []byte {
	file := slices.Clone(d.synced)
	ops := slices.Clone(d.pending)
	keep := [...]float64{0, 0.1, 0.5, 0.9, 1}[dice.IntN(5)]
	tear := [...]float64{0, 0.2, 1}[dice.IntN(3)]
	if dice.IntN(2) == 0 {
		dice.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	}
	if dice.IntN(4) == 0 && len(ops) > 0 { // they went in order, up to one
		ops, keep = ops[:dice.IntN(len(ops)+1)], 1
	}
	for _, op := range ops {
		switch {
		case dice.Float64() >= keep:
		case dice.Float64() < tear:
			file = op.apply(file, dice)
		default:
			file = op.apply(file, nil)
		}
	}
	return file
}

// apply does an Op to a file; with dice it is torn.
func (op Op) apply(file []byte, dice *rand.Rand) []byte {
	if op.Kind == Truncate {
		return resized(file, op.At)
	}
	if end := op.At + int64(len(op.Data)); end > int64(len(file)) {
		file = resized(file, end)
	}
	to := file[op.At:]
	if dice == nil {
		copy(to, op.Data)
		return file
	}
	if dice.IntN(4) == 0 {
		copy(to, op.Data[:dice.IntN(len(op.Data)+1)])
		return file
	}
	for at := 0; at < len(op.Data); at += sector {
		if dice.IntN(2) == 0 {
			copy(to[at:], op.Data[at:min(at+sector, len(op.Data))])
		}
	}
	return file
}

func resized(file []byte, n int64) []byte {
	if n <= int64(len(file)) {
		return file[:n]
	}
	return append(file, make([]byte, n-int64(len(file)))...)
}
