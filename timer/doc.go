// Package timer schedules functions on the wall clock. Any goroutine may start and stop timers,
// and there may be a million of them.
//
//	c := timer.New(timer.Options{})
//	t := c.AfterFunc(30*time.Second, func() { conn.Close() })
//	...
//	if t.Stop() { ... } // answered in time
//
// It replaces the heap of package time with a timing [wheel]. A waiting timer is a number in a
// table, not an object, so a million of them take 54 MB and give the garbage collector only their
// functions to scan. [Stats] counts them. [Timer.Stop] and [Timer.Reset] return exactly the
// results of package time in Go 1.23 and later.
//
// # Structure
//
//	any goroutine                 the shards                 the driver              Options.Run
//
//	AfterFunc ──┐            ┌─ lock, wheel, functions ─┐
//	At        ──┤  by the    ├─ lock, wheel, functions ─┤  removes due timers      goroutines,
//	Every     ──┼─ caller's ─┤            ...           ├─ tick by tick, ────────▸ the driver itself,
//	Schedule  ──┤  stack     └─ lock, wheel, functions ─┘  and sleeps until        or a pool
//	Stop,       │                                          the next deadline
//	Reset     ──┘  of the timer's own shard
//
// A shard is a [wheel.Wheel] and a table of functions with its own lock. There are four shards
// for each processor, so two callers rarely need the same shard. A timer stays in its shard. A
// goroutine that adds more than a thousand timers moves to another shard every two milliseconds,
// so that not all of its timers share one lock. A call holds the lock for the duration of the
// wheel operation, some tens of nanoseconds. A stopped timer keeps its place on the wheel until
// the next timer is added, which reuses it.
//
// The driver is one goroutine for all shards. It sleeps until the earliest deadline, however far
// away, so a Clock without timers costs nothing. Adding a timer wakes the driver only if the new
// timer is due before all others.
//
// # Time
//
// Deadlines are measured from [New] on the monotonic clock, in units of Options.Resolution, and
// rounded up. A callback never runs early. It runs late by less than one Resolution plus the time
// that the operating system needs to wake a process. On an idle machine, that time is less than a
// millisecond. Setting the wall clock affects only timers of [Clock.At], and timers of
// [Clock.Schedule] whose instants have no monotonic reading. See [Clock.At] for the details.
//
// If the process was stopped, all timers that became due in the meantime are called in order of
// their deadlines, one tick of one shard after another. Calls of Stop and AfterFunc proceed in
// between, because a lock is held only for the timers of one tick. Timers due at the same tick
// are called in no particular order. A timer of [Clock.Every] makes the call that is late and the
// latest call that was missed, and skips the calls in between. On some systems the monotonic
// clock stops while a laptop sleeps; timers then stop too, as in package time.
//
// # Callbacks
//
// Options.Run determines where callbacks run. [Goroutines] starts one goroutine for each
// callback, like package time, so callbacks cannot delay each other. [Inline] runs them on the
// driver, which is cheapest and keeps their order, but is suitable only for short callbacks. If n
// callbacks are due and each takes d, the last one is delayed by n×d; Stats.Late shows this. A
// pool bounds the number of callbacks that run at once; see [Pool] for what happens when it is
// full.
//
// A due timer can be stopped until its callback starts. It can be stopped even while it waits for a
// pool. Another callback that is due at the same instant and runs first can also stop it. Whenever
// Stop returns true, the function does not start.
//
// A panic in a callback ends the process, as in package time, unless the pool recovers it. A
// callback that ends its goroutine (runtime.Goexit, t.FailNow) has no other effect, even with
// Inline. Calls of one Every or Schedule never overlap.
//
// # When to use package time
//
// Nearly always. Below some ten thousand timers there is no difference; package time needs no New
// and no Close, each processor has its own heap, and it supports channels and contexts. Use this
// package if the program has 10^5 to 10^7 timeouts, almost all of which are stopped, and their
// cost shows in a profile or in garbage collection; if callbacks should run on a pool, run in
// order, or be counted; or for Every, Schedule and At. docs/timer.md says how to compare its cost
// with package time, container/heap and other libraries.
//
// # Limitations
//
// Memory grows with the highest number of waiting timers, and only Close releases it. Each shard
// that was ever used has a wheel, which takes up to 87 KB. A Clock must be closed: if it is
// dropped, its goroutine keeps running. An Inline callback or a Submit that blocks delays
// everything except the calls to AfterFunc, Stop and Reset.
//
// If many timers are due at one tick, the driver holds the lock of a shard while it visits them,
// which takes some tens of nanoseconds for each timer. When the driver searches for the earliest
// deadline among very many timers, or moves the timers of an hour or a minute to a finer level of
// the wheel, it visits at most 512 entries of each level before it releases the lock. Only timers
// more than 32 days away are moved all at once.
//
// A Clock created in a bubble of testing/synctest uses the bubble's time, like package time. Close
// it before the bubble ends.
package timer
