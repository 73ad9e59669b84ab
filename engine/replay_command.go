package engine

import (
	"errors"
	"time"

	"github.com/bufftick/bufftick/buff"
)

// What a replay does with the commands of a recording.

// command reads a command.
func (p *player) command(o op) (cmd buff.Command, ok bool) {
	if o == opFunc {
		cmd = p.timeout()
		return cmd, p.code.err == nil
	}
	var data []byte
	if bytes(&p.code, &data); p.code.err != nil {
		return cmd, false
	}
	var err error
	for i := len(p.catalogs) - 1; i >= 0; i-- {
		if err = cmd.UnmarshalBinary(data, p.catalogs[i]); !errors.Is(err, buff.ErrName) {
			break
		}
	}
	if err == nil {
		err = p.engine.find(&cmd)
	}
	if err != nil {
		p.code.failf("frame %d: %v", p.done.Frames+1, err)
	}
	return cmd, err == nil
}

// timeout reads a timeout by function, and puts the game's function where there was one.
func (p *player) timeout() buff.Command {
	owner, after := buff.OwnerID(p.read()), time.Duration(p.read())
	var do func(*Context)
	switch {
	case p.code.err != nil:
	case p.game.Timeout == nil:
		p.code.failf("frame %d has a timeout by function, and Game.Timeout is nil", p.done.Frames+1)
	default:
		if p.ask("Game.Timeout", func() { do = p.game.Timeout(p.calls, owner) }); do == nil && p.code.err == nil {
			p.code.failf("frame %d has a timeout by function, and Game.Timeout returns nil", p.done.Frames+1)
		}
		p.calls++
	}
	return buff.AddTimeoutFunc(owner, after, do)
}

// inbox does what the inbox had in a Tick, where the engine looks into it.
func (p *player) inbox(data []byte) {
	tick := p.code
	p.code = coder{mode: reading, data: data}
	for len(p.code.data) > 0 && p.code.err == nil {
		var o op
		switch number(&p.code, &o); o {
		case opRun:
			p.run()
		case opDo, opFunc:
			if cmd, ok := p.command(o); ok {
				p.engine.forward(&cmd)
			}
		default:
			p.code.failf("frame %d: the inbox had the number %d", p.done.Frames+1, o)
		}
	}
	tick.err = p.code.err
	p.code = tick
}

// run does the calls of a function of Inbox.Run.
func (p *player) run() {
	var calls []byte
	if bytes(&p.code, &calls); p.code.err != nil {
		return
	}
	inbox := p.code
	p.code = coder{mode: reading, data: calls}
	for len(p.code.data) > 0 && p.code.err == nil {
		var o op
		number(&p.code, &o)
		p.call(o)
	}
	inbox.err = p.code.err
	p.code = inbox
}
