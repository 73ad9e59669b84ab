package buff

import (
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
)

// Commands about one owner.

// Apply applies a buff to an owner: see [Application].
func Apply(owner OwnerID, a Application) Command {
	return Command{Verb: verb.Apply, Owner: owner, Application: a}
}

// RemoveSpec removes n stacks from the oldest buff of a definition, with a reason that ends
// buffs: the whole buff if n is not above zero or it has no more. With a source in
// Application.Source, it prefers the oldest buff of that source. It is not an error if the owner
// has no such buff. It panics if the reason does not end buffs.
func RemoveSpec(owner OwnerID, s *Spec, n int, why Reason) Command {
	return Command{Verb: verb.RemoveSpec, Owner: owner, Application: Application{Spec: s}, Stacks: n, Reason: removal(why)}
}

// From returns the command with a source: of the damage of a [Damage], or of the death of a
// [Kill].
func (c Command) From(source OwnerID) Command {
	c.Application.Source = source
	return c
}

// Kill reports that an owner dies. Its buffs end with the reason Death, without a final pulse,
// unless their definition keeps them; see [Spec].OnDeath and [Hooks].Death. It emits [Died] if
// the owner was alive. [Command.From] sets the killer.
func Kill(owner OwnerID) Command { return Command{Verb: verb.Kill, Owner: owner} }

// Revive reports that an owner is alive again and resumes buffs that its death paused. It emits
// [Revived] if the owner was dead.
func Revive(owner OwnerID) Command { return Command{Verb: verb.Revive, Owner: owner} }

// Pause pauses the time of an owner until [Resume]: its buffs and timeouts are not due, whatever
// their clock. Despawn a player who logs out instead of pausing the owner, so that Wall buffs
// continue. A second Pause has no effect.
func Pause(owner OwnerID) Command {
	return Command{Verb: verb.Pause, Owner: owner, Whose: define.OfOwner}
}

// Resume ends a Pause.
func Resume(owner OwnerID) Command {
	return Command{Verb: verb.Resume, Owner: owner, Whose: define.OfOwner}
}

// SetRate sets the rate of an owner's time: with 2/1 its buffs and timeouts run twice as fast.
// The zero Ratio is 1. It fails with [ErrRate] if a part of r is 0 or above [MaxRate].
func SetRate(owner OwnerID, r Ratio) Command {
	return Command{Verb: verb.SetRate, Owner: owner, Whose: define.OfOwner, Rate: r}
}

// AddTag adds one count of a tag and of its ancestors to an owner; see [Catalog.Tag]. It fails
// with [ErrTag] for the tag 0.
func AddTag(owner OwnerID, tag Tag) Command {
	return Command{Verb: verb.AddTag, Owner: owner, Tag: tag}
}

// DropTag removes one count that AddTag added. It does not change an owner without the tag. Do
// not drop a tag that only buffs grant.
func DropTag(owner OwnerID, tag Tag) Command {
	return Command{Verb: verb.DropTag, Owner: owner, Tag: tag}
}

// Immunize adds one count of immunity to buffs with a tag or a descendant of it. New buffs are
// denied; present ones follow the Immune of their definition. With purge, they are removed unless
// that is ignore; Result.Amount is their number. It fails with [ErrTag] for the tag 0.
func Immunize(owner OwnerID, tag Tag, purge bool) Command {
	return Command{Verb: verb.Immunize, Owner: owner, Tag: tag, Purge: purge}
}

// DropImmunity removes one count that Immunize added.
func DropImmunity(owner OwnerID, tag Tag) Command {
	return Command{Verb: verb.DropImmunity, Owner: owner, Tag: tag}
}

// Dispel removes the buffs that a query selects, the oldest application first. If Query.Most is
// zero, it removes all of them, whole. Otherwise it removes that many portions, by the Dispel of
// each definition: one stack, one charge or the whole buff. A buff above Query.Grade stays.
// Result.Amount is the number of portions used, including the ones that resisted.
func Dispel(owner OwnerID, q Query) Command {
	return Command{Verb: verb.Dispel, Owner: owner, Query: q}
}

// Steal moves the buffs that a query selects to another owner, with their remaining time, shield
// and charges. Stacks with timers keep their ends, and a queue keeps its waiting applications. If
// most is above zero, no end is further away. Query.Most and Query.Stacks are as for a [Dispel].
// A portion is the whole buff unless Stacks is set; a buff with a shield, charges or a queue is
// never divided. Each portion may resist by Dispel.Resist, as for a Dispel. It does not take
// links, which end with their head, and buffs of an aura.
//
// For the thief it is an application like any other, except that it never shortens a buff of the
// thief. Result.Amount is the number of portions used, including the ones that resisted. The
// outcome for the thief is an event; buffs for which the thief has no room are lost.
func Steal(from, to OwnerID, q Query, most time.Duration) Command {
	q.To = to
	return Command{Verb: verb.Steal, Owner: from, Query: q, By: most}
}

// Interrupt reports that an owner did an act: its buffs that the act interrupts end.
// Result.Amount is their number. An act without a definition that uses it has no effect.
func Interrupt(owner OwnerID, act Act) Command {
	return Command{Verb: verb.Interrupt, Owner: owner, Act: act}
}

// Consume reports that an owner did an act: each of its buffs that the act consumes loses a
// charge, and ends with its last one. Result.Amount is their number.
func Consume(owner OwnerID, act Act) Command {
	return Command{Verb: verb.Consume, Owner: owner, Act: act}
}

// Happened reports an act that happened to an owner, or that the owner did: "hit", "damaged",
// "healed", "cast". Each buff of the owner that is not hidden and has actions for the act
// ([Hooks].Act) reacts, the oldest first; then [Consume] and [Interrupt] follow for the act. The
// target is the other owner, such as the one that was hit or that caused the damage, and amount
// the strength of the act. Both are passed to the actions, as [Event].Target and
// [Event].Magnitude; 0 means none. The actions follow in order, as for any hook. Result.Amount is
// the number of buffs that reacted. An act without a definition that uses it has no effect.
//
// The acts define.ActDamaged and ActDealt are reported by the engine's own damage: see [Damage].
// Report them with Happened only for damage to the game's own numbers. In the chain of a reaction
// to one of them, no buff reacts to another, so that two buffs that answer damage with damage do
// so once.
func Happened(owner OwnerID, act Act, target OwnerID, amount int64) Command {
	return Command{Verb: verb.Happened, Owner: owner, Act: act, Amount: amount, Application: Application{Source: target}}
}

// Absorb lets the shields of an owner absorb damage of a school, or of none if that is 0; shields
// that are used up break. The shield with the highest priority is first, then the oldest.
// Result.Amount is the remaining damage. It fails with [ErrAmount] if the amount is negative.
func Absorb(owner OwnerID, amount int64, school Tag) Command {
	return Command{Verb: verb.Absorb, Owner: owner, Amount: amount, Tag: school}
}

// SetBase sets the base of an attribute of an owner. It fails with [ErrValue] unless v is finite
// and at most stat.MaxValue in size.
func SetBase(owner OwnerID, attr stat.Attr, v float64) Command {
	return Command{Verb: verb.SetBase, Owner: owner, Attr: attr, Value: v}
}

// AddBase adds to the base of an attribute of an owner, within its limits: healing is positive,
// damage negative. If by is zero, it has no effect unless the base is outside its limits. It
// fails as SetBase does.
func AddBase(owner OwnerID, attr stat.Attr, by float64) Command {
	return Command{Verb: verb.AddBase, Owner: owner, Attr: attr, Value: by}
}

// Damage rounds an amount to whole points, half up, and subtracts it from the base of an
// attribute of an owner, after the shields of that school, or of all schools if it is 0, have
// absorbed their part: Result.Amount. Below one point it has no effect. It fails as SetBase does.
//
// If some damage passes the shields, the act define.ActDamaged follows for the owner, with the
// source of the damage as its target, and then, if the source is an owner, ActDealt for the
// source, with the damaged owner as its target; see [Happened]. Both follow before the next due
// event, and before a death by this damage. For another owner, ActDealt is a command across
// owners.
func Damage(owner OwnerID, attr stat.Attr, amount float64, school Tag) Command {
	return Command{Verb: verb.Damage, Owner: owner, Attr: attr, Value: amount, Tag: school}
}

// AddTimeout calls the Go handler of that name for an owner after the delay, rounded up to whole
// milliseconds; a delay that is not above zero is due at the next millisecond. The timeout is
// saved with its owner.
func AddTimeout(owner OwnerID, delay time.Duration, handler string) Command {
	return Command{Verb: verb.AddTimeout, Owner: owner, By: delay, Name: handler}
}

// AddTimeoutFunc is AddTimeout for a function, which does not survive the process: the command
// has no binary form, and the timeout is not saved. The type of do depends on the package that
// executes the command: engine requires a func(*engine.Context).
func AddTimeoutFunc(owner OwnerID, delay time.Duration, do any) Command {
	return Command{Verb: verb.AddTimeout, Owner: owner, By: delay, Do: do}
}

// Commands about zones, and about more than one owner.

// SetZone moves an owner to a zone: the rate of its time is multiplied by the rate of the zone.
// Then its buffs with OnZone: define.FateRemove end with the reason Interrupted and the act
// "zone". If the owner is in that zone already, it has no effect; a restored owner is in the zone
// of its blob.
func SetZone(owner OwnerID, zone uint32) Command {
	return Command{Verb: verb.SetZone, Owner: owner, Zone: zone}
}

// PauseZone pauses the time of all owners of a zone until [ResumeZone]: ends, pulses and
// timeouts.
func PauseZone(zone uint32) Command {
	return Command{Verb: verb.Pause, Whose: define.OfZone, Zone: zone}
}

// ResumeZone ends a PauseZone.
func ResumeZone(zone uint32) Command {
	return Command{Verb: verb.Resume, Whose: define.OfZone, Zone: zone}
}

// SetZoneRate sets the rate of the time of all owners of a zone: 1/2 is half as fast, the zero
// Ratio is 1. It fails with [ErrRate] unless both parts are from 1 to [MaxRate].
func SetZoneRate(zone uint32, r Ratio) Command {
	return Command{Verb: verb.SetRate, Whose: define.OfZone, Zone: zone, Rate: r}
}

// LoseSource reports that a source has left: its buffs end with the reason SourceGone, or are
// adopted by their owner, if their definition says so.
func LoseSource(source OwnerID) Command {
	return Command{Verb: verb.LoseSource, Application: Application{Source: source}}
}

// Compensate moves the ends of the buffs that a query selects, on all owners, by d, which may be
// negative: compensation for players after an outage. Query.Most and Query.Newest count the buffs
// of each owner that have an end; Query.Grade and Query.Stacks must be zero. Result.Amount is the
// number of buffs moved.
func Compensate(q Query, d time.Duration) Command {
	return Command{Verb: verb.Compensate, Query: q, By: d}
}
