package actor

// Shrunk returns for how many mailboxes and batched turns the lists of a group have room after Shrink, that
// had room for so many: those that run, those that are staged, the batched turns, the ready list.
func Shrunk(running, staged, turns, ready, n int) [4]int {
	g := Group[int, int]{batch: &round[int, int]{turns: make([]Turn[int, int], 0, turns)}}
	g.running, g.staged = make([]*Mailbox[int, int], 0, running), make([]*Mailbox[int, int], 0, staged)
	g.ready.reserve(ready)
	g.Shrink(n)
	return [4]int{cap(g.running), cap(g.staged), cap(g.batch.turns), len(g.ready.ring)}
}
