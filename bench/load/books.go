package load

import (
	"fmt"
	"math"

	"github.com/bufftick/bufftick/buff"
)

// never means that no event is due. Times in the books are in ms, like wheel.Time.
const never = math.MaxInt64

// books predict the events of an engine from the calls, without using the engine.
type books struct {
	raid     int // number of players in a raid; players cast only on players of their raid
	players  []account
	records  []record
	free     []int32
	byHandle map[buff.Handle]int32
	crossed  []crossing // casts by handlers whose events have not been seen yet
	ages     uint64
	live     int

	// The start and the end of the current frame. The events of the frame are due after the start
	// and no later than the end.
	before, now int64
	loose       bool // if set, owners may be late, so events may also be due before the frame

	digest  uint64
	counts  [64]uint64 // number of events, by kind
	pulses  uint64     // number of whole pulses that were seen and correct
	ends    uint64     // number of ends that were seen and correct
	crosses uint64     // number of casts by handlers that were seen and correct
	stale   uint64     // number of queued commands that found no target when they ran
	late    lateness
	slow    func(owner int32) bool // reports whether to ignore an owner's lateness; nil means to ignore none
	faults  faults
}

// account is the data of one player.
type account struct {
	seat          *seat
	records       []int32   // indexes of the player's buffs, the oldest first
	waiting       []command // commands sent while the owner was busy, which have not run yet
	expected      [64]int16 // number of events, by kind, that commands must still cause
	expectedTotal int

	// Instant, rank and age of the last due event that was seen. They are used to check the order.
	at   int64
	rank int8
	age  uint64
}

// record is one buff.
type record struct {
	handle buff.Handle // 0 means not known yet
	source buff.OwnerID
	end    int64
	next   int64 // time of the next pulse, which may be after the end
	period int64
	age    uint64
	owner  int32
	stacks int32
	kind   int16
	live   bool
}

// crossing is a cast requested by a handler.
type crossing struct {
	at     int64
	source buff.OwnerID
	to     int32
}

// verb is the kind of a command.
type verb uint8

const (
	cast   verb = iota
	dispel      // dispels the oldest magic buff
	hasten      // changes the period of the buff with the given handle
	cancel      // removes the buff with the given handle
)

// command is one call that the loop makes to the engine.
type command struct {
	at       int64
	handle   buff.Handle
	source   buff.OwnerID
	duration int64 // for a cast, the duration; for hasten, the new period
	owner    int32
	kind     int16
	verb     verb
}

// newBooks returns books for the given numbers of players and buffs. It allocates all memory in
// advance, so that only the engine can make the heap grow later.
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

// find returns the index of the record of a buff that a cast would join, or 0 if there is no such
// buff.
func (b *books) find(owner int32, kind int16, source buff.OwnerID) int32 {
	for _, i := range b.players[owner].records {
		if r := &b.records[i]; r.kind == kind && r.source == source {
			return i
		}
	}
	return 0
}

// enter records a command that runs at its instant, and adds all events that the command causes to
// the field "expected". It returns the kind of the main event, and the index of the buff's record,
// or 0 if there is no record.
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

// open creates a record.
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

// know records the engine's handle of a buff.
func (b *books) know(i int32, h buff.Handle) {
	b.records[i].handle = h
	b.byHandle[h] = i
}

// drop removes the record of a buff that has ended.
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
	p.expected[k]++
	p.expectedTotal++
}

// pay removes an event from the expected events, and reports whether the event was expected.
func (b *books) pay(owner int32, k buff.EventKind) bool {
	p := &b.players[owner]
	if p.expected[k] == 0 {
		return false
	}
	p.expected[k]--
	p.expectedTotal--
	return true
}

// faults counts errors by kind. Words has descriptions of the first ten errors.
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
