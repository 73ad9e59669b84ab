package judge

import (
	"encoding/json"
	"maps"
	"math"
)

// The rate of a buff: `haste` as a map.

// haste is a rule for a change of the period. If it is a map, its number is the rate of the pulses
// and of the charges that come back.
type haste struct {
	mode string
	rate *number
}

// UnmarshalJSON reads a word, or a number with a mode.
func (h *haste) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &h.mode) == nil {
		return nil
	}
	type plain number
	var all struct {
		Mode string
		plain
	}
	if err := strictly(text, &all); err != nil {
		return err
	}
	n := number(all.plain)
	h.mode, h.rate = all.Mode, &n
	if n.Const != nil || n.Snapshot != "" {
		return notCovered("haste: %s", text)
	}
	if n.Curve == "" {
		n.Snapshot = "apply"
	}
	return nil
}

func (h *haste) word() string { return or(h.mode, "snapshot") }

// period is a length, or a number in seconds.
type period struct {
	length
	number *number
}

// UnmarshalJSON reads a length, or a number that is not only a curve.
func (p *period) UnmarshalJSON(text []byte) error {
	if p.length.UnmarshalJSON(text) == nil {
		return nil
	}
	if text[0] != '{' {
		return notCovered("period: %s", text)
	}
	p.number = &number{}
	err := p.number.UnmarshalJSON(text)
	if p.number.Curve == "" {
		p.number.Snapshot = "apply"
	}
	return err
}

func (p *period) given() bool { return p.number != nil || p.length.given() }

// everyMS returns the period of an application in ms, without the rate.
func (d *definition) everyMS(level int, of map[*number]amount) int64 {
	if d.Period.number == nil {
		return d.Period.at(level)
	}
	return int64(math.Floor(min(max(of[d.Period.number].x*1000, 50), longest) + 0.5))
}

// readsSource reports whether the number reads an attribute of the source, and brought reports
// whether the application determines it.
func (h *haste) readsSource() bool {
	return h.rate != nil && (h.rate.Of == "source" || h.rate.Formula != nil && h.rate.Formula.reads("source"))
}

func (h *haste) brought() bool {
	return h.rate != nil && (h.rate.Caller != "" || h.rate.Curve != "" || h.rate.Formula != nil && h.rate.Formula.reads("caller"))
}

// reads reports whether the formula has a name of the given kind.
func (f *formula) reads(kind string) bool {
	for _, path := range f.names {
		if path[0] == kind {
			return true
		}
	}
	return false
}

// rateOf returns the rate among the numbers of a buff or an application, within its limits.
func (d *definition) rateOf(of map[*number]amount) float64 {
	return min(max(of[d.Haste.rate].x, 0.001), 1000)
}

// longest is the longest span in ms.
const longest = 9600 * 3600 * 1000

// hastened returns a span divided by the rate, rounded half up, and at least 50 ms.
func (d *definition) hastened(ms int64, of map[*number]amount) int64 {
	if d.Haste.rate == nil || ms == 0 {
		return ms
	}
	return int64(math.Floor(min(max(float64(ms)/d.rateOf(of), 50), longest) + 0.5))
}

// shortened returns the duration of an application, scaled as the rate scales the period, if
// `haste_duration` says so.
func (d *definition) shortened(ms int64, level int, of map[*number]amount) int64 {
	if d.Haste.rate == nil || !d.HasteDuration {
		return ms
	}
	period := d.everyMS(level, of)
	return max(scaled(ms, d.hastened(period, of), period), 1)
}

// rereadRate reads the rate of a running buff again. A rate without a value stays.
func (o *owner) rereadRate(b *instance) {
	e := event{source: b.source, own: b.magnitude, level: b.level, n: b.count(), on: b, chain: chain{known: b.known}}
	if x, why := o.present(b.def.Haste.rate, e); why == "" {
		b.numbers = maps.Clone(b.numbers)   // an application with its own end keeps its number
		rate := b.numbers[b.def.Haste.rate] // with the inputs of the application
		rate.x = x
		b.numbers[b.def.Haste.rate] = rate
	}
}

// followRates applies changed rates of buffs with `mode: rescale`, after each command and due event.
func (o *owner) followRates() {
	for _, b := range o.carried() {
		if b.def.Haste.rate == nil || b.def.Haste.word() != "rescale" {
			continue
		}
		span := b.def.hastened(b.recharge(), b.numbers)
		o.rereadRate(b)
		if b.period > 0 {
			if to := b.def.hastened(b.def.everyMS(b.level, b.numbers), b.numbers); to != b.coming {
				o.catchesUp(b)
				o.all.mark(markRateRescales)
				o.hasten(b, to)
			}
		}
		if is := b.def.hastened(b.recharge(), b.numbers); b.recharging && is != span {
			now := b.clock(o.own)
			b.charged = now + max(scaled(b.charged-now, is, span), 1)
		}
	}
}
