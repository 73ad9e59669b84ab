package replay

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/recording"
)

// player replays the blocks of a recording.
type player struct {
	engine *engine.Engine
	loop   recording.Loop
	game   Game
	code   recording.Code
	sum    recording.Digest
	calls  int // number of timeouts with a function that have been replayed so far
	loads  int // number of calls of Reload that have been replayed so far
	done   Progress

	// catalogs holds all catalogs so far, because buffs of a removed definition may still refer to
	// an older catalog.
	catalogs []*buff.Catalog
}

// block replays the calls of one block. It ignores their results, because different results would
// also change the digests.
func (p *player) block() error {
	for len(p.code.Data) > 0 && p.code.Err == nil {
		var o recording.Op
		recording.Number(&p.code, &o)
		if o == recording.Tick {
			return p.tick()
		}
		p.call(o)
	}
	if p.code.Err == nil {
		p.code.Failf("a block without a Tick")
	}
	return p.code.Err
}

func (p *player) read() (v uint64) {
	recording.Number(&p.code, &v)
	return v
}

// call replays one call of the loop.
func (p *player) call(o recording.Op) {
	e, c := p.engine, &p.code
	switch o {
	case recording.Do, recording.Func:
		if cmd, ok := p.command(o); ok {
			p.loop.Ask(&cmd)
		}
		return
	case recording.Reload:
		p.reload(p.read())
		return
	}
	owner := buff.OwnerID(p.read())
	if c.Err != nil {
		return
	}
	switch o {
	case recording.Spawn:
		_ = e.Spawn(owner, p.data(owner))
	case recording.Despawn:
		_, _ = e.Despawn(owner)
	case recording.Drop:
		_ = e.Drop(owner)
	case recording.Restore:
		var blob []byte
		if recording.Bytes(c, &blob); c.Err == nil {
			_, _ = e.Restore(owner, p.data(owner), blob)
		}
	case recording.Readmit:
		area, until := uint32(p.read()), int64(p.read())
		var blob []byte
		if recording.Bytes(c, &blob); c.Err == nil {
			_, _ = e.Readmit(owner, p.data(owner), blob, area, until)
		}
	default:
		c.Failf("frame %d: a call with the number %d", p.done.Frames+1, o)
	}
}

// reload replays a Reload of the catalog with the given fingerprint.
func (p *player) reload(wanted uint64) {
	if p.code.Err != nil {
		return
	}
	if p.game.Catalog == nil {
		p.code.Failf("frame %d has a Reload, and Game.Catalog is nil", p.done.Frames+1)
		return
	}
	var next *buff.Catalog
	p.ask("Game.Catalog", func() { next = p.game.Catalog(p.loads, p.engine.Catalog()) })
	if p.code.Err != nil {
		return
	}
	if p.loads++; next == nil || recording.Fingerprint(next) != wanted {
		p.code.Failf("frame %d has a Reload of another catalog", p.done.Frames+1)
		return
	}
	_, _ = p.engine.Reload(next)
	p.catalogs = append(p.catalogs, p.engine.Catalog())
}

func (p *player) data(id buff.OwnerID) (data any) {
	if p.game.Data != nil && p.code.Err == nil {
		p.ask("Game.Data", func() { data = p.game.Data(id) })
	}
	return data
}

// ask calls a function of the game. If the function panics, the replay ends.
func (p *player) ask(call string, do func()) {
	if err := p.loop.Foreign(call, do); err != nil {
		p.code.Err = err
	}
}

// tick replays a Tick and compares the digests.
func (p *player) tick() error {
	e, c := p.engine, &p.code
	dt := p.read()
	var inbox []byte
	recording.Bytes(c, &inbox)
	var busy uint8
	var want recording.Digest
	recording.Number(c, &busy)
	recording.Number(c, &want)
	if c.Err == nil && (len(c.Data) > 0 || int64(dt) < 0) {
		c.Failf("a Tick of %d with %d bytes behind it", int64(dt), len(c.Data))
	}
	if c.Err != nil {
		return c.Err
	}
	whole := len(inbox) == 0
	if !whole {
		p.loop.Inbox(func() { p.inbox(inbox); whole = true })
	}
	f := e.Tick(time.Duration(dt))
	if !whole && c.Err == nil {
		c.Failf("frame %d: the inbox commands were not replayed", p.done.Frames+1)
	}
	if c.Err != nil {
		return c.Err
	}
	p.sum.Frame(f.Number, f.Now, f.Behind, f.Lost, f.Len())
	for e := range f.Events() {
		p.sum.Event(&e)
	}
	p.done.Frames++
	p.done.Now, p.done.Digest = f.Now, uint64(p.sum)
	if busy == 1 && p.done.Busy == 0 {
		p.done.Busy = f.Number
	}
	if p.game.Frame != nil {
		p.ask("Game.Frame", func() { p.game.Frame(f) })
		if p.code.Err != nil {
			return p.code.Err
		}
	}
	if p.sum == want {
		return nil
	}
	err := fmt.Errorf("%w: frame %d, up to %v, of %d events: digest %016x, recorded was %016x", ErrDiffers, f.Number, f.Now, f.Len(), uint64(p.sum), uint64(want))
	if p.done.Busy > 0 {
		err = fmt.Errorf("%w; an owner was busy from frame %d on, which cannot be repeated", err, p.done.Busy)
	}
	return err
}
