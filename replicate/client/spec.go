package client

import (
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/bufftick/bufftick/buff/define"
)

// Spec is the part of a buff's definition that is sent to clients.
type Spec struct {
	ID       string
	Name     string // for players; empty if the definition has none
	Icon     string
	Hide     bool // the buff is not displayed
	Polarity define.Polarity
	Priority int           // the highest is displayed first
	Duration time.Duration // zero if the buff does not end by itself
	By       define.By     // which applications join the same buff
	Limit    int           // maximum number of stacks
	Params   []Param
}

// Param is a named number of a definition, to be used in its description.
type Param struct {
	Name  string
	Value float64 // NaN if the value varies between buffs
}

// Fingerprint returns the fingerprint of all definitions of the server, and whether the client has
// received them in one message. Without this message the client has the definitions of all buffs
// that it has seen. The fingerprint is 0 before the first packet.
func (c *Client) Fingerprint() (fingerprint uint64, known bool) {
	return c.fingerprint, c.fingerprint != 0 && c.fingerprint == c.known
}

// Spec returns the definition with the given number, see [Buff.Spec], or nil if it is unknown.
func (c *Client) Spec(number uint32) *Spec { return c.specs[number] }

// define decodes a message of definitions. After an error the previous definitions remain.
func (c *Client) define(r *reader) error {
	fingerprint, count := r.fixed(), r.number()
	if count > uint64(c.opts.Specs) {
		return fmt.Errorf("%w: %d definitions", ErrLimit, count)
	}
	specs := maps.Clone(c.specs)
	for ; count > 0 && !r.bad; count-- {
		if err := c.spec(r, specs); err != nil {
			return err
		}
	}
	if r.bad || r.at != len(r.b) {
		return fmt.Errorf("%w: definitions", ErrFormat)
	}
	c.specs, c.known = specs, fingerprint
	return nil
}

// spec decodes one definition. It skips fields of later versions of the protocol.
func (c *Client) spec(r *reader, specs map[uint32]*Spec) error {
	end := r.length()
	number, s := uint32(r.upTo(math.MaxUint32)), &Spec{}
	s.ID, s.Name, s.Icon = r.text(), r.text(), r.text()
	flags := r.byte()
	s.Hide, s.Polarity, s.By = flags&1 != 0, define.Polarity(flags>>1&3), define.By(flags>>3&3)
	s.Priority = int(r.signed())
	s.Duration = time.Duration(r.upTo(math.MaxInt64/uint64(time.Millisecond))) * time.Millisecond
	s.Limit = int(r.upTo(math.MaxInt32))
	for n := r.upTo(define.MaxParams); n > 0 && !r.bad; n-- {
		s.Params = append(s.Params, Param{r.text(), math.Float64frombits(r.fixed())})
	}
	r.skipTo(end)
	if r.bad {
		return r.failed()
	}
	if specs[number] == nil && len(specs) >= c.opts.Specs {
		return fmt.Errorf("%w: %d definitions", ErrLimit, len(specs)+1)
	}
	specs[number] = s
	return nil
}
