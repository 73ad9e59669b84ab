// Package actor gives every owner a mailbox and lets a few workers empty
// the mailboxes: one owner is never in two hands at once, its messages keep
// their order, and an owner that hangs or panics holds up nobody else.
//
//	the loop                 the ready list              the workers, W at most
//
//	Send ─▸ box a ┐                                      ┌▸ worker 0: Handle(a)
//	Send ─▸ box b ├─ Start ─▸  a ─ b ─ c ─ d ─ … ─ claim ┤
//	Send ─▸ box c ┘            ▴                         └▸ worker 1: Handle(b)
//	                           └──── work left ───────────┤
//	Collect ◂─────────── in hand-over order ◂─── done ───┘
//
// An owner for whom there is no message, but something to do, gets a batched turn: the loop
// writes it down in a row, and the workers take from there. Nothing of the mailbox is looked at,
// neither when it goes nor when it comes: with a hundred thousand owners it is in no cache. A worker claims
// some in a row, its share, so that it can look ahead at their owners: see Options.Ahead.
//
//	Batch ─▸ a b c d e … ── claim ─▸ worker 0: Batched(a), worker 1: Batched(b)
//	EndBatch ◂────────────── ended ──┘
//
// The package has no goroutine, no clock and no pool of its own. A worker is a task
// for a [Pool], which is whatever has the method Submit; a time-out is a channel
// that the caller brings. It knows nothing of what a message means.
//
// # Who may call
//
// One goroutine, the loop, owns the [Group] and is the only one that sends. What
// a worker may call, inside Handle and nowhere else, is [Mailbox.Next] and
// [Mailbox.Requeue], and inside Options.Batched [Mailbox.Defer]. No method may
// be called by a third party. Nothing here blocks on a handler, except Wait, and that only
// as long as its caller wants.
//
// # States of a mailbox
//
//	state    it and its owner's data belong to   a Send goes to              leaves by
//	empty    the loop                            the next batch, and stages  Send
//	staged   the loop                            the next batch              Start
//	running  the workers                         the batch after it          Collect
//
// A mailbox that is empty or staged is idle: [Mailbox.Idle] reports true, and the loop may
// read and change everything of the owner. Start closes the batch and hands it
// over; from then on the loop keeps its hands off until Collect has returned the
// mailbox. If messages came meanwhile, it is staged then.
//
// While it is running a mailbox is in the ready list, in the hands of one worker, or
// done. A worker claims one mailbox at a time, from the front. After Handle it puts
// a mailbox that has messages left at the end, behind everybody who waits. So a
// worker that is stuck in one owner holds that owner only, and an owner with many
// messages whose Handle returns after some of them delays the others by one turn.
// A mailbox that parks is done too, and staged with what is left: the
// loop decides when it goes on.
//
// # Batched turns
//
// A batch is [Group.Batch] for each owner, Start, a Wait, and [Group.EndBatch]. There is one
// only where nothing is staged and nobody running. A mailbox in the batch counts as idle all
// the time, which is sound as long as the loop does nothing but wait. What has not ended as
// usual when EndBatch is called becomes a mailbox that is running:
//
//	how a batched turn ends                     the mailbox is then
//	it returns                                  idle
//	it panics or ends its goroutine             idle, and that is counted
//	it defers a message, see [Mailbox.Defer]    running, in the ready list; if it parks, to be collected
//	the loop has not waited for its end         running, in the hands of its worker: it is held, also where that
//	                                            still looks ahead
//	no worker has begun it                      idle, and nothing was done
//
// # Memory order
//
// The hand-over makes the owner's data safe, not a lock around them. In the terms
// of the Go memory model:
//
//   - what the loop did before [Group.Start] happens before the Handle that gets
//     the mailbox;
//   - the end of one Handle of a mailbox (and of the Recovered that follows it)
//     happens before the next Handle of that mailbox, whichever worker runs it;
//   - the end of the last Handle happens before [Group.Collect] returns the
//     mailbox, and so before [Mailbox.Idle] reports true;
//   - the end of every Handle happens before a [Group.Wait] that reports true;
//   - what the loop did before Start happens before each batched turn, and the end of one before
//     the EndBatch after which its mailbox is idle, or else before the Collect that returns it.
//
// A handler needs no lock for the data of its own owner. It needs one, or better a
// message by way of the loop, for everything else.
//
// # Order
//
// Messages of one mailbox are handled in the order in which they were sent.
// Mailboxes are claimed in the order in which they were staged, those left from an
// earlier Start first; with more than one worker nothing is said about which of them
// is done first. Collect hides that: it returns the mailboxes in the order of
// their hand-over. Where all are idle after each Wait, the same calls lead to
// the same Collects, with any number of workers.
//
// # Faults
//
// A panic in Handle is recovered inside the worker's own task and counted. The
// message that was taken is used up, the rest of the batch goes on. The same holds
// for [runtime.Goexit], which also ends the worker: its place is free at once and
// the loop fills it in Wait or in the next Start.
//
// Go's recover cannot stop everything. A stack overflow, a concurrent write to a
// map, memory running out and os.Exit end the process, here as everywhere. Nor can
// a goroutine be stopped from outside: a Handle that never returns keeps its worker,
// and after W of them nothing is handled any more; [Group.Held] names them.
// Where Submit runs the task itself there is no other goroutine to lose: a Goexit
// in Handle then ends the loop.
//
// # Cost
//
// Send, Next, Requeue, Idle and Len cost O(1); a mailbox that parks costs O(1) for each message that is left. Start and Collect cost O(1) for
// each mailbox that is handed over or running, plus one Submit for each worker that is
// missing. A turn costs one short critical section. A frame allocates nothing once
// the buffers have grown to the load, and a mailbox gives back a buffer that has
// become far too large.
//
// A batched turn costs the loop 32 bytes in a row, and a worker some atomic operations and no lock.
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
// down whose turn it is, and the workers count through the list.
//
//	for range workers {
//		pool.Submit(func() {
//			for i := next.Add(1); i < n; i = next.Add(1) { turn(due[i]) }
//		})
//	}
//
// What is left are the corners: a player that gets messages while it runs must
// not be claimed twice; a worker that ends just when the loop adds work must not
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
