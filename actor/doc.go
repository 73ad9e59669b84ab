// Package actor gives every owner a mailbox, and processes the mailboxes on a small number of
// workers. Two workers never run the same owner at once, the messages of an owner keep their
// order, and an owner that hangs or panics does not delay others.
//
//	the loop                 the ready list              the workers, W at most
//
//	Send ─▸ box a ┐                                      ┌▸ worker 0: Handle(a)
//	Send ─▸ box b ├─ Start ─▸  a ─ b ─ c ─ d ─ … ─ claim ┤
//	Send ─▸ box c ┘            ▴                         └▸ worker 1: Handle(b)
//	                           └──── messages left ───────┤
//	Collect ◂─────────── in start order ◂────── done ─────┘
//
// An owner that has work to do but no messages gets a batched turn. The loop writes the turns
// into a slice, and the workers take them from there. The loop does not access the mailboxes
// before or after their turns, because with a hundred thousand owners each access would be a
// cache miss. A worker claims several turns at a time, called a share, so that it can prefetch
// their owners; see Options.Ahead.
//
//	Batch ─▸ a b c d e … ── claim ─▸ worker 0: Batched(a), worker 1: Batched(b)
//	EndBatch ◂────────────── ended ──┘
//
// The package starts no goroutines and has no clock. A worker is a task run by a [Pool], which is
// any type with a Submit method. Timeouts are channels supplied by the caller. The package does
// not interpret messages.
//
// # Concurrency
//
// One goroutine, the loop, owns the [Group] and is the only goroutine that sends. A worker may
// call [Mailbox.Next] and [Mailbox.Requeue] inside Handle, and [Mailbox.Defer] inside
// Options.Batched. No other goroutine may call any method. Wait is the only method that blocks
// until handlers end, and it takes a timeout.
//
// # States of a mailbox
//
//	state    it and its owner's data belong to   Send adds to                left by
//	empty    the loop                            the next batch, and stages  Send
//	staged   the loop                            the next batch              Start
//	running  the workers                         the batch after it          Collect
//
// A mailbox that is empty or staged is idle: [Mailbox.Idle] reports true, and the loop may read
// and change the owner's data. Start closes the batch and dispatches it. From then on the loop
// must not touch the owner until Collect has returned the mailbox. If messages arrived in the
// meantime, the mailbox is then staged.
//
// A running mailbox is in the ready list, held by one worker, or done. A worker claims one mailbox
// at a time from the front of the list. After Handle, it puts the mailbox at the end of the list if
// it has messages left. Therefore a stuck worker delays only the owner that it holds. An owner with
// many messages delays other owners by only one turn, if its Handle returns after a few messages. A
// mailbox that parks (see [Mailbox.Requeue]) is also done. It is staged with its remaining
// messages, and the loop decides when it continues.
//
// # Batched turns
//
// To run a batch, the loop calls [Group.Batch] for each owner, then Start, Wait and
// [Group.EndBatch]. This is possible only while no mailbox is staged or running. A mailbox in the
// batch counts as idle throughout, which is safe because the loop only waits. If a turn has not
// ended normally when EndBatch is called, its mailbox becomes running:
//
//	end of the batched turn                     the mailbox is then
//	it returns                                  idle
//	it panics or ends its goroutine             idle; the fault is counted
//	it defers a message, see Mailbox.Defer      running, in the ready list; if it parks, to be
//	                                            collected
//	the loop did not wait for its end           running, held by its worker, even if the worker is
//	                                            still prefetching
//	no worker has started it                    idle; nothing was done
//
// # Memory order
//
// No lock protects an owner's data. The data belongs to whichever of the loop and the workers has
// the mailbox. In the terms of the Go memory model:
//
//   - everything the loop did before [Group.Start] happens before the Handle that gets the
//     mailbox;
//   - the end of one Handle of a mailbox (and of the Recovered that follows it) happens before
//     the next Handle of that mailbox, on any worker;
//   - the end of the last Handle happens before [Group.Collect] returns the mailbox, and so
//     before [Mailbox.Idle] reports true;
//   - the end of every Handle happens before a [Group.Wait] that reports true;
//   - everything the loop did before Start happens before each batched turn. If the mailbox is
//     idle after EndBatch, the end of its batched turn happens before that EndBatch; otherwise it
//     happens before the Collect that returns the mailbox.
//
// A handler needs no lock for its owner's data. For all other data it needs a lock or,
// better, a message sent through the loop.
//
// # Order
//
// Messages of one mailbox are handled in the order in which they were sent. Mailboxes are claimed
// in the order in which they were staged, after mailboxes that are still in the ready list from an
// earlier Start. With more than one worker, the order in which mailboxes are done is not
// specified. Collect hides this order, because it returns mailboxes in the order in which they
// were started. If all mailboxes are idle after each Wait and Collect, the same calls lead to the
// same results of Collect, for any number of workers.
//
// # Faults
//
// A panic in Handle is recovered in the worker's task and counted. The message that Handle had
// taken is consumed, and the remaining messages are handled. The same applies to
// [runtime.Goexit], which also ends the worker. The loop starts another worker in Wait or in the
// next Start.
//
// Go cannot recover from everything. A stack overflow, a concurrent write to a map, running out of
// memory and os.Exit end the process. A goroutine cannot be stopped from outside either. A Handle
// that never returns occupies its worker, and if all W workers are occupied, no mailbox is handled
// any more; [Group.Held] returns the mailboxes that the workers hold. If Submit runs the task
// itself, the task runs on the goroutine of the loop, and a Goexit in Handle ends the loop.
//
// # Cost
//
// Send, Next, Requeue, Idle and Len cost O(1); parking a mailbox costs O(1) for each remaining
// message. Start and Collect cost O(1) for each mailbox that is started or running. Start also
// calls Submit for each worker that must be started. A turn enters one short critical section. A
// frame does not allocate once the buffers have grown to the load, and a mailbox releases a
// buffer that has become far too large.
//
// For a batched turn, the loop writes 32 bytes to a slice, and a worker executes a few atomic
// operations and takes no lock.
//
// # Rationale
//
// A frame has messages for ten thousand players. The obvious Go code is
//
//	for _, m := range due {
//		go handle(m.player, m)
//	}
//
// However, two messages of one player may then be handled at the same time, and in any order. So
// each player gets a list of messages and a goroutine that processes it:
//
//	for _, p := range withMessages {
//		go func() {
//			for _, m := range p.messages { handle(p, m) }
//		}()
//	}
//
// This starts ten thousand goroutines for two cores in each frame. A bounded pool avoids them, but
// a pool without a queue either blocks the loop inside Submit or refuses most of the players.
// Therefore the players wait in a list of the Group, and the pool gets a few tasks that process
// the list:
//
//	for range workers {
//		pool.Submit(func() {
//			for p := range ready { run(p) }
//		})
//	}
//
// In most frames all those messages mean only "you are due". Such messages need not be put into
// the mailboxes, and the loop need not fetch the players from memory. It writes a list of the due
// players, and the workers advance an index through the list.
//
//	for range workers {
//		pool.Submit(func() {
//			for i := next.Add(1); i < n; i = next.Add(1) { turn(due[i]) }
//		})
//	}
//
// The rest of the package handles corner cases: a player that gets messages while its handler
// runs must not be claimed twice; work that the loop adds just when the last worker ends must not
// be left without a worker; a panic or a refusal must not lose other work; the loop must not wait
// for a player whose handler hangs.
//
// # When not to use it
//
// If all handlers together take less than a few microseconds, call them on the loop: dispatching
// a message costs about as much as a small handler. If neither the order of messages nor
// concurrent access to owners matters, a [sync.WaitGroup] is enough. If many goroutines send
// messages, put a queue in front of the loop, because Send is not safe for concurrent use.
package actor
