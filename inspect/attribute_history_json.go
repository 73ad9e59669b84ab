package inspect

import (
	"slices"
	"strconv"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// thenJSON is one attribute over the last minute. Each entry holds from its time on, in ms, until
// the next entry.
type thenJSON struct {
	Name      string         `json:"name"`
	Values    []valueThen    `json:"values"`
	Modifiers []modifierThen `json:"modifiers,omitempty"` // oldest first
}

// valueThen is the value of an attribute from the time At on.
type valueThen struct {
	At    int64   `json:"at"`
	Base  *number `json:"base"`  // null if unknown
	Value *number `json:"value"` // null if unknown
	Why   string  `json:"why,omitempty"`
}

// modifierThen is the effect of one buff on the attribute.
type modifierThen struct {
	Handle string       `json:"handle"`
	From   string       `json:"from"`
	Steps  []effectThen `json:"steps"`
}

// effectThen is the effect of a modifier from the time At on.
type effectThen struct {
	At     int64  `json:"at"`
	Text   string `json:"text"` // empty if there is no effect
	Stacks int    `json:"n,omitempty"`
	Why    string `json:"why,omitempty"` // why the effect is unknown, or partly unknown
}

// markKey identifies a modifier of an attribute.
type markKey struct {
	attr  stat.Attr
	of    buff.Handle
	spec  int // revision of the definition
	place int
}

// attributesThen returns the attributes over the last minute, and the instant from which they
// are known.
func (in *Inspector) attributesThen(t *then) (list []thenJSON, since wheel.Time) {
	at, since := t.instants(), t.since
	for {
		if list = in.thens(t, at); lengthOf(list) <= maxThens || len(at) < 2 {
			return list, max(since, at[0])
		}
		at = at[(len(at)+1)/2:]
	}
}

// addThen adds the history of the engine's attributes.
func (in *Inspector) addThen(p *pastJSON, o *view.Owner, r *history.Recorder) {
	if in.opts.Attributes != nil {
		return
	}
	if t := thenOf(o, r, in.eng.Catalog().Attributes()); t != nil {
		list, since := in.attributesThen(t)
		p.Attributes, p.Sheet = list, int64(since)
	}
}

// instants returns the instants at which an attribute may have changed, in order, starting with
// the beginning of the recorded time. If there are too many, only the newest are returned.
func (t *then) instants() []wheel.Time {
	list := []wheel.Time{t.since}
	add := func(at wheel.Time) {
		if at > t.since {
			list = append(list, at)
		}
	}
	for _, events := range t.bases {
		for k := range events {
			add(events[k].At)
		}
	}
	for _, c := range t.carried {
		for k := range c.events {
			if kind := c.events[k].Kind; kind != buff.Pulsed && kind != buff.Suppressed {
				add(c.events[k].At)
			}
		}
		for k := range c.were {
			add(c.were[k].At)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return list[max(0, len(list)-maxInstants):]
}

func lengthOf(list []thenJSON) (n int) {
	for k := range list {
		n += len(list[k].Values)
		for j := range list[k].Modifiers {
			n += len(list[k].Modifiers[j].Steps)
		}
	}
	return n
}

// thens computes the attributes at some instants and returns the changes.
func (in *Inspector) thens(t *then, instants []wheel.Time) []thenJSON {
	var list []thenJSON
	for a, law := range t.schema.All() {
		if int(a) <= maxNumbers {
			list = append(list, thenJSON{Name: line(law.Name), Values: []valueThen{}})
		}
	}
	place := make(map[markKey]int) // index among the attribute's modifiers
	for _, at := range instants {
		s := t.sheet(at)
		for k := range list {
			list[k].addValue(valueAt(s, stat.Attr(k+1), at))
		}
		present := make(map[markKey]bool, len(s.marks))
		for k := range s.marks {
			m := &s.marks[k]
			if int(m.Attr) > len(list) {
				continue
			}
			key, x := markKey{m.Attr, m.of.handle, m.spec.Revision(), m.place}, &list[m.Attr-1]
			j, known := place[key]
			if !known {
				j = len(x.Modifiers)
				place[key] = j
				x.Modifiers = append(x.Modifiers, modifierThen{Handle: strconv.FormatUint(uint64(m.of.handle), 10), From: in.effectOf(m).From})
			}
			present[key] = true
			x.Modifiers[j].addEffect(in.stepThen(m, at))
		}
		for key, j := range place {
			if !present[key] {
				list[key.attr-1].Modifiers[j].addEffect(effectThen{At: int64(at)})
			}
		}
	}
	return list
}

func (in *Inspector) effectOf(m *markThen) modifierJSON {
	return in.modifierOf(view.Modifier{Spec: m.spec, Source: m.of.source, Op: m.Op, Channel: m.Channel, Value: m.Value})
}

// stepThen returns the entry of a modifier for the time from an instant on.
func (in *Inspector) stepThen(m *markThen, at wheel.Time) effectThen {
	step := effectThen{At: int64(at), Text: in.effectOf(m).Text, Why: m.unsure}
	if m.unsure == numberThen || m.unsure == stacksThen {
		step.Text = "unknown"
	}
	if m.unsure != stacksThen && m.stacks > 1 {
		step.Stacks = m.stacks
	}
	return step
}

// valueAt returns the entry of an attribute for the time from an instant on.
func valueAt(s *sheetThen, a stat.Attr, at wheel.Time) valueThen {
	v := valueThen{At: int64(at), Why: s.unsure[a]}
	if s.based[a] {
		base := number(s.sheet.Base(a))
		v.Base = &base
	}
	if v.Why == "" {
		value := number(s.sheet.Value(a))
		v.Value = &value
	}
	return v
}

func same(a, b *number) bool { return a == b || a != nil && b != nil && *a == *b }

// addValue adds an entry if it differs from the previous one.
func (x *thenJSON) addValue(v valueThen) {
	if n := len(x.Values); n == 0 || !same(x.Values[n-1].Base, v.Base) || !same(x.Values[n-1].Value, v.Value) || x.Values[n-1].Why != v.Why {
		x.Values = append(x.Values, v)
	}
}

func (x *modifierThen) addEffect(e effectThen) {
	if n := len(x.Steps); n == 0 || x.Steps[n-1].Text != e.Text || x.Steps[n-1].Stacks != e.Stacks || x.Steps[n-1].Why != e.Why {
		x.Steps = append(x.Steps, e)
	}
}
