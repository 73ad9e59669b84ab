package floor

import "slices"

// Spec is a definition. Spans are in ms.
type Spec struct {
	Duration, Period int64 // Duration 0: until it is removed; Period 0: no pulses
	Stacks           int   // the most; 0 is 1
	BySource         bool  // applications of different sources are different instances
	Pulse, End       Handler
}

// Handler is called for an event. What it asks for is done when it has returned.
type Handler func(c *Context, e *Event)

// Kind is what happened.
type Kind uint8

// The kinds of an Event.
const (
	Applied Kind = iota + 1
	Refreshed
	Stacked
	Pulsed
	Removed
)

// Why is the reason of a Removed.
type Why uint8

// The reasons.
const (
	None Why = iota
	Expired
	Cancelled
)

// Handle names an instance: its place below, its generation above.
type Handle uint64

// Event is what happened: what the engine says of the same.
type Event struct {
	At, Seen      int64
	Owner, Source uint64
	Handle        Handle
	End           int64 // of an Applied and a Refreshed; otherwise never
	Magnitude     int64
	Spec          uint16
	Stacks, Level int16
	Kind          Kind
	Why           Why
}

const (
	blocks = 12      // of an owner
	eight  = 8       // buffs of a block
	never  = 1 << 62 // a time that does not come
	far    = 1<<32 - 1
	nobody = 1<<32 - 1
)

// header is what is looked at of an owner first. 128 bytes.
type header struct {
	id     uint64
	ages   uint32
	filed  uint32 // the ring has it under this; far: not at all
	used   uint32 // blocks
	live   uint32
	due    [blocks]uint32
	number [blocks]uint32
}

// line is what is looked at of a block. 64 bytes.
type line struct {
	due [eight]uint32 // far: nothing to come, or free
	key [eight]uint32 // 0: free
}

// instance is one buff. 64 bytes, without pointers.
type instance struct {
	beat, end  int64
	source     uint64
	magnitude  int64
	period     uint32
	duration   uint32
	age        uint32
	generation uint32
	owner      uint32
	stacks     int16
	level      int16
	spec       uint16
	live       bool
}

// World is all owners and what they carry.
type World struct {
	now       int64
	specs     []Spec
	byID      map[uint64]uint32
	data      []any // by owner, beside what is hot
	owners    arena[header]
	lines     arena[line]
	instances arena[[eight]instance]
	ring      ring

	events []Event
	given  []Event // those of the frame before
	ctx    Context
	own    []command // of the handler that runs, and what follows
	cross  []outgoing
	ready  []uint32 // owners that have come up
	seen   uint64   // what was read ahead
	whose  []uint32 // of a batch of calls
}

// arena is records in large chunks: it grows without moving any, and no chunk has a pointer.
type arena[T any] struct {
	chunks []*[chunk]T
	n      uint32
}

const (
	chunkBits = 10
	chunk     = 1 << chunkBits
)

func (a *arena[T]) at(k uint32) *T { return &a.chunks[k>>chunkBits][k&(chunk-1)] }

func (a *arena[T]) add() uint32 {
	if a.n&(chunk-1) == 0 {
		a.chunks = append(a.chunks, new([chunk]T))
	}
	a.n++
	return a.n - 1
}

// New returns a world of these definitions, at the time 0.
func New(specs []Spec) *World {
	w := &World{specs: slices.Clone(specs), byID: map[uint64]uint32{}}
	w.ctx.world = w
	for i := range w.specs {
		w.specs[i].Stacks = max(1, w.specs[i].Stacks)
	}
	return w
}

// Spawn lets an owner in.
func (w *World) Spawn(id uint64, data any) {
	o := w.owners.add()
	h := w.owners.at(o)
	h.id, h.filed = id, far
	for b := range h.due {
		h.due[b] = far
	}
	w.byID[id] = o
	w.data = append(w.data, data)
}

// Now returns the time.
func (w *World) Now() int64 { return w.now }

// Told returns what has happened since the last Tick.
func (w *World) Told() []Event { return w.events }

// Context is what a handler has.
type Context struct {
	world *World
	owner uint32
	at    int64
}

// Data is what Spawn was given.
func (c *Context) Data() any { return c.world.data[c.owner] }

// Do asks for a command. One for the handler's own owner is done when the handler has returned, one
// for another at the end of the frame.
func (c *Context) Do(cmd Command) {
	w := c.world
	if cmd.Verb == Remove || cmd.Owner == w.owners.at(c.owner).id {
		w.own = append(w.own, command{Command: cmd})
		return
	}
	w.cross = append(w.cross, outgoing{at: c.at, from: w.owners.at(c.owner).id, cmd: cmd})
}

type command struct{ Command }

type outgoing struct {
	at   int64
	from uint64
	cmd  Command
}

// tell notes an event.
func (w *World) tell(kind Kind, at int64, id uint64, h Handle, i *instance) *Event {
	n := len(w.events)
	if n == cap(w.events) {
		w.events = slices.Grow(w.events, max(n, 64))
	}
	w.events = w.events[:n+1]
	e := &w.events[n]
	*e = Event{
		At: at, Seen: w.now, Owner: id, Source: i.source, Handle: h, End: never, Magnitude: i.magnitude,
		Spec: i.spec, Stacks: i.stacks, Level: i.level, Kind: kind,
	}
	return e
}
