package engine

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// A recording is what [Options].Record gets: the inputs of a run, in blocks. A block is its
// length, its bytes and their checksum; the first says what the engine was, and each other
// one holds the calls since the Tick before, the Tick, what it took from the inbox, and a
// digest of all events so far. What handlers did is not in it: they do it again.
const (
	recordMagic   = "bufftick recording"
	recordVersion = 5 // since version 1 attributes count from 1, since 2 the engine has a number, since 4 commands have their own binary form
)

var checksums = crc32.MakeTable(crc32.Castagnoli)

// op says what a record of a block is.
type op uint8

const (
	opSpawn op = iota + 1
	opDespawn
	opDrop
	opRestore
	opDo   // a command, in its binary form
	opFunc // a timeout by function: whose, and after what
	opReload
	opTick // the last of a block, with what the inbox had: opDo, opFunc and opRun
	opRun  // a function of Inbox.Run, as the calls that it made
	opReadmit
)

// recorder writes a recording. A nil one writes nothing.
type recorder struct {
	engine *Engine
	w      io.Writer
	code   coder
	inbox  []byte // what the Tick has taken
	run    []byte // room for the calls of a function of Inbox.Run
	binary []byte // room for a command
	frame  []byte // of the block, before its bytes
	sum    digest
	shut   bool // calls fail from here on
}

// newRecorder begins a recording.
func newRecorder(e *Engine) *recorder {
	if e.opts.Record == nil {
		return nil
	}
	r := &recorder{engine: e, w: &sink{e, callRecord, e.opts.Record}, sum: newDigest(), code: coder{mode: writing}}
	h := headerOf(&e.opts)
	h.fields(&r.code)
	r.block()
	return r
}

// block writes what has been coded.
func (r *recorder) block() {
	data := r.code.data
	r.frame = binary.AppendUvarint(r.frame[:0], uint64(len(data)))
	r.frame = append(r.frame, data...)
	r.frame = binary.LittleEndian.AppendUint32(r.frame, crc32.Checksum(data, checksums))
	if _, err := r.w.Write(r.frame); err != nil {
		r.fail(err)
	}
	r.code.data = data[:0]
}

// fail ends the recording; Close returns the error.
func (r *recorder) fail(err error) { r.w, r.code.err = nil, fmt.Errorf("engine: recording: %w", err) }

// begin notes a call with up to two numbers.
func (r *recorder) begin(o op, args ...uint64) {
	if r == nil || r.w == nil || r.shut {
		return
	}
	number(&r.code, &o)
	for i := range args {
		number(&r.code, &args[i])
	}
}

// blob adds bytes to the call.
func (r *recorder) blob(b []byte) {
	if r != nil && r.w != nil && !r.shut {
		bytes(&r.code, &b)
	}
}

// command notes a call that is a command.
func (r *recorder) command(c *buff.Command) {
	if r != nil && !r.shut {
		r.posted(c)
	}
}

// posted notes a command that the inbox had.
func (r *recorder) posted(c *buff.Command) {
	if r == nil || r.w == nil {
		return
	}
	if c.Do != nil {
		o, whose, after := opFunc, c.Owner, c.By
		number(&r.code, &o)
		number(&r.code, &whose)
		number(&r.code, &after)
		return
	}
	data, err := c.AppendBinary(r.binary[:0], r.engine.Catalog())
	if err != nil {
		r.fail(err)
		return
	}
	o := opDo
	number(&r.code, &o)
	bytes(&r.code, &data)
	r.binary = data
}

// beginInbox has what follows noted as what the inbox had. It returns what endInbox wants.
func (r *recorder) beginInbox() (calls []byte) {
	if r == nil {
		return nil
	}
	calls, r.code.data = r.code.data, r.inbox[:0]
	return calls
}

// endInbox goes back to the calls of the loop.
func (r *recorder) endInbox(calls []byte) {
	if r != nil {
		r.inbox, r.code.data = r.code.data, calls
	}
}

// beginRun has what follows noted as calls of a function of Inbox.Run. It returns what endRun
// wants.
func (r *recorder) beginRun() (inbox []byte) {
	if r == nil {
		return nil
	}
	inbox, r.code.data = r.code.data, r.run[:0]
	return inbox
}

// endRun goes back to what the inbox had.
func (r *recorder) endRun(inbox []byte) {
	if r == nil {
		return
	}
	r.run, r.code.data = r.code.data, inbox
	if r.w != nil {
		o := opRun
		number(&r.code, &o)
		bytes(&r.code, &r.run)
	}
}

// reload notes that another catalog came into force.
func (r *recorder) reload(c *buff.Catalog) {
	if r != nil && r.w != nil && !r.shut { // a fingerprint is not for nothing
		r.begin(opReload, fingerprint(c))
	}
}

// tick notes the end of a Tick.
func (r *recorder) tick(dt int64, f *Frame, busy bool) {
	if r == nil || r.w == nil {
		return
	}
	o, span := opTick, dt
	number(&r.code, &o)
	number(&r.code, &span)
	bytes(&r.code, &r.inbox)
	r.inbox = r.inbox[:0]
	r.sum.frame(f)
	flag := uint8(0)
	if busy {
		flag = 1
	}
	number(&r.code, &flag)
	number(&r.code, &r.sum)
	r.block()
}

// close says that calls fail from here on; Ticks of Close are still recorded.
func (r *recorder) close() {
	if r != nil {
		r.shut = true
	}
}

// failure returns why the recording is not whole.
func (r *recorder) failure() error {
	if r == nil {
		return nil
	}
	return r.code.err
}

// header is the first block: what must be the same for the same things to happen.
type header struct {
	magic       string
	version     int
	fingerprint uint64
	seed        uint64
	limits      [8]int
	epoch       int64
	uptime      int64
	policy      CatchUp
	number      uint32 // of the engine, in handles
}

func headerOf(o *Options) header {
	return header{
		magic: recordMagic, version: recordVersion, fingerprint: fingerprint(o.Catalog), seed: o.Seed,
		limits: [8]int{
			o.TurnLimit, o.TickLimit, o.MaxOwners, o.MaxBuffs, o.MailboxLimit, o.HandlerLimit, o.InboxLimit, o.EventLimit,
		},
		epoch: o.Epoch.UnixMilli(), uptime: int64(o.Uptime), policy: o.CatchUp, number: o.Number,
	}
}

func (h *header) fields(c *coder) {
	bytes(c, &h.magic)
	number(c, &h.version)
	if c.mode == reading && (h.magic != recordMagic || h.version != recordVersion) {
		c.failf("it begins with %.20q, version %d; this engine reads %q, version %d", h.magic, h.version, recordMagic, recordVersion)
		return
	}
	number(c, &h.fingerprint)
	number(c, &h.seed)
	for i := range h.limits {
		number(c, &h.limits[i])
	}
	number(c, &h.epoch)
	number(c, &h.uptime)
	number(c, &h.policy)
	number(c, &h.number)
}

// digest is a number for everything that has happened so far. Two runs that differ have
// the same with a chance of 1 in 2^64.
type digest uint64

func newDigest() digest { return 0x9e3779b97f4a7c15 }

func (d *digest) add(v uint64) {
	*d = digest(bits.RotateLeft64(uint64(*d)^v*0x9fb21c651e98df25, 29) * 0xd6e8feb86659fd93)
}

func (d *digest) text(s string) {
	d.add(uint64(len(s)))
	for chunk := range slices.Chunk([]byte(s), 8) {
		var b [8]byte
		copy(b[:], chunk)
		d.add(binary.LittleEndian.Uint64(b[:]))
	}
}

// frame adds all that a frame says.
func (d *digest) frame(f *Frame) {
	for _, v := range []uint64{f.Number, uint64(f.Now), uint64(f.Behind), uint64(f.Lost), uint64(f.count)} {
		d.add(v)
	}
	for e := range f.Events() {
		d.event(&e)
	}
}

func (d *digest) event(e *buff.Event) {
	spec := uint64(math.MaxUint64)
	if e.Spec != nil {
		spec = uint64(e.Spec.Index())
	}
	for _, v := range []wheel.Time{e.At, e.Seen, e.End, e.Next} {
		d.add(uint64(v))
	}
	for _, v := range []int64{e.Elapsed, e.Period, e.Offline, e.Magnitude} {
		d.add(uint64(v))
	}
	d.add(uint64(e.Owner))
	d.add(uint64(e.Source))
	d.add(uint64(e.Handle))
	d.add(spec)
	d.add(uint64(uint32(e.Stacks))<<32 | uint64(uint32(e.Count)))
	d.add(uint64(max(e.Attr, 1) - 1))
	d.add(math.Float64bits(e.Delta))
	d.add(math.Float64bits(e.Value))
	d.add(uint64(uint16(e.Level))<<16 | uint64(e.Kind)<<8 | uint64(e.Why))
	if e.Name != "" {
		d.text(e.Name)
	}
	if e.Target != 0 {
		d.add(uint64(e.Target))
	}
}
