package verb

import "github.com/bufftick/bufftick/internal/wordlist"

// Verb is the operation of a buff.Command. The values are part of its binary form and never
// change.
type Verb uint8

// Verbs, with the fields of the Command that each of them reads.
const (
	Apply  Verb = 1 // applies Application to the owner
	Remove Verb = 2 // removes Handle, or Stacks of its stacks, with Reason
	// RemoveSpec is like Remove for the oldest instance of Application.Spec, by
	// Application.Source if it is set; it is not an error if there is none
	RemoveSpec Verb = 3
	// Extend moves the end of Handle by By, which may be negative; Application.Duration is the
	// longest remaining time
	Extend     Verb = 4
	Kill       Verb = 5 // kills the owner
	LoseSource Verb = 6 // Application.Source has left
	// AddTimeout calls Do, or else the handler Name, after By, or at the next millisecond if By
	// <= 0.
	AddTimeout   Verb = 7
	Cancel       Verb = 8  // cancels Timeout
	SetRemaining Verb = 9  // ends Handle after By; at once if By is zero or less
	SetPeriod    Verb = 10 // sets the period of Handle to By
	Pause        Verb = 11 // pauses the time of Handle, the owner or Zone, by the field Whose
	Resume       Verb = 12 // ends a Pause
	SetRate      Verb = 13 // sets the rate of that time to Rate
	Inhibit      Verb = 14 // hides Handle, as if Require.Ongoing failed
	Release      Verb = 15 // ends an Inhibit
	AddTag       Verb = 16 // adds Tag to the owner; tags are counted
	DropTag      Verb = 17 // removes one count of Tag
	Immunize     Verb = 18 // makes the owner immune to Tag, counted; Purge removes present buffs
	DropImmunity Verb = 19 // removes one count of the immunity to Tag
	Dispel       Verb = 20 // dispels the buffs selected by Query
	// Steal removes the buffs selected by Query and applies the rest of each to Query.To, for at
	// most By
	Steal     Verb = 21
	Interrupt Verb = 22 // the owner did Act: ends the buffs that it interrupts
	Consume   Verb = 23 // the owner did Act: uses a charge of each buff with that act
	Absorb    Verb = 24 // lets the shields absorb Amount of damage with Tag, which may be zero
	Revive    Verb = 25 // revives the owner and resumes the buffs that its death paused
	// Enter puts the owner within the aura of Application.Source that applies Application.Spec.
	Enter      Verb = 26
	Leave      Verb = 27 // the owner has left that aura: its buff ends after By
	Compensate Verb = 28 // extends all buffs selected by Query by By
	SetZone    Verb = 29 // moves the owner to Zone and ends the buffs that do not go with it
	AddBase    Verb = 30 // adds Value to the base of the attribute Attr, within its limits
	SetBase    Verb = 31 // sets the base of the attribute Attr to Value, ignoring its limits
	// Damage lets the shields absorb damage with Tag, which may be zero, and subtracts the rest
	// from the base of Attr; the damage is Value, rounded to whole points, half up
	Damage         Verb = 32
	ConsumeCharges Verb = 33 // uses Stacks charges of Handle

	// Happened says that Act happened to the owner or was done by it; Application.Source is the
	// other owner and Amount the amount of the act; the owner's buffs react to it
	Happened Verb = 34

	Last = Happened
)

// verbWords are the words of scenarios and transcripts. There a verb about time has the suffix
// "_buff" or "_zone" if it is not about the owner's time.
var verbWords = []string{
	"none", "apply", "remove", "remove_oldest", "extend", "kill", "source_gone", "timeout", "cancel", "set_remaining", "set_period",
	"pause", "resume", "rate", "inhibit", "release", "tag", "untag", "immune", "vulnerable", "dispel", "steal", "interrupt", "consume",
	"absorb", "revive", "enter", "leave", "compensate", "zone", "change", "base", "damage", "use", "happened",
}

// String returns the word of a verb in scenarios, such as "apply" or "immune".
func (v Verb) String() string { return wordlist.Word(verbWords, v) }
