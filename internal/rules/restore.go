package rules

import (
	"fmt"
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/gate"
	"github.com/bufftick/bufftick/internal/rules/sheet"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/bufftick/bufftick/wheel"
)

// Restore applies the state in a blob to the owner, with the definitions of Turn.Catalog. It panics
// unless the Owner is as returned by [NewOwner]. The function `handler` returns the handlers of
// timeouts by name; if it is nil, the handlers of the catalog are used.
//
// An Online buff continues where it was. For a Wall buff, the elapsed calendar time has passed; for
// an Uptime buff, the elapsed uptime of the server. A clock that went back counts as not having
// moved. The time passes at the rate that the buff's and the owner's time had when the owner was
// saved, even if that rate was 0. Pulses in that time follow Saving.Offline, with the stacks of the
// last pulse. They are Suppressed if the buff was hidden or the owner is immune. The partial pulse
// of a [define.TailPartial] follows the whole ones. A number with [define.SnapshotPulse] is
// evaluated for each pulse, from the restored buffs and the buff itself. Stacks that end before the
// buff are reported in one event, and so are applications of a queue.
//
// All events have the instant at.Now; those of the oldest buff come first. A restored buff emits
// Restored, then StackEnded or Queued if stacks or the running application have ended, then its
// pulses. A buff that has ended emits its pulses and a Removed, as Saving.OfflineExpire says; it is
// not on the owner any more, and these events have no Handle. With [define.OfflineRun] its actions
// follow. A buff that these actions apply to the owner starts at the end of the first buff, if it
// uses the same clock. Time then passes for the applied buff as for a buff that was away, so it may
// have ended already. Then hidden buffs are reevaluated, and the actions of the definitions follow.
//
// If a definition has changed, the buff follows the new definition. Stacks above the new limit are
// removed, the stacks that end first before others. If the new definition has no period, the buff
// does not pulse any more; if only the new definition has a period, the buff pulses from now on. If
// the new definition is not infinite, the buff has an end. A period that haste has not changed
// becomes the new period after the next pulse. Numbers keep their saved values, by name. New
// numbers are evaluated from the known inputs; if inputs are missing, they have their default or
// zero.
//
// Parts that the catalog does not know (definitions, handlers, tags, attributes, groups of
// diminishing returns) are set aside: they have no effect, and the next [Owner.Save] writes them
// unchanged. A link is set aside if all its heads (the buffs that applied it) are set aside. A buff
// that was set aside and is restored is the owner's youngest. A link without a head in the
// blob is dropped.
//
// The commands in `area`, which concern [define.OfArea], set the state of the owner's area from
// at.Now on. If buffs end as a result, events report this.
//
// Restore fails with [buff.ErrBlob], with [buff.ErrFull] if the owner may not have that many buffs,
// timeouts or modifiers, or with [buff.ErrRoom] if there would be too many events at once. The
// Owner is then unchanged. Without the events, it allocates at most a fixed multiple of the length
// of the blob, whatever its contents.
func (s *Owner) Restore(t *Turn, at buff.Moment, blob []byte, handler func(name string) (define.HandlerID, bool), area ...buff.Command) (buff.Restoration, error) {
	if int(s.records.Used())+len(s.timeouts().all()) > 0 || s.gates() != nil || s.timeScale() != nil || s.sheet() != nil {
		panic("rules: Restore into an Owner that has been used")
	}
	r := t.restorer()
	defer r.done()
	r.useCatalog(t.compiled())
	b, err := state.Decode(blob, r.memory)
	if err != nil {
		return buff.Restoration{}, err
	}
	r.linksUnknown = b.Format < 4
	b.Upgrade()
	r.set, r.turn, r.at, r.saved, r.handler, r.ages = s, t, at, b, handler, b.Ages
	r.rebuildOwnerTime()
	r.rebuildBuffs()
	r.rebuildTimeouts()
	r.rebuildReturns()
	r.result.Away, r.result.ClockStepped = elapsedSince(at.Wall, b.Wall), at.Wall < b.Wall
	if err := r.checkLimits(); err != nil {
		return buff.Restoration{}, err
	}
	if err := r.checkRoom(); err != nil {
		return buff.Restoration{}, err
	}
	r.place()
	r.report(area)
	r.result.Sources = s.sourcesToLose()
	return r.result, nil
}

// sourcesToLose returns the sources of buffs that change when their source leaves.
func (s *Owner) sourcesToLose() (sources []buff.OwnerID) {
	for i := s.first(); i.exists(); i = i.next() {
		if fate := i.program().OnSourceGone; (fate == define.FateRemove || fate == define.FateAdopt) && i.source != 0 && i.source != s.id {
			sources = append(sources, i.source)
		}
	}
	slices.Sort(sources)
	return slices.Compact(sources)
}

// steppedBack reports whether a buff uses the uptime and the uptime went back.
func (r *restorer) steppedBack(b *state.Buff) bool {
	return b.On(define.Uptime) && r.at.Uptime < r.savedAt(b).Uptime
}

// savedAt returns the moment from which the clocks of a saved buff continue.
func (r *restorer) savedAt(b *state.Buff) state.Moment {
	if b.Since != nil {
		return *b.Since
	}
	return state.Moment{Wall: r.saved.Wall, Uptime: r.saved.Uptime}
}

// restorer is one Restore. It does not change the Owner before its method place. A Turn keeps one,
// with its memory, for all owners.
type restorer struct {
	memory       *state.Memory
	catalog      *compile.Catalog // the catalog whose names are in memory
	fates        []fate           // the fate of each saved buff
	set          *Owner
	turn         *Turn
	at           buff.Moment
	saved        *state.Owner
	linksUnknown bool         // the blob does not say which buffs are links of which heads
	aside        *state.Owner // nil if empty
	handler      func(name string) (define.HandlerID, bool)
	result       buff.Restoration

	ownerScale *clock.Owner // the time scale of the restored owner
	now        clock.OwnerTime
	ages       uint64

	buffs []restoredBuff

	// Memory of the restored owner, each kind in one allocation.
	timeouts   []timeout
	returns    gate.Returns
	async      []asyncStack
	magnitudes []magnitudes
	values     []float64
	keys       []sheet.Key
	captured   []buff.Captured
}

// useCatalog makes r.memory look up the names of definitions in c.
func (r *restorer) useCatalog(c *compile.Catalog) {
	if r.catalog == c {
		return
	}
	r.catalog = c
	r.memory.Numbers(func(id string) int32 {
		if s := c.ByID[id]; s != nil {
			return int32(s.Compiled().Index) + 1
		}
		return 0
	})
}

// restorer returns the Turn's restorer.
func (t *Turn) restorer() *restorer {
	if t.restores == nil {
		t.restores = &restorer{memory: &state.Memory{}}
	}
	return t.restores
}

// done resets everything except the memory.
func (r *restorer) done() {
	buffs, fates := r.buffs[:0], r.fates[:0]
	if cap(fates) > state.MaxKept {
		buffs, fates = nil, nil
	}
	*r = restorer{memory: r.memory, catalog: r.catalog, buffs: buffs, fates: fates}
	r.memory.Reset()
}

// ensureAside returns the parts that the catalog does not know.
func (r *restorer) ensureAside() *state.Owner {
	if r.aside == nil {
		r.aside = &state.Owner{}
	}
	return r.aside
}

// elapsedSince returns the ms from then to now, at least 0.
func elapsedSince(now, then int64) int64 {
	switch d := now - then; {
	case now < then:
		return 0
	case d < 0:
		return math.MaxInt64
	default:
		return d
	}
}

// rebuildOwnerTime sets the owner's time. Owner time continues where it was if it differed from world time,
// or if some definition aligns its pulses to owner time.
func (r *restorer) rebuildOwnerTime() {
	b := r.saved
	r.now = clock.OwnerTime(r.at.Now)
	if !b.Scale.Is() && (clock.OwnerTime(b.Time) == r.now || !r.catalog.Aligned) {
		return
	}
	r.now = clock.OwnerTime(b.Time)
	p := clock.New(r.at.Now, r.now)
	if b.Scale.Is() {
		p = restoreScale(r.at.Now, r.now, &b.Scale, define.OfOwner)
	}
	r.ownerScale = &p
}

// restoreScale returns a saved time scale.
func restoreScale[Outer, Inner ~int64](at Outer, inner Inner, b *state.Scale, cause define.Whose) clock.Scale[Outer, Inner] {
	return clock.Restore(at, inner, b.Rest, b.Parts, cause, clock.Cause{Held: b.Held, Rate: buff.Ratio{Num: b.Num, Den: b.Den}})
}

// rebuildBuffs decides the fate of each buff and applies the time away to the restored ones.
func (r *restorer) rebuildBuffs() {
	r.decideFates()
	for k := range r.saved.Buffs {
		b := &r.saved.Buffs[k]
		r.result.UptimeStepped = r.result.UptimeStepped || r.steppedBack(b)
		if r.fates[k] == fateSetAside {
			r.setAside(b)
		}
		if r.fates[k] != fateRestored {
			continue
		}
		r.buffs = r.buffs[:len(r.buffs)+1]
		c := &r.buffs[len(r.buffs)-1]
		*c = restoredBuff{}
		r.rebuild(c, b, r.programOf(b))
		c.pass()
		if c.expired {
			r.result.Expired++
		} else {
			r.result.Restored++
		}
	}
}

// programOf returns the definition of a saved buff, or nil.
func (r *restorer) programOf(b *state.Buff) *compile.Program {
	if b.Number == 0 {
		return nil
	}
	return r.catalog.Programs[b.Number-1]
}

// fate is the decision of a Restore about a saved buff.
type fate uint8

const (
	fateRestored fate = iota // it is restored, or has ended
	fateSetAside             // it is set aside: the catalog has no definition of it, or of its heads
	fateDropped              // it is dropped: the blob has none of its heads
)

// decideFates finds the fate of each saved buff. A link has the fate of its heads, since no event would
// remove it without them. Blobs of formats before 7 may have links whose heads were not saved.
func (r *restorer) decideFates() {
	links, stacks := false, 0
	r.fates = slices.Grow(r.fates[:0], len(r.saved.Buffs))
	r.buffs = slices.Grow(r.buffs[:0], len(r.saved.Buffs))
	for k := range r.saved.Buffs {
		b, f := &r.saved.Buffs[k], fateRestored
		if spec := r.programOf(b); spec == nil || spec.Kind == define.Instant {
			f = fateSetAside
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
			if b := &r.saved.Buffs[k]; len(b.With) > 0 && r.fates[k] == fateRestored {
				best := fateDropped
				for _, head := range b.With {
					best = min(best, r.fateOf(head))
				}
				r.fates[k], again = best, again || best != fateRestored
			}
		}
	}
}

// fateOf returns the fate of the saved buff with the given age.
func (r *restorer) fateOf(age uint64) fate {
	for k := range r.saved.Buffs {
		if r.saved.Buffs[k].Age == age {
			return r.fates[k]
		}
	}
	return fateDropped
}

// lostStacks returns how many stacks a link loses because the heads that added them are not
// restored. The link keeps at least one stack.
func (r *restorer) lostStacks(b *state.Buff) (n int64) {
	for k, of := range b.With {
		if r.fateOf(of) != fateRestored {
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
	r.ensureAside().Buffs = append(r.aside.Buffs, c)
}

// rebuildTimeouts resolves the handlers of the timeouts.
func (r *restorer) rebuildTimeouts() {
	if n := len(r.saved.Timeouts); n > 0 {
		r.timeouts = make([]timeout, 0, n)
	}
	for k := range r.saved.Timeouts {
		b := &r.saved.Timeouts[k]
		id, ok := r.handlerOf(b.Handler)
		if !ok {
			r.result.Unnamed++
			r.ensureAside().Timeouts = append(r.aside.Timeouts, *b)
			continue
		}
		r.timeouts = append(r.timeouts, timeout{
			at: r.now.Add(max(b.Left, 1)), age: b.Age, filed: wheel.Never, name: b.Name, handler: id, generation: r.set.records.Generations().First(), live: true,
		})
	}
	r.result.Timeouts = len(r.timeouts)
}

// handlerOf returns the handler with the given name.
func (r *restorer) handlerOf(name string) (define.HandlerID, bool) {
	if r.handler != nil {
		return r.handler(name)
	}
	id, ok := r.catalog.HandlerIDs[name]
	return id, ok
}

// rebuildReturns looks up the groups of the saved diminishing returns.
func (r *restorer) rebuildReturns() {
	for _, b := range r.saved.Returns {
		group, ok := r.catalog.Drs.Index[b.Group]
		if !ok {
			r.ensureAside().Returns = append(r.aside.Returns, b)
			continue
		}
		r.returns = append(r.returns, gate.Return{Group: uint16(group), Count: uint16(b.N), Source: buff.OwnerID(b.Source), Until: r.now.Add(b.Left)})
	}
}

// checkLimits checks whether the limits of the owner allow everything in the blob.
func (r *restorer) checkLimits() error {
	modifiers := 0
	for k := range r.buffs {
		if c := &r.buffs[k]; !c.expired {
			modifiers += len(c.spec.Modifiers)
		}
	}
	for _, l := range []struct {
		n, most int
		what    string
	}{
		{modifiers, stat.MaxModifiers, "modifiers"},
		{r.result.Restored, int(r.set.records.Limit()), "buffs"},
		{r.result.Timeouts, int(r.set.records.Limit()), "timeouts"},
		{r.result.Unknown, buff.MaxPerOwner, "unknown buffs"},
		{r.result.Unnamed, buff.MaxPerOwner, "timeouts without a handler"},
	} {
		if l.n > l.most {
			return fmt.Errorf("%w: a blob of %d %s for owner %d, who may have %d", buff.ErrFull, l.n, l.what, r.set.id, l.most)
		}
	}
	return nil
}

// checkRoom checks the number of events and handler calls.
func (r *restorer) checkRoom() error {
	events, calls := 0, 0
	for k := range r.buffs {
		c := &r.buffs[k]
		times, _, tail := c.reportedPulses()
		if tail {
			times++
		}
		events += int(times) + 1
		if c.partsEnded {
			events++
		}
		for j := range c.spec.Pulse {
			if c.spec.Pulse[j].Do == define.DoCall {
				calls += int(times)
			}
		}
	}
	for _, l := range []struct {
		n, most int
		what    string
	}{{events, r.turn.MostEvents, "events"}, {calls, r.turn.MostCalls, "handlers"}} {
		if l.most > 0 && l.n > l.most {
			return fmt.Errorf("%w: %d %s, and there is room for %d", buff.ErrRoom, l.n, l.what, l.most)
		}
	}
	return nil
}
