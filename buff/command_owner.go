package buff

import (
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
)

// The following commands are for one owner.

// Apply applies a buff to an owner: see [Application].
func Apply(owner OwnerID, a Application) Command {
	return Command{Verb: verb.Apply, Owner: owner, Application: a}
}

// RemoveSpec removes n stacks from the oldest buff of a definition, with the given reason. It
// removes the whole buff if n <= 0, or if the buff has at most n stacks. If Application.Source is
// set, it prefers the oldest buff from that source. It is not an error if the owner has no such
// buff.
//
// RemoveSpec panics if why is not a reason that ends buffs: see [reason.Reason.Removes].
func RemoveSpec(owner OwnerID, s *Spec, n int, why reason.Reason) Command {
	return Command{Verb: verb.RemoveSpec, Owner: owner, Application: Application{Spec: s}, Stacks: n, Reason: removal(why)}
}

// From returns the command with the given source: the source of the damage for a [Damage], or the
// killer for a [Kill].
func (c Command) From(source OwnerID) Command {
	c.Application.Source = source
	return c
}

// Kill reports that an owner dies. Its buffs end with the reason Death, without a final pulse,
// unless their definition keeps them; see [Spec].OnDeath and [define.Hooks].Death. It emits [Died]
// if the owner was alive. [Command.From] sets the killer.
func Kill(owner OwnerID) Command { return Command{Verb: verb.Kill, Owner: owner} }

// Revive reports that an owner is alive again and resumes buffs that its death paused. It emits
// [Revived] if the owner was dead.
func Revive(owner OwnerID) Command { return Command{Verb: verb.Revive, Owner: owner} }

// Pause pauses the time of an owner until [Resume]. Meanwhile no buff or timeout of the owner is
// due, whatever its clock. For a player who logs out, despawn the owner instead, so that buffs with
// the clock Wall continue. A second Pause has no effect.
func Pause(owner OwnerID) Command {
	return Command{Verb: verb.Pause, Owner: owner, Whose: define.OfOwner}
}

// Resume ends a Pause.
func Resume(owner OwnerID) Command {
	return Command{Verb: verb.Resume, Owner: owner, Whose: define.OfOwner}
}

// SetRate sets the rate of an owner's time. For example, with 2/1 the owner's buffs and timeouts
// run twice as fast. The zero Ratio means 1. The command fails with [ErrRate] unless the numerator
// and the denominator are from 1 to [MaxRate].
func SetRate(owner OwnerID, r Ratio) Command {
	return Command{Verb: verb.SetRate, Owner: owner, Whose: define.OfOwner, Rate: r}
}

// AddTag adds one count of a tag and of its ancestors to an owner; see [Catalog.Tag]. The command
// fails with [ErrTag] if tag is 0.
func AddTag(owner OwnerID, tag Tag) Command {
	return Command{Verb: verb.AddTag, Owner: owner, Tag: tag}
}

// DropTag removes one count that AddTag added. It does not change an owner without the tag. Do
// not drop a tag that only buffs grant.
func DropTag(owner OwnerID, tag Tag) Command {
	return Command{Verb: verb.DropTag, Owner: owner, Tag: tag}
}

// Immunize adds one count of immunity to buffs that have the tag, or a descendant of the tag. While
// the owner is immune, new buffs are denied. What happens to present buffs is decided by the Immune
// rule of their definitions. If purge is set, present buffs are removed unless their Immune rule is
// `ignore`, and Result.Amount is the number of removed buffs. The command fails with [ErrTag] if
// tag is 0.
func Immunize(owner OwnerID, tag Tag, purge bool) Command {
	return Command{Verb: verb.Immunize, Owner: owner, Tag: tag, Purge: purge}
}

// DropImmunity undoes one Immunize of the tag. The owner remains immune until each Immunize has
// been undone.
func DropImmunity(owner OwnerID, tag Tag) Command {
	return Command{Verb: verb.DropImmunity, Owner: owner, Tag: tag}
}

// Dispel removes the buffs that a query selects, the oldest application first. If Query.Most and
// Query.Stacks are zero, it removes all of the selected buffs. Otherwise it removes portions, at
// most Query.Most of them if that is not zero. A portion is Query.Stacks stacks; if that is zero,
// it is one stack, one charge or the whole buff, as the Dispel rule of the definition says. A buff
// with a Dispel.Grade above Query.Grade stays. Result.Amount is the number of portions used,
// including portions that resisted. The command's Application.Source is optional: it is the owner that
// dispels, for actions of on.remove with "to: target".
func Dispel(owner OwnerID, q Query) Command {
	return Command{Verb: verb.Dispel, Owner: owner, Query: q}
}

// Steal moves the buffs that a query selects to another owner, with their remaining time, shield
// and charges. Stacks with separate timers keep their separate ends, and a queue keeps its waiting
// applications. If most > 0, each buff keeps at most that much remaining time.
//
// Query.Most and Query.Stacks limit the portions as for a [Dispel], but a portion is the whole buff
// unless Query.Stacks is set, and a buff with a shield, charges or a queue is never divided. Each
// portion may resist, as the Dispel.Resist of its definition says. A Steal takes neither linked
// buffs ([Spec].Links), which end with the buff that applied them, nor buffs that an aura applies.
//
// For the thief, a stolen buff is an ordinary application, except that it never shortens a buff of
// the thief or lowers its charges. Result.Amount is the number of portions used, including portions
// that resisted. The outcome for the thief is reported by an event. Buffs for which the thief has
// no room are lost.
func Steal(from, to OwnerID, q Query, most time.Duration) Command {
	q.To = to
	return Command{Verb: verb.Steal, Owner: from, Query: q, By: most}
}

// Interrupt reports that an owner did an act. All buffs of the owner that have the act in
// [Spec].Interrupt end, and Result.Amount is their number. An act that no definition uses has no
// effect.
func Interrupt(owner OwnerID, act Act) Command {
	return Command{Verb: verb.Interrupt, Owner: owner, Act: act}
}

// Consume reports that an owner did an act. Each buff of the owner that has the act in
// Charges.ConsumeOn loses a charge, and ends with its last charge. Result.Amount is the number of
// these buffs.
func Consume(owner OwnerID, act Act) Command {
	return Command{Verb: verb.Consume, Owner: owner, Act: act}
}

// Happened reports an act that happened to an owner, or that the owner did, such as "hit",
// "damaged", "healed" or "cast". Each buff of the owner that is not hidden and has actions for the
// act ([define.Hooks].Act) reacts, the oldest first. Then [Consume] and [Interrupt] follow for the
// act. The actions are executed after that, in order, as for any hook.
//
// The target is the other owner of the act, such as the owner that was hit or that caused the
// damage. The amount is the strength of the act. Both are passed to the actions, as [Event].Target
// and [Event].Magnitude; 0 means none. Result.Amount is the number of buffs that reacted. An act
// that no definition uses has no effect.
//
// The command [Damage] reports the acts define.ActDamaged and define.ActDealt itself. Report them
// with Happened only for damage to numbers that the game keeps itself. In the chain that a reaction
// to one of these two acts starts, no buff reacts to either of them, so that two buffs that answer
// damage with damage do so only once.
func Happened(owner OwnerID, act Act, target OwnerID, amount int64) Command {
	return Command{Verb: verb.Happened, Owner: owner, Act: act, Amount: amount, Application: Application{Source: target}}
}

// Absorb lets the shields of an owner absorb damage of a school; the school 0 means damage without
// a school. Shields are used in the order of their priority, the highest first, and the oldest
// first among equal priorities. A shield that is used up breaks. Result.Amount is the remaining
// damage. The command fails with [ErrAmount] if the amount is negative.
func Absorb(owner OwnerID, amount int64, school Tag) Command {
	return Command{Verb: verb.Absorb, Owner: owner, Amount: amount, Tag: school}
}

// SetBase sets the base of an attribute of an owner. It fails with [ErrValue] unless v is from
// -stat.MaxValue to stat.MaxValue.
func SetBase(owner OwnerID, attr stat.Attr, v float64) Command {
	return Command{Verb: verb.SetBase, Owner: owner, Attr: attr, Value: v}
}

// AddBase adds a number to the base of an attribute of an owner, within the attribute's limits. A
// positive number heals, for example, and a negative number does damage. Adding zero has an effect
// only if the base is outside its limits. The command fails for the same reason as [SetBase].
func AddBase(owner OwnerID, attr stat.Attr, by float64) Command {
	return Command{Verb: verb.AddBase, Owner: owner, Attr: attr, Value: by}
}

// Damage rounds an amount to whole points, half up, lets the shields of the owner absorb a part as
// for an [Absorb], and subtracts the remaining points from the base of an attribute. Result.Amount
// is the number of points that were absorbed. An amount below one point has no effect. The command
// fails for the same reason as [SetBase].
//
// If some damage passes the shields, two acts are reported: see [Happened]. The first is
// define.ActDamaged for the owner, with the source of the damage as its target. The second is
// define.ActDealt for the source, if the source is an owner, with the damaged owner as its target.
// Their amount is the damage that passed, and Event.School of a reaction is the school.
// Both are reported before the next due event, and before a death by this damage. If the source is
// another owner, ActDealt is a command across owners.
func Damage(owner OwnerID, attr stat.Attr, amount float64, school Tag) Command {
	return Command{Verb: verb.Damage, Owner: owner, Attr: attr, Value: amount, Tag: school}
}

// AddTimeout calls the Go handler with the given name for an owner after the delay. The delay is
// rounded up to whole milliseconds, and to at least one millisecond. The timeout is saved with its
// owner.
func AddTimeout(owner OwnerID, delay time.Duration, handler string) Command {
	return Command{Verb: verb.AddTimeout, Owner: owner, By: delay, Name: handler}
}

// AddTimeoutFunc is like AddTimeout but calls a function. A function cannot outlive the process, so
// the command has no binary form and the timeout is not saved. The type of do depends on the
// package that executes the command: package engine requires a func(*engine.Context).
func AddTimeoutFunc(owner OwnerID, delay time.Duration, do any) Command {
	return Command{Verb: verb.AddTimeout, Owner: owner, By: delay, Do: do}
}

// The following commands are for areas, and for more than one owner.

// SetArea moves an owner to an area, whose pause and rate then affect the owner's time. After the
// move, the owner's buffs with OnArea define.FateRemove end with the reason Interrupted and the act
// "area". The command has no effect if the owner is already in the area. A restored owner is in the
// area that its blob names.
func SetArea(owner OwnerID, area uint32) Command {
	return Command{Verb: verb.SetArea, Owner: owner, Area: area}
}

// PauseArea pauses the time of all owners in an area until [ResumeArea]: like [Pause], but for
// an area.
func PauseArea(area uint32) Command {
	return Command{Verb: verb.Pause, Whose: define.OfArea, Area: area}
}

// ResumeArea ends a PauseArea.
func ResumeArea(area uint32) Command {
	return Command{Verb: verb.Resume, Whose: define.OfArea, Area: area}
}

// SetAreaRate sets the rate of the time of all owners in an area. For example, 1/2 is half as fast.
// The zero Ratio means 1. The command fails with [ErrRate] unless the numerator and the denominator
// are from 1 to [MaxRate].
func SetAreaRate(area uint32, r Ratio) Command {
	return Command{Verb: verb.SetRate, Whose: define.OfArea, Area: area, Rate: r}
}

// LoseSource reports that a source has left. On all owners, the buffs from this source are kept,
// end with the reason SourceGone, or are adopted by their owner, as their [Spec].OnSourceGone says.
func LoseSource(source OwnerID) Command {
	return Command{Verb: verb.LoseSource, Application: Application{Source: source}}
}

// Compensate moves the ends of the buffs that a query selects by d, which may be negative. It
// affects all owners, for example to compensate players after an outage. Query.Most and
// Query.Newest apply to the buffs of each owner that have an end; Query.Grade and Query.Stacks must
// be zero. Result.Amount is the number of buffs whose end was moved.
func Compensate(q Query, d time.Duration) Command {
	return Command{Verb: verb.Compensate, Query: q, By: d}
}
