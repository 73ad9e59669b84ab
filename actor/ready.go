package actor

// ready is the ready list: a queue in a ring of a power of two. It grows only in
// reserve, which the loop calls, so that a pump which puts a mailbox back never
// allocates under the lock.
type ready[T any] struct {
	ring []*T
	head int // index of the first, before masking
	n    int
}

// reserve makes room for n elements in all.
func (q *ready[T]) reserve(n int) {
	if n <= len(q.ring) {
		return
	}
	size := max(16, len(q.ring))
	for size < n {
		size *= 2
	}
	ring := make([]*T, size)
	for i := range q.n {
		ring[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
	}
	q.ring, q.head = ring, 0
}

// push appends x. There must be room.
func (q *ready[T]) push(x *T) {
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = x
	q.n++
}

// pop takes the first, or returns nil if there is none.
func (q *ready[T]) pop() *T {
	if q.n == 0 {
		return nil
	}
	at := q.head & (len(q.ring) - 1)
	x := q.ring[at]
	q.ring[at] = nil // the list must not keep an owner alive
	q.head++
	q.n--
	return x
}
