package buff

import (
	"fmt"
	"math"

	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/wheel"
)

// Restoration is what came of a [Set.Restore].
type Restoration struct {
	Restored int // buffs that are back
	Expired  int // buffs that ended while their owner was away
	Unknown  int // buffs of which the catalog has no definition, or an instant one: kept aside
	Timeouts int // timeouts that are back
	Unnamed  int // timeouts whose handler has no name any more: kept aside

	// Away is for how many ms the owner was away by Moment.Wall, at least 0.
	Away int64

	// ClockStepped says that Moment.Wall went back: no time has passed for Wall buffs.
	ClockStepped bool
}

// Restore puts what is in a blob on the owner, whose Set must be as [NewSet] made it, or
// Restore panics. Turn.Catalog has the definitions. The function returns the handlers of
// timeouts by name; if it is nil, those of the catalog are there.
//
// An Online buff goes on where it was. For a Wall buff the time of the calendar has passed,
// for an Uptime buff that of the server, at the rate that its own and its owner's time had
// at the moment of saving, also if they stood still; a clock that went back counts as
// none. Pulses in that time are as Saving.Offline says, with the stacks of the last of them,
// and Suppressed if the buff was hidden or its owner is immune; a [TailPartial] is lost.
// Stacks that end with a rest of the buff end one after the other and are told together, and
// so is what ran in a queue.
//
// The events are at at.Now, the oldest buff first. For one that is back there is a Restored,
// then a StackEnded or Queued if stacks or the one that ran had ended, then its pulses. For
// one that has ended there are its pulses and a Removed, as Saving.OfflineExpire says; it
// is not on the owner any more, and these events have no Handle. What is hidden is looked
// at anew after that, and what the definitions want follows.
//
// If a definition has changed, the buff keeps to the new one: no more stacks than the limit,
// those that end first going; no pulses without a period, or a new beat from now on with a
// first one; an end if it must have one now. A period that was not hasted is the new one
// after the pulse to come. Numbers are those that were saved, by name; what is asked for
// besides is worked out from what is known, and is its default, or zero, if that is not
// enough. What the catalog does not know — definitions, handlers, tags, attributes, groups
// of diminishing returns — is kept aside as it was and is in the next [Set.Save]. A
// buff that comes back from there is the owner's youngest.
//
// Restore fails with [ErrBlob], or with [ErrFull] if the owner may not carry as much, and
// has then changed nothing. Whatever the blob says, it allocates no more than a fixed
// multiple of its length, beside the events.
func (s *Set) Restore(t *Turn, at Moment, blob []byte, handler func(name string) (HandlerID, bool)) (Restoration, error) {
	if len(s.slots)+len(s.timeouts) > 0 || s.gates != nil || s.own != nil || s.sheet != nil {
		panic("buff: Restore into a Set that has been used")
	}
	b, err := readBlob(blob)
	if err != nil {
		return Restoration{}, err
	}
	if handler == nil {
		handler = func(name string) (HandlerID, bool) { id, ok := t.Catalog.handled[name]; return id, ok }
	}
	r := &restorer{set: s, turn: t, at: at, saved: b, aside: &saved{}, handler: handler, ages: b.Ages}
	r.ownTime()
	r.buffs()
	r.timeouts()
	r.returns()
	r.result.Away, r.result.ClockStepped = since(at.Wall, b.Wall), at.Wall < b.Wall
	if err := r.room(); err != nil {
		return Restoration{}, err
	}
	r.place()
	r.tell()
	return r.result, nil
}

// restorer is one Restore. Up to place it does not touch the Set.
type restorer struct {
	set     *Set
	turn    *Turn
	at      Moment
	saved   *saved
	aside   *saved
	handler func(name string) (HandlerID, bool)
	result  Restoration

	own  *pace      // the owner's, to be
	now  wheel.Time // in the owner's time
	ages uint64

	backs   []comeback
	waits   []timeout
	remains []diminished
}

// since returns the ms from then to now, none if that is negative.
func since(now, then int64) int64 {
	switch d := now - then; {
	case now < then:
		return 0
	case d < 0:
		return math.MaxInt64
	default:
		return d
	}
}

// ownTime finds the owner's time. It goes on where it was if it was not the world's, or if
// the beat of a buff is counted from its zero.
func (r *restorer) ownTime() {
	b := r.saved
	r.now = r.at.Now
	p := newPace(r.at.Now)
	p.inner = wheel.Time(b.Time)
	switch {
	case b.Pace != nil:
		b.Pace.restore(&p, OfOwner)
	case p.inner == p.at || !r.aligned():
		return
	}
	r.own, r.now = &p, p.inner
}

func (r *restorer) aligned() bool {
	for k := range r.saved.Buffs {
		if spec := r.turn.Catalog.Spec(r.saved.Buffs[k].ID); spec != nil && spec.Align == AlignOwner {
			return true
		}
	}
	return false
}

// restore gives p the rest and the cause that it had.
func (b *savedPace) restore(p *pace, cause Whose) {
	p.rest, p.den = b.Rest, b.Parts
	p.change(p.at, cause, b.Held, Ratio{b.Num, b.Den})
}

// buffs finds out what becomes of each buff.
func (r *restorer) buffs() {
	r.backs = make([]comeback, 0, len(r.saved.Buffs))
	for k := range r.saved.Buffs {
		b := &r.saved.Buffs[k]
		spec := r.turn.Catalog.Spec(b.ID)
		if spec == nil || spec.Kind == Instant {
			r.result.Unknown++
			if b.Since == nil {
				b.Since = &savedMoment{Wall: r.saved.Wall, Uptime: r.saved.Uptime}
			}
			r.aside.Buffs = append(r.aside.Buffs, *b)
			continue
		}
		c := r.comeback(b, spec)
		c.pass()
		if c.gone {
			r.result.Expired++
		} else {
			r.result.Restored++
		}
		r.backs = append(r.backs, c)
	}
}

// timeouts finds the handlers.
func (r *restorer) timeouts() {
	for _, b := range r.saved.Timeouts {
		id, ok := r.handler(b.Handler)
		if !ok {
			r.result.Unnamed++
			r.aside.Timeouts = append(r.aside.Timeouts, b)
			continue
		}
		r.waits = append(r.waits, timeout{
			at: r.now.Add(max(b.Left, 1)), age: b.Age, armed: wheel.Never, name: b.Name, handler: id, generation: r.set.base + 1, live: true,
		})
	}
	r.result.Timeouts = len(r.waits)
}

// returns finds the groups of diminishing returns.
func (r *restorer) returns() {
	for _, b := range r.saved.Returns {
		group, ok := r.turn.Catalog.drs.of[b.Group]
		if !ok {
			r.aside.Returns = append(r.aside.Returns, b)
			continue
		}
		r.remains = append(r.remains, diminished{group: uint16(group), n: uint16(b.N), source: b.Source, until: r.now.Add(b.Left)})
	}
}

// room reports whether the Set may carry all of it.
func (r *restorer) room() error {
	modifiers := 0
	for k := range r.backs {
		if c := &r.backs[k]; !c.gone {
			modifiers += len(c.i.spec.modifiers)
		}
	}
	for _, l := range []struct {
		n, most int
		what    string
	}{
		{modifiers, stat.MaxModifiers, "modifiers"},
		{r.result.Restored, int(r.set.limit), "buffs"},
		{r.result.Timeouts, int(r.set.limit), "timeouts"},
		{r.result.Unknown, MaxPerOwner, "unknown buffs"},
		{r.result.Unnamed, MaxPerOwner, "timeouts without a handler"},
	} {
		if l.n > l.most {
			return fmt.Errorf("%w: a blob of %d %s for owner %d, who may have %d", ErrFull, l.n, l.what, r.set.owner, l.most)
		}
	}
	return nil
}
