package load

import (
	"fmt"
	"math"

	"github.com/bufftick/bufftick/buff"
)

// never is when nothing is due. Times in the books are in ms, like wheel.Time.
const never = math.MaxInt64

// books is what must happen, worked out apart from the engine.
type books struct {
	raid     int // players who cast on each other; see target
	players  []account
	records  []record
	free     []int32
	byHandle map[buff.Handle]int32
	crossed  []crossing // casts of handlers that have not been seen yet
	ages     uint64
	live     int

	// Of the frame that is being looked through: an event is due after before and by now.
	before, now int64
	loose       bool // somebody may be late: an event may be due before that

	digest  uint64
	counts  [64]uint64 // of events, by kind
	pulses  uint64     // whole ones, seen and right
	ends    uint64     // seen and right
	crosses uint64     // casts of handlers, seen and right
	stale   uint64     // commands that waited until what they were about was gone
	late    lateness
	slow    func(owner int32) bool // whose lateness is not counted; nil: nobody
	faults  faults
}

// account is what the books have of one player.
type account struct {
	seat    *seat
	records []int32   // the oldest application first
	waiting []command // of an owner who was busy when they were given
	owed    [64]int16 // events of commands that have not been seen yet, by kind
	owes    int

	// Of the last due event that was seen.
	at   int64
	rank int8
	age  uint64
}

// record is one buff.
type record struct {
	handle buff.Handle // 0: not known yet
	source buff.OwnerID
	end    int64
	next   int64 // the pulse to come, which may lie behind the end
	period int64
	age    uint64
	owner  int32
	stacks int32
	kind   int16
	live   bool
}

// crossing is a cast that a handler has asked for.
type crossing struct {
	at     int64
	source buff.OwnerID
	to     int32
}

// verb is what a command asks for.
type verb uint8

const (
	cast   verb = iota
	dispel      // one buff that magic takes off, the oldest
	hasten      // the buff of handle gets another period
	cancel      // the buff of handle is removed
)

// command is one call of the loop.
type command struct {
	at       int64
	handle   buff.Handle
	source   buff.OwnerID
	duration int64 // of a cast; for hasten, the period
	owner    int32
	kind     int16
	verb     verb
}

// newBooks returns books for so many players and buffs. All that they need later is there
// then: what the heap grows by is the engine's.
func newBooks(players, raid, buffs int) *books {
	b := &books{
		raid: raid, players: make([]account, players), records: make([]record, 1, buffs+buffs/4+1),
		byHandle: make(map[buff.Handle]int32, buffs+buffs/4), free: make([]int32, 0, buffs/4+16),
		digest: 14695981039346656037,
	}
	each := buffs/max(players, 1) + 16
	for i := range b.players {
		b.players[i].records = make([]int32, 0, each)
	}
	return b
}

func ownerID(place int32) buff.OwnerID { return buff.OwnerID(place) + 1 }
func placeOf(id buff.OwnerID) int32    { return int32(id) - 1 }

// find returns the record of a buff that a cast would join, or 0.
func (b *books) find(owner int32, kind int16, source buff.OwnerID) int32 {
	for _, i := range b.players[owner].records {
		if r := &b.records[i]; r.kind == kind && r.source == source {
			return i
		}
	}
	return 0
}

// enter writes a command down, at its instant, and returns what must come of it: the chief
// event, and the record. What follows is owed.
func (b *books) enter(c *command) (buff.EventKind, int32) {
	switch c.verb {
	case cast:
		return b.enterCast(c)
	case dispel:
		for _, i := range b.players[c.owner].records {
			if kinds[b.records[i].kind].magic {
				b.owe(c.owner, buff.Removed)
				b.drop(i)
				return buff.Removed, 0
			}
		}
		return 0, 0
	}
	i := b.byHandle[c.handle]
	switch {
	case i == 0:
		return 0, 0
	case c.verb == hasten:
		b.records[i].period = c.duration
		b.owe(c.owner, buff.Hastened)
		return buff.Hastened, i
	}
	b.owe(c.owner, buff.Removed)
	b.drop(i)
	return buff.Removed, 0
}

func (b *books) enterCast(c *command) (buff.EventKind, int32) {
	i := b.find(c.owner, c.kind, c.source)
	if i == 0 {
		b.owe(c.owner, buff.Applied)
		return buff.Applied, b.open(c)
	}
	r := &b.records[i]
	kind := buff.Refreshed
	if r.stacks < kinds[c.kind].limit {
		r.stacks++
		b.owe(c.owner, buff.Stacked)
		kind = buff.Stacked
	}
	b.owe(c.owner, buff.Refreshed)
	r.end = endOf(c)
	return kind, i
}

func endOf(c *command) int64 {
	if kinds[c.kind].infinite {
		return never
	}
	return c.at + c.duration
}

// open begins a record.
func (b *books) open(c *command) int32 {
	var i int32
	if n := len(b.free); n > 0 {
		i, b.free = b.free[n-1], b.free[:n-1]
	} else {
		i = int32(len(b.records))
		b.records = append(b.records, record{})
	}
	b.ages++
	k := &kinds[c.kind]
	r := record{
		source: c.source, end: endOf(c), next: never, period: k.period, age: b.ages,
		owner: c.owner, stacks: 1, kind: c.kind, live: true,
	}
	if k.period > 0 {
		r.next = c.at + k.period
	}
	b.records[i] = r
	p := &b.players[c.owner]
	p.records = append(p.records, i)
	b.live++
	return i
}

// know says under which handle the engine has it.
func (b *books) know(i int32, h buff.Handle) {
	b.records[i].handle = h
	b.byHandle[h] = i
}

// drop ends a record.
func (b *books) drop(i int32) {
	r := &b.records[i]
	list := &b.players[r.owner].records
	for k, other := range *list {
		if other == i {
			*list = append((*list)[:k], (*list)[k+1:]...)
			break
		}
	}
	delete(b.byHandle, r.handle)
	r.live = false
	b.free = append(b.free, i)
	b.live--
}

func (b *books) owe(owner int32, k buff.EventKind) {
	p := &b.players[owner]
	p.owed[k]++
	p.owes++
}

// pay takes an event off what is owed and reports whether it was.
func (b *books) pay(owner int32, k buff.EventKind) bool {
	p := &b.players[owner]
	if p.owed[k] == 0 {
		return false
	}
	p.owed[k]--
	p.owes--
	return true
}

// faults are what went wrong: how much of each sort, and the first of them in words.
type faults struct {
	Lost, Early, Late, Doubled, Wrong uint64
	Words                             []string
}

func (f *faults) note(count *uint64, format string, args ...any) {
	*count++
	if len(f.Words) < 10 {
		f.Words = append(f.Words, fmt.Sprintf(format, args...))
	}
}

func (f *faults) none() bool { return f.Lost+f.Early+f.Late+f.Doubled+f.Wrong == 0 }

func (f *faults) String() string {
	return fmt.Sprintf("%d lost, %d early, %d late, %d doubled, %d otherwise wrong", f.Lost, f.Early, f.Late, f.Doubled, f.Wrong)
}
