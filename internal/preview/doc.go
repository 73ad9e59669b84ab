// Package preview plays a script of applications and shows the resulting timeline, as a
// value, as text and as a picture, so that a designer can check a buff before it is in a game.
//
//	Script ── Run ─▸ Timeline ─▸ Text     for a terminal
//	                          ─▸ Picture  for an SVG, or another renderer
//
// [Run] plays the script on a real [rules.Owner], runs it up to each deadline, and records its events
// and state. A preview therefore shows how the buffs behave on a server.
//
// # Contents of a timeline
//
// A lane is a row of the picture. It contains instances of one definition by one source that do not
// overlap. Each instance is drawn as a bar, with its pulses, its stacks, and the times in which it
// had no effect or was paused. The lanes of the previewed definition come first, followed by the
// lanes of the definitions that it applied, in order of appearance.
//
//	       0s        3s        6s        9s        12s
//	       ╵         ╵         ╵         ╵         ╵
//	script A            A
//	                    ⇧
//	poison ┣━━━━━━━━━●━━━━━━━━━●━━━━━━━━━●━━━━━━━━━●━━━━━━┫
//	       1            2
//
// This example shows a poison that pulses every 3 s and is applied again at 4 s. The second
// application extended the duration and kept the pulse schedule.
//
// Each attribute of the owner that changes has a graph. The graph shows the value with all
// modifiers, and each change of the base value with the buff that made it.
//
// There is one owner, and only the script acts on it. Go handlers are not called. Sources have no
// attributes, so a number that reads an attribute of the source has its default; if it has no
// default, the application is refused. An aura has no owners in range, and a limit per source
// counts only this owner. Random outcomes depend on the seed of the script.
//
// # Order and cost
//
// The same script on the same catalog gives the same timeline, text and picture,
// byte for byte. A timeline keeps all its events, about 200 bytes each and at most
// [MaxEvents]. The functions of this package are safe for concurrent use; drawing a
// Timeline does not change it.
package preview
