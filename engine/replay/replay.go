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
	// ErrRecording means that the input is not a recording, is damaged, or was made by another
	// version or with another catalog.
	ErrRecording = recording.Err
	// ErrDiffers means that the events of the replay differ from the recorded events.
	ErrDiffers = errors.New("replay: events differ from the recording")
)

// Game provides the inputs that a recording does not contain. The zero value is sufficient for a
// game in which owners have no data and all timeouts are by name. If one of the functions panics,
// the replay ends with an error.
type Game struct {
	// Data returns the data of an owner, as passed to Spawn and Restore.
	Data func(id buff.OwnerID) any

	// Timeout returns the function of the n-th timeout that was started by the loop or the Inbox,
	// counted from 0. If Timeout is nil, a recording with such a timeout is refused.
	Timeout func(n int, owner buff.OwnerID) func(*engine.Context)

	// Catalog returns the catalog of the n-th Reload, counted from 0. It must be built from the
	// catalog that was used before. If Catalog is nil, a recording with a Reload is refused.
	Catalog func(n int, before *buff.Catalog) *buff.Catalog

	// Inbox, if not nil, is called before the replay starts, with the Inbox of the engine. It is
	// for handlers that post commands: the Inbox accepts their commands and drops them.
	Inbox func(in *engine.Inbox)

	// Frame, if not nil, is called after each Tick.
	Frame func(f *engine.Frame)
}

// Progress says how far a replay has come.
type Progress struct {
	Frames int
	Now    wheel.Time
	Digest uint64 // digest of all events so far; equal to the digest in the recording
	Busy   uint64 // first frame that ended with a busy owner in the recording; 0 if none
}

// Run makes an engine with the given options, and replays a recording on this engine; see
// [engine.Options].Trace.Record. The options must have the game's Handlers, Members and catalog,
// unchanged since the recording. Run takes the seed, the limits and the clocks from the recording,
// and sets no Budget. Commands that handlers post to the Inbox are ignored, because they are in the
// recording. A recording cannot demand unlimited memory: if its Limits.Tick or Limits.Events is
// above 1,048,576, it is refused unless the limit in the options is at least as high.
//
// Run ends at the end of the recording. If the events of a frame differ from the recorded events,
// Run ends there with [ErrDiffers] and the number of the frame. This may happen after a frame that
// ended with a busy owner, because the set of handlers that were still running depended on the
// machine. A recording that was cut off within a block, for example by a crash, ends with
// [ErrRecording] after its last complete block. Run also returns ErrRecording if the recording is
// damaged, belongs to another catalog, or contains a value that no game could have passed, even if
// its checksums are valid. No recording makes Run panic. Run also fails in the same cases as
// [engine.New].
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

// Resume is like Run, but for a game that continues. It returns the engine in its state at the end
// of the recording, with the same owners, handles and timeouts, and with Options.Budget in effect.
// If store.Open was called after the start of the recording, this is the exact state before a
// crash, provided that handlers are deterministic and Progress.Busy is 0. If a crash has cut off
// the recording, Resume returns the state after the last complete frame, together with the error
// [ErrRecording]. With any other error, or without a complete frame, the engine is nil.
//
// The returned engine does not record. To record again, start with a new engine.
//
// Any goroutine may call it. This goroutine is then the loop.
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

// errCut means that a block is incomplete.
var errCut = errors.New("the recording is cut off")

// play replays a whole recording. The player's engine is nil if it could not be made.
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

// begin reads the header and creates the engine.
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

// defaultMost is the largest Limits.Tick and Limits.Events that a recording may have, unless the
// options of the replay have a larger value. The events then take about 150 MB of memory.
const defaultMost = 1 << 20

// affordable returns an error if the recording may need more memory than the game's options
// allow.
func affordable(o *engine.Options, h *recording.Header) error {
	for _, l := range []struct {
		name        string
		is, allowed int
	}{{"Limits.Tick", h.Limits[1], o.Limits.Tick}, {"Limits.Events", h.Limits[7], o.Limits.Events}} {
		if most := max(defaultMost, l.allowed); l.is > most {
			return fmt.Errorf("%w: its beginning: a %s of %d, and Options of the replay allow %d", ErrRecording, l.name, l.is, most)
		}
	}
	return nil
}

// set replaces the options with the options in the recording.
func set(o *engine.Options, h *recording.Header) {
	o.Limits.Turn, o.Limits.Tick, o.Limits.Owners, o.Limits.Buffs = h.Limits[0], h.Limits[1], h.Limits[2], h.Limits[3]
	o.Limits.Mailbox, o.Limits.Handlers, o.Limits.Inbox, o.Limits.Events = h.Limits[4], h.Limits[5], h.Limits[6], h.Limits[7]
	o.Seed, o.Epoch, o.Uptime, o.CatchUp = h.Seed, time.UnixMilli(h.Epoch), time.Duration(h.Uptime), engine.CatchUp(h.Policy)
	o.Number = h.Number
	o.Budget, o.Trace.Record = -1, nil
}

// origin wraps the reader of a recording. If the reader panics, Read returns an error.
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
