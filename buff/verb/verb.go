package verb

import "github.com/bufftick/bufftick/internal/wordlist"

// Verb says what a buff.Command does. The numbers are those of its binary form: they never change.
type Verb uint8

// The verbs, each with the fields of the Command that it reads.
const (
	Apply          Verb = 1  // puts Application on the owner
	Remove         Verb = 2  // ends Handle, or Stacks of it, for Reason
	RemoveSpec     Verb = 3  // the same for the oldest instance of Application.Spec, of Application.Source if that has one; none is no error
	Extend         Verb = 4  // moves the end of Handle by By, which may be negative; Application.Duration is the most that may be left
	Kill           Verb = 5  // the owner dies
	LoseSource     Verb = 6  // Application.Source leaves
	AddTimeout     Verb = 7  // calls Do or else Name after By, or at the next millisecond if By is not above zero
	Cancel         Verb = 8  // takes Timeout back
	SetRemaining   Verb = 9  // ends Handle after By; if By is not above zero, at once
	SetPeriod      Verb = 10 // the period of Handle becomes By: haste
	Pause          Verb = 11 // stops the time of Handle, of the owner or of Zone: Whose
	Resume         Verb = 12 // ends a Pause
	SetRate        Verb = 13 // the time of Handle, of the owner or of Zone passes at Rate
	Inhibit        Verb = 14 // Handle has no effect, as if Require.Ongoing failed
	Release        Verb = 15 // ends an Inhibit
	AddTag         Verb = 16 // the owner has Tag, once more
	DropTag        Verb = 17 // the owner has Tag once less
	Immunize       Verb = 18 // the owner is immune to buffs with Tag, once more; with Purge those that it has go
	DropImmunity   Verb = 19 // the owner is immune to buffs with Tag once less
	Dispel         Verb = 20 // what Query finds goes
	Steal          Verb = 21 // what Query finds goes, and what was left of it is applied to Query.To, nothing for longer than By
	Interrupt      Verb = 22 // the owner did Act: buffs that it interrupts go
	Consume        Verb = 23 // the owner did Act: buffs that it consumes lose a charge each
	Absorb         Verb = 24 // Amount of damage with Tag, or zero, meets the shields
	Revive         Verb = 25 // the owner lives again: what its death paused goes on
	Enter          Verb = 26 // the owner is within the aura of Application.Source that applies Application.Spec
	Leave          Verb = 27 // it is not any more: what Enter applied ends after By
	Compensate     Verb = 28 // Extend by By for all that Query finds
	SetZone        Verb = 29 // the owner goes to Zone: buffs that stay behind go
	AddBase        Verb = 30 // Value is added to the base of the attribute Attr, within its limits
	SetBase        Verb = 31 // Value becomes the base of the attribute Attr, whatever its limits
	Damage         Verb = 32 // Value, in whole points, half up, with Tag, or zero, meets the shields; the rest is taken off the base of Attr
	ConsumeCharges Verb = 33 // Handle loses Stacks charges

	Happened Verb = 34 // Act happened to the owner, or by it, with Application.Source as target and to the Amount: what its buffs do about it

	Last = Happened
)

// verbWords are the words of scenarios and transcripts, in which "_buff" and "_zone" say whose time
// a verb about time is about.
var verbWords = []string{
	"none", "apply", "remove", "remove_oldest", "extend", "kill", "source_gone", "timeout", "cancel", "set_remaining", "set_period",
	"pause", "resume", "rate", "inhibit", "release", "tag", "untag", "immune", "vulnerable", "dispel", "steal", "interrupt", "consume",
	"absorb", "revive", "enter", "leave", "compensate", "zone", "change", "base", "damage", "use", "happened",
}

// String returns the word of a verb in scenarios: "apply", "immune".
func (v Verb) String() string { return wordlist.Word(verbWords, v) }
