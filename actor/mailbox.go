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

	// batch is what the next Start hands over, or has handed over. While it is idle the
	// loop appends to it; while it is running nobody changes the slice, so that both sides
	// may read its length, and the workers clear the elements that they have taken. nil: there never
	// was anything.
	batch *[]M

	// late is what was sent while the mailbox is running; nil: never was anything. Few mailboxes
	// have it, and all would be the longer for it.
	// Invariant: empty while the mailbox is idle.
	late *[]M

	// head and from are changed only by the one that has the mailbox in hand:
	// batch[:head] is taken, batch[from:head] in the present turn.
	head, from int32
	turn       turnState

	place   place // changed by the loop only
	held    bool  // the same: it is running a batched turn, which may yet defer a message
	overdue bool  // under the group's lock, see Group.Wait
	parks   bool  // becomes idle with messages left; of whoever has it in hand

	// done is how a worker tells the loop that the batch is finished. It is the
	// only field that both sides touch while the mailbox is running.
	done atomic.Bool
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
	if box.turn != open || int(box.head) == len(box.messages()) {
		var none M
		return none, false
	}
	m := (*box.batch)[box.head]
	box.head++
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
	if box.turn != open || box.head == box.from {
		panic("actor: Requeue called without a message from Next")
	}
	box.head--
	box.turn = requeued
	box.parks = parks
}

// begin opens a turn.
func (box *Mailbox[O, M]) begin() {
	box.from = box.head
	box.turn = open
}

// end closes a turn and drops what its messages point to. A turn that failed
// uses up at least one message, even if Handle took none or put it back:
// otherwise a Handle that always panics first would be called for ever.
func (box *Mailbox[O, M]) end(failed bool) {
	if failed && box.head == box.from {
		box.head++
	}
	clear(box.messages()[box.from:box.head])
	box.turn = shut
}

// makeIdle makes a mailbox whose batch is done ready for the next one.
func (box *Mailbox[O, M]) makeIdle() {
	box.done.Store(false)
	box.place, box.held = empty, false
	batch, late := box.messages(), box.late
	used := len(batch)
	left := copy(batch, batch[box.head:]) // none, unless it parks
	clear(batch[left:])
	if box.head, box.parks = 0, false; box.batch != nil {
		*box.batch = batch[:left]
	}
	if left > 0 {
		if late != nil {
			*box.batch = append(*box.batch, *late...)
			clear(*late)
			*late = (*late)[:0]
		}
		return
	}
	if cap(batch) > keep && used < cap(batch)/4 {
		*box.batch = nil
	}
	switch {
	case late == nil:
	case len(*late) > 0:
		box.batch, box.late = late, box.batch
	case cap(*late) > keep && used < cap(*late)/4:
		*late = nil
	}
}

// messages returns those of the batch.
func (box *Mailbox[O, M]) messages() []M {
	if box.batch == nil {
		return nil
	}
	return *box.batch
}

// push puts a message behind those of the batch.
func (box *Mailbox[O, M]) push(msg M) {
	if box.batch == nil {
		box.batch = new([]M)
	}
	*box.batch = append(*box.batch, msg)
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
