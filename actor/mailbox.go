package actor

import "sync/atomic"

// A Mailbox holds the messages for one owner, in the order in which they were
// sent. It may be held or embedded; a zero Mailbox with its Owner set is ready.
// It must not be copied after the first Send, and as long as it holds messages or
// is running it belongs to one [Group].
type Mailbox[O, M any] struct {
	// Owner says for whom the messages are: an id or a pointer. It must not be
	// changed while the mailbox is running; then both sides may read it.
	Owner O

	// batch is what the next Start hands over, or has handed over; nil: there never was anything. Most mailboxes of a game
	// have none, and all would be the longer for it.
	batch *batch[M]

	// late is what was sent while the mailbox is running; nil: never was anything. It is apart, for only the loop looks at it,
	// and may be the first to send something to a mailbox that is in somebody's hands.
	// Invariant: empty while the mailbox is idle.
	late *[]M

	// done is how a worker tells the loop that the batch is finished. It is the
	// only field that both sides touch while the mailbox is running.
	done atomic.Bool

	turn    turnState // of whoever has the mailbox in hand
	place   place     // changed by the loop only
	held    bool      // the same: it is running a batched turn, which may yet defer a message
	overdue bool      // under the group's lock, see Group.Wait
}

// batch is messages that are handed over together. While the mailbox is idle the loop appends to them; while it is running nobody
// changes the length, so that both sides may read it, and the workers clear the elements that they have taken.
type batch[M any] struct {
	messages []M

	// These are changed only by the one that has the mailbox in hand: messages[:head] is taken, messages[from:head] in the
	// present turn.
	head, from int32
	parks      bool // the mailbox becomes idle with messages left
}

// place is where a mailbox stands in the eyes of the loop.
type place uint8

const (
	empty place = iota
	staged
	running
)

// turnState says what Handle may do with the mailbox.
type turnState uint8

const (
	shut     turnState = iota // not inside Handle
	open                      // inside Handle
	requeued                  // inside Handle, after Requeue
	inBatch                   // inside Batched
)

// keep is the number of messages for which a mailbox holds buffers whatever its
// load is. A larger buffer is given up when a batch fills less than a quarter of
// it: one bad frame must not cost memory for ever, and a steady load must not
// allocate.
const keep = 64

// Idle reports whether the mailbox, and with it everything of its owner, is in
// the hands of the loop. It turns false in [Group.Start] and true in the
// [Group.Collect] that returns the mailbox, not before: between those two
// calls the answer does not change. Only the loop goroutine may call it.
func (box *Mailbox[O, M]) Idle() bool { return box.place != running }

// Len returns the number of messages that the mailbox holds: those that wait
// and, while it is running, the whole batch that was handed over, however much of it
// has been handled. It is what counts against Options.Limit. Only the loop
// goroutine may call it.
func (box *Mailbox[O, M]) Len() int {
	if box.held {
		return 1 + box.lateness() // the batch is the worker's
	}
	return len(box.messages()) + box.lateness()
}

// Next takes the oldest message and reports whether there was one. It returns
// the zero message and false at the end of the batch and after [Mailbox.Requeue]. A message that is sent while the mailbox is running belongs to the next batch.
// Next panics outside Handle, as far as that can be seen. Only inside the handler.
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

// Requeue puts the message that Next returned last back to the front: its work is
// not finished in this turn. Handle should then return. The mailbox goes to the
// end of the ready list, behind all others that wait, and Handle is called again
// with the same message first, maybe by another worker. If no other mailbox
// waits, that is at once. A mailbox whose Handle always ends with Requeue runs
// for ever and keeps a worker turning.
//
// If it parks, the mailbox waits for the next Start instead, for an owner that has had its share of
// the frame: it becomes idle with the message and all that stand behind it, and is staged.
//
// Requeue panics if Next has not returned a message in this turn, or if Requeue was
// called before in this turn. Only inside the handler.
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

// end closes a turn and drops what its messages point to. A turn that failed
// uses up at least one message, even if Handle took none or put it back:
// otherwise a Handle that always panics first would be called for ever.
func (box *Mailbox[O, M]) end(failed bool) {
	if b := box.batch; b != nil {
		if failed && b.head == b.from {
			b.head++
		}
		clear(b.messages[b.from:b.head])
	}
	box.turn = shut
}

// makeIdle makes a mailbox whose batch is done ready for the next one.
func (box *Mailbox[O, M]) makeIdle() {
	box.done.Store(false)
	box.place, box.held = empty, false
	used, left := 0, 0
	if b := box.batch; b != nil {
		used = len(b.messages)
		left = copy(b.messages, b.messages[b.head:]) // none, unless it parks
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
	if n := cap(box.messages()); n > keep && used < n/4 {
		box.batch.messages = nil
	}
	switch {
	case late == nil:
	case len(*late) > 0:
		b := box.needBatch()
		b.messages, *late = *late, b.messages
	case cap(*late) > keep && used < cap(*late)/4:
		*late = nil
	}
}

// messages returns those of the batch.
func (box *Mailbox[O, M]) messages() []M {
	if box.batch == nil {
		return nil
	}
	return box.batch.messages
}

// taken returns how many messages were taken in the present turn, or the last one.
func (box *Mailbox[O, M]) taken() int {
	if box.batch == nil {
		return 0
	}
	return int(box.batch.head - box.batch.from)
}

// needBatch returns the batch of a mailbox. Only for whoever has the mailbox in hand.
func (box *Mailbox[O, M]) needBatch() *batch[M] {
	if box.batch == nil {
		box.batch = &batch[M]{}
	}
	return box.batch
}

// push puts a message behind those of the batch.
func (box *Mailbox[O, M]) push(msg M) {
	b := box.needBatch()
	b.messages = append(b.messages, msg)
}

// lateness returns how many messages were sent while the mailbox is running.
func (box *Mailbox[O, M]) lateness() int {
	if box.late == nil {
		return 0
	}
	return len(*box.late)
}

// sendLate sends while the mailbox is running.
func (box *Mailbox[O, M]) sendLate(msg M) {
	if box.late == nil {
		box.late = new([]M)
	}
	*box.late = append(*box.late, msg)
}
