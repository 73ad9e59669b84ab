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
// does one that is damaged, of another catalog, or with a value that no game could have given,
// whatever its checksums say: from a recording nothing panics. A frame at whose end somebody was busy
// cannot be repeated for certain: who was still running then was a matter of the machine.
//
// Any goroutine may call it.
func Replay(r io.Reader, o Options, g Game) (done Replayed, err error) {
	e, done, err := replay(r, o, g)
	if e != nil {
		e.target = e.now // what is still carried was not played when it was recorded
		err = errors.Join(err, e.Close(context.Background()))
	}
	return done, err
}

// Resume is Replay for a game that goes on: it returns the engine as it was at the end of the
// recording, with the owners, handles and timeouts of then, and Options.Budget in force. With
// store.Open behind the recording's beginning, that is the exact state before a crash, if handlers are
// deterministic and Replayed.Busy is 0. A recording that a crash has cut off leads to its last whole frame:
// the error is [ErrRecording], and the engine is there all the same. With any other error, and if no
// frame was whole, it is nil.
//
// What the engine does from there on is not recorded. A new recording begins with a new engine.
//
// Any goroutine may call it, which then is the loop.
func Resume(r io.Reader, o Options, g Game) (*Engine, Replayed, error) {
	budget := o.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	e, done, err := replay(r, o, g)
	if e == nil {
		return nil, done, err
	}
	if err != nil && (!errors.Is(err, ErrRecording) || done.Frames == 0 || !errors.Is(err, errCut)) {
		return nil, done, errors.Join(err, e.Close(context.Background()))
	}
	e.opts.Budget = budget
	e.producers.deaf.Store(false)
	return e, done, err
}

// errCut: a block is not whole.
var errCut = errors.New("the recording is cut off")

// replay is Replay, with the engine, if there is one.
func replay(r io.Reader, o Options, g Game) (e *Engine, done Replayed, err error) {
	in := &blocks{r: bufio.NewReader(origin{r})}
	h, err := in.header()
	if err != nil {
		return nil, done, err
	}
	h.set(&o)
	if e, err = New(o); err != nil {
		return nil, done, err
	}
	if fingerprint(e.opts.Catalog) != h.fingerprint {
		return e, done, fmt.Errorf("%w: it was made with another catalog", ErrRecording)
	}
	e.producers.deaf.Store(true)
	if g.Inbox != nil {
		if v := e.foreign("Game.Inbox", true, nil, func() { g.Inbox(&e.inbox) }); v != nil {
			return e, done, fmt.Errorf("engine: replay: %w", panicked("Game.Inbox", v))
		}
	}
	p := player{engine: e, game: g, sum: newDigest(), code: coder{mode: reading}}
	p.catalogs = []*buff.Catalog{e.opts.Catalog}
	for {
		data, err := in.next()
		switch {
		case errors.Is(err, io.EOF):
			return e, p.done, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return e, p.done, fmt.Errorf("%w: after frame %d: %w: %w", ErrRecording, p.done.Frames, errCut, err)
		case err != nil:
			return e, p.done, fmt.Errorf("%w: after frame %d: %w", ErrRecording, p.done.Frames, err)
		}
		p.code.data = data
		if err := p.block(); err != nil {
			return e, p.done, err
		}
	}
}

// header reads the first block.
func (b *blocks) header() (h header, err error) {
	data, err := b.next()
	if err != nil {
		return h, fmt.Errorf("%w: its beginning: %w", ErrRecording, err)
	}
	code := coder{mode: reading, data: data}
	if h.fields(&code); code.err == nil {
		if wrong := h.sound(); wrong != "" {
			code.failf("its beginning: %s", wrong)
		}
	}
	return h, code.err
}

// set makes the options those of the recording.
func (h *header) set(o *Options) {
	o.TurnLimit, o.TickLimit, o.MaxOwners, o.MaxBuffs = h.limits[0], h.limits[1], h.limits[2], h.limits[3]
	o.MailboxLimit, o.HandlerLimit, o.InboxLimit, o.EventLimit = h.limits[4], h.limits[5], h.limits[6], h.limits[7]
	o.Seed, o.Epoch, o.Uptime, o.CatchUp = h.seed, time.UnixMilli(h.epoch), time.Duration(h.uptime), h.policy
	o.Number = h.number
	o.Budget, o.Record = -1, nil
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

	catalogs []*buff.Catalog // so far: what carries a definition that is gone may still be meant by it
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
	switch o {
	case opDo, opFunc:
		if cmd, ok := p.command(o); ok {
			e.ask(&cmd)
		}
		return
	case opReload:
		p.reload(p.read())
		return
	}
	owner := buff.OwnerID(p.read())
	if c.err != nil {
		return
	}
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
	case opReadmit:
		zone, until := uint32(p.read()), int64(p.read())
		var blob []byte
		if bytes(c, &blob); c.err == nil {
			_, _ = e.Readmit(owner, p.data(owner), blob, zone, until)
		}
	default:
		c.failf("frame %d: a call with the number %d", p.done.Frames+1, o)
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
	var next *buff.Catalog
	p.ask("Game.Catalog", func() { next = p.game.Catalog(p.loads, p.engine.Catalog()) })
	if p.code.err != nil {
		return
	}
	if p.loads++; next == nil || fingerprint(next) != wanted {
		p.code.failf("frame %d has a Reload of another catalog", p.done.Frames+1)
		return
	}
	_, _ = p.engine.Reload(next)
	p.catalogs = append(p.catalogs, p.engine.Catalog())
}

func (p *player) data(id buff.OwnerID) (data any) {
	if p.game.Data != nil && p.code.err == nil {
		p.ask("Game.Data", func() { data = p.game.Data(id) })
	}
	return data
}

// ask calls something of the game; a panic ends the replay.
func (p *player) ask(call string, do func()) {
	if v := p.engine.foreign(call, true, nil, do); v != nil {
		p.code.err = fmt.Errorf("engine: replay: %w", panicked(call, v))
	}
}

// origin is where a recording comes from, of which a panic is an error.
type origin struct{ r io.Reader }

func (o origin) Read(p []byte) (n int, err error) {
	defer func() {
		if v := recover(); v != nil {
			n, err = 0, panicked("Read", v)
		}
	}()
	if n, err = o.r.Read(p); n < 0 || n > len(p) {
		return 0, fmt.Errorf("engine: Read of %d bytes returned %d", len(p), n)
	}
	return n, err
}

// tick does a Tick and compares what came of it.
func (p *player) tick() error {
	e, c := p.engine, &p.code
	dt := p.read()
	var inbox []byte
	bytes(c, &inbox)
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
	whole := len(inbox) == 0
	if !whole {
		e.inbox.again(&envelope{run: func(*Engine) { p.inbox(inbox); whole = true }})
	}
	f := e.Tick(time.Duration(dt))
	if !whole && c.err == nil {
		c.failf("frame %d: what the inbox had cannot be done", p.done.Frames+1)
	}
	if c.err != nil {
		return c.err
	}
	p.sum.frame(f)
	p.done.Frames++
	p.done.Now, p.done.Digest = f.Now, uint64(p.sum)
	if busy == 1 && p.done.Busy == 0 {
		p.done.Busy = f.Number
	}
	if p.game.Frame != nil {
		p.ask("Game.Frame", func() { p.game.Frame(f) })
		if p.code.err != nil {
			return p.code.err
		}
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

// sound returns what is wrong with the header of a recording, "" if nothing is. A recording
// has the limits as they were once the defaults had been filled in.
func (h *header) sound() string {
	most := [...]int{1 << 30, 1 << 30, buff.MaxOwners, buff.MaxPerOwner, 1 << 20, 1 << 24, 1 << 24, 1 << 30}
	for i, n := range h.limits {
		if n < 1 || n > most[i] {
			return fmt.Sprintf("limit %d of the options is %d, want 1 to %d", i+1, n, most[i])
		}
	}
	switch {
	case h.uptime < 0:
		return fmt.Sprintf("an uptime of %d", h.uptime)
	case h.number == 0:
		return "an engine without a number"
	case h.policy > Dilate:
		return fmt.Sprintf("the rule %d of catching up", h.policy)
	}
	return ""
}
