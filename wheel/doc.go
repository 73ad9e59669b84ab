// Package wheel is a clock face for timers: hours, minutes and seconds, on which each
// timer waits in a slot that a hand will reach, and a dial of milliseconds for the
// second that is running.
//
// Before a hand reaches a slot, the timers in it are brought down to the next finer
// level, a few in each frame; on the dial they fire. So a deadline hours ahead costs a
// few moves of twelve bytes, and a frame in which an hour begins is like any other. The
// hands do not move by themselves: a [Wheel] has no goroutine, no lock and no clock.
// Time is a count of milliseconds and passes when the owner calls [Wheel.Advance].
// Timers are numbers to it; it calls nobody.
//
// # Levels
//
//	level     slots   one slot is   holds the timers due in
//	dial     2×1000          1 ms   the running second and the next
//	seconds    2×60           1 s   the running minute and the next
//	minutes    2×60         1 min   the running hour and the next
//	hours      2×12           1 h   the running half-day and the next
//	shelf 1      64          12 h   the running round of 64 half-days (32 days)
//	shelf 2      64       32 days   the running round of 64 times that
//	...
//	shelf 7      64   64^6 × 12 h   all the time there is
//
// A timer is placed on the finest level of which the running round or the next one holds
// its deadline; the deadline's own hour, minute, second or millisecond is the slot. At
// 03:10:59 a deadline of 03:11:00 is in the next round of the seconds, one of 04:00:00
// in that of the minutes.
//
// The slot that a hand reaches next is the coming one. Its timers have room in the next
// round of the finer level, and each Advance brings down as many as are needed to be
// done in frames of this length: levels that owe one take turns, and none comes on top of
// the turn of a hand. What is added for that time goes to the finer level
// at once, so the coming slot only empties. When the hand gets there, what is left is
// brought down: nothing, unless the frame was longer than those before it.
//
// The shelves are for what is due after the next half-day. Half-days are counted from the
// zero of [Time], and each shelf has one digit to the base of 64 of that number: the first
// digit that differs from the running half-day's names the shelf. They hold every Time,
// so nothing is cut to fit, and negative instants are like others.
//
// A timer due at or before now is late: it waits in a slot of its own and fires at the
// next Advance. A timer that fired rests: it is in no slot and not counted by [Wheel.Len],
// but keeps its place in memory and its [Handle], until [Wheel.Move] gives it a new
// deadline or [Wheel.Remove] ends it.
//
// # Entries
//
// What lies in a slot is an entry: which timer, a stamp, and the lower half of the
// deadline. Entries lie in chunks of 85, a single one in the slot itself, so that to bring
// down a slot is to read memory from front to back. The timers, which are anywhere, are
// not looked at before they come to the dial: then they are, a few in each frame, so that
// what fires is in the cache. An entry is alive while its stamp is that of its timer:
//
//   - Remove, and Move to an earlier deadline, change the stamp. The old entry is dead, and
//     is dropped when its turn comes. It is taken out at once if it is the last of its slot, as
//     that of a timer mostly is which was set a moment ago.
//   - Move to a later deadline changes the timer alone. When the entry's turn comes,
//     it goes to where the timer's deadline now belongs.
//
// The dead are bounded: when they outnumber the living, or when there are more than six
// entries for every five timers there ever were at once, a sweep goes round the slots, a
// few entries with every eighth death and every Advance. It looks at four bits of each
// timer's stamp in a table of their own, not at the timers; the one dead entry in
// sixteen that it takes for alive goes with the next sweep.
//
// A slot of the seconds whose entries are all due in one millisecond goes to the dial as
// it is, chunks and all, if nothing waits there.
//
// # Example
//
// T is added at 00:00:00 and due at 02:02:03.450. The whole story, step by step, is
// testdata/cascade.txt; testdata/smooth.txt tells how a slot of many is brought down.
//
//	now             T waits in
//	00:59:59.950    hours at 2    02:00:00.000 .. 02:59:59.999
//	01:00:00.000    minutes at 2  02:02:00.000 .. 02:02:59.999   hour 2 is to come
//	02:00:59.950    minutes at 2  02:02:00.000 .. 02:02:59.999
//	02:01:00.000    seconds at 3  02:02:03.000 .. 02:02:03.999   minute 2 is to come
//	02:02:01.950    seconds at 3  02:02:03.000 .. 02:02:03.999
//	02:02:02.000    dial at 450   02:02:03.450                   second 3 is to come
//	02:02:03.450    nothing: it fires, and rests
//
// # Cost
//
// Add, Move and Remove are O(1). Advance is O(1) for each entry that fires or is brought
// down a level and for each slot that is opened, and sorts what fires in the same
// millisecond unless it is in order. An entry is brought down at most three times from
// the hours and once more for each shelf. Bitmaps say which slots hold an entry, so empty
// ones are never visited: a jump of days over an empty Wheel costs as much as one over
// a second. [Wheel.Next] looks at the entries of one slot as a rule.
//
// A timer is 32 bytes and an entry 12, without a pointer, so the garbage collector has
// nothing to follow but the last chunk of each slot; the slots of an empty Wheel are 87 KB.
// Nothing is allocated once there
// are as many timers as there will ever be and dst has room for what fires.
//
// # Measured
//
// Entries in chunks against doubly linked lists of timers, on the same clock face without
// smoothing, which this package had before; a million timers due within 12 h, on a shared
// machine of two cores, where a figure can double from one run to another. All are medians of
// three in ns, unless they say bytes:
//
//	                                floor        lists   chunks   at 10^7
//	Add                               1.8           17       14        20
//	Move to later                     2.9           97       71       102
//	Move to earlier                   3.1           86      182       306
//	Remove                            2.3           22       59       222
//	fire, due on whole seconds                     214       66        68
//	fire, due on milliseconds                      201       70        85
//	fire each 3 s and move on                       32       30        34
//	a call of a game, all together                 357      340
//	median frame of 50 ms                           50      361
//	longest frame of 24 h                  141,440,743    1,091
//	bytes a timer, after churn                    32.3     47.5
//
// The floor is to write the deadline into an array. Lists win at Remove and a move to an
// earlier deadline, chunks where time passes; over the calls of a game chunks are
// ahead, but at 10^5 timers, which a cache holds, lists are (60 against 78). The longest
// frame decided: half-day and hour begin in less than 1,200 ns. Other libraries are in
// docs/wheel.md.
//
// What limits the calls is how many of them the processor has under way while it waits
// for memory, and so how many instructions and writes each takes: a timer that is found by
// its handle is 350 ns away, but many can be waited for at once. Tried, and not
// worth it:
//
//   - reading the place in a chunk before it is written: Move to earlier took the same;
//   - sweeps of 1,024 entries with every 64th death: the same;
//   - pages of 65,536 timers: the same;
//   - reading the timers of the dial just before they fire, in one go: of 5,400,000 frames
//     of 16 ms 45,000 took more than three times the median of their second, and 1,700
//     when the timers were read on the way to the dial;
//   - letting every level wait up to three frames for the finer ones: then four of
//     them moved an entry in one frame.
//
// # What is given up
//
// A removed timer's entry keeps its twelve bytes until it is swept. [Wheel.Face] counts
// entries, the dead among them, since to know in which slot an entry died would take four
// bytes more in each timer. The first half-day of each 32 days brings down a shelf whole.
// A long frame does at once what the short ones in its place would have done.
//
// Memory grows with the greatest number of timers that were ever live at once and is not
// given back. A timer fires once for each deadline, so a periodic one that missed several
// in a long frame catches up only as its owner moves it on. One handle costs 64 bits, 32
// of which are the generation: memory used that often is retired, 32 bytes for each
// 4,294,967,295 uses.
//
// # Order
//
// Timers fire in order of their deadlines. Timers with the same deadline, that is due
// in the same millisecond, fire in the order of the calls of [Wheel.Add] and
// [Wheel.Move] that set the deadlines: the last such call of each timer counts, also
// if it set the deadline that the timer had. Nothing else has a say: neither the level
// on which a timer waited, nor whether the hands got there in one Advance or in many.
// One Advance orders all that it fires; a timer that was late when it was added or
// moved fires in the next Advance, and so after others that have fired already.
//
// It holds because each call has a number, in 64 bits, and what fires in one millisecond
// is sorted by it; nothing before that need keep an order. As a rule it is in order
// already, and the sort is a look. It is shown in testdata/order.txt and checked by the
// model test in every call.
//
// # Who may call
//
// One goroutine at a time; in this module it is the one of the game loop. Methods of
// one Wheel must not run at the same time, and they are not for handlers on the worker
// pool. Different Wheels have nothing in common.
package wheel
