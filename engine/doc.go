// Package engine runs buffs on a game loop. One goroutine, the loop, calls [Engine.Tick]; a
// timing wheel keeps the deadlines; what falls due runs on a pool of workers, each
// player's events in order and never two of one player at once.
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
// The engine reads no clock. Time is what the game passes to Tick, so a test can run
// a day in a second. The one exception is Options.Budget, which limits how long a Tick
// waits for handlers; no rule depends on it.
//
// # Duties of the game
//
// Now that you hold an Engine, you have a few responsibilities:
//
//   - Call Tick regularly with the time that has passed, and read the Frame before the next
//     Tick: it is valid until then.
//   - Serialise the calls of the Engine. One goroutine at a time may call it; which one may
//     change. From other goroutines use the [Inbox], from a handler its [Context].
//   - Keep handlers short. One that waits for I/O holds a worker; after Options.Budget its
//     player is busy. One that never returns costs a worker for the rest of the process.
//   - In a handler, touch the data of its own player only ([Context.Data]). What concerns another
//     player is a command.
//   - Look at errors. A [buff.Result] says what the rules decided, and Result.Err why nothing was
//     done; ErrBusy beside the answer to a question means that the engine cannot know now.
//   - Give Options.Epoch and Options.Uptime if anything is saved, so that buffs live on by the
//     right clocks after a restart; after a Restore, confirm or lose Restoration.Sources.
//   - Watch Stats.Busy, Stats.InboxRefused and Frame.Behind: they say that the game is too slow
//     before its players do.
//   - Call Close at the end. It works off what is pending, within its limits, and says what it
//     dropped.
//
// # Three lanes
//
// What is asked for is a [buff.Command]: a value that a function of package buff makes, and that
// says whom it is for. There are three ways to ask for it:
//
//	lane      who                          takes effect                   answers
//	Engine    the loop, between Ticks      at once                        the Result
//	Context   the handler it was given to  after the handler; for         nothing: what came
//	                                       another owner, at frame's end  of it is an event
//	Inbox     any goroutine                at the end of the next Tick    whether it was accepted;
//	                                                                      Ask waits for the Result
//
// Each lane has Do, and methods of its own for what every game calls each frame: AddBuff, Remove,
// AddTimeout, Cancel, Damage and Absorb. The Engine has DoAll besides, for many commands at once, which is faster in
// a large game. The commands, by subject:
//
//	buffs     Apply, Remove, RemoveStacks, RemoveSpec, Dispel, Steal
//	time      Extend, ExtendUpTo, SetRemaining, SetPeriod, Compensate,
//	          Pause, Resume, SetRate of an owner, PauseBuff, ResumeBuff, SetBuffRate of a buff,
//	          PauseZone, ResumeZone, SetZoneRate, SetZone
//	effect    Inhibit, Release, AddTag, DropTag, Immunize, DropImmunity
//	use       Damage, Absorb, Consume, ConsumeCharges, Interrupt, AddBase, SetBase
//	fate      Kill, Revive, LoseSource
//	timeouts  AddTimeout, AddTimeoutFunc, Cancel
//
// What is not a command, another goroutine has done by [Inbox.Run]: a function on the loop.
//
// What an owner carries can be asked by the loop and by the owner's handlers: Buffs, Find,
// HasTag, Dead, Remaining, Param. The loop has an error beside each answer, for who is not there and
// for who is busy: no question is answered "no" by somebody who does not know. A handler's own
// owner can always be asked.
//
// What the loop asks for is decided on the loop. Go handlers that it sets off are
// called later, on a worker, at the head of the owner's next turn, with the time of
// their cause.
//
// # Order
//
// The events of one owner have the order of package buff: by instant; at one instant
// pulses before ends before timeouts; then older applications first. Owners are independent
// and run in parallel. A command for another owner waits until the end of the frame; these
// commands are carried out sorted by the time of their cause, the owner that caused them and
// the number of issue. So the same calls lead to the same frames with one worker, with eight,
// and without any ([Options].Synchronous).
//
// # One timer for each owner
//
// An owner has one timer on the wheel, however many buffs it carries: it comes down the hours, minutes and seconds, fires, and the
// owner's turn finds what is due among its buffs. Its next deadline is told to the wheel only if it is earlier than that for
// which the timer waits. If it is later, as after a refresh, the timer is lazy: it fires where it was, and the loop sets it anew from
// a table of its own, without a look at the owner.
//
// So a million buffs on a hundred thousand players are a hundred thousand timers, and a refresh moves none. One is enough, since the
// turn of an owner walks all its instants in order anyway. The order of owners in a Frame is that in which timers of all
// buffs would fire: each deadline keeps the number of the turn or command that set it.
//
// # Where turns run
//
// Turns run on workers, because a handler may block. In a small frame, waking a worker costs more than the work. So the loop
// runs a slice of at most 64 turns itself if
//
//   - no catalog of the engine calls a handler that is not in Options.QuickHandlers, and
//   - no due owner has a timeout with a function, or with a handler that is not quick.
//
// Buffs whose effects are data call no handler and count as quick. If a small slice has to go to the workers, one is
// woken, and the others only if it is not done after 200 µs. With Options.Synchronous all turns run on the loop.
//
// Events, their order and the results of commands are the same in all cases. What differs is what happens if a quick
// handler breaks its promise: one that blocks stops the loop, and Budget does not help; one that ends its goroutine
// (runtime.Goexit) ends the loop's goroutine, as described in Faults. A panic is contained everywhere. A function that a quick
// handler passes to AddTimeout must be quick too: it may run in the same turn.
//
// # Ownership
//
// The loop owns the wheel, the time and every idle owner. A Tick hands the owners that are due
// to the workers and takes them back. An owner that is not back when Options.Budget is used up is
// busy: what comes due for it, and what is asked of it, waits in its mailbox in order; the game
// goes on for everybody else, and [Frame].Stuck names it. Nothing is lost: Event.At says
// when an event was due, Event.Seen when it ran.
//
// A handler may change the data of its owner ([Context.Data]) without a lock. The loop may
// do so between Ticks, unless the owner is busy.
//
// # Faults
//
// A handler that panics or ends its goroutine (runtime.Goexit) is reported by an event of the
// kind Faulted and to Options.OnFault. Whether its buff stays is up to the definition (on_fault);
// the owner's next event runs as usual. OnFault is called at most once a second of game time for
// each handler of each definition; Stats counts all faults.
//
// The same holds for everything else that a game hands in. If Options.Members panics, that look
// of the aura finds nobody. If a [buff.Formula] panics, it gives no number, and the application
// is denied. If Options.Trace.Record fails, the recording ends; if Options.Trace.Writer fails, the trace
// does; Close returns both errors. If a clock fails, one measurement is missing.
// A function that the loop calls itself and that calls runtime.Goexit ends the loop's goroutine;
// nothing can prevent that. If it is one of [Inbox.Run] or Options.Members, or a handler that runs
// on the loop, the Tick comes to its end before, and another goroutine may go on with the engine, or
// close it.
//
// What recover cannot catch ends the process: a stack overflow, a concurrent map write, os.Exit.
// A handler that never returns keeps its worker. It costs the loop one Budget, in the Tick in
// which it gets stuck, and nobody waits for it again. Once every worker is stuck, no handler runs
// any more, and a Tick does not wait at all.
//
// A handler that calls the Engine instead of its Context panics, if a Tick is
// waiting for it. A handler that has outlasted its Tick cannot be told from the loop: such a call
// is a data race and may corrupt the engine.
//
// # Effects across owners
//
// The loop keeps a cross-owner index of the buffs that owners share, built from their events: at
// once for what the loop decides, at the end of the frame for what workers bring, sorted by
// time and owner. It serves two rules. If a source has more instances of a definition than
// define.PerSource allows, its oldest ones are removed, on whichever owners they are. An aura
// (define.Aura) looks for its members at the end of the frame in which its interval elapses:
// [Options].Members tells who is in its area, these get its buff, and whoever has left
// loses it after the linger. A look that is late happens once; its linger counts from when it was
// due. An owner that could not be given the buff is asked again at each look. A hidden aura, and
// one whose time stands still, finds nobody; the aura of a busy bearer waits for the next look.
//
// The time of all owners in a zone can be paused, or its rate changed, by one call:
// see [buff.SetZone] and [buff.PauseZone].
//
// # Saving and restoring
//
// [Engine.Despawn] removes an owner and returns everything that it carries as a blob;
// [Engine.Restore] spawns it again with the same deadlines, to the millisecond. [Engine.Save] makes
// a blob of an owner that stays, [Engine.Drop] removes one without making a blob. The zone of an
// owner, and what auras gave it, are not in the blob. After a restart Options.Epoch and
// Options.Uptime tell the engine how its clocks stand. The engine does not know which sources
// were lost while an owner was away: Restoration.Sources lists those that it does not have, for
// the game to confirm or to lose.
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
// An owner has the attributes of its catalog, and its buffs modify them. They can be set,
// changed and damaged in each lane, and read by the loop ([Engine.Attribute]) and by
// the owner's own handlers ([Context.Attribute]). If a number of a buff depends on attributes of its
// source, it is evaluated when the loop, or a handler of the source itself, applies the buff; if
// another owner's handler or the Inbox applies it, when the loop delivers the command. A
// busy source cannot be read: the application waits in the mailbox of the source. For a source that
// is not in the engine the defaults of the definition apply.
//
// # Hot reload
//
// [Engine.Reload] puts a new version of the catalog into force between two Ticks; packages
// buff/catalog and buff/catalog/watch make one from files. Whatever is applied afterwards has the
// new definitions, even if it names a *buff.Spec of an older version. A running buff keeps its
// version, follows, or ends, as its definition says (reload), some thousand buffs in each Tick.
//
// # Observation
//
// Other goroutines read through [Engine.Watch]: the loop answers at the end of a Tick with a
// [view.View], which never changes. While nobody watches, this costs a frame one atomic load.
//
// # Catching up
//
// A Tick after a stall is bounded. It advances in slices, each as long as the deadlines in it
// allow, and stops when it has worked off as much as [Options].Limits.Tick, or when a slice was not
// done within Budget. The rest of the time is carried into the following Ticks or dropped: see
// [CatchUp]. A Tick that stops early is a frame like any other: each owner has the same
// events, later.
//
// The limit is exact. In each slice the loop gives every owner that is due an allowance, which
// depends on who is due, for what and in which order, and not on how fast anybody is. Even a
// single instant is divided among owners: of a million players who were given a buff in one call,
// it ends for some in this Tick and for the others in the next ones, at the same Now. An
// owner that waits for its allowance counts as busy: commands for it are queued behind what was due.
//
// Time does not advance at all while an owner waits for its allowance, and by at most 50 ms while
// one waits for a worker, so that a handler which sleeps through a Budget delays nobody else.
// There are three exceptions:
//
//   - An owner whose handler is stuck is passed, until it has caught up, with a bounded number of its
//     events in each Tick.
//   - An owner that has worked off Limits.Tick events (or four times Limits.Buffs if that is more) and is
//     still not done makes work for itself, and is passed.
//   - While all workers are stuck, everybody is passed: nobody could be served.
//
// # Cost
//
// Tick costs O(1) if nothing is due, whatever waits. AddBuff searches the owner's buffs for the
// instance to join and is O(1) otherwise; so are the other commands for one buff. Kill, Despawn and
// most commands for an owner cost O(buffs of the owner), Compensate O(all buffs),
// LoseSource O(buffs of the owners that have a buff of the source). A command for a
// zone costs O(its owners and their buffs), a look of an aura O(members × (their buffs
// + log members)). Reload costs O(definitions), and the Ticks after it O(some thousand buffs) more
// until all owners have been adapted. In steady state nothing is allocated.
package engine
