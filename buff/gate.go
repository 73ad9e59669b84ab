package buff

import (
	"time"

	"github.com/bufftick/bufftick/internal/state"
	"github.com/bufftick/bufftick/wheel"
)

// gates is what an owner has that bears on what may be applied to it and what has an effect.
type gates struct {
	tags                  tagSet // of the grants of its buffs, and by AddTag
	commandTags           tagSet // of these, by AddTag; without those above them
	immune                tagSet // by Immunize
	immunities            int32  // live instances that are not hidden and have an Immunity
	handledActs           uint64 // that some instance, now or before, does something about
	rolls                 uint64 // of chance, so far
	drRecords             []drRecord
	links                 []linkage    // what came with which buff
	unknownSaved          *state.Owner // of the blob it was restored from: what the catalog did not know; nil: nothing
	appliers              []applier    // of instances of which it matters, beside their own source; see dr.go
	dead                  bool         // killed, and not revived since
	mustReevaluate        bool         // what has an effect is to be looked at again
	immunityChanged       bool         // what the owner is immune to has changed
	immunityChangedBefore bool         // the same before the round of reconsider that is running
}

func (s *Set) ensureGates() *gates {
	if s.gates() == nil {
		s.ensureRare().gates = &gates{}
	}
	return s.gates()
}

// Of an owner that has none, gates are nil: the methods that ask, and those that forget, may be called then.

// ownerTags returns the owner's tags.
func (g *gates) ownerTags() tagSet {
	if g == nil {
		return nil
	}
	return g.tags
}

// grant gives the owner tags, and revoke takes them away.
func (g *gates) grant(tags []Tag) {
	if g.tags.add(tags) {
		g.mustReevaluate = true
	}
}

func (g *gates) revoke(tags []Tag) {
	if g.tags.drop(tags) {
		g.mustReevaluate = true
	}
}

// handles reports whether some instance does something about an act, or one before it did.
func (g *gates) handles(act Act) bool { return g != nil && g.handledActs&act.bit() != 0 }

// requestReevaluation says that tags, or who is the strongest, may have changed.
func (g *gates) requestReevaluation() { g.mustReevaluate = true }

// noteImmunityChange says that what the owner is immune to has changed.
func (g *gates) noteImmunityChange() { g.mustReevaluate, g.immunityChanged = true, true }

// roll rolls a chance in per mille. The n-th roll of an owner is the same in every run
// with the same Turn.Seed.
func (g *gates) roll(seed uint64, owner OwnerID, chance int) bool {
	g.rolls++
	return int(mix(mix(seed^uint64(owner))+g.rolls)%1000) < chance
}

// Has reports whether the owner has a tag.
func (s *Set) Has(tag Tag) bool { return s.gates() != nil && s.gates().tags.has(tag) }

// admit returns why an application is refused before its duration is looked at, or
// NoReason. Of an owner without gates and a definition without one of usesGates nothing is to
// be looked at.
//
// Stories: testdata/reasons.txt, require.txt, dead.txt, chance.txt.
func (s *Set) admit(t *Turn, a *Application) Reason {
	spec := a.Spec.program
	if spec.uses&(usesNumbers|usesMagnitudes) != 0 {
		if why := s.work(t, a); why != NoReason {
			return why
		}
	}
	switch {
	case spec.uses&usesDead != 0 && s.Dead():
		return Dead
	case spec.uses&usesRequire != 0 && !spec.require.apply.holds(s.gates().ownerTags()):
		return Requirement
	case s.gates() != nil && s.immuneTo(spec, noSlot):
		return Immune
	case spec.uses&usesChance != 0 && !s.ensureGates().roll(t.Seed, s.owner, spec.Chance):
		return Chance
	}
	return NoReason
}

// mix is the finalizer of splitmix64: each bit of x bears on each of the result.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Remaining returns the longest time left at now among the owner's buffs with the tag, in
// Tags or Grants or below it there, and reports whether there is one. So a cooldown is a
// buff with a tag. It is what [Instance.Left] says, of one whose time stands still in its own
// time, and of an infinite one the longest Duration there is. It costs a look at every buff.
func (s *Set) Remaining(tag Tag, now wheel.Time) (left time.Duration, ok bool) {
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		if i := s.slot(at); has(s.specOf(i).tags, tag) {
			left, ok = max(left, s.left(i, now)), true
		}
	}
	return left, ok
}

// left returns the time until the instance ends.
func (s *Set) left(i *instance, now wheel.Time) time.Duration {
	end := s.toWorldTime(i, i.end)
	if end == wheel.Never && i.end != wheel.Never {
		return span(s.ownLeft(i))
	}
	return Instance{End: end}.Left(now)
}

// ownLeft returns the ms that an instance whose time stands still has left.
func (s *Set) ownLeft(i *instance) int64 {
	var now wheel.Time
	switch {
	case i.flags&timeScaled == 0:
		now = s.timeScale().ceil(s.timeScale().at) // it is the owner's that stands still
	case !s.timeScale().paused():
		now = s.extraOf(i).scale.ceil(s.extraOf(i).scale.at)
	default:
		now = s.extraOf(i).scale.ceil(s.timeScale().ceil(s.timeScale().at))
	}
	return remaining(now, i.end)
}
