// Package actor gives every owner a mailbox and lets a few pumps work the
// mailboxes off: one owner is never in two hands at once, its messages keep
// their order, and an owner that hangs or panics holds up nobody else.
//
//	the loop                 the ready list              the pumps, W at most
//
//	Send ─▸ box a ┐                                      ┌▸ pump 0: Handle(a)
//	Send ─▸ box b ├─ Start ─▸  a ─ b ─ c ─ d ─ … ─ claim ┤
//	Send ─▸ box c ┘            ▴                         └▸ pump 1: Handle(b)
//	                           └──── work left ───────────┤
//	Collect ◂─────────── in hand-over order ◂─── done ───┘
//
// An owner for whom there is no message, but something to do, is visited: the loop writes
// that down in a row, and the pumps take from there. Nothing of the mailbox is looked at,
// neither when it goes nor when it comes: with a hundred thousand owners it is in no cache.
//
//	Visit ─▸ a b c d e … ── claim ─▸ pump 0: Visit(a), pump 1: Visit(b)
//	EndVisits ◂───────────── ended ──┘
//
// The package has no goroutine, no clock and no pool of its own. A pump is a task
// for a [Pool], which is whatever has the method Submit; a time-out is a channel
// that the caller brings. It knows nothing of what a message means.
//
// # Who may call
//
// One goroutine, the loop, owns the [Group] and is the only one that sends. What
// a pump may call, inside Handle and nowhere else, is [Mailbox.Next],
// [Mailbox.Again] and [Mailbox.Rest], and inside Visit [Mailbox.Keep]. No method may be called by a third party. Nothing here blocks
// on a handler, except Wait, and that only as long as its caller wants.
//
// # States of a mailbox
//
//	state    it and its owner's data belong to   a Send goes to              leaves by
//	idle     the loop                            the next batch, and stages  Send
//	staged   the loop                            the next batch              Start
//	away     the pumps                           the batch after it          Collect
//
// Idle and staged are both home: [Mailbox.Home] reports true, and the loop may
// read and change everything of the owner. Start closes the batch and hands it
// over; from then on the loop keeps its hands off until Collect has returned the
// mailbox. If messages came meanwhile, it comes home staged.
//
// While it is away a mailbox is in the ready list, in the hands of one pump, or
// done. A pump claims one mailbox at a time, from the front. After Handle it puts
// a mailbox that has messages left at the end, behind everybody who waits. So a
// pump that is stuck in one owner holds that owner only, and an owner with many
// messages whose Handle returns after some of them delays the others by one turn.
// A mailbox that rests is done too, and comes home staged with what is left: the
// loop decides when it goes on.
//
// # Visits
//
// A round of visits is [Group.Visit] for each owner, Start, a Wait, and [Group.EndVisits].
// There is one only where nothing is staged and nobody away. A mailbox that is visited counts
// as home all the time; that is no lie as long as the loop does nothing but wait. What has not
// ended as usual when EndVisits is called becomes a mailbox that is away:
//
//	how a visit ends                            the mailbox is then
//	it returns                                  home
//	it panics or ends its goroutine             home, and that is counted
//	it keeps a message, see [Mailbox.Keep]      away, in the ready list; if it rests, to be collected
//	the loop has not waited for its end         away, in the hands of its pump: it is held
//	no pump has begun it                        home, and nothing was done
//
// # Memory order
//
// The hand-over makes the owner's data safe, not a lock around them. In the terms
// of the Go memory model:
//
//   - what the loop did before [Group.Start] happens before the Handle that gets
//     the mailbox;
//   - the end of one Handle of a mailbox (and of the Recovered that follows it)
//     happens before the next Handle of that mailbox, whichever pump runs it;
//   - the end of the last Handle happens before [Group.Collect] returns the
//     mailbox, and so before [Mailbox.Home] reports true;
//   - the end of every Handle happens before a [Group.Wait] that reports true;
//   - what the loop did before Start happens before each visit, and the end of a visit before
//     the EndVisits after which its mailbox is home, or else before the Collect that returns it.
//
// A handler needs no lock for the data of its own owner. It needs one, or better a
// message by way of the loop, for everything else.
//
// # Order
//
// Messages of one mailbox are handled in the order in which they were sent.
// Mailboxes are claimed in the order in which they were staged, those left from an
// earlier Start first; with more than one pump nothing is said about which of them
// is done first. Collect hides that: it returns the mailboxes in the order of
// their hand-over. Where all are home after each Wait, the same calls lead to
// the same Collects, with any number of pumps.
//
// # Faults
//
// A panic in Handle is recovered inside the pump's own task and counted. The
// message that was taken is used up, the rest of the batch goes on. The same holds
// for [runtime.Goexit], which also ends the pump: its place is free at once and
// the loop fills it in Wait or in the next Start.
//
// Go's recover cannot stop everything. A stack overflow, a concurrent write to a
// map, memory running out and os.Exit end the process, here as everywhere. Nor can
// a goroutine be stopped from outside: a Handle that never returns keeps its pump,
// and after W of them nothing is handled any more; [Group.Held] names them.
// Where Submit runs the task itself there is no other goroutine to lose: a Goexit
// in Handle then ends the loop.
//
// # Cost
//
// Send, Next, Again, Home and Len cost O(1), Rest O(1) for each message that is left. Start and Collect cost O(1) for
// each mailbox that is handed over or away, plus one Submit for each pump that is
// missing. A turn costs one short critical section. A frame allocates nothing once
// the buffers have grown to the load, and a mailbox gives back a buffer that has
// become far too large.
//
// A visit costs the loop 32 bytes in a row, and a pump some atomic operations and no lock.
//
// # Rationale
//
// A frame has messages for ten thousand players. In plain Go one would write
//
//	for _, m := range due {
//		go handle(m.player, m)
//	}
//
// Two messages of one player now run at once, and in any order. So each player
// gets a list and a goroutine that works it off:
//
//	for _, p := range withMessages {
//		go func() {
//			for _, m := range p.messages { handle(p, m) }
//		}()
//	}
//
// Ten thousand goroutines for two cores, made anew each frame; a bounded pool
// takes their place. But a pool without a queue either stops the loop inside
// Submit or refuses most of the players. So the players wait in a list of ours,
// and what the pool gets is a few tasks that eat from it:
//
//	for range workers {
//		pool.Submit(func() {
//			for p := range ready { run(p) }
//		})
//	}
//
// In most frames all that those messages say is "you are due". For that they need not be put
// into the mailboxes, and the players need not be fetched from memory by the loop: it writes
// down whose turn it is, and the pumps count through the list.
//
//	for range workers {
//		pool.Submit(func() {
//			for i := next.Add(1); i < n; i = next.Add(1) { visit(due[i]) }
//		})
//	}
//
// What is left are the corners: a player that gets messages while it runs must
// not be claimed twice; a pump that ends just when the loop adds work must not
// leave the work behind; a panic must not lose the rest, nor a refusal; the loop
// must not wait for a player that hangs. This package is those corners.
//
// # When not to use it
//
// If all handlers together take less time than a few microseconds, call them on the
// loop: handing over costs about as much as a small handler. If messages need no
// order and owners no protection, a [sync.WaitGroup] is enough. If many
// goroutines send, put a queue before the loop: Send is not for them.
package actor
