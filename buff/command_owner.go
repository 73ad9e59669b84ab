package buff

import (
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
)

// Commands about one owner.

// Apply puts a buff on an owner: see [Application].
func Apply(owner OwnerID, a Application) Command {
	return Command{Verb: verb.Apply, Owner: owner, Application: a}
}

// RemoveSpec takes n stacks off the oldest buff of a definition, for a reason that ends buffs: all
// of it if n is not above zero or it has no more. With a source in Application.Source, it takes the
// oldest buff of that source if there is one. That there is none at all is no error. It panics if
// the reason ends no buff.
func RemoveSpec(owner OwnerID, s *Spec, n int, why Reason) Command {
	return Command{Verb: verb.RemoveSpec, Owner: owner, Application: Application{Spec: s}, Stacks: n, Reason: removal(why)}
}

// From returns the command with its source: who does the damage of a [Damage], or who kills with a [Kill].
func (c Command) From(source OwnerID) Command {
	c.Application.Source = source
	return c
}

// Kill says that an owner dies: its buffs go, without a last pulse, for the reason Death, unless
// their definition keeps them; see [Spec].OnDeath and [Hooks].Death. A [Died] reports it, if the owner was
// alive. [Command.From] says who has killed it.
func Kill(owner OwnerID) Command { return Command{Verb: verb.Kill, Owner: owner} }

// Revive says that an owner lives again: what its death has paused goes on. A [Revived] reports it, if the
// owner was dead.
func Revive(owner OwnerID) Command { return Command{Verb: verb.Revive, Owner: owner} }

// Pause stops the time of an owner, until [Resume]: nothing that it carries, no timeout either, is
// due, whatever its clock. A player who logs out is not paused but despawned: then what goes by the
// wall clock goes on. To pause twice is the same as once.
func Pause(owner OwnerID) Command {
	return Command{Verb: verb.Pause, Owner: owner, Whose: define.OfOwner}
}

// Resume lets the time of an owner go on where Pause stopped it.
func Resume(owner OwnerID) Command {
	return Command{Verb: verb.Resume, Owner: owner, Whose: define.OfOwner}
}

// SetRate lets the time of an owner pass at a rate: with 2/1 all that it carries, its timeouts
// too, comes twice as fast. The zero Ratio is 1. It fails with [ErrRate] if a part of r is 0 or
// above [MaxRate].
func SetRate(owner OwnerID, r Ratio) Command {
	return Command{Verb: verb.SetRate, Owner: owner, Whose: define.OfOwner, Rate: r}
}

// AddTag gives an owner a tag and those above it, once more; see [Catalog.Tag]. It fails with
// [ErrTag] for the tag 0.
func AddTag(owner OwnerID, tag Tag) Command {
	return Command{Verb: verb.AddTag, Owner: owner, Tag: tag}
}

// DropTag takes back one AddTag. An owner who does not have the tag is left as it is; what its
// buffs grant must not be dropped.
func DropTag(owner OwnerID, tag Tag) Command {
	return Command{Verb: verb.DropTag, Owner: owner, Tag: tag}
}

// Immunize makes an owner immune to buffs with a tag or one below it, once more: new ones are
// denied, and those that it carries follow the Immune of their definition. With purge they go,
// unless that is ignore; Result.Amount says how many went. It fails with [ErrTag] for the tag 0.
func Immunize(owner OwnerID, tag Tag, purge bool) Command {
	return Command{Verb: verb.Immunize, Owner: owner, Tag: tag, Purge: purge}
}

// DropImmunity takes back one Immunize.
func DropImmunity(owner OwnerID, tag Tag) Command {
	return Command{Verb: verb.DropImmunity, Owner: owner, Tag: tag}
}

// Dispel removes what a query finds on an owner, the oldest application first. If Query.Most is zero, whole buffs, all of them;
// otherwise that many portions, by the Dispel of each definition: one stack, one charge or the whole buff. A buff that
// needs a higher grade than Query.Grade stays. Result.Amount is how many portions were used, with
// those that resisted.
func Dispel(owner OwnerID, q Query) Command {
	return Command{Verb: verb.Dispel, Owner: owner, Query: q}
}

// Steal moves what a query finds from one owner to another, with what was left of
// its time, its shield and its charges. Stacks with timers of their own keep their
// ends, and a queue keeps its waiting applications. No end is farther than most, if that is above zero.
// Query.Most and Query.Stacks are as for a [Dispel]; a portion is the whole buff unless Stacks says
// otherwise, and a buff with a shield, charges or a queue is never divided. Dispel.Resist is rolled for
// each portion, as for a Dispel. A buff that another one brought as a link is not stolen: it goes with that one. One of an aura is not stolen either.
//
// For the thief it is an application like any other, but it never moves an end nearer that the thief has.
// Result.Amount is how many portions were used, with those that resisted. The outcome for the thief is an
// event, and what he has no room for is lost.
func Steal(from, to OwnerID, q Query, most time.Duration) Command {
	q.To = to
	return Command{Verb: verb.Steal, Owner: from, Query: q, By: most}
}

// Interrupt says that an owner did something: its buffs that are interrupted by the act go.
// Result.Amount says how many. An act that no definition speaks of does nothing.
func Interrupt(owner OwnerID, act Act) Command {
	return Command{Verb: verb.Interrupt, Owner: owner, Act: act}
}

// Consume says that an owner did something: each buff of it that is consumed on the act loses a
// charge, and goes with the last. Result.Amount says how many lost one.
func Consume(owner OwnerID, act Act) Command {
	return Command{Verb: verb.Consume, Owner: owner, Act: act}
}

// Happened says that something happened to an owner, or was done by it: "hit", "damaged", "healed",
// "cast". Each of its buffs that has its effect and has actions for the act ([Hooks].Act) reacts, the
// oldest first; then it is a [Consume] and an [Interrupt] of the act. The target is who else
// was in it, who was hit or who did the damage, and amount how much it was: both are handed on to the
// actions, as [Event].Target and [Event].Magnitude; 0 is nobody and nothing. What the actions do
// follows in order, as with any other hook. Result.Amount says how many buffs reacted. An act that no definition
// speaks of does nothing.
//
// The acts define.ActDamaged and ActDealt are reported by each damage of the engine itself: see [Damage]. Report them with
// Happened only for damage that the game does to numbers of its own. In the chain of a reaction to one of them, no buff
// reacts to another, so that two buffs that answer damage with damage do so once.
func Happened(owner OwnerID, act Act, target OwnerID, amount int64) Command {
	return Command{Verb: verb.Happened, Owner: owner, Act: act, Amount: amount, Application: Application{Source: target}}
}

// Absorb lets an amount of damage of a school, or of none if that is 0, meet the shields of an
// owner; shields that are spent break. The one of the highest priority comes first, then the
// oldest. Result.Amount is what is left of it. It fails with [ErrAmount] if the amount is negative.
func Absorb(owner OwnerID, amount int64, school Tag) Command {
	return Command{Verb: verb.Absorb, Owner: owner, Amount: amount, Tag: school}
}

// SetBase makes v the base of an attribute of an owner. It fails with [ErrValue] if v is no number
// of at most stat.MaxValue.
func SetBase(owner OwnerID, attr stat.Attr, v float64) Command {
	return Command{Verb: verb.SetBase, Owner: owner, Attr: attr, Value: v}
}

// AddBase adds to the base of an attribute of an owner, within its limits: what is healed is above
// zero, what is lost below. If by is zero, nothing happens, unless the base is outside its limits. It fails as SetBase does.
func AddBase(owner OwnerID, attr stat.Attr, by float64) Command {
	return Command{Verb: verb.AddBase, Owner: owner, Attr: attr, Value: by}
}

// Damage takes an amount, rounded to whole points, half up, off the base of an attribute of an
// owner, after the shields of that school, or of all schools if it is 0, have taken their part:
// Result.Amount. Below one point nothing happens. It fails as SetBase does.
//
// If some of it passes the shields, that is the act define.ActDamaged of the owner, with the source of the damage as its target,
// and then, if the source is an owner, the act ActDealt of the source, with the damaged owner as its target; see [Happened].
// Both follow before the next due event, and before a death by this damage. For another owner, ActDealt is a command across owners.
func Damage(owner OwnerID, attr stat.Attr, amount float64, school Tag) Command {
	return Command{Verb: verb.Damage, Owner: owner, Attr: attr, Value: amount, Tag: school}
}

// AddTimeout has the Go handler of that name called for an owner after the delay, rounded up to
// whole milliseconds; a delay that is not above zero is due at the next millisecond. Such a
// timeout is saved with its owner.
func AddTimeout(owner OwnerID, delay time.Duration, handler string) Command {
	return Command{Verb: verb.AddTimeout, Owner: owner, By: delay, Name: handler}
}

// AddTimeoutFunc is AddTimeout for a function, which dies with the process: such a command has no
// binary form, and no such timeout is saved. What type do must be is up to the package that carries it
// out: engine wants a func(*engine.Context).
func AddTimeoutFunc(owner OwnerID, delay time.Duration, do any) Command {
	return Command{Verb: verb.AddTimeout, Owner: owner, By: delay, Do: do}
}

// Commands about zones, and about more than one owner.

// SetZone moves an owner into a zone: its time then runs at the zone's rate, multiplied by its own.
// Then its buffs with OnZone: define.FateRemove end, for the reason Interrupted and the act "zone".
// For an owner that is in that zone already nothing changes; a restored owner is in the zone of its
// blob.
func SetZone(owner OwnerID, zone uint32) Command {
	return Command{Verb: verb.SetZone, Owner: owner, Zone: zone}
}

// PauseZone lets the time of all owners of a zone stand still, until [ResumeZone]: ends, pulses
// and timeouts alike.
func PauseZone(zone uint32) Command {
	return Command{Verb: verb.Pause, Whose: define.OfZone, Zone: zone}
}

// ResumeZone ends a PauseZone.
func ResumeZone(zone uint32) Command {
	return Command{Verb: verb.Resume, Whose: define.OfZone, Zone: zone}
}

// SetZoneRate lets the time of all owners of a zone pass at a rate: 1/2 is half as fast, the zero
// Ratio is 1. It fails with [ErrRate] unless both parts are from 1 to [MaxRate].
func SetZoneRate(zone uint32, r Ratio) Command {
	return Command{Verb: verb.SetRate, Whose: define.OfZone, Zone: zone, Rate: r}
}

// LoseSource says that whoever applied buffs has left: those whose definition wants it go, for the
// reason SourceGone, or are adopted by their owner.
func LoseSource(source OwnerID) Command {
	return Command{Verb: verb.LoseSource, Application: Application{Source: source}}
}

// Compensate moves the ends of what a query finds, on all owners, by d, which may be negative:
// compensation for players after an outage. Query.Most and Query.Newest count the buffs of each owner that have an
// end; Query.Grade and Query.Stacks must be zero. Result.Amount is how many buffs it has moved.
func Compensate(q Query, d time.Duration) Command {
	return Command{Verb: verb.Compensate, Query: q, By: d}
}
