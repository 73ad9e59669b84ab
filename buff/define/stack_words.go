package define

import "github.com/bufftick/bufftick/internal/wordlist"

// By says which earlier application a new one joins.
type By uint8

// The identities of a stack.
const (
	ByNone   By = iota // none: every application is an instance of its own
	BySource           // the one that the same source applied
	ByTarget           // any one on the owner, whoever applied it
	ByKey              // the one with the same Application.Key
)

// Timers says how many ends the stacks of one instance have.
type Timers uint8

// The rules of the stacks' timers.
const (
	TimersShared Timers = iota // one for all
	TimersEach                 // each application's stacks have their own
	TimersQueue                // one application runs, the strongest first, and the others wait
)

// Refresh says what a further application does to the end of a live instance.
type Refresh uint8

// The rules of refresh. D is the duration of the new application.
const (
	RefreshRestart  Refresh = iota // end = now + D
	RefreshNone                    // the end stays, and no Refreshed is reported but of a new version
	RefreshExtend                  // end = end + D
	RefreshPandemic                // end = now + D + min(what was left, RefreshPct of the definition's duration)
	RefreshMax                     // end = max(end, now + D)
	RefreshResidual                // end = now + D + the time to the next pulse
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
	OverflowReplace                 // as many of the oldest stacks give way as are too many: with one timer for all stacks, the same as allow
)

// Expire says what the end of the duration takes away.
type Expire uint8

// The rules of expiry. What is left begins the full duration anew, on the same beat.
const (
	ExpireAll   Expire = iota // the whole instance
	ExpireOne                 // one stack
	ExpireHalf                // half of the stacks, rounded down, at least one
	ExpireCount               // Stacking.ExpireN stacks
)

// LevelRule says what the level of a further application does.
type LevelRule uint8

// The rules of level.
const (
	LevelIgnore     LevelRule = iota // nothing: the instance takes the level of the last application that refreshed it or added a stack
	LevelHigherWins                  // a lower level is refused; a higher one replaces end and numbers, whatever Refresh and OverflowDeny say
	LevelSegregate                   // each level is an instance of its own
	LevelSum                         // the levels add up
)

// ChargeRule says what a further application does to the charges.
type ChargeRule uint8

// The rules of charges.
const (
	ChargesReset ChargeRule = iota // they are full again
	ChargesKeep                    // they stay
	ChargesAdd                     // those of the definition are added
)

var (
	byWords         = []string{"none", "source", "target", "key"}
	timersWords     = []string{"shared", "each", "queue"}
	refreshWords    = []string{"restart", "none", "extend", "pandemic", "max", "residual-tick"}
	phaseWords      = []string{"keep", "reset", "execute"}
	overflowWords   = []string{"allow", "deny", "clear", "replace-oldest"}
	expireWords     = []string{"all", "one", "half", "n"}
	levelRuleWords  = []string{"ignore", "higherWins", "segregate", "sum"}
	chargeRuleWords = []string{"reset", "keep", "add"}
)

// String returns the word of files and logs.
func (b By) String() string { return wordlist.Word(byWords, b) }

// String returns the word of files and logs.
func (t Timers) String() string { return wordlist.Word(timersWords, t) }

// String returns the word of files and logs.
func (r Refresh) String() string { return wordlist.Word(refreshWords, r) }

// String returns the word of files and logs.
func (p Phase) String() string { return wordlist.Word(phaseWords, p) }

// String returns the word of files and logs.
func (o Overflow) String() string { return wordlist.Word(overflowWords, o) }

// String returns the word of files and logs.
func (e Expire) String() string { return wordlist.Word(expireWords, e) }

// String returns the word of files and logs.
func (l LevelRule) String() string { return wordlist.Word(levelRuleWords, l) }

// String returns the word of files and logs.
func (c ChargeRule) String() string { return wordlist.Word(chargeRuleWords, c) }

// UnmarshalText sets b from its word.
func (b *By) UnmarshalText(text []byte) error { return wordlist.Parse(b, byWords, text) }

// UnmarshalText sets t from its word.
func (t *Timers) UnmarshalText(text []byte) error { return wordlist.Parse(t, timersWords, text) }

// UnmarshalText sets r from its word.
func (r *Refresh) UnmarshalText(text []byte) error { return wordlist.Parse(r, refreshWords, text) }

// UnmarshalText sets p from its word.
func (p *Phase) UnmarshalText(text []byte) error { return wordlist.Parse(p, phaseWords, text) }

// UnmarshalText sets o from its word.
func (o *Overflow) UnmarshalText(text []byte) error { return wordlist.Parse(o, overflowWords, text) }

// UnmarshalText sets e from its word.
func (e *Expire) UnmarshalText(text []byte) error { return wordlist.Parse(e, expireWords, text) }

// UnmarshalText sets l from its word.
func (l *LevelRule) UnmarshalText(text []byte) error { return wordlist.Parse(l, levelRuleWords, text) }

// UnmarshalText sets c from its word.
func (c *ChargeRule) UnmarshalText(text []byte) error {
	return wordlist.Parse(c, chargeRuleWords, text)
}
