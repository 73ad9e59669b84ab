package engine

// Forget drops what waits in the Inbox.
func Forget(e *Engine) {
	p := &e.producers
	p.gather()
	for p.gathered > 0 {
		in := p.next()
		p.paid(in, p.take(in), 1)
	}
}

// Waits returns how many commands wait for a busy owner.
func Waits(e *Engine, number int) int { return int(e.owners[number].handed + e.owners[number].late) }
