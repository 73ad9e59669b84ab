package define

import "github.com/bufftick/bufftick/internal/wordlist"

// By says which live instance a new application joins.
type By uint8

// Identities of a stack.
const (
	ByNone   By = iota // none: every application starts a new instance
	BySource           // the one applied by the same source
	ByTarget           // the one on the owner, applied by any source
	ByKey              // the one with the same Application.Key
)

// Timers says whether the stacks of one instance end together.
type Timers uint8

// Rules for the timers of stacks.
const (
	TimersShared Timers = iota // all stacks end together
	TimersEach                 // the stacks of each application have an end of their own
	TimersQueue                // one application runs, the strongest first, and the others wait
)

// Refresh says how a further application changes the end of a live instance.
type Refresh uint8

// Rules of refresh. D is the duration of the new application.
const (
	RefreshRestart Refresh = iota // end = now + D
	// RefreshNone does not change the end; Refreshed is emitted only if the application switches
	// the instance to a new version
	RefreshNone
	RefreshExtend   // end = end + D
	RefreshPandemic // end = now + D + min(remaining time, RefreshPct of the definition's duration)
	RefreshMax      // end = max(end, now + D)
	RefreshResidual // end = now + D + time until the next pulse
)

// Phase says how a further application changes the time of the pulses.
type Phase uint8

// Rules of phase.
const (
	PhaseKeep    Phase = iota // the next pulse does not move, so a refresh never loses a pulse
	PhaseReset                // the next pulse is one period from now
	PhaseExecute              // one pulse now, the next one period from now
)

// Overflow is the rule for an application at the stack limit.
type Overflow uint8

// Rules of overflow. With all of them Stacking.OverflowApply is applied.
const (
	OverflowAllow Overflow = iota // no further stack, but the instance is refreshed
	OverflowDeny                  // denied; nothing is refreshed
	OverflowClear                 // denied, and the whole instance is removed
	// OverflowReplace replaces as many of the oldest stacks as are above the limit; it equals
	// OverflowAllow with TimersShared
	OverflowReplace
)

// Expire says how many stacks end when the duration is over.
type Expire uint8

// Rules of expiry. Stacks that remain start a full new duration; the phase of the pulses is kept.
const (
	ExpireAll   Expire = iota // the whole instance
	ExpireOne                 // one stack
	ExpireHalf                // half of the stacks, rounded down, at least one
	ExpireCount               // Stacking.ExpireN stacks
)

// LevelRule says how the level of a further application is used.
type LevelRule uint8

// Rules of level.
const (
	// LevelIgnore has no condition: the instance gets the level of the last application that
	// refreshed it or added a stack
	LevelIgnore LevelRule = iota
	// LevelHigherWins denies a lower level; a higher one replaces the end and the numbers, with
	// any Refresh and even with OverflowDeny
	LevelHigherWins
	LevelSegregate // each level is a separate instance
	LevelSum       // levels are added
)

// ChargeRule says how a further application changes the charges.
type ChargeRule uint8

// Rules of charges.
const (
	ChargesReset ChargeRule = iota // refilled
	ChargesKeep                    // unchanged
	ChargesAdd                     // the charges of the definition are added
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

// String returns the word used in files and logs.
func (b By) String() string { return wordlist.Word(byWords, b) }

// String returns the word used in files and logs.
func (t Timers) String() string { return wordlist.Word(timersWords, t) }

// String returns the word used in files and logs.
func (r Refresh) String() string { return wordlist.Word(refreshWords, r) }

// String returns the word used in files and logs.
func (p Phase) String() string { return wordlist.Word(phaseWords, p) }

// String returns the word used in files and logs.
func (o Overflow) String() string { return wordlist.Word(overflowWords, o) }

// String returns the word used in files and logs.
func (e Expire) String() string { return wordlist.Word(expireWords, e) }

// String returns the word used in files and logs.
func (l LevelRule) String() string { return wordlist.Word(levelRuleWords, l) }

// String returns the word used in files and logs.
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
