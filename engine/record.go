package engine

import (
	"fmt"
	"io"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/recording"
)

// recorder writes a recording to [Options].Trace.Record. The methods of a nil recorder do nothing.
type recorder struct {
	engine *Engine
	w      io.Writer
	code   recording.Code
	inbox  []byte // recorded commands of the Inbox in this Tick
	run    []byte // buffer for the calls of a function of Inbox.Run
	binary []byte // buffer for a command
	frame  []byte // buffer for a framed block
	sum    recording.Digest
	shut   bool // Close was called, so calls fail and are no longer recorded
}

// newRecorder starts a recording.
func newRecorder(e *Engine) *recorder {
	if e.opts.Trace.Record == nil {
		return nil
	}
	r := &recorder{engine: e, w: &sink{e, callRecord, e.opts.Trace.Record}, sum: recording.NewDigest()}
	h := headerOf(&e.opts)
	h.Code(&r.code)
	r.block()
	return r
}

// block writes the encoded data as one block.
func (r *recorder) block() {
	data := r.code.Data
	r.frame = recording.AppendBlock(r.frame[:0], data)
	if _, err := r.w.Write(r.frame); err != nil {
		r.fail(err)
	}
	r.code.Data = data[:0]
}

// fail ends the recording because of an error, which Close returns.
func (r *recorder) fail(err error) { r.w, r.code.Err = nil, fmt.Errorf("engine: recording: %w", err) }

// startCall records the start of a call: the operation and its numeric arguments.
func (r *recorder) startCall(o recording.Op, args ...uint64) {
	if r == nil || r.w == nil || r.shut {
		return
	}
	recording.Number(&r.code, &o)
	for i := range args {
		recording.Number(&r.code, &args[i])
	}
}

// blob adds bytes to the current call.
func (r *recorder) blob(b []byte) {
	if r != nil && r.w != nil && !r.shut {
		recording.Bytes(&r.code, &b)
	}
}

// command records a command that the loop has issued.
func (r *recorder) command(c *buff.Command) {
	if r != nil && !r.shut {
		r.posted(c)
	}
}

// posted records a command that was posted to the Inbox.
func (r *recorder) posted(c *buff.Command) {
	if r == nil || r.w == nil {
		return
	}
	if c.Do != nil {
		o, whose, after := recording.Func, c.Owner, c.By
		recording.Number(&r.code, &o)
		recording.Number(&r.code, &whose)
		recording.Number(&r.code, &after)
		return
	}
	data, err := c.AppendBinary(r.binary[:0], r.engine.Catalog())
	if err != nil {
		r.fail(err)
		return
	}
	o := recording.Do
	recording.Number(&r.code, &o)
	recording.Bytes(&r.code, &data)
	r.binary = data
}

// beginInbox makes the recorder record commands as commands of the Inbox, until endInbox is called
// with the result of beginInbox.
func (r *recorder) beginInbox() (calls []byte) {
	if r == nil {
		return nil
	}
	calls, r.code.Data = r.code.Data, r.inbox[:0]
	return calls
}

// endInbox ends the recording of commands of the Inbox. Later calls are recorded as calls of the
// loop again. The parameter `calls` is the result of beginInbox.
func (r *recorder) endInbox(calls []byte) {
	if r != nil {
		r.inbox, r.code.Data = r.code.Data, calls
	}
}

// beginRun makes the recorder record calls as calls of a function of Inbox.Run, until endRun is
// called with the result of beginRun.
func (r *recorder) beginRun() (inbox []byte) {
	if r == nil {
		return nil
	}
	inbox, r.code.Data = r.code.Data, r.run[:0]
	return inbox
}

// endRun ends the recording of the calls of a function. Later commands are recorded as commands of
// the Inbox again. The parameter `inbox` is the result of beginRun.
func (r *recorder) endRun(inbox []byte) {
	if r == nil {
		return
	}
	r.run, r.code.Data = r.code.Data, inbox
	if r.w != nil {
		o := recording.Run
		recording.Number(&r.code, &o)
		recording.Bytes(&r.code, &r.run)
	}
}

// reload records a change of the catalog.
func (r *recorder) reload(c *buff.Catalog) {
	if r != nil && r.w != nil && !r.shut { // checked here too, because Fingerprint is expensive
		r.startCall(recording.Reload, recording.Fingerprint(c))
	}
}

// tick records a Tick, at its end.
func (r *recorder) tick(dt int64, f *Frame, busy bool) {
	if r == nil || r.w == nil {
		return
	}
	o, span := recording.Tick, dt
	recording.Number(&r.code, &o)
	recording.Number(&r.code, &span)
	recording.Bytes(&r.code, &r.inbox)
	r.inbox = r.inbox[:0]
	r.sum.Frame(f.Number, f.Now, f.Behind, f.Lost, f.count)
	for e := range f.Events() {
		r.sum.Event(&e)
	}
	flag := uint8(0)
	if busy {
		flag = 1
	}
	recording.Number(&r.code, &flag)
	recording.Number(&r.code, &r.sum)
	r.block()
}

// close ends the recording of calls, which fail from now on. The Ticks that Close makes are still
// recorded.
func (r *recorder) close() {
	if r != nil {
		r.shut = true
	}
}

// failure returns the error that ended the recording, or nil.
func (r *recorder) failure() error {
	if r == nil {
		return nil
	}
	return r.code.Err
}

func headerOf(o *Options) recording.Header {
	return recording.Header{
		Fingerprint: recording.Fingerprint(o.Catalog), Seed: o.Seed,
		Limits: [8]int{
			o.Limits.Turn, o.Limits.Tick, o.Limits.Owners, o.Limits.Buffs, o.Limits.Mailbox, o.Limits.Handlers, o.Limits.Inbox, o.Limits.Events,
		},
		Epoch: o.Epoch.UnixMilli(), Uptime: int64(o.Uptime), Policy: uint8(o.CatchUp), Number: o.Number,
	}
}

// replayed gives package engine/replay access to an engine.
type replayed Engine

func init() {
	recording.LoopOf = func(e any) recording.Loop { return (*replayed)(e.(*Engine)) }
}

func (r *replayed) engine() *Engine { return (*Engine)(r) }

func (r *replayed) Begin() { r.producers.replaying.Store(true) }

func (r *replayed) Fingerprint() uint64 { return recording.Fingerprint(r.opts.Catalog) }

func (r *replayed) Find(c *buff.Command) error { return r.engine().resolveHandler(c) }

func (r *replayed) Ask(c *buff.Command) { r.engine().execute(c) }

func (r *replayed) Forward(c *buff.Command) { r.engine().forward(c) }

func (r *replayed) Inbox(do func()) { r.inbox.postRecorded(&envelope{run: func(*Engine) { do() }}) }

func (r *replayed) Foreign(call string, do func()) error {
	if v := r.engine().callGame(call, true, nil, do); v != nil {
		return fmt.Errorf("replay: %w", panicked(call, v))
	}
	return nil
}

func (r *replayed) Forget() { r.target = r.now }

func (r *replayed) GoOn(budget time.Duration) {
	r.opts.Budget = budget
	r.producers.replaying.Store(false)
}
