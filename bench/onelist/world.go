package onelist

import (
	"cmp"
	"slices"
)

// Options selects which promises of the engine are kept in addition to the order of events.
type Options struct {
	Numbered bool // if set, each event has a number, which accesses the owner's cache line
	Wide     bool // if set, events have 160 bytes and are passed to handlers by value
	Guarded  bool // if set, panics of handlers are recovered, and the running handler is published
}

// All selects all promises.
var All = Options{Numbered: true, Wide: true, Guarded: true}

// Kind is the kind of an event.
type Kind uint8

// The kinds of events.
const (
	Applied Kind = iota + 1
	Refreshed
	Stacked
	Pulsed
	Removed
)

// The reasons for a removal.
const (
	Expired   = 1
	Cancelled = 2
)

// Never is the end of a buff that never ends.
const Never = int64(1) << 62

// Event is a pulse, an application or a removal. It has the size of a cache line.
type Event struct {
	At, End       int64
	Owner, Source uint64
	Handle        uint64
	Magnitude     int64
	Seen          uint32
	Number        uint32 // number of the owner or, with Options.Numbered, of the event among the owner's events
	Spec          uint16
	Stacks, Level int16
	Kind          Kind
	Why           uint8
}

// WideEvent has the size of an engine event.
type WideEvent struct {
	Event
	_ [96]byte
}

// Spec is a definition.
type Spec struct {
	Duration, Period int64 // ms; a Duration of 0 means that the buff does not end
	Limit            int16 // maximum number of stacks
	BySource         bool  // if set, each source has a separate buff
	OnPulse          func(*Context, *Event)
	OnWidePulse      func(*Context, WideEvent) // called instead of OnPulse with Options.Wide
	OnEnd            func(*Context, *Event)
}

// record is the complete state of a buff. It is 64 bytes long.
type record struct {
	pulse, end, filed uint32 // times of the next pulse, of the end, and of the live entry; or never
	period, duration  uint32
	age, generation   uint32
	owner             uint32
	id, source        uint64
	magnitude         int64
	spec              uint16
	stacks, level     int16
}

// entry is a deadline in a slot of the wheel. The top bit of key is the rank, and the other bits
// are the age.
type entry struct{ due, key, place uint32 }

const (
	never       = ^uint32(0)
	unused      = uint16(1) << 15 // value of record.spec in a free record
	slotBits    = 4               // a near slot spans 16 ms
	slots       = 1 << 12
	wideBits    = slotBits + 12 // a far slot spans 65.5 s
	chunk       = 1 << 10
	ahead       = 32 // number of entries whose records are prefetched together
	ownerBlocks = 12 // maximum number of blocks of an owner; a block has eight records
)

// owner is the state of one owner without its buffs. It is 128 bytes long.
type owner struct {
	id      uint64
	used    uint32
	live    uint32
	blocks  [ownerBlocks]uint32
	events  uint64
	flags   uint64
	faulted uint64
	_       [40]byte
}

type (
	keys  [8]uint32 // for each record of a block: its definition and a hash of its source
	block [8]record
)

// arena is a growing list of values that never move in memory.
type arena[T any] struct {
	chunks []*[chunk]T
	n      uint32
}

func (a *arena[T]) at(k uint32) *T { return &a.chunks[k/chunk][k%chunk] }

func (a *arena[T]) add() uint32 {
	if a.n%chunk == 0 {
		a.chunks = append(a.chunks, new([chunk]T))
	}
	a.n++
	return a.n - 1
}

// World holds the owners, their buffs and the wheel. Time starts at zero and is in ms.
type World struct {
	options Options
	specs   []Spec
	now     uint32
	inTick  bool
	ages    uint32

	numbers map[uint64]uint32
	data    []any
	owners  arena[owner]
	keys    arena[keys]
	blocks  arena[block]

	near  [slots][]entry
	far   [slots][]entry
	moved int // number of entries in the next far slot that have been moved to near slots
	ready []entry
	spare []entry
	late  []entry // entries that became due during the running Tick

	context Context
	own     []command
	cross   []crossing
	read    uint64 // sum of the prefetched values, so that the compiler keeps the reads

	events, given []Event
	wide          []WideEvent // the pulses of the Tick, with Options.Wide
	givenWide     []WideEvent
	scratch       WideEvent
	guard         guard
}

// New returns an empty world.
func New(specs []Spec, o Options) *World {
	w := &World{options: o, specs: specs, numbers: map[uint64]uint32{}}
	w.context.world = w
	return w
}

// Spawn adds an owner.
func (w *World) Spawn(id uint64, data any) {
	o := w.owners.add()
	w.owners.at(o).id = id
	w.numbers[id] = o
	w.data = append(w.data, data)
}

func (w *World) record(place uint32) *record { return &w.blocks.at(place >> 3)[place&7] }

// Tick advances the time and returns the events since the last Tick. The slice is valid until the
// next Tick. With Options.Wide the slice does not contain pulses.
func (w *World) Tick(ms int64) []Event {
	from := w.now >> slotBits
	w.now += uint32(ms)
	to := w.now >> slotBits
	w.cascade(from, to)
	w.inTick = true
	w.run(w.sort(w.collect(from, to), from<<slotBits))
	w.inTick = false
	w.deliver()
	w.given, w.events = w.events, w.given[:0]
	w.wide, w.givenWide = w.givenWide[:0], w.wide
	return w.given
}

// Len returns the number of events of the last Tick, including wide pulses.
func (w *World) Len() int { return len(w.given) + len(w.givenWide) }

// cascade moves the entries in the next far slot to near slots. Each Tick moves a few of these
// entries, while the time passes through the current far slot.
func (w *World) cascade(from, to uint32) {
	for s := from; s < to; s++ {
		l := &w.far[(s>>12+1)&(slots-1)]
		part := int(s&(slots-1)) + 1
		for until := len(*l) * part / slots; w.moved < until; w.moved++ {
			e := (*l)[w.moved]
			n := &w.near[e.due>>slotBits&(slots-1)]
			*n = append(*n, e)
		}
		if part == slots {
			*l, w.moved = (*l)[:0], 0
		}
	}
}

// collect removes the due entries from the near slots and returns them.
func (w *World) collect(from, to uint32) []entry {
	ready := w.ready[:0]
	for s := from; s <= to; s++ {
		l := &w.near[s&(slots-1)]
		kept := (*l)[:0]
		for _, e := range *l {
			if e.due <= w.now {
				ready = append(ready, e)
			} else {
				kept = append(kept, e)
			}
		}
		*l = kept
	}
	w.ready = ready
	return ready
}

// run executes due entries, and the entries that become due while it runs.
func (w *World) run(ready []entry) {
	for at := 0; at < len(ready); at += ahead {
		some := ready[at:min(at+ahead, len(ready))]
		w.readAhead(some)
		for _, e := range some {
			for len(w.late) > 0 && before(w.late[0], e) < 0 {
				w.execute(w.takeLate())
			}
			w.execute(e)
		}
	}
	for len(w.late) > 0 {
		w.execute(w.takeLate())
	}
}

// readAhead reads the records of some entries before the entries are executed, so that the
// processor handles several cache misses at the same time.
func (w *World) readAhead(some []entry) {
	sum := uint32(0)
	for _, e := range some {
		sum += w.record(e.place).owner
	}
	if w.options.Numbered {
		for _, e := range some {
			sum += w.owners.at(w.record(e.place).owner).live
		}
	}
	w.read += uint64(sum)
}

func (w *World) takeLate() entry {
	e := w.late[0]
	w.late = w.late[:copy(w.late, w.late[1:])]
	return e
}

func before(a, b entry) int { return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.key, b.key)) }

// sort sorts entries by time, rank and age. It first sorts by time, with a counting sort. It then
// sorts the entries of each time by rank and age, unless they already are in order.
func (w *World) sort(r []entry, base uint32) []entry {
	if slices.IsSortedFunc(r, before) {
		return r
	}
	span := w.now - base + 1
	if span > 4096 {
		slices.SortFunc(r, before)
		return r
	}
	var few [130]uint32
	starts := few[:]
	if int(span)+1 > len(few) {
		starts = make([]uint32, span+1)
	}
	for _, e := range r {
		starts[e.due-base+1]++
	}
	for k := uint32(1); k <= span; k++ {
		starts[k] += starts[k-1]
	}
	if cap(w.spare) < len(r) {
		w.spare = make([]entry, len(r), cap(r))
	}
	out := w.spare[:len(r)]
	for _, e := range r {
		p := &starts[e.due-base]
		out[*p] = e
		*p++
	}
	for from := 0; from < len(out); {
		to := from + 1
		for to < len(out) && out[to].due == out[from].due {
			to++
		}
		if !slices.IsSortedFunc(out[from:to], before) {
			slices.SortFunc(out[from:to], before)
		}
		from = to
	}
	w.ready, w.spare = out, r
	return out
}

// next returns the earliest deadline of a record.
func (r *record) next() uint32 { return min(r.pulse, r.end) }

// key returns the key of an entry for the record's next deadline. The key consists of rank and age.
// If a pulse and an end are due at the same time, the key is that of the pulse.
func (r *record) key() uint32 {
	if r.pulse <= r.end && r.pulse != never {
		return r.age
	}
	return r.age | 1<<31
}

// file adds an entry for the next deadline of a record. If the record already has a live entry that
// is due no later, "file" does nothing.
func (w *World) file(place uint32, r *record) {
	if due := r.next(); due < r.filed {
		w.put(place, r, due)
	}
}

func (w *World) put(place uint32, r *record, due uint32) {
	r.filed = due
	if due == never {
		return
	}
	e := entry{due, r.key(), place}
	switch {
	case w.inTick && due <= w.now:
		w.late = append(w.late, e)
		slices.SortFunc(w.late, before)
	case due>>slotBits-w.now>>slotBits < slots:
		l := &w.near[due>>slotBits&(slots-1)]
		*l = append(*l, e)
	default:
		l := &w.far[due>>wideBits&(slots-1)]
		*l = append(*l, e)
	}
}

// execute runs a due entry.
func (w *World) execute(e entry) {
	r := w.record(e.place)
	if r.filed != e.due {
		return // the entry is stale, because the record has another live entry
	}
	due := r.next()
	if due != e.due { // the deadline has been postponed
		w.put(e.place, r, due)
		return
	}
	if r.pulse == due && w.options != (Options{}) {
		w.pulseGuarded(e.place, r, due)
		return
	}
	spec := &w.specs[r.spec]
	x, call := w.emit(e.place, r, Pulsed, due), spec.OnPulse
	if r.pulse == due {
		r.pulse += r.period
		w.put(e.place, r, r.next())
	} else {
		x.Kind, x.Why, call = Removed, Expired, spec.OnEnd
		w.free(e.place, r)
	}
	if call != nil {
		w.context.owner, w.context.at = r.owner, due
		call(&w.context, x)
		w.runCommands(due)
	}
}

// emit appends an event about a record.
func (w *World) emit(place uint32, r *record, kind Kind, at uint32) *Event {
	x := w.place()
	*x = r.event(place, kind, at, w.now)
	return x
}

func (r *record) event(place uint32, kind Kind, at, seen uint32) Event {
	end := Never
	if kind == Applied || kind == Refreshed || kind == Stacked {
		if end = int64(r.end); r.end == never {
			end = Never
		}
	}
	return Event{
		At: int64(at), End: end, Owner: r.id, Source: r.source, Handle: uint64(r.generation)<<32 | uint64(place), Magnitude: r.magnitude,
		Seen: seen, Number: r.owner, Spec: r.spec, Stacks: r.stacks, Level: r.level, Kind: kind,
	}
}

func (w *World) place() *Event {
	n := len(w.events)
	if n == cap(w.events) {
		w.events = slices.Grow(w.events, max(n, 64))
	}
	w.events = w.events[:n+1]
	return &w.events[n]
}
