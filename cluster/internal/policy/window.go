package policy

// Verdict says what becomes of a command that has come to its zone.
type Verdict uint8

const (
	Fresh Verdict = iota // it has never been done: do it
	Again                // it has been done: answer as then
	Stale                // nobody knows any more: its id may have left the window
)

// Window decides whether a command has been done. The zone keeps the ids of the last size ones, in its
// cut, and counts all that were ever done. A sender notes how many of them were on disk before it sends
// a command the first time (since), and says it with each retry. So a command that has been done was the
// count since+1 or a later one; as long as the zone has not counted past since+size, its id is in the
// window if it was done, and if it is not there it was not.
//
// Only what is on disk counts for since: the rest may be counted anew after a crash.
type Window struct {
	size  uint64
	total uint64
}

// NewWindow returns the window of a zone that keeps so many ids, and has done so many commands.
func NewWindow(size int, total uint64) Window { return Window{uint64(size), total} }

// Judge says what is to be done with a command; seen: its id is among those that are kept.
func (w *Window) Judge(seen bool, since uint64) Verdict {
	switch {
	case seen:
		return Again
	case since > w.total || w.total-since > w.size: // more than ever: of a history that is lost
		return Stale
	}
	return Fresh
}

// Done counts a command that was done just now.
func (w *Window) Done() { w.total++ }

// Total is how many have been done.
func (w *Window) Total() uint64 { return w.total }

// Acks are replies that wait until a frame is on disk: a bounded queue.
type Acks[T any] struct {
	most int
	list []ack[T]
}

type ack[T any] struct {
	frame uint64
	reply T
}

// NewAcks returns a queue for so many replies.
func NewAcks[T any](most int) *Acks[T] { return &Acks[T]{most: most} }

// Full reports whether no more replies may wait.
func (a *Acks[T]) Full() bool { return len(a.list) >= a.most }

// Wait adds a reply for when that frame is on disk.
func (a *Acks[T]) Wait(frame uint64, reply T) { a.list = append(a.list, ack[T]{frame, reply}) }

// Committed calls give for each reply whose frame is on disk, in the order in which they came.
func (a *Acks[T]) Committed(frame uint64, give func(T)) {
	kept := a.list[:0]
	for _, x := range a.list {
		if x.frame <= frame {
			give(x.reply)
		} else {
			kept = append(kept, x)
		}
	}
	clear(a.list[len(kept):])
	a.list = kept
}

// Len is how many wait.
func (a *Acks[T]) Len() int { return len(a.list) }
