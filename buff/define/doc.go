// Package define holds the vocabulary of a definition: [Spec], the types of its fields, and the
// values that the fields accept.
//
//	buff.Spec{
//		ID:       "poison",
//		Duration: 10 * time.Second,
//		Period:   3 * time.Second,
//		Stack:    define.Stacking{By: define.BySource, Limit: 5, Refresh: define.RefreshExtend},
//	}
//
// These types are used by files of definitions and by code that builds definitions. Code that only
// applies and reads buffs needs only package buff, where buff.Spec is another name of Spec.
//
// Each rule that a definition can choose is a small enumeration whose zero value is the default.
// In files and logs a value is one lower-case word: String returns it, and UnmarshalText parses
// it. An error of UnmarshalText lists the accepted words. The tables of words are in the files
// *words.go. The documentation of package catalog explains every field.
//
//	fields                      file
//	the definition itself       spec.go, act.go
//	life, actions, saving       words.go
//	repeated applications       stack.go, stack_words.go
//	pulses and clocks           time_words.go
//	admission of applications   gate.go, gate_words.go
//	numbers, curves, formulas   number.go
//	attributes and modifiers    attribute.go
//	differences after a reload  reload.go
//
// The package contains no rules: buff.NewCatalog checks definitions, and package engine applies them.
// The limits of a definition are constants here, such as [MaxStacks], [MaxDuration] and
// [MinPeriod].
package define
