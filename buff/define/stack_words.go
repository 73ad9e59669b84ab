package define

import "github.com/bufftick/bufftick/internal/wordlist"

// By says which live instance a new application joins.
type By uint8

// Rules for joining an instance.
const (
	ByNone   By = iota // an application never joins an instance; it starts a new one
	BySource           // an application joins the instance applied by the same source
	ByTarget           // an application joins the instance on the owner, whichever source applied it
	ByKey              // an application joins the instance with the same Application.Key
)

// Timers says whether the stacks of one instance end together.
type Timers uint8

// Rules for the timers of stacks.
const (
	TimersShared Timers = iota // all stacks end together
	TimersEach                 // the stacks of each application have their own end
	TimersQueue                // only the strongest application runs; the others wait in a queue
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
	PhaseReset                // the next pulse is due one period from now
	PhaseExecute              // one pulse runs now, and the next is due one period from now
)

// Overflow is the rule for an application at the stack limit.
type Overflow uint8

// Rules of overflow. Whatever the rule, the actions in Hooks.Overflow run.
const (
	OverflowAllow Overflow = iota // no stack is added, but the instance is refreshed
	OverflowDeny                  // the application is denied and refreshes nothing
	OverflowClear                 // the application is denied, and the whole instance is removed
	// OverflowReplace adds the new stacks and removes the oldest stacks above the limit. With
	// TimersShared it is the same as OverflowAllow.
	OverflowReplace
)

// Expire says how many stacks end when the duration is over.
type Expire uint8

// Rules of expiry. The stacks that remain start a new, full duration, or Stacking.Decay; the phase
// of the pulses is kept.
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
	// LevelIgnore accepts any level. The instance gets the level of the last application that
	// refreshed it or added a stack.
	LevelIgnore LevelRule = iota
	// LevelHigherWins denies an application with a lower level. An application with a higher level
	// replaces the end and the numbers of the instance, with any Refresh and even with
	// OverflowDeny.
	LevelHigherWins
	LevelSegregate // each level is a separate instance
	LevelSum       // the levels of all applications are added
)

// ChargeRule says how a further application changes the charges.
type ChargeRule uint8

// Rules of charges.
const (
	ChargesReset ChargeRule = iota // the charges are refilled
	ChargesKeep                    // the charges do not change
	ChargesAdd                     // the definition's number of charges is added
)

// ShieldRule says how a further application changes the remaining pool of a shield.
type ShieldRule uint8

// Rules of shields.
const (
	ShieldFill  ShieldRule = iota // the pool is filled up to that of the application, and never falls
	ShieldAdd                     // the pool of the application is added
	ShieldReset                   // the pool is that of the application, even if this is smaller
	ShieldKeep                    // the pool does not change
)

var (
	byWords         = []string{"none", "source", "target", "key"}
	timersWords     = []string{"shared", "each", "queue"}
	refreshWords    = []string{"restart", "none", "extend", "pandemic", "max", "residual_tick"}
	phaseWords      = []string{"keep", "reset", "execute"}
	overflowWords   = []string{"allow", "deny", "clear", "replace_oldest"}
	expireWords     = []string{"all", "one", "half", "n"}
	levelRuleWords  = []string{"ignore", "higher_wins", "segregate", "sum"}
	chargeRuleWords = []string{"reset", "keep", "add"}
	shieldRuleWords = []string{"fill", "add", "reset", "keep"}
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

// String returns the word used in files and logs.
func (s ShieldRule) String() string { return wordlist.Word(shieldRuleWords, s) }

// UnmarshalText sets b to the value that text names.
func (b *By) UnmarshalText(text []byte) error { return wordlist.Parse(b, byWords, text) }

// UnmarshalText sets t to the value that text names.
func (t *Timers) UnmarshalText(text []byte) error { return wordlist.Parse(t, timersWords, text) }

// UnmarshalText sets r to the value that text names.
func (r *Refresh) UnmarshalText(text []byte) error { return wordlist.Parse(r, refreshWords, text) }

// UnmarshalText sets p to the value that text names.
func (p *Phase) UnmarshalText(text []byte) error { return wordlist.Parse(p, phaseWords, text) }

// UnmarshalText sets o to the value that text names.
func (o *Overflow) UnmarshalText(text []byte) error { return wordlist.Parse(o, overflowWords, text) }

// UnmarshalText sets e to the value that text names.
func (e *Expire) UnmarshalText(text []byte) error { return wordlist.Parse(e, expireWords, text) }

// UnmarshalText sets l to the value that text names.
func (l *LevelRule) UnmarshalText(text []byte) error { return wordlist.Parse(l, levelRuleWords, text) }

// UnmarshalText sets c to the value that text names.
func (c *ChargeRule) UnmarshalText(text []byte) error {
	return wordlist.Parse(c, chargeRuleWords, text)
}

// UnmarshalText sets s to the value that text names.
func (s *ShieldRule) UnmarshalText(text []byte) error {
	return wordlist.Parse(s, shieldRuleWords, text)
}
