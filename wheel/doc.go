// Package wheel is a clock face for timers: hours, minutes and seconds, on which each
// timer waits in a slot that a hand will reach, and a dial of milliseconds for the
// second that is running.
//
// When a hand reaches a slot, the timers in it come down to the next finer level that
// tells them apart from now; on the dial they fire. So a deadline hours ahead costs a
// few moves of one list link and is looked at only when its hour, its minute and its
// second begin. The hands do not move by themselves: a [Wheel] has no goroutine, no
// lock and no clock. Time is a count of milliseconds and passes when the owner calls
// [Wheel.Advance]. Timers are numbers to it; it calls nobody.
//
// # Levels
//
//	level     slots   one slot is   holds the timers due in
//	dial       1000          1 ms   the running second
//	seconds      60           1 s   the running minute, a later second
//	minutes      60         1 min   the running hour, a later minute
//	hours        12           1 h   the running half-day, a later hour
//	shelf 1      64          12 h   the running round of 64 half-days (32 days)
//	shelf 2      64       32 days   the running round of 64 times that
//	...
//	shelf 7      64   64^6 × 12 h   all the time there is
//
// A timer is placed by digits. Its deadline, written as half-day, hour, minute, second
// and millisecond, is compared with the hands; the first digit that differs names the
// level, and the deadline's own digit there is the slot. How far ahead it is does not
// matter: at 03:10:59 a deadline of 03:11:00 waits on the minutes face.
//
// The shelves are for what is due after the running half-day. They are more of the
// same: half-days are counted from the zero of [Time], and each shelf has one digit to
// the base of 64 of that number. They hold every Time, so nothing is cut to fit, and
// negative instants are like others.
//
// Two lists stand beside the levels. A timer due at or before now is late: it waits in
// the late list and fires at the next Advance. A timer that fired rests: it is in no
// slot and not counted by [Wheel.Len], but keeps its place in memory and its [Handle],
// until [Wheel.Move] gives it a new deadline or [Wheel.Remove] ends it.
//
// # Example
//
// T is added at 00:00:00 and due at 01:02:03.450. The whole story, step by step, is
// testdata/cascade.txt.
//
//	now             T waits in
//	00:00:00.000    hours at 1    01:00:00.000 .. 01:59:59.999
//	01:00:00.000    minutes at 2  01:02:00.000 .. 01:02:59.999   the hour hand moved
//	01:02:00.000    seconds at 3  01:02:03.000 .. 01:02:03.999   the minute hand moved
//	01:02:03.000    dial at 450   01:02:03.450                   the second hand moved
//	01:02:03.450    nothing: it fires, and rests
//
// # Cost
//
// Add, Move and Remove are O(1): they touch the timer, its neighbours in the slot and
// a bitmap. Advance is O(1) for each timer that fires or comes down and for each slot
// that is opened; a timer comes down at most three times from the hours and once more
// for each shelf. Bitmaps say which slots hold a timer, so empty ones are never
// visited: a jump of days over an empty Wheel costs as much as one of a millisecond.
// [Wheel.Next] looks at all timers of one slot. Late timers are sorted when they fire.
//
// A timer is 32 bytes without a pointer, so the garbage collector has nothing to
// follow; an empty Wheel is some 13 KB. Nothing is allocated once there are as many
// timers as there will ever be and dst has room for what fires.
//
// # What is given up
//
// A slot comes down whole, in the Advance that reaches it: with a great many timers in
// one hour, the first frame of that hour is longer than others. Memory grows with the
// greatest number of timers that were ever live at once and is not given back. A timer
// fires once for each deadline, so a periodic one that missed several in a long frame
// catches up only as its owner moves it on. One handle costs 64 bits, 32 of which are
// the generation: memory used that often is retired, 32 bytes for each 4,294,967,295
// uses.
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
// It holds because of the placement by digits. Of two timers with one deadline, the
// later call was made with the hands no farther from it, and so put its timer on the
// same level, behind the other, or on a finer one. On a finer one it can be only after
// the hand has brought the other down to there. Lists keep their order on the way. It
// is shown in testdata/order.txt and checked by the model test in every call.
//
// # Who may call
//
// One goroutine at a time; in this module it is the one of the game loop. Methods of
// one Wheel must not run at the same time, and they are not for handlers on the worker
// pool. Different Wheels have nothing in common.
package wheel
