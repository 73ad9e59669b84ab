// Package engine puts buffs on a game loop: one goroutine ticks, a timing wheel
// keeps the deadlines, and what falls due runs on workers, one player at a time.
//
//	any goroutine     the loop, in Tick                                   workers
//
//	                  1  the wheel turns     ─▸ who is due ──▸ visits ───┐
//	                                                                     ├▸ Handler(c, event)
//	                  2  wait, up to Budget  ◂─ events, orders ◂─────────┘
//	                  3  commands across owners
//	Inbox ──────────▸ 4  commands of the inbox
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
// The engine has no clock: it is as late as the last dt made it, and a test runs a
// day in a second. The one exception is Options.Budget, how long a Tick may wait
// for handlers; nothing that the rules decide depends on it.
//
// # Three lanes
//
// There are three ways to ask for something, with the same verbs (but LoseSource and
// Compensate, which look at every owner, are the loop's alone).
//
//	lane      who                          takes effect                   answers
//	Engine    the loop, between Ticks      at once                        handle and result
//	Context   the handler it was given to  after the handler; for         nothing: what came
//	                                       another owner, at frame's end  of it is an event
//	Inbox     any goroutine                at the end of the next Tick    whether it was accepted
//
// The verbs, by subject:
//
//	buffs     AddBuff, Remove, RemoveStacks, Dispel, Steal
//	time      Extend, ExtendUpTo, SetRemaining, SetPeriod, Compensate,
//	          Pause, Resume, SetRate of an owner, PauseBuff, ResumeBuff, SetBuffRate of a buff
//	effect    Inhibit, Release, AddTag, DropTag, Immunize, Expose
//	use       Absorb, Consume, ConsumeCharges, Interrupt
//	fate      Kill, Revive, LoseSource
//	timeouts  AddTimeout, AddTimeoutByName, Cancel
//
// What an owner carries can be asked by the loop and by the owner's handlers: Buffs, Find,
// HasTag, Remaining, Param.
//
// What the loop asks for is decided on the loop. Go handlers that it sets off are
// called later, on a worker, at the head of the owner's next turn, with the time of
// their cause.
//
// # Order
//
// One owner's events are in the order of package buff: by instant, then pulse before
// end before timeout, then by age. Different owners run at the same time and are
// independent; a command from one to another waits until the frame's end and is
// carried out in the order of cause time, causing owner and issue. So the same calls
// lead to the same frames, with one worker, eight, or none ([Options].Synchronous).
//
// # Who owns what
//
// The loop owns the wheel, the time, and every owner that is at home. In Tick it
// hands those with something due to the workers and gets them back. Whoever is not
// back when the budget is used up is busy: what comes due for it and what is asked
// of it waits, in order, in its mailbox; everybody else goes on; [Frame].Stuck names
// it. Nothing is lost, and Event.At says when it was due.
//
// A handler may change its owner's data (Context.Data) without a lock. The loop may
// do so between Ticks, unless the owner is busy.
//
// # Faults
//
// A handler that panics, or ends its goroutine, is reported as an event and to
// Options.OnFault; its buff stays or goes as the definition says; the owner's next
// event comes as if nothing had been. What recover cannot stop ends the process: a
// stack overflow, concurrent map writes, os.Exit. A handler that never returns keeps
// its worker; after as many as there are workers, nothing is handled any more, and
// Tick stays within its budget.
//
// A handler that calls the Engine instead of its Context panics, if a Tick is
// waiting for it. One that has outlasted its Tick cannot be told from the loop: it
// corrupts the engine, as any data race does.
//
// # More than one owner
//
// The loop keeps a ledger of the buffs that owners have in common, from events: at once of
// what it decides itself, at the frame's end of what the workers brought, sorted by time and
// owner. If a source has more instances of a definition than its share (buff.PerSource), its
// oldest go, on whomever they are. An aura (buff.Aura) looks at the end of the frame in which
// its interval is over: [Options].Members says who is in its area now, they are given its
// buff, and the others lose it a linger later. A look that is late looks once; its linger
// counts from when it was due. Who cannot be given the buff is asked again at each look. A
// hidden aura, and one whose time stands still, finds nobody; that of a busy bearer waits
// for the next look.
//
// The time of all owners in a zone stands still, or passes at another rate, by one call:
// see [Engine.SetZone].
//
// # Leaving and coming back
//
// [Engine.Despawn] ends all that an owner carries and returns it as a blob; [Engine.Restore]
// spawns it with that, as it was to the millisecond. A game that starts again says by
// Options.Epoch and Options.Uptime how its clocks stand. [Engine.Save] is for snapshots,
// [Engine.Drop] for those who need no blob. Zones, and what an aura gave, stay behind.
//
// # Attributes
//
// An owner has the attributes of its catalog, and its buffs change them. In each lane they
// can be set, changed and damaged; what an owner has now is told to the loop
// ([Engine.Attribute]) and to its own handlers ([Context.Attribute]). A number of a buff that
// reads attributes of its source is worked out from what the source had when the loop, or a
// handler of the source itself, applied the buff; where somebody else did, or the Inbox, from
// what it had when the loop delivered it. Nobody looks at a source that is busy: it has none.
//
// # New definitions
//
// [Engine.Reload] puts another catalog into force between two Ticks. Packages
// buff/catalog and buff/catalog/watch make them from files. Whatever is applied from then on
// is of the new set, also by a *buff.Spec of an older one; what runs goes by its definition:
// it goes on as it is, follows, or ends, some thousand buffs in each Tick.
//
// # Being watched
//
// Other goroutines read through [Engine.Watch]: the loop answers at the end of a Tick with a
// [View], which never changes. While nobody watches, that costs a frame one atomic load.
//
// # Catching up
//
// A Tick after a stall does not work off everything at once. It goes through its time in
// slices, each as long as the deadlines in it allow, and stops when it has done as much
// as [Options].TickLimit says, or when a slice was not done within Budget. What is left of
// the time is carried to the following Ticks, or dropped: see [CatchUp]. A Tick that
// stops is a frame like any other, so the events of each owner are the same, later.
//
// What is due in one millisecond is not divided: a buff that was given to a hundred
// thousand players in one call ends for all of them in one Tick. One owner who has very
// much to do, for it makes work for itself or was busy for long, gets a share of each Tick;
// it is busy meanwhile, and time goes on for the others.
//
// # Cost
//
// Tick costs O(1) if nothing is due. AddBuff looks at the owner's buffs for the one
// to join, and else costs O(1), and so do the other verbs of one buff. Kill, Despawn and
// most verbs that name an owner cost O(buffs of the owner), Compensate O(buffs of all),
// LoseSource O(buffs of those who have something of the source that goes with it). The verbs
// of a zone cost O(its owners and their buffs), a look of an aura O(members × (their buffs
// + log members)). Reload costs O(definitions), and the Ticks after it O(some thousand buffs) more
// until all owners have been visited. In steady state nothing is allocated.
package engine
