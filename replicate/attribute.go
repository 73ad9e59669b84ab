package replicate

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// Attribute selects an attribute of all owners for the screens of some viewers. To show a player's
// health to the party and a bar without a number to everyone else, list it twice:
//
//	{Name: "health", Sync: define.SyncParty},
//	{Name: "health", Of: "max_health"},
//
// Clients know the first as "health" and the second as "health/max_health".
type Attribute struct {
	Name string // as in the catalog

	// Of, if not empty, is another attribute, such as max_health. The clients get the share, from 0
	// to 1, and neither of the two values.
	Of string

	// Step is the unit of the values that are sent, which are rounded to a multiple of it. A change
	// below it is not sent. A share is rounded up, so that only 0 is shown as 0. The default is 1,
	// and 0.01 for a share.
	Step float64

	// Sync selects the viewers: SyncAll (the default), SyncParty or SyncOwner.
	Sync define.Sync
}

// MaxAttributes is the maximum number of Options.Attributes.
const MaxAttributes = 64

// attribute is an Attribute in the engine's catalog.
type attribute struct {
	attr, of stat.Attr
	step     float64
	audience audience
}

// setAttributes panics if an attribute is not valid.
func (s *Server) setAttributes(list []Attribute) {
	if len(list) > MaxAttributes {
		panic(fmt.Sprintf("replicate: Options.Attributes has %d attributes, the limit is %d", len(list), MaxAttributes))
	}
	find := func(name string) stat.Attr {
		a, ok := s.eng.Catalog().Attr(name)
		if !ok {
			panic(fmt.Sprintf("replicate: Options.Attributes: the catalog has no attribute %q", name))
		}
		return a
	}
	for k, x := range list {
		a := attribute{attr: find(x.Name), step: cmp.Or(x.Step, 1), audience: audience{sync: x.Sync, any: true}}
		name := x.Name
		if x.Of != "" {
			name += "/" + x.Of
			a.of, a.step = find(x.Of), cmp.Or(x.Step, 0.01)
		}
		if len(name) > 128 || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
			panic(fmt.Sprintf("replicate: Options.Attributes: the name %q is not 1 to 128 ASCII characters without spaces", name))
		}
		if a.step <= 0 || math.IsInf(a.step, 0) || math.IsNaN(a.step) {
			panic(fmt.Sprintf("replicate: Options.Attributes: the step of %s is %v, want a positive number", name, x.Step))
		}
		if x.Sync != define.SyncAll && x.Sync != define.SyncParty && x.Sync != define.SyncOwner {
			panic(fmt.Sprintf("replicate: Options.Attributes: %s has sync %v, want all, party or owner", name, x.Sync))
		}
		s.attributes = append(s.attributes, a)
		body := binary.LittleEndian.AppendUint64(binary.AppendUvarint(nil, uint64(k)), math.Float64bits(a.step))
		body = appendString(body, name)
		s.attributeParts = append(binary.AppendUvarint(append(s.attributeParts, moreAttribute), uint64(len(body))), body...)
	}
}

// maxValue bounds the values that are sent, in steps, so that every client can represent them.
const maxValue = 1 << 53

// value returns the value of an attribute in steps.
func (s *Server) value(id buff.OwnerID, a *attribute) (int64, error) {
	v, err := s.eng.Attribute(id, a.attr)
	if err != nil {
		return 0, err
	}
	if a.of == 0 {
		v = math.Round(v / a.step)
	} else {
		most, err := s.eng.Attribute(id, a.of)
		if err != nil {
			return 0, err
		}
		if most <= 0 {
			return 0, nil
		}
		v = math.Ceil(v/most/a.step - 1e-9) // less than a rounding error
	}
	return int64(max(-maxValue, min(v, maxValue))), nil
}

// writeValues writes the values of an owner's attributes that have changed, or all of them if all is
// true, and updates e.values.
func (s *Server) writeValues(to *block, e *entry, all bool) {
	known := len(e.values) == len(s.attributes) && !all
	for k := range s.attributes {
		n, err := s.value(e.id, &s.attributes[k])
		if err != nil {
			return // the owner was removed, which the next Update will report
		}
		if k == len(e.values) {
			e.values = append(e.values, n)
		} else if known && e.values[k] == n {
			continue
		}
		e.values[k] = n
		to.writeValue(k, n, s.attributes[k].audience)
	}
}

// writeAllValues writes the values of an owner's attributes into its full state.
func (s *Server) writeAllValues(e *entry) {
	if !e.slotsValid {
		e.values = e.values[:0]
	}
	for k := range s.attributes {
		n, err := s.value(e.id, &s.attributes[k])
		if err != nil {
			return
		}
		if k == len(e.values) {
			e.values = append(e.values, n)
		}
		e.valuesStale = e.valuesStale || e.values[k] != n
		e.full.writeValue(k, n, s.attributes[k].audience)
	}
}

// writeValue writes a record with the value of an attribute.
func (k *block) writeValue(number int, value int64, is audience) {
	k.bytes = binary.AppendVarint(binary.AppendUvarint(append(k.bytes, 0, isValue), uint64(number)), value)
	k.end(is, 0)
}
