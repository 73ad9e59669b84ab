// Package timer is the wheel on the wall clock: functions that are called at their time,
// started and stopped by any goroutine, a million at once.
//
//	c := timer.New(timer.Options{})
//	t := c.AfterFunc(30*time.Second, func() { conn.Close() })
//	...
//	if t.Stop() { ... } // answered in time
//
// It is package time with a [wheel] where that has a heap. A timer that waits is a number in
// a table, not an object, so a million of them are 54 MB without anything for the garbage collector
// to follow but their functions; and what waits is found in
// [Stats]. The answers of [Timer.Stop] and [Timer.Reset] are exactly those of package time,
// Go 1.23 and later.
//
// # The way of a timer
//
//	any goroutine                 the shards                 the driver              Options.Run
//
//	AfterFunc ──┐            ┌─ lock, wheel, functions ─┐
//	At        ──┤  by the    ├─ lock, wheel, functions ─┤  takes off what is       goroutines,
//	Every     ──┼─ caller's ─┤            ...           ├─ due, tick by tick, ───▸ the driver itself,
//	Schedule  ──┤  stack     └─ lock, wheel, functions ─┘  and sleeps until        or a pool
//	Stop,       │                                          the next deadline
//	Reset     ──┘  of the timer's own shard
//
// A shard is a [wheel.Wheel] and a table of functions under a lock of its own. There are four for
// each processor, so that two callers seldom want the same one, and a timer stays in its
// shard. A goroutine that adds more than a thousand timers goes on to another shard every two
// milliseconds, so that not all of its timers are under one lock. A call holds the lock for as long as
// the wheel takes, some tens of nanoseconds. A timer that is stopped leaves its place on the wheel to the next one
// that is added.
//
// The driver is one goroutine for all shards. It sleeps until the earliest deadline, however
// far away that is: empty time costs nothing, and a Clock that waits for nothing costs
// nothing. Adding a timer wakes the driver only if the timer is due before that.
//
// # Time
//
// Deadlines are counted from [New] by the monotonic clock, in units of Options.Resolution, and
// rounded up. So a callback is never early; it is less than a Resolution late, and what the
// operating system needs to wake a process, which is less than a millisecond on an idle machine. Setting
// the wall clock changes nothing, but for what asks for a date: [Clock.At], and a
// [Clock.Schedule] with instants that have no monotonic reading. At says how they follow it.
//
// When the process stood still, all that fell due meanwhile is called in order of the
// deadlines, one tick of one shard after the other, and calls of Stop and AfterFunc go on
// in between; a lock is held for what is due at one tick. Timers due at the same
// tick are called in no particular order. [Clock.Every] makes the late call and the latest one that has fallen
// due since, and leaves out those between the two. On some systems the monotonic clock stands still while a laptop sleeps: then
// delays do so too, as they do in package time.
//
// # Callbacks
//
// Options.Run says where they run. [Goroutines], one for each, is what package time does, and
// then none of them can make another one late. [Inline] runs them on the driver: cheapest, in
// order, and only for callbacks that are short; n of them that take d each make the last one n×d
// late, and Stats.Late shows it. A pool bounds how many run at once: see [Pool] for
// what happens when it refuses.
//
// A timer that fell due can be stopped until its callback starts: also by a callback that
// is due at the same instant and comes first, and while it waits for a pool. Stop returns true
// then, and true always means that the function does not start.
//
// A panic in a callback ends the process, as in package time, unless the pool recovers it. A
// callback that ends its goroutine (runtime.Goexit, t.FailNow) ends nothing else, also
// Inline. Calls of one Every or Schedule never overlap.
//
// # When to use package time
//
// Nearly always. Below some ten thousand timers it makes no difference; package time needs no New and no
// Close, each processor has its own heap, and it rings channels and contexts. This package is
// for those who have 10^5 to 10^7 time-outs, almost all of which are stopped, and see them in the
// profile or in the garbage collector; who want callbacks on a pool, in order, or counted; and
// who want Every, Schedule and At. What it costs beside package time, container/heap and other
// libraries is in docs/timer.md, with what was wanted and is not reached.
//
// # What is given up
//
// Memory grows with the most timers that waited at once and is given back by Close alone. A
// wheel is 87 KB, once in each shard that is used. A Clock belongs to whoever closes it: one
// that is dropped keeps its goroutine. A blocked Inline callback, or a blocked Submit, holds up
// everything but the calls of AfterFunc, Stop and Reset.
//
// Where many timers are due at one tick, the driver holds the lock of a shard for as long as it takes to
// look at them, some tens of nanoseconds each. When it searches for the earliest deadline among very
// many, and when an hour or a minute of timers is brought down, it looks at no more than 512 of each
// level of the wheel under one lock; only what is more than 32 days away comes down at once.
//
// In a bubble of testing/synctest a Clock that was made there keeps the bubble's time, as package
// time does; Close it before the bubble ends.
package timer
