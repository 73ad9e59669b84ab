package storetest

import (
	"math/rand/v2"
	"slices"
)

// Trace is the sequence of operations of a program on one file, recorded from a real run. [Disk]
// uses it to construct the states in which a power loss could leave the file.
type Trace struct {
	Start []byte // initial contents, all on disk
	Ops   []Op
}

// Op is one operation.
type Op struct {
	Kind OpKind
	At   int64  // offset of a Write, new length of a Truncate, or number of an Ack
	Data []byte // contents of a Write
}

// OpKind is the kind of an [Op].
type OpKind uint8

// Kinds of an [Op].
const (
	Write    OpKind = iota + 1
	Truncate        // changes the length of the file
	Sync            // makes all earlier operations durable
	Ack             // the program promises durability
)

// sector is the size in bytes of an atomic disk write.
const sector = 512

// Disk simulates a disk that loses unsynced writes of a file on a power loss. It replays a
// [Trace].
type Disk struct {
	trace   *Trace
	next    int    // index in Trace.Ops
	synced  []byte // contents that are certainly on disk
	pending []Op   // operations that may be lost
	acked   int64
}

// NewDisk returns a Disk that has executed no Op yet.
func NewDisk(t *Trace) *Disk { return &Disk{trace: t, synced: slices.Clone(t.Start)} }

// Step executes the next Op and reports whether there was one.
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

// Acknowledged returns the number of the last Ack, or 0 if there was none. The data that the
// program has acknowledged with that Ack must be on disk.
func (d *Disk) Acknowledged() int64 { return d.acked }

// Crash returns a state, chosen with dice, in which a power loss now could leave the file. Each
// unsynced write is kept, dropped, or torn, so that only some of its sectors or its first bytes
// are kept. The writes may reach the disk in any order. The Disk does not change, so Crash can be
// called many times.
func (d *Disk) Crash(dice *rand.Rand) []byte {
	file := slices.Clone(d.synced)
	ops := slices.Clone(d.pending)
	keep := [...]float64{0, 0.1, 0.5, 0.9, 1}[dice.IntN(5)]
	tear := [...]float64{0, 0.2, 1}[dice.IntN(3)]
	if dice.IntN(2) == 0 {
		dice.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	}
	if dice.IntN(4) == 0 && len(ops) > 0 { // keep a prefix of the operations, in order
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

// apply executes an Op on a file. If dice is not nil, a Write is torn.
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
