package actor

// Shrunk returns the capacities of four lists after Shrink(n): running and staged mailboxes,
// batched turns, and the ready list. The arguments are the capacities before.
func Shrunk(running, staged, turns, ready, n int) [4]int {
	g := Group[int, int]{batch: &round[int, int]{turns: make([]Turn[int, int], 0, turns)}}
	g.running, g.staged = make([]*Mailbox[int, int], 0, running), make([]*Mailbox[int, int], 0, staged)
	g.ready.reserve(ready)
	g.Shrink(n)
	return [4]int{cap(g.running), cap(g.staged), cap(g.batch.turns), len(g.ready.ring)}
}
