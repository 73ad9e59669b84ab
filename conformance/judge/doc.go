// Package judge is a second reading of the law: a slow, literal interpreter of the rules of buffs, written from
// buff-rules.md alone, by somebody who had not seen the engine's source. It shares no code with package buff or engine
// and must never import them: what both get wrong in the same way has then been misread twice.
//
//	scenario (JSON) ──▸ Decode ──▸ Play ──▸ the log, line by line
//	               └──▸ the engine ───────▸ its log; package conformance compares the two
//
// # How to read it beside the law
//
// Each file begins with the section that it interprets, and the functions quote the sentences:
//
//	order.go   §1.7: the total order, commands of callbacks, sixteen rounds
//	time.go    §1.1: durations, pulses, tails, haste, pause
//	ends.go    §1.1: ends that are moved by hand, and pauses
//	apply.go   §1.2: what an application does: identity, limit, new or joining
//	stack.go   §1.2: refresh, phase, expire, stacks with timers of their own, queues, thresholds
//	group.go   §1.2: groups, slots, diminishing returns, who hides whom
//	gates.go   §1.3: tags, requirements, immunity, chance, dispel
//	attributes.go  §1.4: attributes, modifiers, numbers
//	steal.go   §1.3: what a thief gets
//	world.go   §1.7: several owners
//	around.go  §1.5 and §1.1: auras, and zones
//	late.go    §1.1: the pulses of a late frame
//	clock.go   §1.1: rates and pauses
//	life.go    §1.4 and §1.5: shields, charges, the ends of a buff, death, sources, actions
//	save.go    §1.6: leaving and coming back
//	words.go   §3: the words of a definition
//	script.go  the steps and lines of vectors/README.md
//
// Nothing is fast: each instant looks at all buffs of the owner, and again after each event. Times are whole
// milliseconds of the owner's own clock, which stands still while he is paused or away.
//
// Where the law is silent somebody had to decide; rulings.md lists those decisions. A difference between engine and judge
// is settled by the law, and where it is silent by a new ruling, never by copying one into the other.
//
// # What it leaves out
//
// No formulas but those that the dice write; no radius of an aura, but steps that say who is near; numbers that are halves and quarters, so that only the law rounds; no rolls, but chances and
// resistances of 0 and 1000; no catalogs that change while the game runs; no handlers in Go, and so no panics and no fault.
// What Decode does not know it refuses with an error that matches [ErrNotCovered]. TestCoverage compares what the dice
// make up with the schema of the format, word by word.
package judge
