package client

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/bits"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Options limits the memory of a [Client]. The zero value is ready to use.
type Options struct {
	Owners int // maximum number of owners in view; default 16,384
	Buffs  int // maximum number of buffs of all owners; default 65,536
	Specs  int // maximum number of definitions; default 131,072
}

// Errors returned by [Client.Receive].
var (
	// ErrGap means that an earlier packet was lost. Send the message returned by [Client.Missed].
	// The client keeps its state until the answer arrives.
	ErrGap = errors.New("client: packet lost")

	// ErrFormat means that the message is malformed. The client has discarded its state; send the
	// message returned by [Client.Missed] to request the whole state.
	ErrFormat = errors.New("client: malformed packet")

	// ErrLimit means that a packet exceeds [Options]. The client has discarded its state.
	ErrLimit = errors.New("client: too much in view")
)

// Client is the decoded view of a player. Create one with [New]. It is not safe for concurrent
// use.
type Client struct {
	opts        Options
	owners      []Owner                 // by local number
	locals      map[buff.OwnerID]uint32 // local numbers of the owners in view
	buffs       int
	last        uint64 // number of the last packet; 0 if none
	now         wheel.Time
	fingerprint uint64           // fingerprint of the definitions that packets refer to; 0 if unknown
	known       uint64           // fingerprint of the definitions in specs
	specs       map[uint32]*Spec // by number
	attributes  [maxAttributes]attribute
	scratch     reader
}

// Owner is an owner in view.
type Owner struct {
	id     buff.OwnerID
	inView bool
	dead   bool
	values []Attribute
	buffs  []Buff
	index  []uint16 // by slot: index in buffs plus one
}

// Buff is an active buff.
type Buff struct {
	Slot      int    // slot on its owner; reused once the buff has ended
	Spec      uint32 // argument for Client.Spec; differs from the Index in the server's catalog
	Source    buff.OwnerID
	Stacks    int
	Magnitude int64
	Level     int
	Charges   int
	Shield    int64
	Waiting   int // number of queued applications
	Hidden    bool

	End  wheel.Time // server time of the end at the current rate; Never if the buff has no end or is paused
	Held buff.Held  // pause reasons; 0 if time passes
	Rate buff.Ratio // rate of the buff's time when it is not paused; the zero Ratio means 1
	left int64      // if paused: ms left of the buff's own time, or -1 for no end
}

// New returns a Client with an empty view. It panics if an option is negative.
func New(o Options) *Client {
	set := func(v *int, standard int) {
		if *v < 0 {
			panic("client: negative option")
		}
		if *v == 0 {
			*v = standard
		}
	}
	set(&o.Owners, 16_384)
	set(&o.Buffs, 65_536)
	set(&o.Specs, 131_072)
	return &Client{opts: o, locals: map[buff.OwnerID]uint32{}, specs: map[uint32]*Spec{}}
}

// Now returns the server time of the last packet, in ms since the engine started. The server sends
// packets only for changes, so the caller must add the time that has passed on its own clock since
// the last packet.
func (c *Client) Now() wheel.Time { return c.now }

// Owners returns an iterator over the owners in view.
func (c *Client) Owners() iter.Seq[*Owner] {
	return func(yield func(*Owner) bool) {
		for k := range c.owners {
			if c.owners[k].inView && !yield(&c.owners[k]) {
				return
			}
		}
	}
}

// Owner returns the owner with the given id, or nil if it is not in view.
func (c *Client) Owner(id buff.OwnerID) *Owner {
	if local, ok := c.locals[id]; ok {
		return &c.owners[local]
	}
	return nil
}

// ID returns the owner's id.
func (o *Owner) ID() buff.OwnerID { return o.id }

// Dead reports whether the owner is dead.
func (o *Owner) Dead() bool { return o.dead }

// Buffs returns the owner's buffs in unspecified order. The slice is valid until the next call
// to Receive.
func (o *Owner) Buffs() []Buff { return o.buffs }

// maxLeft bounds the remaining time of a buff whose rate makes it longer.
const maxLeft = 1 << 62

// Left returns the remaining ms of the buff's own time at the given server time, and whether the
// buff has an end. The remaining time of a paused buff does not change.
func (b *Buff) Left(now wheel.Time) (ms int64, ends bool) {
	switch {
	case b.Held != 0:
		return max(b.left, 0), b.left >= 0
	case b.End == wheel.Never:
		return 0, false
	}
	ms = max(int64(b.End-now), 0)
	if b.Rate.Den > 0 {
		hi, lo := bits.Mul64(uint64(ms), uint64(b.Rate.Num))
		den := uint64(b.Rate.Den)
		ms = maxLeft
		if hi < den {
			q, _ := bits.Div64(hi, lo, den)
			ms = int64(min(q, maxLeft))
		}
	}
	return ms, true
}

// Missed returns a message for the server that requests all changes since the last packet
// received. After New or Reset it requests the whole state.
func (c *Client) Missed() []byte { return binary.AppendUvarint([]byte{kindLost}, c.last) }

// Reset discards everything but the definitions. Call it when a new connection starts.
func (c *Client) Reset() {
	clear(c.owners)
	clear(c.locals)
	clear(c.attributes[:])
	c.owners, c.buffs, c.last, c.fingerprint = c.owners[:0], 0, 0, 0
}

// Receive accepts a packet or a definitions message. It returns [ErrGap], [ErrFormat] or
// [ErrLimit]. Late and duplicate packets are ignored.
func (c *Client) Receive(message []byte) error {
	if len(message) == 0 {
		return fmt.Errorf("%w: empty message", ErrFormat)
	}
	c.scratch = reader{b: message, at: 1}
	if message[0] == kindDefine {
		return c.define(&c.scratch)
	}
	err := c.packet(message[0], &c.scratch)
	if err != nil && !errors.Is(err, ErrGap) {
		c.Reset()
	}
	return err
}

func (c *Client) packet(kind byte, r *reader) error {
	if kind != kindPacket && kind != kindRepair {
		return fmt.Errorf("%w: unknown kind %#x", ErrFormat, kind)
	}
	number := r.number()
	base := number - 1
	if kind == kindRepair {
		base = r.number()
	}
	first := r.number()
	switch {
	case r.bad || number == 0 || base >= number || first > maxTime:
		return fmt.Errorf("%w: invalid header", ErrFormat)
	case number <= c.last:
		return nil
	case base > c.last:
		return fmt.Errorf("%w: it follows packet %d, the last received is %d", ErrGap, base, c.last)
	}
	now := wheel.Time(first)
	for r.at < len(r.b) {
		if err := c.part(r, &now); err != nil {
			return err
		}
	}
	c.last, c.now = number, now
	return nil
}

// part decodes one part of a packet.
func (c *Client) part(r *reader, now *wheel.Time) error {
	n := r.number()
	local := n >> 2
	switch {
	case r.bad:
		return r.failed()
	case n&3 == aboutMore:
		return c.more(r, n, now)
	case local >= uint64(c.opts.Owners):
		return fmt.Errorf("%w: local number %d", ErrLimit, local)
	case n&3 == aboutLeave:
		if local < uint64(len(c.owners)) {
			c.drop(&c.owners[local])
		}
		return nil
	}
	if n&3 == aboutFull {
		c.assign(uint32(local), buff.OwnerID(r.number()))
	}
	if local >= uint64(len(c.owners)) || !c.owners[local].inView {
		return fmt.Errorf("%w: change of an unknown owner", ErrFormat)
	}
	o := &c.owners[local]
	count := r.number()
	for ; count > 0 && !r.bad; count-- {
		if err := c.record(o, r, *now); err != nil {
			return err
		}
	}
	return r.failed()
}

func (c *Client) more(r *reader, n uint64, now *wheel.Time) error {
	switch n {
	case moreCatalog:
		c.fingerprint = r.fixed()
	case moreTime:
		span := r.number()
		if span > maxTime-uint64(*now) {
			return fmt.Errorf("%w: time out of range", ErrFormat)
		}
		*now = now.Add(int64(span))
	case moreAttr:
		return c.attribute(r)
	case moreSpec:
		return c.spec(r, c.specs)
	default: // a part of a later version of the protocol
		r.skipTo(r.length())
	}
	return r.failed()
}

// assign gives a local number to an owner. If another owner had the number, that owner is dropped.
// If the owner had another number, that number becomes free.
func (c *Client) assign(local uint32, id buff.OwnerID) {
	for int(local) >= len(c.owners) {
		c.owners = append(c.owners, Owner{})
	}
	c.drop(&c.owners[local])
	if had, ok := c.locals[id]; ok {
		c.drop(&c.owners[had])
	}
	c.owners[local].id, c.owners[local].inView = id, true
	c.locals[id] = local
}

// maxKept is the number of slots for which an owner that has left the view keeps its memory.
const maxKept = 64

// drop removes an owner from the view but keeps its memory for reuse, unless it had many buffs.
func (c *Client) drop(o *Owner) {
	if o.inView {
		delete(c.locals, o.id)
	}
	c.buffs -= len(o.buffs)
	if cap(o.index) > maxKept {
		*o = Owner{}
		return
	}
	clear(o.index)
	*o = Owner{buffs: o.buffs[:0], index: o.index[:0], values: o.values[:0]}
}
