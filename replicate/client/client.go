package client

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Options of a [Client]. The zero value works.
type Options struct {
	Owners int // in view, at most; if zero, 16,384
	Buffs  int // of all of them, at most; if zero, 65,536
	Specs  int // definitions, at most; if zero, 131,072
}

// Errors of [Client.Receive].
var (
	// ErrGap says that a packet before this one was lost: [Client.Missed] is to be sent. What is
	// known is as it was before, and so it stays until the answer is here.
	ErrGap = errors.New("client: a packet was lost")

	// ErrFormat says that it is no packet, or one that makes no sense. Nothing is known any more;
	// [Client.Missed] asks for all.
	ErrFormat = errors.New("client: not a packet")

	// ErrLimit says that a packet wants more than [Options] allow. Nothing is known any more.
	ErrLimit = errors.New("client: too much in view")
)

// Client is what a client knows. Make one with [New]. One goroutine at a time may use it.
type Client struct {
	opts        Options
	owners      []Owner                 // by local number
	locals      map[buff.OwnerID]uint32 // of those that are there
	buffs       int
	last        uint64 // the packet that it had last; 0: none
	now         wheel.Time
	fingerprint uint64 // that belongs to the packets; 0: not known
	known       uint64 // of specs
	specs       map[uint32]*Spec
	scratch     reader
}

// Owner is somebody in view.
type Owner struct {
	id    buff.OwnerID
	there bool
	dead  bool
	buffs []Buff
	at    []uint16 // of buffs, plus one, by slot
}

// Buff is one buff that runs.
type Buff struct {
	Slot      int    // its place on its owner: that of another one once it has ended
	Spec      uint32 // its definition: see Client.Spec; not the Index of the server's catalog
	Source    buff.OwnerID
	Stacks    int
	Magnitude int64
	Level     int
	Charges   int
	Shield    int64
	Waiting   int // applications that wait behind the one that runs
	Hidden    bool

	End  wheel.Time // by the server's time, if its time goes on as it does; Never if it has none, or is held
	Held buff.Held  // by what; 0: its time passes
	Rate buff.Ratio // of its time, when it passes; the zero Ratio for 1
	left int64      // ms of its own time, if it is held; -1: it has no end
}

// New returns a Client that knows nothing. It panics if an option is below zero.
func New(o Options) *Client {
	set := func(v *int, standard int) {
		if *v < 0 {
			panic("client: an option below zero")
		}
		if *v == 0 {
			*v = standard
		}
	}
	set(&o.Owners, 16_384)
	set(&o.Buffs, 65_536)
	set(&o.Specs, 131_072)
	return &Client{opts: o, locals: map[buff.OwnerID]uint32{}}
}

// Now returns the server's time of the last packet: the ms since the engine began. There is a packet
// only where something has changed: until the next one the caller adds what has passed by its own clock.
func (c *Client) Now() wheel.Time { return c.now }

// Owners returns who is in view.
func (c *Client) Owners() iter.Seq[*Owner] {
	return func(yield func(*Owner) bool) {
		for k := range c.owners {
			if c.owners[k].there && !yield(&c.owners[k]) {
				return
			}
		}
	}
}

// Owner returns somebody in view, nil if that one is not.
func (c *Client) Owner(id buff.OwnerID) *Owner {
	if local, ok := c.locals[id]; ok {
		return &c.owners[local]
	}
	return nil
}

// ID returns whose it is.
func (o *Owner) ID() buff.OwnerID { return o.id }

// Dead reports whether the owner is dead.
func (o *Owner) Dead() bool { return o.dead }

// Buffs returns what it carries, in no order. It is good until the next packet.
func (o *Owner) Buffs() []Buff { return o.buffs }

// Left returns how many ms of its own time a buff has left at an instant of the server's time, and
// whether it has an end. While it is held that does not change.
func (b *Buff) Left(now wheel.Time) (ms int64, ends bool) {
	switch {
	case b.Held != 0:
		return max(b.left, 0), b.left >= 0
	case b.End == wheel.Never:
		return 0, false
	}
	ms = max(int64(b.End-now), 0)
	if b.Rate.Den > 0 {
		ms = int64(min(float64(ms)*float64(b.Rate.Num)/float64(b.Rate.Den), 1<<62))
	}
	return ms, true
}

// Missed returns the message that asks the server for what is not known: all that came after the
// last packet, or, at the beginning and after a reconnect, everything.
func (c *Client) Missed() []byte { return binary.AppendUvarint([]byte{kindLost}, c.last) }

// Reset forgets everything but the definitions: a connection begins anew.
func (c *Client) Reset() {
	clear(c.owners)
	clear(c.locals)
	c.owners, c.buffs, c.last, c.fingerprint = c.owners[:0], 0, 0, 0
}

// Receive takes in a packet, or definitions. It fails with [ErrGap], [ErrFormat] and [ErrLimit]. A
// packet that came late or twice does nothing.
func (c *Client) Receive(message []byte) error {
	if len(message) == 0 {
		return fmt.Errorf("%w: it is empty", ErrFormat)
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
		return fmt.Errorf("%w: it is of kind %#x", ErrFormat, kind)
	}
	number := r.number()
	base := number - 1
	if kind == kindRepair {
		base = r.number()
	}
	first := r.number()
	switch {
	case r.bad || number == 0 || base >= number || first > maxTime:
		return fmt.Errorf("%w: its head", ErrFormat)
	case number <= c.last:
		return nil
	case base > c.last:
		return fmt.Errorf("%w: it is behind %d, and the last one was %d", ErrGap, base, c.last)
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

// part reads one part of a packet.
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
		c.come(uint32(local), buff.OwnerID(r.number()))
	}
	if local >= uint64(len(c.owners)) || !c.owners[local].there {
		return fmt.Errorf("%w: a change of nobody", ErrFormat)
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
			return fmt.Errorf("%w: a time too far off", ErrFormat)
		}
		*now = now.Add(int64(span))
	default:
		return fmt.Errorf("%w: a part of another version", ErrFormat)
	}
	return r.failed()
}

// come gives a local number to an owner, who loses the one that it had.
func (c *Client) come(local uint32, id buff.OwnerID) {
	for int(local) >= len(c.owners) {
		c.owners = append(c.owners, Owner{})
	}
	c.drop(&c.owners[local])
	if had, ok := c.locals[id]; ok {
		c.drop(&c.owners[had])
	}
	c.owners[local].id, c.owners[local].there = id, true
	c.locals[id] = local
}

// drop forgets an owner, but not the memory.
func (c *Client) drop(o *Owner) {
	if o.there {
		delete(c.locals, o.id)
	}
	c.buffs -= len(o.buffs)
	clear(o.at)
	*o = Owner{buffs: o.buffs[:0], at: o.at[:0]}
}
