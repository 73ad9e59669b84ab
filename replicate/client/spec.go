package client

import (
	"fmt"
	"math"
	"time"

	"github.com/bufftick/bufftick/buff/define"
)

// Spec is the part of a buff's definition that is sent to clients.
type Spec struct {
	ID       string
	Icon     string
	Hide     bool // the buff is not displayed
	Polarity define.Polarity
	Priority int           // the highest is displayed first
	Duration time.Duration // zero if the buff does not end by itself
	Params   []Param
}

// Param is a named number of a definition, to be used in its description.
type Param struct {
	Name  string
	Value float64 // NaN if the value varies between buffs
}

// Fingerprint returns the fingerprint of the definitions that packets refer to, and whether the
// client has these definitions. If not, the game must send them. The fingerprint is 0 before the
// first packet.
func (c *Client) Fingerprint() (fingerprint uint64, known bool) {
	return c.fingerprint, c.fingerprint != 0 && c.fingerprint == c.known
}

// Spec returns the definition with the given number, see [Buff.Spec], or nil if it is unknown.
func (c *Client) Spec(number uint32) *Spec { return c.specs[number] }

// define decodes definitions. After an error the previous definitions remain.
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
		s.Hide, s.Polarity = flags&1 != 0, define.Polarity(flags>>1&3)
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
