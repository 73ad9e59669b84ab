package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/recording"
	"github.com/bufftick/bufftick/internal/recovered"
	"github.com/bufftick/bufftick/wheel"
)

var (
	// ErrRecording: it is not a recording, or of another version, another catalog, or damaged.
	ErrRecording = recording.Err
	// ErrDiffers: the replay did not lead to what was recorded.
	ErrDiffers = errors.New("replay: it differs")
)

// Game is what a recording does not hold. The zero value will do for a game whose owners
// have no data and that has timeouts by name only. A function of it that panics ends the replay with
// an error.
type Game struct {
	// Data returns what Spawn and Restore are given for an owner.
	Data func(id buff.OwnerID) any

	// Timeout returns the function of a timeout that the game asked for on the loop or by
	// the inbox; n counts them from 0. If it is nil, a recording that has one is refused.
	Timeout func(n int, owner buff.OwnerID) func(*engine.Context)

	// Catalog returns the catalog that the n-th Reload, from 0, brought, made from the one
	// before. If it is nil, a recording that has a Reload is refused.
	Catalog func(n int, before *buff.Catalog) *buff.Catalog

	// Inbox, if not nil, is given the inbox of the engine that replays, before anything else,
	// for handlers that post: it accepts what they post and forgets it.
	Inbox func(in *engine.Inbox)

	// Frame, if not nil, is called after each Tick.
	Frame func(f *engine.Frame)
}

// Progress says how far a replay has come.
type Progress struct {
	Frames int
	Now    wheel.Time
	Digest uint64 // of all events so far; the same as the recording's
	Busy   uint64 // the first frame at whose end somebody was busy when it was recorded; 0: none
}

// Run makes an engine with the options and has it do what a recording says: see
// [engine.Options].Trace.Record. Handlers, Members and the catalog are the game's own and do again what
// they did; seed, limits and clocks are the recording's, and Budget is none. What handlers
// post to the inbox is ignored: it is in the recording. Limits.Tick or Limits.Events above 1,048,576 must
// be in the options too: so much memory a recording does not get unasked.
//
// It ends at the end of the recording or at the first frame whose events are not those
// that were recorded, with [ErrDiffers] and the number of the frame. A recording that was
// cut off in a block, as by a crash, ends with [ErrRecording] behind its last whole one; so
// does one that is damaged, of another catalog, or with a value that no game could have given,
// whatever its checksums say: from a recording nothing panics. It fails as [engine.New] does. A frame
// at whose end somebody was busy cannot be repeated for certain: who was still running then was a matter
// of the machine.
//
// Any goroutine may call it.
func Run(r io.Reader, o engine.Options, g Game) (Progress, error) {
	p, err := play(r, o, g)
	if p.engine != nil {
		p.loop.Forget()
		err = errors.Join(err, p.engine.Close(context.Background()))
	}
	return p.done, err
}

// Resume is Run for a game that goes on: it returns the engine as it was at the end of the
// recording, with the owners, handles and timeouts of then, and Options.Budget in force. With
// store.Open behind the recording's beginning, that is the exact state before a crash, if handlers are
// deterministic and Progress.Busy is 0. A recording that a crash has cut off leads to its last whole frame:
// the error is [ErrRecording], and the engine is there all the same. With any other error, and if no
// frame was whole, it is nil.
//
// What the engine does from there on is not recorded. A new recording begins with a new engine.
//
// Any goroutine may call it, which then is the loop.
func Resume(r io.Reader, o engine.Options, g Game) (*engine.Engine, Progress, error) {
	budget := o.Budget
	if budget == 0 {
		budget = engine.DefaultBudget
	}
	p, err := play(r, o, g)
	switch {
	case p.engine == nil:
		return nil, p.done, err
	case err != nil && (!errors.Is(err, errCut) || p.done.Frames == 0):
		return nil, p.done, errors.Join(err, p.engine.Close(context.Background()))
	}
	p.loop.GoOn(budget)
	return p.engine, p.done, err
}

// errCut: a block is not whole.
var errCut = errors.New("the recording is cut off")

// play does a whole recording. The engine of the player is nil if there is none.
func play(r io.Reader, o engine.Options, g Game) (*player, error) {
	p := &player{game: g, sum: recording.NewDigest(), code: recording.Code{Reading: true}}
	in := recording.Read(origin{r})
	if err := p.begin(in, o); err != nil {
		return p, err
	}
	for {
		data, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return p, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return p, fmt.Errorf("%w: after frame %d: %w: %w", ErrRecording, p.done.Frames, errCut, err)
		case err != nil:
			return p, fmt.Errorf("%w: after frame %d: %w", ErrRecording, p.done.Frames, err)
		}
		p.code.Data = data
		if err := p.block(); err != nil {
			return p, err
		}
	}
}

// begin reads the header and makes the engine.
func (p *player) begin(in *recording.Blocks, o engine.Options) error {
	h, err := header(in)
	if err != nil {
		return err
	}
	if err := affordable(&o, &h); err != nil {
		return err
	}
	set(&o, &h)
	e, err := engine.New(o)
	if err != nil {
		return err
	}
	p.engine, p.loop = e, recording.LoopOf(e)
	if p.loop.Fingerprint() != h.Fingerprint {
		return fmt.Errorf("%w: it was made with another catalog", ErrRecording)
	}
	p.loop.Begin()
	p.catalogs = []*buff.Catalog{e.Catalog()}
	if p.game.Inbox == nil {
		return nil
	}
	return p.loop.Foreign("Game.Inbox", func() { p.game.Inbox(e.Inbox()) })
}

// header reads the first block.
func header(in *recording.Blocks) (h recording.Header, err error) {
	data, err := in.Next()
	if err != nil {
		return h, fmt.Errorf("%w: its beginning: %w", ErrRecording, err)
	}
	code := recording.Code{Reading: true, Data: data}
	if h.Code(&code); code.Err == nil {
		if wrong := h.Wrong(uint8(engine.Dilate)); wrong != "" {
			code.Failf("its beginning: %s", wrong)
		}
	}
	return h, code.Err
}

// unasked is how many events a Tick of a recording may work off, or its calls make, if the options of the
// replay do not say that it may be more: some 150 MB.
const unasked = 1 << 20

// affordable reports whether the game's options let the replay take as much memory as the recording may want.
func affordable(o *engine.Options, h *recording.Header) error {
	for _, l := range []struct {
		name      string
		is, ought int
	}{{"Limits.Tick", h.Limits[1], o.Limits.Tick}, {"Limits.Events", h.Limits[7], o.Limits.Events}} {
		if most := max(unasked, l.ought); l.is > most {
			return fmt.Errorf("%w: its beginning: a %s of %d, and Options of the replay allow %d", ErrRecording, l.name, l.is, most)
		}
	}
	return nil
}

// set makes the options those of the recording.
func set(o *engine.Options, h *recording.Header) {
	o.Limits.Turn, o.Limits.Tick, o.Limits.Owners, o.Limits.Buffs = h.Limits[0], h.Limits[1], h.Limits[2], h.Limits[3]
	o.Limits.Mailbox, o.Limits.Handlers, o.Limits.Inbox, o.Limits.Events = h.Limits[4], h.Limits[5], h.Limits[6], h.Limits[7]
	o.Seed, o.Epoch, o.Uptime, o.CatchUp = h.Seed, time.UnixMilli(h.Epoch), time.Duration(h.Uptime), engine.CatchUp(h.Policy)
	o.Number = h.Number
	o.Budget, o.Trace.Record = -1, nil
}

// origin is where a recording comes from, of which a panic is an error.
type origin struct{ r io.Reader }

func (o origin) Read(p []byte) (n int, err error) {
	defer func() {
		if v := recover(); v != nil {
			n, err = 0, fmt.Errorf("Read panicked: %s", recovered.Text(v))
		}
	}()
	if n, err = o.r.Read(p); n < 0 || n > len(p) {
		return 0, fmt.Errorf("replay: Read of %d bytes returned %d", len(p), n)
	}
	return n, err
}
