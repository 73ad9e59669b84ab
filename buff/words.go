package buff

import (
	"fmt"
	"strings"
)

// Each rule that a definition can choose is a small enumeration whose zero value
// is the default. In files and logs a value is one lower-case word; the tables in
// this file are the only place where the words stand.

// Kind says how a buff lives.
type Kind uint8

// The kinds of a [Spec].
const (
	Timed    Kind = iota // lives for Spec.Duration
	Instant              // does its work at once and is never carried
	Infinite             // lives until something removes it
)

// First says whether a buff pulses at the moment of its application.
type First uint8

// The rules for the first pulse.
const (
	FirstNone  First = iota // the first pulse comes one period after the start
	FirstStart              // a new instance pulses at once
	FirstEvery              // as FirstStart, and again at each refresh
)

// Tail says what happens to the last part of a duration that is no multiple of the
// period.
type Tail uint8

// The rules for the tail.
const (
	TailNone    Tail = iota // nothing: only whole periods pulse
	TailPartial             // one more pulse at the end, with its fraction of a period
)

// By says which earlier application a new one joins.
type By uint8

// The identities of a stack.
const (
	ByNone   By = iota // none: every application is an instance of its own
	BySource           // the one that the same source applied
	ByTarget           // any one on the owner, whoever applied it
)

// Refresh says what a further application does to the end of a live instance.
type Refresh uint8

// The rules of refresh. D is the duration of the new application.
const (
	RefreshRestart  Refresh = iota // end = now + D
	RefreshNone                    // the end stays, and no Refreshed is reported
	RefreshExtend                  // end = end + D
	RefreshPandemic                // end = now + D + min(what was left, RefreshPct of the definition's duration)
	RefreshMax                     // end = max(end, now + D)
)

// Phase says what a further application does to the beat of the pulses.
type Phase uint8

// The rules of phase.
const (
	PhaseKeep    Phase = iota // the next pulse stays where it is: no refresh ever costs a pulse
	PhaseReset                // the next pulse is one period from now
	PhaseExecute              // one pulse now, the next one period from now
)

// Overflow says what an application at the full stack limit does.
type Overflow uint8

// The rules of overflow. Spec.Stack.OverflowApply is applied in all cases.
const (
	OverflowAllow   Overflow = iota // no further stack, but the instance is refreshed
	OverflowDeny                    // refused, and nothing is refreshed
	OverflowClear                   // refused, and the whole instance is removed
	OverflowReplace                 // the oldest stack gives way: with one timer for all stacks, the same as allow
)

// Expire says what the end of the duration takes away.
type Expire uint8

// The rules of expiry.
const (
	ExpireAll Expire = iota // the whole instance
	ExpireOne               // one stack; the others begin the full duration anew, on the same beat
)

// Fate says what becomes of a buff when something befalls its owner, its source or
// its handler.
type Fate uint8

// The fates. The zero value stands for the default of the field it is used in.
const (
	FateDefault Fate = iota
	FateRemove
	FateKeep
)

// Do is what an [Action] does.
type Do uint8

// The actions.
const (
	DoCall   Do = iota // call the Go handler Action.Name
	DoApply            // apply the definition Action.Name to the owner
	DoRemove           // remove the oldest instance of the definition Action.Name
	DoKill             // the owner dies
)

// Reason says why something was removed, denied or reported as a fault.
type Reason uint8

// The reasons. The first group ends a buff, the second denies an application, the
// third names a fault.
const (
	NoReason Reason = iota

	Expired    // its time was over
	Cancelled  // removed by hand
	Dispelled  // taken off by a dispel
	Stolen     // taken over by somebody else
	Replaced   // gave way to another buff
	Overflowed // the stack limit cleared it
	Consumed   // its last charge was used
	Broken     // its shield was spent
	Death      // the owner died
	SourceGone // the source left
	Immunity   // the owner became immune
	Condition  // a requirement failed
	OutOfAura  // the owner left the area
	Interrupt  // an interrupting act of the owner
	Unload     // the owner left
	Reload     // the definition was changed
	Fault      // its handler failed

	Limit // the stack limit, with overflow deny
	Full  // the owner carries as many buffs as it may

	BadDuration // a duration below one millisecond
	BadStacks   // a negative number of stacks
	Cascade     // commands triggered commands for more than the allowed rounds
	Panic       // a handler panicked
	Goexit      // a handler ended its goroutine
)

// lastRemoval is the last Reason of the group that ends a buff.
const lastRemoval = Fault

var (
	kindWords     = []string{"timed", "instant", "infinite"}
	firstWords    = []string{"none", "start", "every"}
	tailWords     = []string{"none", "partial"}
	byWords       = []string{"none", "source", "target"}
	refreshWords  = []string{"restart", "none", "extend", "pandemic", "max"}
	phaseWords    = []string{"keep", "reset", "execute"}
	overflowWords = []string{"allow", "deny", "clear", "replace-oldest"}
	expireWords   = []string{"all", "one"}
	fateWords     = []string{"default", "remove", "keep"}
	doWords       = []string{"call", "apply", "remove", "kill"}
	reasonWords   = []string{
		"none",
		"expired", "cancelled", "dispelled", "stolen", "replaced", "overflow", "consumed", "broken", "death",
		"source_gone", "immunity", "condition", "out_of_aura", "interrupt", "unload", "reload", "fault",
		"limit", "full",
		"duration", "stacks", "cascade", "panic", "goexit",
	}
)

// String returns the word of files and logs.
func (k Kind) String() string { return word(kindWords, k) }

// String returns the word of files and logs.
func (f First) String() string { return word(firstWords, f) }

// String returns the word of files and logs.
func (t Tail) String() string { return word(tailWords, t) }

// String returns the word of files and logs.
func (b By) String() string { return word(byWords, b) }

// String returns the word of files and logs.
func (r Refresh) String() string { return word(refreshWords, r) }

// String returns the word of files and logs.
func (p Phase) String() string { return word(phaseWords, p) }

// String returns the word of files and logs.
func (o Overflow) String() string { return word(overflowWords, o) }

// String returns the word of files and logs.
func (e Expire) String() string { return word(expireWords, e) }

// String returns the word of files and logs.
func (f Fate) String() string { return word(fateWords, f) }

// String returns the word of files and logs.
func (d Do) String() string { return word(doWords, d) }

// String returns the word of files and logs.
func (r Reason) String() string { return word(reasonWords, r) }

// UnmarshalText sets f from its word.
func (f *First) UnmarshalText(text []byte) error { return parse(f, firstWords, text) }

// UnmarshalText sets t from its word.
func (t *Tail) UnmarshalText(text []byte) error { return parse(t, tailWords, text) }

// UnmarshalText sets b from its word.
func (b *By) UnmarshalText(text []byte) error { return parse(b, byWords, text) }

// UnmarshalText sets r from its word.
func (r *Refresh) UnmarshalText(text []byte) error { return parse(r, refreshWords, text) }

// UnmarshalText sets p from its word.
func (p *Phase) UnmarshalText(text []byte) error { return parse(p, phaseWords, text) }

// UnmarshalText sets o from its word.
func (o *Overflow) UnmarshalText(text []byte) error { return parse(o, overflowWords, text) }

// UnmarshalText sets e from its word.
func (e *Expire) UnmarshalText(text []byte) error { return parse(e, expireWords, text) }

// UnmarshalText sets f from its word; "default" is not one that may be written.
func (f *Fate) UnmarshalText(text []byte) error {
	if err := parse(f, fateWords[1:], text); err != nil {
		return err
	}
	*f++
	return nil
}

// UnmarshalText sets r from its word; only a reason that ends a buff may be
// written.
func (r *Reason) UnmarshalText(text []byte) error {
	if err := parse(r, reasonWords[1:lastRemoval+1], text); err != nil {
		return err
	}
	*r++
	return nil
}

// Removes reports whether r is a reason that ends a buff.
func (r Reason) Removes() bool { return r != NoReason && r <= lastRemoval }

func word[E ~uint8](words []string, e E) string {
	if int(e) < len(words) {
		return words[e]
	}
	return fmt.Sprintf("%T(%d)", e, e)
}

func parse[E ~uint8](e *E, words []string, text []byte) error {
	for i, w := range words {
		if w == string(text) {
			*e = E(i)
			return nil
		}
	}
	last := len(words) - 1
	return fmt.Errorf("unknown word %q: want %s or %s", text, strings.Join(words[:last], ", "), words[last])
}
