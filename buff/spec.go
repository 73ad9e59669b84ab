package buff

import "time"

// OwnerID names whoever carries or applies buffs: a player, a creature. The number
// is the game's own.
type OwnerID uint64

// Limits on what a definition may say.
const (
	MinPeriod   = 50 * time.Millisecond // a shorter period is an error of the definition
	MaxDuration = 400 * 24 * time.Hour  // a longer duration or period is an error of the definition
	MaxStacks   = 1<<15 - 1             // the highest stack limit
)

// Spec is the definition of a buff: what a designer writes. A Spec given to
// [NewCatalog] is copied and checked; the copies that a [Catalog] hands out are
// shared by everything that runs and must not be changed.
//
// The zero value of every field but ID and Duration is a sensible default.
type Spec struct {
	// ID names the definition within its catalog. Required.
	ID string

	// Name and Note are for people; the engine does not read them.
	Name, Note string

	// Tags say what the buff is, from the general to the particular:
	// "debuff.poison".
	Tags []string

	// Kind says how the buff lives. Instant ones have no duration, period or
	// stack; infinite ones no duration.
	Kind Kind

	// Duration is how long a Timed buff lives: whole milliseconds, above zero, at
	// most MaxDuration. Zero never means for ever.
	Duration time.Duration

	// Period is the time between two pulses: whole milliseconds from MinPeriod to
	// MaxDuration, or zero for a buff that does not pulse.
	Period time.Duration

	// First says whether the application itself pulses, Tail whether the last part
	// of a period does. Both need a Period.
	First First
	Tail  Tail

	// Stack says what a second application does.
	Stack Stacking

	// OnDeath says what becomes of the buff when its owner dies: removed (the
	// default) or kept.
	OnDeath Fate

	// OnSourceGone says what becomes of it when its source leaves: kept (the
	// default) or removed.
	OnSourceGone Fate

	// OnFault says what becomes of it when one of its handlers panics or ends its
	// goroutine: kept (the default) or removed.
	OnFault Fate

	// On says what is done when something happens to the buff.
	On Hooks

	compiled
}

// Stacking says what a second application of a definition does to a live instance.
type Stacking struct {
	// By says which live instance is joined; with ByNone the rest means nothing.
	By By

	// Limit is the number of stacks that an instance may have, from 1 to MaxStacks.
	// If zero, 1. Initial is what an application brings that does not say, from 1
	// to Limit. If zero, 1.
	Limit, Initial int

	// Refresh and Phase say what becomes of the end and of the beat. RefreshPct is
	// the share of the duration that RefreshPandemic carries over, in percent, from
	// 1 to 100. If zero, 30.
	Refresh    Refresh
	RefreshPct int
	Phase      Phase

	// Overflow says what an application at the limit does; the definitions of
	// OverflowApply are applied to the owner then, whatever it does.
	Overflow      Overflow
	OverflowApply []string

	// Expire says what the end of the duration takes away.
	Expire Expire
}

// Hooks are lists of actions, done in order, each list when its fact happened.
type Hooks struct {
	Apply    []Action // a new instance
	Refresh  []Action // a refresh
	Pulse    []Action // a pulse; needs a Period
	Exec     []Action // an instant buff did its work; only for Instant
	Overflow []Action // an application met the stack limit

	// Remove is keyed by the reason of the removal; RemoveAny is done for every
	// reason, after those of Remove.
	Remove    map[Reason][]Action
	RemoveAny []Action
}

// Action is one thing that a definition does to its own owner.
type Action struct {
	Do   Do
	Name string // the definition (DoApply, DoRemove) or the Go handler (DoCall)

	// Reason is the reason of a DoRemove. If NoReason, Cancelled.
	Reason Reason
}

// compiled is what NewCatalog makes of a Spec: spans in milliseconds, references
// as pointers, defaults filled in.
type compiled struct {
	catalog  *Catalog
	index    uint32
	duration int64 // ms; 0 unless Timed
	period   int64 // ms
	carry    int64 // ms, the most that a pandemic refresh carries over
	limit    int32
	initial  int32

	apply, refresh, pulse, exec, overflow []op
	remove                                [lastRemoval + 1][]op
}

// op is a compiled Action.
type op struct {
	do      Do
	reason  Reason
	handler HandlerID
	spec    *Spec
}

// HandlerID is the place of a Go handler's name in [Catalog.Handlers].
type HandlerID int32

// Index returns the place of the definition in its catalog, counted from 0 in the
// order in which NewCatalog got them.
func (s *Spec) Index() int { return int(s.index) }

// String returns the definition's ID.
func (s *Spec) String() string { return s.ID }
