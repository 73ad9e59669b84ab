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

// thenJSON is one attribute over the last minute. Each of its lists says what was so from an instant on, in ms.
type thenJSON struct {
	Name      string         `json:"name"`
	Values    []valueThen    `json:"values"`
	Modifiers []modifierThen `json:"modifiers,omitempty"` // the oldest first
}

// valueThen is what the attribute was.
type valueThen struct {
	At    int64   `json:"at"`
	Base  *number `json:"base"`  // null: not known
	Value *number `json:"value"` // likewise
	Why   string  `json:"why,omitempty"`
}

// modifierThen is what one buff did to it.
type modifierThen struct {
	Handle string       `json:"handle"`
	From   string       `json:"from"`
	Steps  []effectThen `json:"steps"`
}

// effectThen is one of these.
type effectThen struct {
	At     int64  `json:"at"`
	Text   string `json:"text"` // empty: nothing
	Stacks int    `json:"n,omitempty"`
	Why    string `json:"why,omitempty"` // it is not known, or not all of it
}

// markKey tells the modifiers of an attribute apart.
type markKey struct {
	attr  stat.Attr
	of    buff.Handle
	spec  int // its revision
	place int
}

// attributesThen returns what the attributes were over the last minute, and from when on that is known.
func (in *Inspector) attributesThen(t *then) (list []thenJSON, since wheel.Time) {
	at, since := t.instants(), t.since
	for {
		if list = in.thens(t, at); lengthOf(list) <= maxThens || len(at) < 2 {
			return list, max(since, at[0])
		}
		at = at[(len(at)+1)/2:]
	}
}

// addThen adds what the attributes were, if they are those of the engine.
func (in *Inspector) addThen(p *pastJSON, o *view.Owner, r *history.Recorder) {
	if in.opts.Attributes != nil {
		return
	}
	if t := thenOf(o, r, in.eng.Catalog().Attributes()); t != nil {
		list, since := in.attributesThen(t)
		p.Attributes, p.Sheet = list, int64(since)
	}
}

// instants returns those at which something may have changed, and that from which on all is known: the newest.
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

// thens works the attributes out at some instants, and says what is otherwise than at the one before.
func (in *Inspector) thens(t *then, instants []wheel.Time) []thenJSON {
	var list []thenJSON
	for a, law := range t.schema.All() {
		if int(a) <= maxNumbers {
			list = append(list, thenJSON{Name: line(law.Name), Values: []valueThen{}})
		}
	}
	place := make(map[markKey]int) // among the attribute's modifiers
	for _, at := range instants {
		s := t.sheet(at)
		for k := range list {
			list[k].say(valueAt(s, stat.Attr(k+1), at))
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
			x.Modifiers[j].say(in.stepThen(m, at))
		}
		for key, j := range place {
			if !present[key] {
				list[key.attr-1].Modifiers[j].say(effectThen{At: int64(at)})
			}
		}
	}
	return list
}

func (in *Inspector) effectOf(m *markThen) modifierJSON {
	return in.modifierOf(view.Modifier{Spec: m.spec, Source: m.of.source, Op: m.Op, Channel: m.Channel, Value: m.Value})
}

// stepThen says what a modifier did from an instant on.
func (in *Inspector) stepThen(m *markThen, at wheel.Time) effectThen {
	step := effectThen{At: int64(at), Text: in.effectOf(m).Text, Why: m.unsure}
	if m.unsure == numberThen || m.unsure == stacksThen {
		step.Text = "not known"
	}
	if m.unsure != stacksThen && m.stacks > 1 {
		step.Stacks = m.stacks
	}
	return step
}

// valueAt says what an attribute was from an instant on.
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

// say adds what is so from an instant on, unless it was so before.
func (x *thenJSON) say(v valueThen) {
	if n := len(x.Values); n == 0 || !same(x.Values[n-1].Base, v.Base) || !same(x.Values[n-1].Value, v.Value) || x.Values[n-1].Why != v.Why {
		x.Values = append(x.Values, v)
	}
}

func (x *modifierThen) say(e effectThen) {
	if n := len(x.Steps); n == 0 || x.Steps[n-1].Text != e.Text || x.Steps[n-1].Stacks != e.Stacks || x.Steps[n-1].Why != e.Why {
		x.Steps = append(x.Steps, e)
	}
}
