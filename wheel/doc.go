// Package wheel implements a hierarchical timing wheel in the form of a clock face. It has
// levels for hours, minutes and seconds, and a dial of milliseconds for the current second.
// Each timer waits in a slot of one level.
//
// Each level has a hand, which points to the slot that contains the current time. Before a hand
// reaches a slot, the slot's timers are moved to the next finer level, a few in each frame. When
// they have reached the dial, they fire. A timer that is due in a few hours therefore costs a few
// moves of twelve bytes, and a frame in which an hour starts takes no longer than any other frame.
// A [Wheel] has no goroutine, lock or clock. Time is a count of milliseconds and passes only when
// [Wheel.Advance] is called. Timers are identified by numbers; there are no callbacks.
//
// # Levels
//
//	level     slots   one slot is   holds the timers due in
//	dial     2×1000          1 ms   the current second and the next
//	seconds    2×60           1 s   the current minute and the next
//	minutes    2×60         1 min   the current hour and the next
//	hours      2×12           1 h   the current half-day and the next
//	shelf 1      64          12 h   the current round of 64 half-days (32 days)
//	shelf 2      64       32 days   the current round of 64 × 32 days
//	...
//	shelf 7      64   64^6 × 12 h   the whole range of Time
//
// A timer is placed on the finest level whose current or next round contains its deadline. On that
// level, the slot is the deadline's hour, minute, second or millisecond. At 03:10:59, a timer due
// at 03:11:00 is in the next round of the seconds, and a timer due at 04:00:00 is in the next
// round of the minutes.
//
// The slot that a hand reaches next is called the coming slot. Its timers fit into the next round
// of the finer level, so each Advance moves some of them there. It moves enough timers that the
// slot is empty in time if all later frames are as long as this frame. If the share of a frame is
// not a whole number, it is rounded down, and an extra timer is moved now and then. Levels take
// turns in moving extra timers, and no level moves an extra timer in a frame in which a second
// starts. A new timer that is due within the coming slot is added to the finer level directly, so
// the coming slot only shrinks. When the hand reaches the slot, the remaining timers are moved.
// Timers remain only if the frame was longer than earlier frames.
//
// The shelves hold timers that are due after the next half-day. Half-days are numbered from the
// zero of [Time], and each shelf stands for one base-64 digit of these numbers. A timer is placed
// on the shelf for the highest digit in which the number of the deadline's half-day differs from
// the number of the current half-day. The shelves cover every Time, so no deadline is clamped, and
// negative instants need no special case.
//
// A timer due at or before now is late: it waits in a separate slot and fires at the next
// Advance. A timer that has fired is called resting. A resting timer is in no slot and is not
// counted by [Wheel.Len], but it keeps its memory and its [Handle] until [Wheel.Move] gives it a
// new deadline or [Wheel.Remove] ends it.
//
// # Entries
//
// A slot holds entries. An entry is the index of a timer, a stamp and the lower half of the
// deadline. Entries are stored in chunks of 85, so emptying a slot reads memory sequentially. A
// single entry is stored in the slot itself. Timers are scattered in memory and are not read until
// they move to the dial. Since a timer is read when it moves to the dial, it is still in the cache
// when it fires soon after. An entry is alive while its stamp equals the stamp of its timer:
//
//   - Remove, and Move to an earlier deadline, change the stamp. The old entry is then dead and
//     is dropped when its slot is emptied. If the old entry is the last entry of its slot, as is
//     usual for a timer that was set a moment ago, the entry is removed at once.
//   - Move to a later deadline changes only the timer. When the slot is emptied, the entry is
//     placed again by the timer's current deadline.
//
// The number of dead entries is bounded. A sweep starts when there are more dead entries than live
// entries, or when the total number of entries exceeds 1.2 times the highest number of timers so
// far. It visits all slots in small steps. There is one step for every eight entries that die, and
// one step in every Advance. To avoid reading the timers, a sweep compares the stamps of entries
// with a table that holds four bits of each timer's stamp. One dead entry in sixteen therefore
// looks alive and stays until the next sweep.
//
// If all entries of a slot of the seconds are due in the same millisecond and the dial slot for
// that millisecond is empty, the slot's chunks are moved to the dial slot without copying
// entries.
//
// # Example
//
// T is added at 00:00:00 and due at 02:02:03.450. The complete trace is in
// testdata/cascade.txt; testdata/smooth.txt shows how a slot with many entries is emptied.
//
//	now             T waits in
//	00:59:59.950    hours at 2    02:00:00.000 .. 02:59:59.999
//	01:00:00.000    minutes at 2  02:02:00.000 .. 02:02:59.999   hour 2 is coming
//	02:00:59.950    minutes at 2  02:02:00.000 .. 02:02:59.999
//	02:01:00.000    seconds at 3  02:02:03.000 .. 02:02:03.999   minute 2 is coming
//	02:02:01.950    seconds at 3  02:02:03.000 .. 02:02:03.999
//	02:02:02.000    dial at 450   02:02:03.450                   second 3 is coming
//	02:02:03.450    no slot: it fires, and rests
//
// # Cost
//
// Add, Move and Remove are O(1). Advance is O(1) for each entry that fires or moves down a level,
// and for each slot that is opened. In addition, it sorts the timers that fire in the same
// millisecond, unless they are already in order. An entry moves down at most three times from the
// hours, plus once for each shelf. Bitmaps record which slots hold an entry, so empty slots are
// never visited: advancing an empty Wheel by days costs as much as advancing it by a second.
// [Wheel.Next] usually visits the entries of one slot.
//
// A timer takes 32 bytes and an entry 12. Neither contains pointers. The garbage collector scans
// only one pointer for each slot, the pointer to its last chunk. The slots of a full-sized Wheel
// take 87 KB. Nothing is allocated once the number of timers has reached its maximum and dst has
// room for the timers that fire.
//
// # Design
//
// The alternative to chunks of entries is a doubly linked list of timers for each slot. With
// lists, Remove and moving a timer to an earlier deadline are faster, since the timer can be
// unlinked at once. With chunks, Advance is faster, because emptying a slot reads memory
// sequentially instead of following links. Chunks were chosen because of the longest frame: with
// lists, a frame in which an hour starts takes milliseconds. The benchmarks in this package
// measure both operations and frames; docs/timer.md says how to compare other libraries.
//
// The speed of all calls is limited by the number of cache misses that the processor can overlap.
// Reading the timers just before they fire, instead of on the way to the dial, makes some frames
// much longer. Letting every level defer its entries for several frames has the same effect,
// because several levels then move an entry in the same frame.
//
// # Limitations
//
// The entry of a removed timer keeps its twelve bytes until it is swept. [Wheel.Face] also counts
// dead entries. To subtract them, the Wheel would have to record the slot of each timer, which
// takes four more bytes per timer. Every 32 days, when a round of shelf 1 starts, a slot of a
// coarser shelf is emptied at once. An Advance over a long time does all the work that several
// short frames would have shared.
//
// Memory grows with the highest number of live timers and is not returned. A timer fires once per
// deadline. If a frame is longer than the period of a periodic timer, the caller must move the
// timer once for each missed period. A handle is 64 bits, 32 of which are the generation of the
// timer's memory. Memory that has been used for 4,294,967,295 timers is retired, which leaks 32
// bytes.
//
// # Order
//
// Timers fire in order of their deadlines. Timers due in the same millisecond fire in the order of
// the [Wheel.Add] and [Wheel.Move] calls that set their deadlines. If there are several calls for
// a timer, the last call counts, even if it set the same deadline again. The order depends neither
// on the level on which a timer waited nor on whether time passed in one Advance or in many. A
// late timer is the exception: it fires at the next Advance, after timers that have already fired,
// even if its deadline is earlier.
//
// Every call to Add and Move gets a 64-bit sequence number, and the timers that fire in one
// millisecond are sorted by this number. Moving entries between slots therefore need not preserve
// an order. Usually the timers are already in order, and the sort is a single pass.
// testdata/order.txt shows the order, and the model test checks it for every call.
//
// # Concurrency
//
// A Wheel is not safe for concurrent use. In this module only the goroutine of the game loop
// calls it; handlers on the worker pool must not. Different Wheels are independent.
package wheel
