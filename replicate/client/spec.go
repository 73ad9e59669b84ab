package client

import (
	"fmt"
	"math"
	"time"

	"github.com/bufftick/bufftick/buff/define"
)

// Spec is what a client knows of a definition.
type Spec struct {
	ID       string
	Icon     string
	Hide     bool // it is not to be shown
	Polarity define.Polarity
	Priority int           // which is shown first: the highest
	Duration time.Duration // zero: it has no end by itself
	Params   []Param
}

// Param is a number of a definition, for its text.
type Param struct {
	Name  string
	Value float64 // NaN if it is not the same for all its buffs
}

// Fingerprint returns that of the definitions that the packets are about, and whether they are
// known: if not, the game sends them, as it likes best. It is 0 before the first packet.
func (c *Client) Fingerprint() (fingerprint uint64, known bool) {
	return c.fingerprint, c.fingerprint != 0 && c.fingerprint == c.known
}

// Spec returns a definition by the number of [Buff.Spec], nil if it is not known.
func (c *Client) Spec(number uint32) *Spec { return c.specs[number] }

// define reads definitions. What is wrong changes nothing.
func (c *Client) define(r *reader) error {
	fingerprint, count := r.fixed(), r.number()
	if count > uint64(c.opts.Specs) {
		return fmt.Errorf("%w: %d definitions", ErrLimit, count)
	}
	specs := map[uint32]*Spec{}
	for ; count > 0 && !r.bad; count-- {
		number, s := uint32(r.upTo(math.MaxUint32)), &Spec{}
		s.ID, s.Icon = r.text(), r.text()
		flags := r.byte()
		s.Hide, s.Polarity = flags&1 != 0, define.Polarity(flags>>1)
		s.Priority = int(r.signed())
		s.Duration = time.Duration(r.upTo(math.MaxInt64/uint64(time.Millisecond))) * time.Millisecond
		for n := r.upTo(define.MaxParams); n > 0 && !r.bad; n-- {
			s.Params = append(s.Params, Param{r.text(), math.Float64frombits(r.fixed())})
		}
		specs[number] = s
	}
	if r.bad || r.at != len(r.b) {
		return fmt.Errorf("%w: definitions", ErrFormat)
	}
	c.specs, c.known = specs, fingerprint
	return nil
}
