package engine

// Forget drops the commands in the Inbox.
func Forget(e *Engine) {
	p := &e.producers
	p.gather()
	for p.gathered > 0 {
		in := p.next()
		p.finish(in, p.take(in), 1)
	}
}

// Waits returns the number of commands that wait for a busy owner.
func Waits(e *Engine, number int) int {
	return e.owners.at(uint32(number)).waiting()
}

// Credit returns the credit of a producer after a command with the given cost.
func Credit(had, cost int) int {
	var p producers
	in := &Inbox{credit: had}
	p.finish(in, &envelope{}, cost)
	return in.credit
}
