package replay

import (
	"errors"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/recording"
)

// This file replays the commands of a recording.

// command decodes a command.
func (p *player) command(o recording.Op) (cmd buff.Command, ok bool) {
	if o == recording.Func {
		cmd = p.timeout()
		return cmd, p.code.Err == nil
	}
	var data []byte
	if recording.Bytes(&p.code, &data); p.code.Err != nil {
		return cmd, false
	}
	var err error
	for i := len(p.catalogs) - 1; i >= 0; i-- {
		if err = cmd.UnmarshalBinary(data, p.catalogs[i]); !errors.Is(err, buff.ErrName) {
			break
		}
	}
	if err == nil {
		err = p.loop.Find(&cmd)
	}
	if err != nil {
		p.code.Failf("frame %d: %v", p.done.Frames+1, err)
	}
	return cmd, err == nil
}

// timeout decodes a timeout with a function, and calls Game.Timeout to get the function.
func (p *player) timeout() buff.Command {
	owner, after := buff.OwnerID(p.read()), time.Duration(p.read())
	var do func(*engine.Context)
	switch {
	case p.code.Err != nil:
	case p.game.Timeout == nil:
		p.code.Failf("frame %d has a timeout with a function, and Game.Timeout is nil", p.done.Frames+1)
	default:
		if p.ask("Game.Timeout", func() { do = p.game.Timeout(p.calls, owner) }); do == nil && p.code.Err == nil {
			p.code.Failf("frame %d has a timeout with a function, and Game.Timeout returns nil", p.done.Frames+1)
		}
		p.calls++
	}
	return buff.AddTimeoutFunc(owner, after, do)
}

// inbox replays the inbox commands recorded for this Tick.
func (p *player) inbox(data []byte) {
	tick := p.code
	p.code = recording.Code{Reading: true, Data: data}
	for len(p.code.Data) > 0 && p.code.Err == nil {
		var o recording.Op
		switch recording.Number(&p.code, &o); o {
		case recording.Run:
			p.run()
		case recording.Do, recording.Func:
			if cmd, ok := p.command(o); ok {
				p.loop.Forward(&cmd)
			}
		default:
			p.code.Failf("frame %d: the inbox had the number %d", p.done.Frames+1, o)
		}
	}
	tick.Err = p.code.Err
	p.code = tick
}

// run replays the calls of a function of Inbox.Run.
func (p *player) run() {
	var calls []byte
	if recording.Bytes(&p.code, &calls); p.code.Err != nil {
		return
	}
	inbox := p.code
	p.code = recording.Code{Reading: true, Data: calls}
	for len(p.code.Data) > 0 && p.code.Err == nil {
		var o recording.Op
		recording.Number(&p.code, &o)
		p.call(o)
	}
	inbox.Err = p.code.Err
	p.code = inbox
}
