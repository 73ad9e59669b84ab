package policy

// Verdict is the decision of a zone about a received command.
type Verdict uint8

const (
	Fresh Verdict = iota // never executed; execute it
	Again                // already executed; repeat the reply
	Stale                // unknown: the id of the command may have left the window
)

// Window decides whether a command was executed before. A zone numbers the commands that it
// executes, and saves the ids of the last commands with its cut. The size of the window is the
// number of these ids. Every copy of a command contains a number called "since". It is the number
// of commands that the zone had on disk when the command was first sent. If the command was
// executed, its own number is greater than "since". Therefore, if the zone has executed no more
// commands after "since" than the window holds, the id of the command is still in the window.
//
// The number "since" counts only commands on disk. Commands that are not on disk may be undone by a
// crash, and then their numbers are used again.
type Window struct {
	size  uint64
	total uint64
}

// NewWindow returns the window of a zone. The parameter "size" is the number of saved ids; "total"
// is the number of commands that the zone has executed.
func NewWindow(size int, total uint64) Window { return Window{uint64(size), total} }

// Judge decides about a command. The parameter "seen" reports whether the command's id is in the
// window.
func (w *Window) Judge(seen bool, since uint64) Verdict {
	switch {
	case seen:
		return Again
	// since > total means that the database has lost commits
	case since > w.total || w.total-since > w.size:
		return Stale
	}
	return Fresh
}

// Done counts an executed command.
func (w *Window) Done() { w.total++ }

// Total returns the number of executed commands.
func (w *Window) Total() uint64 { return w.total }

// Acks is a bounded queue of replies that wait until a frame is on disk.
type Acks[T any] struct {
	most int
	list []ack[T]
}

type ack[T any] struct {
	frame uint64
	reply T
}

// NewAcks returns a queue for at most the given number of replies. The caller must check Full
// before it calls Wait.
func NewAcks[T any](most int) *Acks[T] { return &Acks[T]{most: most} }

// Full reports whether the queue is full.
func (a *Acks[T]) Full() bool { return len(a.list) >= a.most }

// Wait adds a reply that waits until the frame is on disk.
func (a *Acks[T]) Wait(frame uint64, reply T) { a.list = append(a.list, ack[T]{frame, reply}) }

// Committed removes the replies that wait for the given frame or an earlier frame, and calls
// give() with each of them, in the order in which they were added.
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

// Len returns the number of waiting replies.
func (a *Acks[T]) Len() int { return len(a.list) }
