// Package engine runs buffs on a game loop. One goroutine, the loop, calls [Engine.Tick]. A timing
// wheel keeps the deadlines, and a pool of workers processes the due owners. The events of one
// owner run in order and never concurrently.
//
//	any goroutine     the loop, in Tick                                     workers
//
//	                  1  the wheel advances  ─▸ owners that are due ──▸ turns ──┐
//	                                                                           ├▸ Handler(c, event)
//	                  2  wait, up to Budget  ◂─ events, next deadlines ◂───────┘
//	                  3  commands for other owners
//	Inbox ──────────▸ 4  commands of the inbox, up to their share of the Tick
//	                  5  Frame
//
// # The loop
//
//	eng, err := engine.New(engine.Options{Catalog: catalog, Handlers: handlers})
//	eng.Spawn(7, &player)
//	for range ticker.C {
//		eng.AddBuff(7, buff.Application{Spec: venom, Source: 9})
//		frame := eng.Tick(50 * time.Millisecond)
//		for e := range frame.Events() { … }
//	}
//	eng.Close(ctx)
//
// The engine reads no clock to advance the game: game time is the time that you pass to Tick, so a
// test can run a day in a second. A real clock only limits how long a Tick waits for handlers
// (Options.Budget), and no rule depends on it.
//
// # Duties of the game
//
// Your game has a few responsibilities:
//
//   - Call Tick regularly with the elapsed time, and read the Frame before the next Tick, because
//     it is valid only until then.
//   - Serialize calls of the Engine. Only one goroutine at a time may call it, though not always
//     the same one. One goroutine may be the loop of several engines. Use the [Inbox] from other
//     goroutines and the [Context] from handlers.
//   - Keep handlers short. A handler that waits for I/O occupies a worker, and after
//     Options.Budget its owner is busy. A handler that never returns costs a worker for the rest
//     of the process.
//   - In a handler, access only its owner's data ([Context.Data]). To affect another
//     owner, send a command.
//   - Check errors. A [buff.Result] has the decision of the rules, and Result.Err returns an error if
//     a command failed or was denied. ErrBusy from a query means that the answer is not known now.
//   - Set Options.Epoch and Options.Uptime if you save anything, so that buffs continue on the
//     right clocks after a restart. After a Restore, either confirm each source in
//     Restoration.Sources or report it as lost.
//   - Monitor Stats.Busy, Stats.InboxRefused and Frame.Behind. They show that the game is too
//     slow before its players notice.
//   - Call Close at the end. It processes pending work, within its limits, and reports how much
//     it dropped.
//
// # Three lanes
//
// A request is a [buff.Command], a value that names its target. The functions of package buff make
// commands. There are three lanes, that is, ways to issue a command:
//
//	lane      caller                     takes effect                   returns
//	Engine    the loop, between Ticks    at once                        the Result
//	Context   the handler it was         after the handler; for         no answer: the outcome
//	          given to                   another owner, at frame's end  is an event
//	Inbox     any goroutine              at the end of the next Tick    whether it was accepted;
//	                                                                    Ask waits for the Result
//
// Each lane has Do, and a method for each of the most frequent commands: AddBuff, Remove,
// AddTimeout, Cancel, Damage and Absorb. The Engine also has DoAll, which executes many commands
// at once and is faster in a large game. The commands, by subject:
//
//	buffs     Apply, Remove, RemoveStacks, RemoveSpec, Dispel, Steal
//	time      Extend, ExtendUpTo, SetRemaining, SetPeriod, Compensate,
//	          Pause, Resume, SetRate of an owner, PauseBuff, ResumeBuff, SetBuffRate of a buff,
//	          PauseArea, ResumeArea, SetAreaRate, SetArea
//	effect    Inhibit, Release, AddTag, DropTag, Immunize, DropImmunity
//	use       Damage, Absorb, Consume, ConsumeCharges, Interrupt, AddBase, SetBase
//	fate      Kill, Revive, LoseSource
//	timeouts  AddTimeout, AddTimeoutFunc, Cancel
//
// To execute other code on the loop, pass a function to [Inbox.Run].
//
// The loop and an owner's own handlers can query the owner: Buffs, Find, HasTag, Dead, Remaining,
// Param. On the Engine, each query also returns an error if the owner is unknown or busy, so that
// "unknown" is never mistaken for "no". In a handler, queries of its owner always succeed.
//
// The loop executes its own commands at once. The Go handlers that such a command triggers run
// later, on a worker, at the start of the owner's next turn, but with the instant of the command as
// their time.
//
// # Order
//
// The events of one owner are ordered as in package buff: by instant; at the same instant, pulses
// come before ends, and ends before timeouts; then by age, the oldest application first. Owners are
// independent of each other and run in parallel. Commands from one owner for another wait until the
// end of the frame. They are then executed in the order of the events that caused them; at one
// instant, in the order of the IDs of the owners that issued them; and for one such owner, in the
// order of issue. The same calls therefore produce the same frames with one worker, with eight, and
// with none ([Options].Synchronous).
//
// # Where turns run
//
// Turns run on workers, because a handler may block. For little work, waking a worker costs more
// than the work itself. The loop therefore runs up to 64 turns itself if no handler in them can
// block:
//
//   - each handler that a catalog of the engine calls is in [Options].QuickHandlers, and
//   - no due owner has a timeout with a function, or with a handler that isn't quick.
//
// Buffs with effects that are pure data call no handler and count as quick. With
// [Options].Synchronous all turns run on the loop. Events, their order and the results of commands
// are the same in all cases.
//
// A quick handler that blocks stops the loop, and Budget does not help. If it ends its goroutine
// (runtime.Goexit), it ends the loop's goroutine: see Faults. A panic does no more harm than on a
// worker. A function that a quick handler passes to AddTimeout must be quick too, because it may
// run in the same turn.
//
// # Ownership
//
// The loop owns the wheel, the time and every idle owner. A Tick dispatches due owners to the
// workers and collects them. An owner whose turn is not over when Options.Budget is used up is
// busy: its due events and the commands for it wait in its mailbox, in order. The game continues
// for all other owners, and [Frame].Stuck lists the busy owner. No event is lost: Event.At is when
// it was due, Event.Seen when it ran.
//
// A handler may change the data of its owner ([Context.Data]) without a lock. The loop may change
// that data between Ticks, unless the owner is busy.
//
// # Faults
//
// A handler that panics or ends its goroutine (runtime.Goexit) is reported by an event of the kind
// Faulted and to Options.OnFault. The definition decides whether its buff stays (on_fault); the
// owner's next event runs as usual. OnFault is called at most once per second of game time for
// each handler of each definition; Stats counts all faults.
//
// Faults of the game's other functions are reported to OnFault in the same way. If Options.Members
// panics, the current search of the aura finds no members. If a [define.Formula] panics, the
// application is denied. If Options.Trace.Record fails, the recording ends; if Options.Trace.Writer
// fails, the trace ends; Close returns both errors. If a clock fails, one measurement is missing.
//
// If a function that the loop calls itself calls runtime.Goexit, the loop's goroutine ends; the
// engine cannot prevent that. If the function was called by [Inbox.Run] or as Options.Members, or
// was a handler running on the loop, the engine first finishes the Tick. Another goroutine may
// then continue to use the engine, or close it.
//
// Failures that a call of recover cannot catch end the process: a stack overflow, a concurrent map
// write, os.Exit. A handler that never returns keeps its worker. In the Tick in which it gets
// stuck, the loop waits for it until the Budget is used up; later Ticks do not wait for it. Once
// every worker is stuck, no handler runs any more, and a Tick does not wait at all.
//
// A handler must not call the Engine instead of its Context. Such a call panics while a Tick waits
// for the handler. After that Tick has ended, the engine cannot distinguish the handler from the
// loop: the call is then a data race and may corrupt the engine.
//
// # Effects across owners
//
// The loop keeps a cross-owner index, built from events. Events of the loop's own commands enter
// it immediately; events from workers enter it at the end of the frame, sorted by time and owner.
// The index serves two rules.
//
// The first is the limit define.PerSource. If a source has more instances of a definition than the
// limit allows, the oldest are removed, on whichever owners they are.
//
// The second is define.Aura. An aura searches for its members at the end of each frame in which its
// interval elapses: [Options].Members finds the owners in its range. These owners get the buff that
// the aura applies, and lose it when they have been outside the range for the aura's linger time. If
// several searches of an aura are late, they are combined into the last of them, and the linger
// time counts from the instant at which that search was due. If an owner could not be given the
// buff, each later search tries again. An aura that is hidden or paused finds no members. If the
// bearer of an aura is busy, its members do not change until the next search.
//
// One call pauses all owners in an area, or changes the rate of their time: see [buff.SetArea] and
// [buff.PauseArea].
//
// # Saving and restoring
//
// [Engine.Despawn] removes an owner and returns its whole state as a blob. [Engine.Restore] spawns
// it again with the same deadlines, to the millisecond. [Engine.Save] makes a blob of an owner and
// keeps it running; [Engine.Drop] removes an owner without making a blob. A blob contains the
// number of the owner's area, and Restore puts the owner back into that area. A blob does not
// contain the buffs that the owner got from auras. After a restart, Options.Epoch and
// Options.Uptime tell the engine how much time has passed on each clock. The engine does not know
// which sources were lost while an owner was away. Restoration.Sources lists the sources that are
// not in the engine, and the game must confirm each of them or report it as lost:
//
//	r, err := eng.Restore(7, data, blob)
//	for _, source := range r.Sources {
//		if !world.Knows(source) {
//			err = eng.Do(buff.LoseSource(source)).Err
//		}
//	}
//
// # Attributes
//
// An owner has the attributes of its catalog, and its buffs modify them. They can be set, changed
// and damaged in each lane, and read by the loop ([Engine.Attribute]) and by the owner's own
// handlers ([Context.Attribute]). If a parameter of a buff depends on attributes of its source,
// the parameter is evaluated when the loop, or a handler of the source itself, applies the buff.
// If another owner's handler or the Inbox applies the buff, it is evaluated when the loop delivers
// the command. A busy source cannot be read, so the application waits in the source's mailbox. For
// a source that is not in the engine, the defaults of the definition apply.
//
// # Hot reload
//
// [Engine.Reload] replaces the catalog with a new version between two Ticks; packages buff/catalog
// and buff/catalog/watch load a catalog from files. Later applications use the new definitions,
// even if they name a *buff.Spec of an older version. The `reload` setting of a definition decides
// whether its running buffs keep their version, are converted to the new version, or end. The
// engine converts some thousand buffs per Tick.
//
// # Observation
//
// Other goroutines read through [Engine.Watch]. At the end of a Tick, the loop publishes a
// [view.View], which is immutable. Without watchers, this costs one atomic load per frame.
//
// # Catching up
//
// After a stall, the work of one Tick is bounded. The Tick advances in slices, that is, parts of
// its time, whose lengths depend on the deadlines in them. It stops when it has processed
// [Options].Limits.Tick events, or when a slice was not done within Budget. The remaining time is
// carried into the following Ticks or dropped: see [CatchUp]. A Tick that stops early returns a
// frame like any other. Each owner has the same events in the same order, only later.
//
// The limit is exact. In each slice the loop gives every due owner an allowance, that is, a number
// of events that it may process. The allowance depends on the due owners, their due events and the
// order, but not on how fast they run. Even a single instant is divided among owners: if a million
// players got a buff in one call, the buff ends for some of them in this Tick and for the others in
// the next Ticks, but with the same Context.Now. An owner that waits for its allowance counts as
// busy: commands for it are queued after its due events.
//
// Game time does not advance at all while an owner waits for its allowance. While an owner waits
// for a worker, time advances by at most 50 ms: the worker may be held by a handler that sleeps
// for longer than the Budget, and such a handler must not delay the other owners. There are three
// exceptions, in which time advances without waiting:
//
//   - For an owner whose handler is stuck. Until that owner has caught up, it processes a bounded
//     number of its events in each Tick.
//   - For an owner that is still not done after Limits.Tick events (or four times Limits.Buffs, if
//     that is more), because such an owner creates its own work.
//   - For all owners while all workers are stuck, since no owner could run.
//
// # Cost
//
// Tick costs O(1) if nothing is due, however many deadlines are pending. AddBuff searches the
// owner's buffs for an instance to join and is otherwise O(1), as are the other commands for one
// buff. Kill, Despawn and most commands for an owner cost O(buffs of the owner), Compensate O(all
// buffs), LoseSource O(buffs of the owners that have a buff of the source). A command for an area
// costs O(its owners and their buffs), a search of an aura O(members × (their buffs + log
// members)). Reload costs O(definitions), and each of the following Ticks O(some thousand buffs)
// until all owners have been converted. In steady state nothing is allocated.
package engine
