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

// attributeHistoryJSON is one attribute over the last minute. Each entry in the lists applies from
// the time At (in ms) until the next entry.
type attributeHistoryJSON struct {
	Name      string            `json:"name"`
	Values    []valueStep       `json:"values"`
	Modifiers []modifierHistory `json:"modifiers,omitempty"` // oldest first
}

// valueStep is the value of an attribute from the time At on.
type valueStep struct {
	At    int64   `json:"at"`
	Base  *number `json:"base"`  // null if unknown
	Value *number `json:"value"` // null if unknown
	Why   string  `json:"why,omitempty"`
}

// modifierHistory is the effect of one buff on the attribute over time.
type modifierHistory struct {
	Handle string       `json:"handle"`
	From   string       `json:"from"`
	Steps  []effectStep `json:"steps"`
}

// effectStep is the effect of a modifier from the time At on.
type effectStep struct {
	At     int64  `json:"at"`
	Text   string `json:"text"` // empty if there is no effect
	Stacks int    `json:"n,omitempty"`
	Why    string `json:"why,omitempty"` // reason why the effect is unknown, or partly unknown
}

// modifierKey identifies a modifier of an attribute.
type modifierKey struct {
	attr  stat.Attr
	of    buff.Handle
	spec  int // revision of the definition
	place int
}

// attributeHistories returns the attributes over the last minute, and the instant since which they
// are known. If there are too many entries, it omits the older instants.
func (in *Inspector) attributeHistories(t *attributeHistory) (list []attributeHistoryJSON, since wheel.Time) {
	at, since := t.instants(), t.since
	for {
		if list = in.histories(t, at); lengthOf(list) <= maxThens || len(at) < 2 {
			return list, max(since, at[0])
		}
		at = at[(len(at)+1)/2:]
	}
}

// addAttributes adds the history of the engine's attributes.
func (in *Inspector) addAttributes(p *pastJSON, o *view.Owner, r *history.Recorder) {
	if in.opts.Attributes != nil {
		return
	}
	if t := newAttributeHistory(o, r, in.eng.Catalog().Attributes()); t != nil {
		list, since := in.attributeHistories(t)
		p.Attributes, p.Sheet = list, int64(since)
	}
}

// instants returns the instants at which an attribute may have changed, in order, starting with
// the beginning of the recorded time. If there are too many, only the newest are returned.
func (t *attributeHistory) instants() []wheel.Time {
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
	for _, c := range t.buffs {
		for k := range c.events {
			if kind := c.events[k].Kind; kind != buff.Pulsed && kind != buff.Suppressed {
				add(c.events[k].At)
			}
		}
		for k := range c.changes {
			add(c.changes[k].At)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return list[max(0, len(list)-maxInstants):]
}

func lengthOf(list []attributeHistoryJSON) (n int) {
	for k := range list {
		n += len(list[k].Values)
		for j := range list[k].Modifiers {
			n += len(list[k].Modifiers[j].Steps)
		}
	}
	return n
}

// histories computes the attributes at the given instants. Each history contains an entry only
// where its value changes.
func (in *Inspector) histories(t *attributeHistory, instants []wheel.Time) []attributeHistoryJSON {
	var list []attributeHistoryJSON
	for a, law := range t.schema.All() {
		if int(a) <= maxNumbers {
			list = append(list, attributeHistoryJSON{Name: line(law.Name), Values: []valueStep{}})
		}
	}
	place := make(map[modifierKey]int) // index in Modifiers of the attribute
	for _, at := range instants {
		s := t.sheet(at)
		for k := range list {
			list[k].addValue(valueAt(s, stat.Attr(k+1), at))
		}
		present := make(map[modifierKey]bool, len(s.modifiers))
		for k := range s.modifiers {
			m := &s.modifiers[k]
			if int(m.Attr) > len(list) {
				continue
			}
			key, x := modifierKey{m.Attr, m.of.handle, m.spec.Revision(), m.place}, &list[m.Attr-1]
			j, known := place[key]
			if !known {
				j = len(x.Modifiers)
				place[key] = j
				x.Modifiers = append(x.Modifiers, modifierHistory{Handle: strconv.FormatUint(uint64(m.of.handle), 10), From: in.effectOf(m).From})
			}
			present[key] = true
			x.Modifiers[j].addEffect(in.effectAt(m, at))
		}
		for key, j := range place {
			if !present[key] {
				list[key.attr-1].Modifiers[j].addEffect(effectStep{At: int64(at)})
			}
		}
	}
	return list
}

func (in *Inspector) effectOf(m *modifierState) modifierJSON {
	return in.modifierOf(view.Modifier{Spec: m.spec, Source: m.of.source, Op: m.Op, Channel: m.Channel, Value: m.Value})
}

// effectAt returns the entry of a modifier, which applies from the given instant on.
func (in *Inspector) effectAt(m *modifierState, at wheel.Time) effectStep {
	step := effectStep{At: int64(at), Text: in.effectOf(m).Text, Why: m.unsure}
	if m.unsure == numberThen || m.unsure == stacksThen {
		step.Text = "unknown"
	}
	if m.unsure != stacksThen && m.stacks > 1 {
		step.Stacks = m.stacks
	}
	return step
}

// valueAt returns the entry of an attribute, which applies from the given instant on.
func valueAt(s *sheetState, a stat.Attr, at wheel.Time) valueStep {
	v := valueStep{At: int64(at), Why: s.unsure[a]}
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

// addValue adds an entry if it differs from the previous entry.
func (x *attributeHistoryJSON) addValue(v valueStep) {
	if n := len(x.Values); n == 0 || !same(x.Values[n-1].Base, v.Base) || !same(x.Values[n-1].Value, v.Value) || x.Values[n-1].Why != v.Why {
		x.Values = append(x.Values, v)
	}
}

func (x *modifierHistory) addEffect(e effectStep) {
	if n := len(x.Steps); n == 0 || x.Steps[n-1].Text != e.Text || x.Steps[n-1].Stacks != e.Stacks || x.Steps[n-1].Why != e.Why {
		x.Steps = append(x.Steps, e)
	}
}
