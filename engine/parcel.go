package engine

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
)

// passOn carries out what the rules of one owner want of others, after a command of the
// loop: what is stolen is applied to the thief. Who is not there any more, or has no room
// in his mailbox, does not get it, and it is counted.
func (e *Engine) passOn() {
	if e.passes {
		return // what follows from one of them is carried out behind it
	}
	e.passes = true
	for i := 0; i < len(e.loop.Sent); i++ {
		p := e.loop.Sent[i]
		e.forward(e.byID[p.To], &p.Command)
	}
	clear(e.loop.Sent)
	e.loop.Sent = e.loop.Sent[:0]
	e.passes = false
}

// passOn puts the same, after what the owner did by itself, among the commands for other
// owners. It comes before each one of a handler, so that they stand in the order of
// issue, and at the end of a turn.
func (l *lane) passOn() {
	if len(l.turn.Sent) == 0 {
		return
	}
	for i := range l.turn.Sent {
		p := &l.turn.Sent[i]
		l.cross = append(l.cross, cross{at: p.At, from: l.owner.id, to: p.To, cmd: p.Command})
	}
	clear(l.turn.Sent)
	l.turn.Sent = l.turn.Sent[:0]
}

// lent is the memory of what a handler's commands point to: copies, so that the handler
// may use its own again. When a list grows, what points into the old one stays good.
type lent struct {
	queries  []buff.Query
	args     []buff.Arg
	captured []buff.Captured
}

func (l *lent) query(q buff.Query) *buff.Query {
	l.queries = append(l.queries, q)
	return &l.queries[len(l.queries)-1]
}

func (l *lent) params(args []buff.Arg) []buff.Arg {
	from := len(l.args)
	l.args = append(l.args, args...)
	return l.args[from:len(l.args):len(l.args)]
}

// empty makes the memory free: no command is left.
func (l *lent) empty() {
	l.queries, l.args, l.captured = l.queries[:0], l.args[:0], l.captured[:0]
}

// borrow gives a command that has to wait copies of what it points to.
func borrow(c *buff.Command) {
	c.Application.Params = slices.Clone(c.Application.Params)
	c.Application.Captured = slices.Clone(c.Application.Captured)
	if c.Query != nil {
		q := *c.Query
		c.Query = &q
	}
}

// ask returns a query for a command that the loop carries out at once.
func (e *Engine) ask(q buff.Query) *buff.Query {
	e.query = q
	return &e.query
}
