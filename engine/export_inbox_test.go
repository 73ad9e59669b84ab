package engine

// Forget drops what waits in the Inbox.
func Forget(e *Engine) {
	p := &e.producers
	p.gather()
	for p.gathered > 0 {
		in := p.next()
		p.finish(in, p.take(in), 1)
	}
}

// Waits returns how many commands wait for a busy owner.
func Waits(e *Engine, number int) int {
	return e.owners.at(uint32(number)).waiting()
}

// Credit returns what a producer has left that had so much, after a command that has cost so much.
func Credit(had, cost int) int {
	var p producers
	in := &Inbox{credit: had}
	p.finish(in, &envelope{}, cost)
	return in.credit
}
