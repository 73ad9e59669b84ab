package buff

import (
	"fmt"
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/sheet"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/bufftick/bufftick/wheel"
)

// Restoration is what came of a [Set.Restore].
type Restoration struct {
	Restored int // buffs that are back
	Expired  int // buffs that ended while their owner was away
	Unknown  int // buffs of which the catalog has no definition, or an instant one, and links whose heads are such buffs: kept aside
	Timeouts int // timeouts that are back
	Unnamed  int // timeouts whose handler has no name any more: kept aside

	// Away is for how many ms the owner was away by Moment.Wall, at least 0.
	Away int64

	// Sources are those of whom the owner carries something again that ends or is adopted when
	// its source leaves (Spec.OnSourceGone), each once, sorted, without the owner. A source may
	// have left meanwhile, and nobody has told this owner: whoever knows gives it a LoseSource.
	Sources []OwnerID

	// ClockStepped says that Moment.Wall went back: no time has passed for Wall buffs.
	ClockStepped bool

	// UptimeStepped says that Moment.Uptime went back, and that the blob has an Uptime buff: no
	// time has passed for it. The server does not keep its uptime from one run to the next.
	UptimeStepped bool
}

// Restore puts what is in a blob on the owner, whose Set must be as [NewSet] made it, or
// Restore panics. Turn.Catalog has the definitions. The function returns the handlers of
// timeouts by name; if it is nil, those of the catalog are there.
//
// An Online buff goes on where it was. For a Wall buff the time of the calendar has passed,
// for an Uptime buff that of the server, at the rate that its own and its owner's time had
// at the moment of saving, also if they stood still; a clock that went back counts as
// none. Pulses in that time are as Saving.Offline says, with the stacks of the last of them,
// and Suppressed if the buff was hidden or its owner is immune; the partial one of a
// [define.TailPartial] comes after the whole ones.
// A number with [define.SnapshotPulse] is asked for at each of them, by what is back and by the buff itself.
// Stacks that end with a rest of the buff end one after the other and are told together, and
// so is what ran in a queue.
//
// The events are at at.Now, the oldest buff first. For one that is back there is a Restored,
// then a StackEnded or Queued if stacks or the one that ran had ended, then its pulses. For
// one that has ended there are its pulses and a Removed, as Saving.OfflineExpire says; it
// is not on the owner any more, and these events have no Handle. With [define.OfflineRun] its actions follow: a buff that
// they apply to the owner and that lives by the same clock starts at that end, its time since then passes like that of a buff
// that was away, and it may have ended by now. What is hidden is looked
// at anew after that, and what the definitions want follows.
//
// If a definition has changed, the buff keeps to the new one: no more stacks than the limit,
// those that end first going; no pulses without a period, or a new beat from now on with a
// first one; an end if it must have one now. A period that was not hasted is the new one
// after the pulse to come. Numbers are those that were saved, by name; what is asked for
// besides is worked out from what is known, and is its default, or zero, if that is not
// enough. What the catalog does not know — definitions, handlers, tags, attributes, groups
// of diminishing returns — is kept aside as it was and is in the next [Set.Save], and so is a link all
// of whose heads are. A buff that comes back from there is the owner's youngest. A link of which no head is
// in the blob is dropped.
//
// What the time of the owner's zone is to do to it, as by commands of [define.OfZone], is zone: it holds
// from at.Now on, and the events tell the ends that follow from it.
//
// Restore fails with [ErrBlob], with [ErrFull] if the owner may not carry as much, or with
// [ErrRoom] if too much would happen at once, and has then changed nothing. Whatever the blob says, it allocates no more than a fixed
// multiple of its length, beside the events.
func (s *Set) Restore(t *Turn, at Moment, blob []byte, handler func(name string) (HandlerID, bool), zone ...Command) (Restoration, error) {
	if int(s.used)+len(s.timeouts().all()) > 0 || s.gates() != nil || s.timeScale() != nil || s.sheet() != nil {
		panic("buff: Restore into a Set that has been used")
	}
	r := t.restorer()
	defer r.done()
	r.of(t.Catalog)
	b, err := state.Decode(blob, r.memory)
	if err != nil {
		return Restoration{}, err
	}
	r.guess = b.Format < 4
	b.Upgrade()
	r.set, r.turn, r.at, r.saved, r.handler, r.ages = s, t, at, b, handler, b.Ages
	r.ownTime()
	r.buffs()
	r.timeouts()
	r.returns()
	r.result.Away, r.result.ClockStepped = since(at.Wall, b.Wall), at.Wall < b.Wall
	if err := r.room(); err != nil {
		return Restoration{}, err
	}
	if err := r.burst(); err != nil {
		return Restoration{}, err
	}
	r.place()
	r.tell(zone)
	r.result.Sources = s.sourcesToLose()
	return r.result, nil
}

// sourcesToLose returns whose leaving would change something of what the owner carries.
func (s *Set) sourcesToLose() (sources []OwnerID) {
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		i := s.slot(at)
		if fate := s.specOf(i).OnSourceGone; (fate == define.FateRemove || fate == define.FateAdopt) && i.source != 0 && i.source != s.owner {
			sources = append(sources, i.source)
		}
	}
	slices.Sort(sources)
	return slices.Compact(sources)
}

// steppedBack reports whether a buff lives by the uptime, which has gone back.
func (r *restorer) steppedBack(b *state.Buff) bool {
	from := r.saved.Uptime
	if b.Since != nil {
		from = b.Since.Uptime
	}
	return b.On(define.Uptime) && r.at.Uptime < from
}

// restorer is one Restore. Up to place it does not touch the Set. A Turn keeps one, with its
// memory, for all owners that it restores.
type restorer struct {
	memory  *state.Memory
	catalog *Catalog // of the names in memory
	fates   []fate   // of each saved buff
	set     *Set
	turn    *Turn
	at      Moment
	saved   *state.Owner
	guess   bool         // the blob does not say which buffs are links of which heads
	aside   *state.Owner // nil: empty
	handler func(name string) (HandlerID, bool)
	result  Restoration

	own  *timeScale // the owner's, to be
	now  wheel.Time // in the owner's time
	ages uint64

	backs []comeback

	// What the owner is to have, each in one piece.
	waits      []timeout
	remains    []drRecord
	async      []asyncStack
	magnitudes []magnitudes
	values     []float64
	keys       []sheet.Key
	captured   []Captured
}

// of gives the memory the catalog for the next blob.
func (r *restorer) of(c *Catalog) {
	if r.catalog == c {
		return
	}
	r.catalog = c
	r.memory.Numbers(func(id string) int32 {
		if s := c.byID[id]; s != nil {
			return int32(s.index) + 1
		}
		return 0
	})
}

// restorer returns the one that the Turn keeps.
func (t *Turn) restorer() *restorer {
	if t.restores == nil {
		t.restores = &restorer{memory: &state.Memory{}}
	}
	return t.restores
}

// done forgets everything but the memory.
func (r *restorer) done() {
	backs, fates := r.backs[:0], r.fates[:0]
	if cap(fates) > state.MaxKept {
		backs, fates = nil, nil
	}
	*r = restorer{memory: r.memory, catalog: r.catalog, backs: backs, fates: fates}
	r.memory.Reset()
}

// keepAside returns what the catalog does not know.
func (r *restorer) keepAside() *state.Owner {
	if r.aside == nil {
		r.aside = &state.Owner{}
	}
	return r.aside
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
// there are definitions whose beat is counted from its zero.
func (r *restorer) ownTime() {
	b := r.saved
	r.now = r.at.Now
	if !b.Scale.Is() && (wheel.Time(b.Time) == r.now || !r.turn.Catalog.aligned) {
		return
	}
	p := newTimeScale(r.now)
	p.inner = wheel.Time(b.Time)
	if b.Scale.Is() {
		p.restore(&b.Scale, define.OfOwner)
	}
	r.own, r.now = &p, p.inner
}

// restore gives p the rest and the cause that it had.
func (p *timeScale) restore(b *state.Scale, cause define.Whose) {
	p.rest, p.den = b.Rest, b.Parts
	p.change(p.at, cause, b.Held, Ratio{b.Num, b.Den})
}

// buffs decides the fate of each buff and lets the time away pass for those that come back.
func (r *restorer) buffs() {
	r.decide()
	for k := range r.saved.Buffs {
		b := &r.saved.Buffs[k]
		r.result.UptimeStepped = r.result.UptimeStepped || r.steppedBack(b)
		if r.fates[k] == fateAside {
			r.setAside(b)
		}
		if r.fates[k] != fateBack {
			continue
		}
		r.backs = r.backs[:len(r.backs)+1]
		c := &r.backs[len(r.backs)-1]
		*c = comeback{}
		r.comeback(c, b, r.specOf(b))
		c.pass()
		if c.gone {
			r.result.Expired++
		} else {
			r.result.Restored++
		}
	}
}

// specOf returns the definition of a saved buff, or nil.
func (r *restorer) specOf(b *state.Buff) *program {
	if b.Number == 0 {
		return nil
	}
	return r.catalog.programs[b.Number-1]
}

// fate is the decision of a Restore about a saved buff.
type fate uint8

const (
	fateBack     fate = iota // it is restored, or has ended
	fateAside                // it is kept aside: the catalog has no definition of it, or of its heads
	fateHeadless             // it is dropped: the blob has none of its heads
)

// decide finds the fate of each saved buff. A link has the fate of its heads, since no event would
// remove it without them. Blobs of formats before 7 may have links whose heads were not saved.
func (r *restorer) decide() {
	links, stacks := false, 0
	r.fates = slices.Grow(r.fates[:0], len(r.saved.Buffs))
	r.backs = slices.Grow(r.backs[:0], len(r.saved.Buffs))
	for k := range r.saved.Buffs {
		b, f := &r.saved.Buffs[k], fateBack
		if spec := r.specOf(b); spec == nil || spec.Kind == define.Instant {
			f = fateAside
		}
		r.fates = append(r.fates, f)
		links, stacks = links || len(b.With) > 0, stacks+len(b.Async)
	}
	if stacks > 0 {
		r.async = make([]asyncStack, 0, stacks)
	}
	for again := links; again; {
		again = false
		for k := range r.saved.Buffs {
			if b := &r.saved.Buffs[k]; len(b.With) > 0 && r.fates[k] == fateBack {
				best := fateHeadless
				for _, head := range b.With {
					best = min(best, r.fateOf(head))
				}
				r.fates[k], again = best, again || best != fateBack
			}
		}
	}
}

// fateOf returns the fate of the saved buff of an age.
func (r *restorer) fateOf(age uint64) fate {
	for k := range r.saved.Buffs {
		if r.saved.Buffs[k].Age == age {
			return r.fates[k]
		}
	}
	return fateHeadless
}

// leftBehind returns how many stacks of a link belong to heads that are not restored. At least one
// stack remains.
func (r *restorer) leftBehind(b *state.Buff) (n int64) {
	for k, of := range b.With {
		if r.fateOf(of) != fateBack {
			n = min(n+b.Brought[k], b.Stacks-1)
		}
	}
	return n
}

// setAside keeps a saved buff without a definition for the next Save.
func (r *restorer) setAside(b *state.Buff) {
	c := b.Clone()
	if c.Since == nil {
		c.Since = &state.Moment{Wall: r.saved.Wall, Uptime: r.saved.Uptime}
	}
	r.result.Unknown++
	r.keepAside().Buffs = append(r.aside.Buffs, c)
}

// timeouts finds the handlers.
func (r *restorer) timeouts() {
	if n := len(r.saved.Timeouts); n > 0 {
		r.waits = make([]timeout, 0, n)
	}
	for k := range r.saved.Timeouts {
		b := &r.saved.Timeouts[k]
		id, ok := r.handlerOf(b.Handler)
		if !ok {
			r.result.Unnamed++
			r.keepAside().Timeouts = append(r.aside.Timeouts, *b)
			continue
		}
		r.waits = append(r.waits, timeout{
			at: r.now.Add(max(b.Left, 1)), age: b.Age, due: wheel.Never, name: b.Name, handler: id, generation: r.set.generations.first(), live: true,
		})
	}
	r.result.Timeouts = len(r.waits)
}

// handlerOf returns the handler of a name.
func (r *restorer) handlerOf(name string) (HandlerID, bool) {
	if r.handler != nil {
		return r.handler(name)
	}
	id, ok := r.turn.Catalog.handlerIDs[name]
	return id, ok
}

// returns finds the groups of diminishing returns.
func (r *restorer) returns() {
	for _, b := range r.saved.Returns {
		group, ok := r.turn.Catalog.drs.index[b.Group]
		if !ok {
			r.keepAside().Returns = append(r.aside.Returns, b)
			continue
		}
		r.remains = append(r.remains, drRecord{group: uint16(group), count: uint16(b.N), source: OwnerID(b.Source), until: r.now.Add(b.Left)})
	}
}

// room reports whether the Set may carry all of it.
func (r *restorer) room() error {
	modifiers := 0
	for k := range r.backs {
		if c := &r.backs[k]; !c.gone {
			modifiers += len(c.spec.modifiers)
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

// burst reports whether there may be as many events and calls of handlers as the blob makes.
func (r *restorer) burst() error {
	events, calls := 0, 0
	for k := range r.backs {
		c := &r.backs[k]
		times, _, tail := c.told()
		if tail {
			times++
		}
		events += int(times) + 1
		if c.parts {
			events++
		}
		for j := range c.spec.pulse {
			if c.spec.pulse[j].do == define.DoCall {
				calls += int(times)
			}
		}
	}
	for _, l := range []struct {
		n, most int
		what    string
	}{{events, r.turn.MostEvents, "events"}, {calls, r.turn.MostCalls, "handlers"}} {
		if l.most > 0 && l.n > l.most {
			return fmt.Errorf("%w: %d %s, and there is room for %d", ErrRoom, l.n, l.what, l.most)
		}
	}
	return nil
}
