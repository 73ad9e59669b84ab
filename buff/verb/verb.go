package verb

import "github.com/bufftick/bufftick/internal/wordlist"

// Verb is the operation of a buff.Command. The values are part of its binary form and never
// change.
type Verb uint8

// Verbs. The comments name the fields of the Command that each verb reads.
const (
	Apply Verb = 1 // applies Application to the owner
	// Remove removes the buff that Handle identifies, with Reason as the reason. If Stacks is above
	// 0, it removes only that number of stacks.
	Remove Verb = 2
	// RemoveSpec is like Remove, but removes the oldest instance of Application.Spec or, if
	// Application.Source is set, the oldest instance that this source applied. It is not an error
	// if no such instance exists.
	RemoveSpec Verb = 3
	// Extend adds By, which may be negative, to the end of the buff that Handle identifies.
	// Application.Duration limits the remaining time.
	Extend     Verb = 4
	Kill       Verb = 5 // kills the owner
	LoseSource Verb = 6 // the owner Application.Source has left
	// AddTimeout calls the function Do or, if Do is nil, the handler with the name Name. The call
	// is due after the time By, or at the next millisecond if By is zero or less.
	AddTimeout   Verb = 7
	Cancel       Verb = 8  // cancels the timeout that Timeout identifies
	SetRemaining Verb = 9  // ends the buff with the given Handle after By, or at once if By is zero or less
	SetPeriod    Verb = 10 // sets the period of the buff with the given Handle to By
	Pause        Verb = 11 // pauses the buff with the given Handle, the owner or the Area; Whose selects which
	Resume       Verb = 12 // ends a Pause
	SetRate      Verb = 13 // sets the rate of the buff, owner or Area to Rate; Whose selects which
	Inhibit      Verb = 14 // hides the buff with the given Handle, as if Require.Ongoing failed
	Release      Verb = 15 // ends an Inhibit
	AddTag       Verb = 16 // adds Tag to the owner; each AddTag is counted
	DropTag      Verb = 17 // undoes one AddTag of Tag
	Immunize     Verb = 18 // makes the owner immune to Tag and, if Purge is set, removes its buffs with Tag
	DropImmunity Verb = 19 // undoes one Immunize for Tag
	Dispel       Verb = 20 // dispels the buffs selected by Query
	// Steal removes the buffs selected by Query and applies each of them to the owner Query.To for
	// its remaining time. If By is above zero, it is the maximum of that time.
	Steal     Verb = 21
	Interrupt Verb = 22 // reports an Act of the owner, and ends each buff with this act in Interrupt
	Consume   Verb = 23 // reports an Act of the owner, and uses a charge of each buff with this act in ConsumeOn
	Absorb    Verb = 24 // lets the shields absorb damage of Amount points and of the school Tag, which may be zero
	Revive    Verb = 25 // revives the owner and resumes the buffs that its death paused
	// Enter means that the owner has entered the range of the aura that belongs to
	// Application.Source and applies Application.Spec.
	Enter      Verb = 26
	Leave      Verb = 27 // the owner has left an aura; the buff that the aura applied ends after By
	Compensate Verb = 28 // extends all buffs selected by Query by the time By
	SetArea    Verb = 29 // moves the owner to Area and ends the buffs with OnArea set to remove
	AddBase    Verb = 30 // adds Value to the base of the attribute Attr, within its limits
	SetBase    Verb = 31 // sets the base of the attribute Attr to Value, ignoring its limits
	// Damage rounds Value to whole points, half up, lets the shields absorb damage, and subtracts
	// the rest from the base of Attr. Tag is the school of the damage, or zero.
	Damage         Verb = 32
	ConsumeCharges Verb = 33 // uses charges of the buff with the given Handle; Stacks is their number

	// Happened means that Act happened to the owner or was done by the owner, so that the owner's
	// buffs react to it. Application.Source is the other owner, and Amount the amount of the act.
	Happened Verb = 34

	Last = Happened
)

// verbWords are the words of verbs in scenarios and transcripts. In these files, Pause, Resume and
// SetRate have the suffix "_buff" or "_area" if they are not about the owner's time.
var verbWords = []string{
	"none", "apply", "remove", "remove_oldest", "extend", "kill", "source_gone", "timeout", "cancel", "set_remaining", "set_period",
	"pause", "resume", "rate", "inhibit", "release", "tag", "untag", "immune", "vulnerable", "dispel", "steal", "interrupt", "consume",
	"absorb", "revive", "enter", "leave", "compensate", "area", "change", "base", "damage", "use", "happened",
}

// String returns the word of a verb in scenarios, such as "apply" or "immune".
func (v Verb) String() string { return wordlist.Word(verbWords, v) }
