package buff

import (
	"errors"
	"fmt"

	"github.com/bufftick/bufftick/internal/wordlist"
)

// Verb says what a [Command] does. The numbers are those of its binary form: they never change.
type Verb uint8

// The verbs, each with the fields of the Command that it reads.
const (
	VerbApply          Verb = 1  // puts Application on the owner
	VerbRemove         Verb = 2  // ends Handle, or Stacks of it, for Reason
	VerbRemoveSpec     Verb = 3  // the same for the oldest instance of Application.Spec; none is no error
	VerbExtend         Verb = 4  // moves the end of Handle by By, which may be negative; Application.Duration is the most that may be left
	VerbKill           Verb = 5  // the owner dies
	VerbLoseSource     Verb = 6  // Application.Source leaves
	VerbAddTimeout     Verb = 7  // calls Do or else Name after By, or at the next millisecond if By is not above zero
	VerbCancel         Verb = 8  // takes Timeout back
	VerbSetRemaining   Verb = 9  // ends Handle after By; if By is not above zero, at once
	VerbSetPeriod      Verb = 10 // the period of Handle becomes By: haste
	VerbPause          Verb = 11 // stops the time of Handle, of the owner or of Zone: Whose
	VerbResume         Verb = 12 // ends a Pause
	VerbSetRate        Verb = 13 // the time of Handle, of the owner or of Zone passes at Rate
	VerbInhibit        Verb = 14 // Handle has no effect, as if Require.Ongoing failed
	VerbRelease        Verb = 15 // ends an Inhibit
	VerbAddTag         Verb = 16 // the owner has Tag, once more
	VerbDropTag        Verb = 17 // the owner has Tag once less
	VerbImmunize       Verb = 18 // the owner is immune to buffs with Tag, once more; with Purge those that it has go
	VerbDropImmunity   Verb = 19 // the owner is immune to buffs with Tag once less
	VerbDispel         Verb = 20 // what Query finds goes
	VerbSteal          Verb = 21 // what Query finds goes, and what was left of it is applied to Query.To, nothing for longer than By
	VerbInterrupt      Verb = 22 // the owner did Act: buffs that it interrupts go
	VerbConsume        Verb = 23 // the owner did Act: buffs that it consumes lose a charge each
	VerbAbsorb         Verb = 24 // Amount of damage with Tag, or zero, meets the shields
	VerbRevive         Verb = 25 // the owner lives again: what its death paused goes on
	VerbEnter          Verb = 26 // the owner is within the aura of Application.Source that applies Application.Spec
	VerbLeave          Verb = 27 // it is not any more: what Enter applied ends after By
	VerbCompensate     Verb = 28 // Extend by By for all that Query finds
	VerbSetZone        Verb = 29 // the owner goes to Zone: buffs that stay behind go
	VerbAddBase        Verb = 30 // Value is added to the base of the attribute Attr, within its limits
	VerbSetBase        Verb = 31 // Value becomes the base of the attribute Attr, whatever its limits
	VerbDamage         Verb = 32 // Value, in whole points, half up, with Tag, or zero, meets the shields; the rest is taken off the base of Attr
	VerbConsumeCharges Verb = 33 // Handle loses Stacks charges

	VerbHappened Verb = 34 // Act happened to the owner, or by it, with Application.Source as target and to the Amount: what its buffs do about it

	lastVerb = VerbHappened
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

// Errors of a [Command] that was brought from somewhere: of its binary form, of its text, and of
// [Command.Check].
var (
	// ErrCommand: it is no command, or one that no constructor could have made.
	ErrCommand = errors.New("buff: bad command")
	// ErrCommandVersion: its binary form is of a later version.
	ErrCommandVersion = errors.New("buff: a command of a version that is not known")
	// ErrFunc: it holds a Go function, which has no binary form.
	ErrFunc = errors.New("buff: a command with a function has no binary form")
	// ErrName: the catalog has no definition, tag, act or attribute of that name or number.
	ErrName = errors.New("buff: the catalog has no such name")
)

// Check returns what is wrong with a command for owners whose definitions are those of a catalog,
// nil if nothing is: [ErrCommand] if no constructor could have made it, [ErrName] if its tag or its
// attribute is not of the catalog; nil is one without any. Whether what it asks for can be done is not asked.
func (c *Command) Check(catalog *Catalog) error {
	if catalog == nil {
		catalog = &Catalog{}
	}
	switch {
	case c.Verb == 0 || c.Verb > lastVerb:
		return fmt.Errorf("%w: the verb %d", ErrCommand, c.Verb)
	case c.Verb == VerbEnter || c.Verb == VerbLeave || c.linked:
		return fmt.Errorf("%w: %v is the engine's own", ErrCommand, c.Verb)
	case (c.Verb == VerbApply || c.Verb == VerbRemoveSpec) && c.Application.Spec == nil:
		return fmt.Errorf("%w: %v of no definition", ErrCommand, c.Verb)
	case c.Verb == VerbAddTimeout && c.Name == "" && c.Do == nil:
		return fmt.Errorf("%w: a timeout that calls nothing", ErrCommand)
	case c.Reason != NoReason && !c.Reason.Removes():
		return fmt.Errorf("%w: the reason %v, which does not end a buff", ErrCommand, c.Reason)
	case c.Whose == OfSource || c.Whose > OfZone:
		return fmt.Errorf("%w: a time that is neither a buff's nor an owner's nor a zone's: %d", ErrCommand, c.Whose)
	case c.Tag != 0 && catalog.TagName(c.Tag) == "":
		return fmt.Errorf("%w: %v with the tag number %d", ErrName, c.Verb, c.Tag)
	case c.Query.Tag != 0 && catalog.TagName(c.Query.Tag) == "":
		return fmt.Errorf("%w: %v with the tag number %d", ErrName, c.Verb, c.Query.Tag)
	}
	switch c.Verb {
	case VerbAddBase, VerbSetBase, VerbDamage:
		if s := catalog.Attributes(); s == nil || c.Attr == 0 || int(c.Attr) > s.Len() {
			return fmt.Errorf("%w: %v with the attribute number %d", ErrName, c.Verb, c.Attr)
		}
	}
	return nil
}
