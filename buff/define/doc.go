// Package define is the words of a definition: the types of the fields of a buff.Spec, and the values that they may have.
//
//	buff.Spec{
//		ID:       "poison",
//		Duration: 10 * time.Second,
//		Period:   3 * time.Second,
//		Stack:    define.Stacking{By: define.BySource, Limit: 5, Refresh: define.RefreshExtend},
//	}
//
// It is what a designer's file says, and what code that makes definitions says. Code that applies buffs and looks at
// them needs package buff alone, where Spec itself, its Hooks and its Actions are, since they speak of a buff.Reason.
//
// Each rule that a definition can choose is a small enumeration whose zero value is the default. In files and logs a
// value is one lower-case word: String returns it and UnmarshalText reads it, and an error of UnmarshalText names the
// words that there are. The tables of the files *words.go are the only place where the words stand; docs/format.md
// explains each in its place.
//
//	what the fields are of      file
//	life, actions, saving       words.go
//	a second application        stack.go, stack_words.go
//	pulses and clocks           time_words.go
//	what bears on applying it   gate.go, gate_words.go
//	numbers, curves, formulas   number.go
//	attributes and modifiers    attribute.go
//	what a reload has changed   reload.go
//
// Nothing here does anything: the checks are those of buff.NewCatalog, the rules are those of a buff.Set. The limits on what a
// definition may say are [MaxStacks], [MaxDuration], [MinPeriod] and those beside them.
package define
