package buff

import (
	"fmt"
	"math"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/wordlist"
)

// readers read what stands behind each verb of a scenario.
var readers = map[string]func(r *parser) Command{
	"apply":         readApply,
	"remove":        func(r *parser) Command { return r.remove(r.buff()) },
	"remove_oldest": readRemoveOldest,
	"extend":        readExtend,
	"set_remaining": func(r *parser) Command { return SetRemaining(r.buff(), r.span("to")) },
	"set_period":    func(r *parser) Command { return SetPeriod(r.buff(), r.span("to")) },
	"inhibit":       func(r *parser) Command { return Inhibit(r.buff()) },
	"release":       func(r *parser) Command { return Release(r.buff()) },
	"use": func(r *parser) Command {
		return ConsumeCharges(r.buff(), int(r.number("charges", 1, define.MaxStacks)))
	},
	"cancel":  func(r *parser) Command { return Cancel(r.timeout()) },
	"timeout": func(r *parser) Command { return AddTimeout(r.owner, r.span("after"), r.about("handler")) },

	"pause":       func(r *parser) Command { r.none(); return Pause(r.owner) },
	"resume":      func(r *parser) Command { r.none(); return Resume(r.owner) },
	"rate":        func(r *parser) Command { return SetRate(r.owner, r.ratio("", r.about("ratio"))) },
	"pause_buff":  func(r *parser) Command { return PauseBuff(r.buff()) },
	"resume_buff": func(r *parser) Command { return ResumeBuff(r.buff()) },
	"rate_buff":   func(r *parser) Command { return SetBuffRate(r.buff(), r.ratio("to", r.must("to"))) },
	"pause_zone":  func(r *parser) Command { return PauseZone(r.zone()) },
	"resume_zone": func(r *parser) Command { return ResumeZone(r.zone()) },
	"rate_zone":   func(r *parser) Command { return SetZoneRate(r.zone(), r.ratio("to", r.must("to"))) },
	"zone":        func(r *parser) Command { return SetZone(r.owner, r.zone()) },

	"tag":         func(r *parser) Command { return AddTag(r.owner, r.tag("", r.about("tag"))) },
	"untag":       func(r *parser) Command { return DropTag(r.owner, r.tag("", r.about("tag"))) },
	"immune":      func(r *parser) Command { return Immunize(r.owner, r.tag("", r.about("tag")), r.flag("purge")) },
	"vulnerable":  func(r *parser) Command { return DropImmunity(r.owner, r.tag("", r.about("tag"))) },
	"dispel":      readDispel,
	"steal":       readSteal,
	"compensate":  readCompensate,
	"interrupt":   func(r *parser) Command { return Interrupt(r.owner, r.act()) },
	"consume":     func(r *parser) Command { return Consume(r.owner, r.act()) },
	"happened":    readHappened,
	"source_gone": func(r *parser) Command { return LoseSource(r.ownerOf("", r.about("source"))) },
	"kill":        func(r *parser) Command { r.none(); return Kill(r.owner).From(r.source()) },
	"revive":      func(r *parser) Command { r.none(); return Revive(r.owner) },

	"absorb": func(r *parser) Command {
		return Absorb(r.owner, r.whole("", r.about("amount"), math.MinInt64, math.MaxInt64), r.school())
	},
	"base":   func(r *parser) Command { return SetBase(r.owner, r.attr(), r.fraction("to")) },
	"change": func(r *parser) Command { return AddBase(r.owner, r.attr(), r.fraction("by")) },
	"damage": func(r *parser) Command {
		return Damage(r.owner, r.attr(), r.fraction("by"), r.school()).From(r.source())
	},
}

func readApply(r *parser) Command {
	a := Application{Spec: r.spec("", r.about("definition")), Source: r.names.Source}
	if name, there := r.get("source"); there {
		a.Source = r.ownerOf("source", name)
	}
	a.Stacks = int(r.number("stacks", math.MinInt32, math.MaxInt32))
	a.Level = int(r.number("level", math.MinInt32, math.MaxInt32))
	a.Magnitude = r.number("magnitude", math.MinInt64, math.MaxInt64)
	if text, there := r.get("key"); there {
		a.Key = r.unsigned("key", text, math.MaxUint64)
	}
	if _, there := r.get("duration"); there {
		a.Duration = Lasting(r.span("duration"))
	}
	if text, there := r.get("scale"); there {
		a.Scale = r.ratio("scale", text)
	}
	for i := range r.options {
		if name, param := strings.CutPrefix(r.options[i].key, "param."); param {
			a.Params = append(a.Params, Arg{Caller: name, Value: r.fraction(r.options[i].key)})
		}
	}
	return Apply(r.owner, a)
}

func readHappened(r *parser) Command {
	act, target := r.act(), OwnerID(0)
	if name, there := r.get("target"); there {
		target = r.ownerOf("target", name)
	}
	return Happened(r.owner, act, target, r.number("amount", math.MinInt64, math.MaxInt64))
}

// remove reads how much of a buff is taken off, and why.
func (r *parser) remove(h Handle) Command {
	return RemoveStacks(h, int(r.number("stacks", 0, math.MaxInt32)), r.why())
}

func readRemoveOldest(r *parser) Command {
	c := RemoveSpec(r.owner, r.spec("", r.about("definition")), int(r.number("stacks", 0, math.MaxInt32)), r.why())
	if name, there := r.get("source"); there {
		c.Application.Source = r.ownerOf("source", name)
	}
	return c
}

func (r *parser) why() Reason {
	why := Cancelled
	r.rule("why", &why)
	return why
}

func readExtend(r *parser) Command {
	c := Extend(r.buff(), r.span("by"))
	if most := r.atMost(); most > 0 {
		c = ExtendUpTo(c.Handle, c.By, most)
	}
	return c
}

// query reads which buffs are meant.
func (r *parser) query() Query {
	q := Query{Most: int(r.number("most", 1, define.MaxStacks)), Newest: r.flag("newest")}
	if text, there := r.get("buff"); there {
		q.Spec = r.spec("buff", text)
	}
	if text, there := r.get("tag"); there {
		q.Tag = r.tag("tag", text)
	}
	if name, there := r.get("source"); there {
		q.Source = r.ownerOf("source", name)
	}
	q.Type, _ = r.get("type")
	q.Compensate, _ = r.get("compensate")
	if text, there := r.get("polarity"); there {
		q.Neutral = text == define.Neutral.String()
	}
	r.rule("polarity", &q.Polarity)
	return q
}

// portions reads the query of a dispel or a steal. A definition alone behind the verb means one
// portion of it, of any grade.
func (r *parser) portions() (q Query) {
	if r.valued {
		q = Query{Spec: r.spec("", r.value), Grade: define.GradeDeath, Most: 1}
	} else {
		q = r.query()
		r.rule("grade", &q.Grade)
	}
	q.Stacks = int(r.number("stacks", 1, define.MaxStacks))
	return q
}

func readDispel(r *parser) Command { return Dispel(r.owner, r.portions()) }

func readSteal(r *parser) Command {
	return Steal(r.owner, r.ownerOf("to", r.must("to")), r.portions(), r.atMost())
}

func readCompensate(r *parser) Command {
	q := r.query()
	if r.valued {
		q = Query{Spec: r.spec("", r.value)}
	}
	return Compensate(q, r.span("by"))
}

// rule reads an option that is a word, if it is there.
func (r *parser) rule(key string, to interface{ UnmarshalText([]byte) error }) {
	if text, there := r.get(key); there {
		if err := to.UnmarshalText([]byte(printableRune(text))); err != nil {
			r.fail(key, err)
		}
	}
}

func (r *parser) zone() uint32 { return uint32(r.unsigned("", r.about("zone"), math.MaxUint32)) }

func (r *parser) school() Tag {
	text, there := r.get("school")
	if !there {
		return 0
	}
	return r.tag("school", text)
}

// source reads who does something, 0 if that is not said.
func (r *parser) source() OwnerID {
	name, there := r.get("source")
	if !there {
		return 0
	}
	return r.ownerOf("source", name)
}

// unnamed reads "#3", what is written where a name is not known.
func (r *parser) unnamed(key, text string, most uint64) (n uint64, is bool) {
	if text, is = strings.CutPrefix(text, "#"); is {
		n = r.unsigned(key, text, most)
	}
	return n, is
}

// nowhere is the error of a name that the catalog has not.
func (r *parser) nowhere(key, kind, name string) {
	r.fail(key, fmt.Errorf("%w: %s %q%s", ErrName, kind, printableRune(name), wordlist.DidYouMean(name, r.known(kind))))
}

// known returns the names of a kind that the catalog has.
func (r *parser) known(kind string) (known []string) {
	c := r.names.Catalog
	switch {
	case c == nil:
	case kind == "definition":
		for _, s := range c.programs {
			known = append(known, s.ID)
		}
	case kind == "tag":
		known = c.tags.list
	case kind == "act":
		known = c.acts.list
	case kind == "attribute":
		for i := range c.attributes {
			known = append(known, c.attributes[i].Name)
		}
	}
	return known
}

func (r *parser) spec(key, id string) *Spec {
	if r.names.Catalog == nil || r.names.Catalog.Spec(id) == nil {
		r.nowhere(key, "definition", id)
		return nil
	}
	return r.names.Catalog.Spec(id)
}

func (r *parser) tag(key, name string) Tag {
	if r.names.Catalog != nil {
		if t, ok := r.names.Catalog.Tag(name); ok {
			return t
		}
	}
	if n, is := r.unnamed(key, name, math.MaxUint16); is {
		return Tag(n)
	}
	r.nowhere(key, "tag", name)
	return 0
}

func (r *parser) act() Act {
	name := r.about("act")
	if r.names.Catalog != nil {
		if a, ok := r.names.Catalog.Act(name); ok {
			return a
		}
	}
	if n, is := r.unnamed("", name, math.MaxUint8); is {
		return Act(n)
	}
	r.nowhere("", "act", name)
	return 0
}

func (r *parser) attr() stat.Attr {
	name := r.about("attribute")
	if r.names.Catalog != nil {
		if a, ok := r.names.Catalog.Attr(name); ok {
			return a
		}
	}
	if n, is := r.unnamed("", name, math.MaxUint16); is {
		return stat.Attr(n)
	}
	r.nowhere("", "attribute", name)
	return 0
}
