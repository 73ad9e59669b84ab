package actor

import "sync/atomic"

// A Mailbox holds the messages for one owner, in the order in which they were sent. It may be
// embedded; a zero Mailbox with its Owner set is ready to use. It must not be copied after the
// first Send. While it holds messages or is running, it belongs to one [Group].
type Mailbox[O, M any] struct {
	// Owner is the recipient of the messages, such as an id or a pointer. It must not be
	// changed while the mailbox is running; the loop and the worker may both read it.
	Owner O

	// batch is the batch for the next Start, or the batch being processed; nil until the first
	// message. It is a pointer to keep the mailbox small, because most mailboxes of a game never
	// get a message.
	batch *batch[M]

	// late holds messages sent while the mailbox is running; nil until the first such message. It
	// is separate because only the loop may access it while a worker holds the mailbox. Invariant:
	// empty while the mailbox is idle.
	late *[]M

	// done is set by the worker when the batch is finished. It is the only field that the loop
	// and the worker both access while the mailbox is running.
	done atomic.Bool

	turn  turnState // belongs to the current holder of the mailbox
	place place     // changed only by the loop
	// the mailbox's batched turn was still running at EndBatch; changed only by the loop
	held    bool
	overdue bool // protected by the group's lock, see Group.Wait
}

// batch is a list of messages dispatched by the same Start. While the mailbox is idle, the loop
// appends messages. While the mailbox is running, the number of messages does not change, so the
// loop and the worker may both read it; the worker clears the messages that it has taken.
type batch[M any] struct {
	messages []M

	// messages[:head] have been taken, and messages[from:head] were taken in the current turn.
	// Changed only by the current holder of the mailbox.
	head, from int32
	parks      bool // when this turn ends, the mailbox becomes idle, although messages are left
}

// place is the state of a mailbox as the loop sees it.
type place uint8

const (
	empty place = iota
	staged
	running
)

// turnState determines which methods a handler may call on the mailbox.
type turnState uint8

const (
	shut     turnState = iota // not in a turn
	open                      // in Handle
	requeued                  // in Handle, after Requeue
	inBatch                   // in Batched
)

// keepCap is the capacity up to which a mailbox always keeps its buffer. A larger buffer is
// released when a batch fills less than a quarter of it, so that one bad frame does not cost
// memory forever and a steady load does not allocate.
const keepCap = 64

// Idle reports whether the mailbox, and with it its owner's data, belongs to the loop. The result
// becomes false in [Group.Start] and true in the [Group.Collect] that returns the mailbox; between
// these calls it does not change. Only the loop goroutine may call it.
func (box *Mailbox[O, M]) Idle() bool { return box.place != running }

// Len returns the number of messages in the mailbox, which is the number compared with
// Options.Limit. While the mailbox is running, all messages of the started batch are counted,
// whether handled or not, in addition to the messages that arrived since. Only the loop goroutine
// may call it.
func (box *Mailbox[O, M]) Len() int {
	if box.held {
		return 1 + box.lateLen() // the batch belongs to the worker
	}
	return len(box.messages()) + box.lateLen()
}

// Next takes the oldest message and reports whether there was one. It returns the zero message and
// false at the end of the batch and after [Mailbox.Requeue]. Messages sent while the mailbox is
// running belong to the next batch. Next panics if it detects that it was called outside Handle.
// Only the handler may call it.
func (box *Mailbox[O, M]) Next() (M, bool) {
	if box.turn == shut {
		panic("actor: Next called outside Handle")
	}
	b := box.batch
	if box.turn != open || b == nil || int(b.head) == len(b.messages) {
		var none M
		return none, false
	}
	m := b.messages[b.head]
	b.head++
	return m, true
}

// Requeue puts the message last returned by Next back at the front. Use it for a message that
// needs more work than one turn should do. Handle should then return. The mailbox goes to the end
// of the ready list, and Handle is called again with the same message first, possibly by another
// worker. If no other mailbox waits, Handle is called again at once. A mailbox whose Handle
// always ends with Requeue runs forever and keeps a worker busy.
//
// If "parks" is true, the mailbox is parked: instead of going to the ready list, it becomes idle,
// keeps this message and all later messages, and waits for the next Start. Use this for an owner
// that has used its share of the time of a frame.
//
// Requeue panics if Next has not returned a message in this turn, or if Requeue was already
// called in this turn. Only the handler may call it.
func (box *Mailbox[O, M]) Requeue(parks bool) {
	if box.turn != open || box.taken() == 0 {
		panic("actor: Requeue called without a message from Next")
	}
	box.batch.head--
	box.turn = requeued
	box.batch.parks = parks
}

// begin opens a turn.
func (box *Mailbox[O, M]) begin() {
	if b := box.batch; b != nil {
		b.from = b.head
	}
	box.turn = open
}

// end ends a turn and clears the messages taken, so that the garbage collector can free them. A
// failed turn consumes at least one message, even if Handle took none, or put back the message that
// it had taken. Otherwise a Handle that always panics before it takes a message would be called
// forever.
func (box *Mailbox[O, M]) end(failed bool) {
	if b := box.batch; b != nil {
		if failed && b.head == b.from {
			b.head++
		}
		clear(b.messages[b.from:b.head])
	}
	box.turn = shut
}

// makeIdle makes a mailbox idle after its batch is done. Messages that arrived in the meantime
// become the next batch.
func (box *Mailbox[O, M]) makeIdle() {
	box.done.Store(false)
	box.place, box.held = empty, false
	used, left := 0, 0
	if b := box.batch; b != nil {
		used = len(b.messages)
		left = copy(b.messages, b.messages[b.head:]) // no messages are left unless the mailbox parks
		clear(b.messages[left:])
		b.messages, b.head, b.from, b.parks = b.messages[:left], 0, 0, false
	}
	late := box.late
	if left > 0 {
		if late != nil {
			box.batch.messages = append(box.batch.messages, *late...)
			clear(*late)
			*late = (*late)[:0]
		}
		return
	}
	if n := cap(box.messages()); n > keepCap && used < n/4 {
		box.batch.messages = nil
	}
	switch {
	case late == nil:
	case len(*late) > 0:
		b := box.needBatch()
		b.messages, *late = *late, b.messages
	case cap(*late) > keepCap && used < cap(*late)/4:
		*late = nil
	}
}

// messages returns the messages of the batch.
func (box *Mailbox[O, M]) messages() []M {
	if box.batch == nil {
		return nil
	}
	return box.batch.messages
}

// taken returns the number of messages taken in the current turn, or in the last turn.
func (box *Mailbox[O, M]) taken() int {
	if box.batch == nil {
		return 0
	}
	return int(box.batch.head - box.batch.from)
}

// needBatch returns the batch, creating it if necessary. Only the current holder of the mailbox
// may call it.
func (box *Mailbox[O, M]) needBatch() *batch[M] {
	if box.batch == nil {
		box.batch = &batch[M]{}
	}
	return box.batch
}

// push appends a message to the batch.
func (box *Mailbox[O, M]) push(msg M) {
	b := box.needBatch()
	b.messages = append(b.messages, msg)
}

// lateLen returns the number of messages that were sent while the mailbox was running.
func (box *Mailbox[O, M]) lateLen() int {
	if box.late == nil {
		return 0
	}
	return len(*box.late)
}

// sendLate appends a message while the mailbox is running.
func (box *Mailbox[O, M]) sendLate(msg M) {
	if box.late == nil {
		box.late = new([]M)
	}
	*box.late = append(*box.late, msg)
}
