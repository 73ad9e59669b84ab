package engine

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Errors of [Replay] and of a recording.
var (
	// ErrRecording: it is not a recording, or of another version, another catalog, or damaged.
	ErrRecording = errors.New("engine: bad recording")
	// ErrDiffers: the replay did not lead to what was recorded.
	ErrDiffers = errors.New("engine: the replay differs")
)

// Game is what a recording does not hold. The zero value will do for a game whose owners
// have no data and that has timeouts by name only.
type Game struct {
	// Data returns what Spawn and Restore are given for an owner.
	Data func(id buff.OwnerID) any

	// Timeout returns the function of a timeout that the game asked for on the loop or by
	// the inbox; n counts them from 0. If it is nil, a recording that has one is refused.
	Timeout func(n int, owner buff.OwnerID) func(*Context)

	// Catalog returns the catalog that the n-th Reload, from 0, brought, made from the one
	// before. If it is nil, a recording that has a Reload is refused.
	Catalog func(n int, before *buff.Catalog) *buff.Catalog

	// Inbox, if not nil, is given the inbox of the engine that replays, before anything else,
	// for handlers that post: it accepts what they post and forgets it.
	Inbox func(in *Inbox)

	// Frame, if not nil, is called after each Tick.
	Frame func(f *Frame)
}

// Replayed says how far a replay has come.
type Replayed struct {
	Frames int
	Now    wheel.Time
	Digest uint64 // of all events so far; the same as the recording's
	Busy   uint64 // the first frame at whose end somebody was busy when it was recorded; 0: none
}

// Replay makes an engine with the options and has it do what a recording says: see
// [Options].Record. Handlers, Members and the catalog are the game's own and do again what
// they did; seed, limits and clocks are the recording's, and Budget is none. What handlers
// post to the inbox is ignored: it is in the recording.
//
// It ends at the end of the recording or at the first frame whose events are not those
// that were recorded, with [ErrDiffers] and the number of the frame. A recording that was
// cut off in a block, as by a crash, ends with [ErrRecording] behind its last whole one; so
// does one that is damaged, or of another catalog. A frame at whose end somebody was busy
// cannot be repeated for certain: who was still running then was a matter of the machine.
//
// Any goroutine may call it.
func Replay(r io.Reader, o Options, g Game) (done Replayed, err error) {
	in := &blocks{r: bufio.NewReader(r)}
	data, err := in.next()
	if err != nil {
		return done, fmt.Errorf("%w: its beginning: %w", ErrRecording, err)
	}
	code := coder{mode: reading, data: data}
	var h header
	if h.fields(&code); code.err != nil {
		return done, code.err
	}
	o.TurnLimit, o.TickLimit, o.MaxOwners, o.MaxBuffs = h.limits[0], h.limits[1], h.limits[2], h.limits[3]
	o.MailboxLimit, o.HandlerLimit, o.InboxLimit, o.EventLimit = h.limits[4], h.limits[5], h.limits[6], h.limits[7]
	o.Seed, o.Epoch, o.Uptime, o.CatchUp = h.seed, time.UnixMilli(h.epoch), time.Duration(h.uptime), h.policy
	o.Budget, o.Record = -1, nil
	e, err := New(o)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, e.Close(context.Background())) }()
	if fingerprint(e.opts.Catalog) != h.fingerprint {
		return done, fmt.Errorf("%w: it was made with another catalog", ErrRecording)
	}
	e.inbox.deaf = true
	if g.Inbox != nil {
		g.Inbox(&e.inbox)
	}
	p := player{engine: e, game: g, sum: newDigest(), code: coder{mode: reading}}
	p.code.know(e.opts.Catalog)
	for {
		data, err := in.next()
		switch {
		case errors.Is(err, io.EOF):
			return p.done, nil
		case err != nil:
			return p.done, fmt.Errorf("%w: after frame %d: %w", ErrRecording, p.done.Frames, err)
		}
		p.code.data = data
		if err := p.block(); err != nil {
			return p.done, err
		}
	}
}

// blocks reads the blocks of a recording.
type blocks struct {
	r    *bufio.Reader
	data []byte
}

var errChecksum = errors.New("the checksum is wrong")

// next returns the bytes of the next block, io.EOF behind the last.
func (b *blocks) next() ([]byte, error) {
	n, err := binary.ReadUvarint(b.r)
	switch {
	case err != nil:
		return nil, err
	case n > maxBytes:
		return nil, fmt.Errorf("a block of %d bytes, above the limit of %d", n, maxBytes)
	}
	b.data = b.data[:0]
	for left := int(n) + 4; left > 0; { // as far as there is something to read
		k := min(left, 1<<16)
		from := len(b.data)
		b.data = append(b.data, make([]byte, k)...)
		if _, err := io.ReadFull(b.r, b.data[from:]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		left -= k
	}
	data, sum := b.data[:n], binary.LittleEndian.Uint32(b.data[n:])
	if crc32.Checksum(data, checksums) != sum {
		return nil, errChecksum
	}
	return data, nil
}

// player does what blocks say.
type player struct {
	engine *Engine
	game   Game
	code   coder
	sum    digest
	calls  int // timeouts by function so far
	loads  int // calls of Reload so far
	done   Replayed
}

// block does the calls of one block. What they return does not matter: it was the same.
func (p *player) block() error {
	for len(p.code.data) > 0 && p.code.err == nil {
		var o op
		number(&p.code, &o)
		if o == opTick {
			return p.tick()
		}
		p.call(o)
	}
	if p.code.err == nil {
		p.code.failf("a block without a Tick")
	}
	return p.code.err
}

func (p *player) read() (v uint64) {
	number(&p.code, &v)
	return v
}

// call does one call of the loop.
func (p *player) call(o op) {
	e, c := p.engine, &p.code
	id := p.read()
	owner := buff.OwnerID(id)
	switch o {
	case opSpawn:
		_ = e.Spawn(owner, p.data(owner))
	case opDespawn:
		_, _ = e.Despawn(owner)
	case opDrop:
		_ = e.Drop(owner)
	case opRestore:
		var blob []byte
		if bytes(c, &blob); c.err == nil {
			_, _ = e.Restore(owner, p.data(owner), blob)
		}
	case opTo:
		if cmd, ok := p.command(owner); ok {
			e.to(owner, &cmd)
		}
	case opBy:
		if cmd, ok := p.command(0); ok {
			e.by(uint32(id), &cmd)
		}
	case opSource:
		_ = e.LoseSource(owner)
	case opCompensate:
		if cmd, ok := p.command(0); ok && cmd.Query != nil {
			_, _ = e.Compensate(*cmd.Query, cmd.By)
		}
	case opReload:
		p.reload(id)
	default:
		p.zone(o, uint32(id))
	}
}

// reload brings the catalog that has that fingerprint.
func (p *player) reload(wanted uint64) {
	if p.code.err != nil {
		return
	}
	if p.game.Catalog == nil {
		p.code.failf("frame %d has a Reload, and Game.Catalog is nil", p.done.Frames+1)
		return
	}
	next := p.game.Catalog(p.loads, p.engine.Catalog())
	if p.loads++; next == nil || fingerprint(next) != wanted {
		p.code.failf("frame %d has a Reload of another catalog", p.done.Frames+1)
		return
	}
	_, _ = p.engine.Reload(next)
	p.code.know(p.engine.Catalog())
}

func (p *player) zone(o op, id uint32) {
	e := p.engine
	switch v := p.read(); {
	case o == opSetZone:
		_ = e.SetZone(buff.OwnerID(v), id)
	case o == opHoldZone && v == 1:
		_ = e.PauseZone(id)
	case o == opHoldZone:
		_ = e.ResumeZone(id)
	case o == opRateZone:
		_ = e.SetZoneRate(id, buff.Ratio{Num: uint32(v >> 32), Den: uint32(v)})
	default:
		p.code.failf("a call with the number %d", o)
	}
}

func (p *player) data(id buff.OwnerID) any {
	if p.game.Data == nil {
		return nil
	}
	return p.game.Data(id)
}

// command reads a command, and puts the game's function where there was one.
func (p *player) command(owner buff.OwnerID) (cmd buff.Command, ok bool) {
	var calls bool
	p.code.command(&cmd, &calls)
	if calls && p.code.err == nil {
		if p.game.Timeout == nil {
			p.code.failf("frame %d has a timeout by function, and Game.Timeout is nil", p.done.Frames+1)
			return cmd, false
		}
		cmd.Do = p.game.Timeout(p.calls, owner)
		p.calls++
	}
	if cmd.Name != "" && cmd.Verb == buff.AddTimeout {
		h, known := p.engine.names[cmd.Name]
		if !known {
			p.code.failf("frame %d calls the handler %q, and there is none", p.done.Frames+1, cmd.Name)
			return cmd, false
		}
		cmd.Handler = h
	}
	return cmd, p.code.err == nil
}

// tick does a Tick and compares what came of it.
func (p *player) tick() error {
	e, c := p.engine, &p.code
	dt, n := p.read(), p.read()
	for range n {
		who, by := p.read(), p.read()
		cmd, ok := p.command(buff.OwnerID(who))
		if !ok {
			return c.err
		}
		item := posted{to: buff.OwnerID(who), cmd: cmd}
		if by == 1 {
			item = posted{num: uint32(who), by: true, cmd: cmd}
		}
		e.inbox.put(item) // deaf: nobody else does
	}
	var busy uint8
	var want digest
	number(c, &busy)
	number(c, &want)
	if c.err == nil && (len(c.data) > 0 || int64(dt) < 0) {
		c.failf("a Tick of %d with %d bytes behind it", int64(dt), len(c.data))
	}
	if c.err != nil {
		return c.err
	}
	f := e.Tick(time.Duration(dt))
	p.sum.frame(f)
	p.done.Frames++
	p.done.Now, p.done.Digest = f.Now, uint64(p.sum)
	if busy == 1 && p.done.Busy == 0 {
		p.done.Busy = f.Number
	}
	if p.game.Frame != nil {
		p.game.Frame(f)
	}
	if p.sum == want {
		return nil
	}
	err := fmt.Errorf("%w: frame %d, up to %v, of %d events: digest %016x, recorded was %016x", ErrDiffers, f.Number, f.Now, f.Len(), uint64(p.sum), uint64(want))
	if p.done.Busy > 0 {
		err = fmt.Errorf("%w; somebody was busy from frame %d on, which cannot be repeated", err, p.done.Busy)
	}
	return err
}
