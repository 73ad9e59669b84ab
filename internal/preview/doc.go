// Package preview shows what a buff does before anybody plays with it: a script of
// applications in, a timeline out, as a value, as text and as a picture.
//
//	Script ── Run ─▸ Timeline ─▸ Text     for a terminal
//	                          ─▸ Picture  for an SVG, or whatever else can paint it
//
// It has no rules of its own. [Run] plays the script on a [buff.Set], stops at each
// instant at which something is due, and writes down what it then sees. What a
// preview shows is therefore what a server would do.
//
// # What is in a timeline
//
// A lane is a row of the picture: the instances of one definition by one source that
// do not overlap, each of them a bar with its pulses, its stacks, and the times in
// which it had no effect or stood still. The previewed definition comes first, then
// what it applied, in order of appearance.
//
//	       0s        3s        6s        9s        12s
//	       ╵         ╵         ╵         ╵         ╵
//	script A            A
//	                    ⇧
//	poison ┣━━━━━━━━━●━━━━━━━━━●━━━━━━━━━●━━━━━━━━━●━━━━━━┫
//	       1            2
//
// A poison that pulses every 3 s, applied again at 4 s: the new stack moved its end,
// and not its beat.
//
// The attributes of the owner that change have a graph each: their values with all that
// buffs make of them, and what was done to their bases, by which buff.
//
// # What it leaves out
//
// There is one owner, whom nothing else touches. Go handlers are not called. Sources have no
// attributes: a number that reads one takes its default, or the application is refused. An aura
// has nobody around it, and a share per source counts only on this owner. Chance falls
// as the seed of the script says.
//
// # Order and cost
//
// The same script on the same catalog gives the same timeline, and that the same text
// and the same picture, byte for byte. A timeline keeps all its events: some 200 bytes
// each, at most [MaxEvents]. Any goroutine may call any function of this package; a
// Timeline is not changed by drawing it.
package preview
