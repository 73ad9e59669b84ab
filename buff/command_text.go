package buff

import (
	"strconv"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
)

// String returns the command as a line of a scenario: the word of the verb, what it is about, and
// its options, as in
//
//	apply venom owner=7 source=9 stacks=2
//	extend 3/0/17 by=2s
//	rate_zone 4 to=1/2
//
// [ParseCommand] reads it. Tags, acts and attributes are numbers, "#3", since a command does not
// say of which catalog they are; [Command.Text] has their names.
func (c Command) String() string { return c.Text(nil) }

// Text is String with the names of a catalog.
func (c *Command) Text(catalog *Catalog) string {
	l := line{catalog: catalog}
	l.word(c.Verb.String() + wholeTime(c))
	switch c.Verb {
	case verb.Apply:
		l.spec("", c.Application.Spec)
		l.owner("owner", c.Owner)
		l.application(&c.Application)
	case verb.RemoveSpec:
		l.spec("", c.Application.Spec)
		l.owner("owner", c.Owner)
		l.owner("source", c.Application.Source)
		l.taken(c)
	case verb.Enter, verb.Leave:
		l.spec("", c.Application.Spec)
		l.owner("owner", c.Owner)
		l.owner("source", c.Application.Source)
		l.span("linger", c.By, c.By != 0)
	case verb.LoseSource:
		l.value(strconv.FormatUint(uint64(c.Application.Source), 10))
	case verb.AddTimeout:
		l.value(c.called())
		l.owner("owner", c.Owner)
		l.span("after", c.By, true)
	case verb.Cancel:
		l.value(c.Timeout.String())
	case verb.Dispel, verb.Steal, verb.Compensate:
		l.asked(c)
	case verb.Pause, verb.Resume, verb.SetRate:
		l.time(c)
	default:
		l.toBuff(c)
		l.toOwner(c)
	}
	return string(l.text)
}

// called names what a timeout calls.
func (c *Command) called() string {
	if c.Name == "" {
		return "func" // it cannot be read again
	}
	return c.Name
}

// wholeTime says whose time a verb about time is about.
func wholeTime(c *Command) string {
	switch c.Verb {
	case verb.Pause, verb.Resume, verb.SetRate:
		switch c.Whose {
		case define.OfBuff:
			return "_buff"
		case define.OfZone:
			return "_zone"
		}
	}
	return ""
}

// line writes a command.
type line struct {
	catalog *Catalog
	text    []byte
}

func (l *line) word(w string) { l.text = append(l.text, w...) }

// value writes what the verb is about.
func (l *line) value(v string) { l.field("", v) }

// field writes an option; without a key, a value.
func (l *line) field(key, v string) {
	l.text = append(l.text, ' ')
	if key != "" {
		l.quoted(key)
		l.text = append(l.text, '=')
	}
	l.quoted(v)
}

// quoted writes a part, in quotes where it would be read as something else.
func (l *line) quoted(v string) {
	if v == "" || v == "newest" || v == "purge" || strings.ContainsAny(v, ` "=`) || !printable(v) {
		l.text = strconv.AppendQuote(l.text, v)
		return
	}
	l.text = append(l.text, v...)
}

// printable reports whether a text is as it is when it is quoted.
func printable(v string) bool { return strconv.Quote(v) == `"`+v+`"` }

func (l *line) number(key string, n int64) {
	if n != 0 {
		l.field(key, strconv.FormatInt(n, 10))
	}
}

func (l *line) owner(key string, id OwnerID) {
	if id != 0 {
		l.field(key, strconv.FormatUint(uint64(id), 10))
	}
}

func (l *line) span(key string, d time.Duration, there bool) {
	if there {
		l.field(key, d.String())
	}
}

func (l *line) fraction(key string, v float64) {
	l.field(key, strconv.FormatFloat(v, 'g', -1, 64))
}

func (l *line) ratio(key string, r Ratio) {
	if (r == Ratio{}) {
		l.field(key, "1")
		return
	}
	l.field(key, strconv.FormatUint(uint64(r.Num), 10)+"/"+strconv.FormatUint(uint64(r.Den), 10))
}

func (l *line) flag(key string, on bool) {
	if on {
		l.text = append(append(l.text, ' '), key...)
	}
}

// named writes a name, or the number of what has none here.
func (l *line) named(key, name string, n int) {
	if name == "" {
		name = "#" + strconv.Itoa(n)
	}
	l.field(key, name)
}

func (l *line) spec(key string, s *Spec) {
	if s != nil {
		l.field(key, s.ID)
	}
}

func (l *line) tag(key string, t Tag) {
	name := ""
	if l.catalog != nil {
		name = l.catalog.TagName(t)
	}
	l.named(key, name, int(t))
}

func (l *line) act(a Act) {
	name := ""
	if l.catalog != nil {
		name = l.catalog.ActName(a)
	}
	l.named("", name, int(a))
}

func (l *line) attr(a stat.Attr) {
	name := ""
	if l.catalog != nil {
		if s := l.catalog.Attributes(); s != nil && a != 0 && int(a) <= s.Len() {
			name = s.At(a).Name
		}
	}
	l.named("", name, int(a))
}

func (l *line) application(a *Application) {
	l.owner("source", a.Source)
	l.number("stacks", int64(a.Stacks))
	l.number("level", int64(a.Level))
	if a.Key != 0 {
		l.field("key", strconv.FormatUint(a.Key, 10))
	}
	l.number("magnitude", a.Magnitude)
	l.span("duration", a.Duration.d, a.Duration.given)
	if (a.Scale != Ratio{}) {
		l.ratio("scale", a.Scale)
	}
	for _, p := range a.Params {
		l.fraction("param."+p.Caller, p.Value)
	}
}

// taken writes how much of a buff is taken off, and why.
func (l *line) taken(c *Command) {
	l.number("stacks", int64(c.Stacks))
	if c.Reason != NoReason && c.Reason != Cancelled {
		l.field("why", c.Reason.String())
	}
}

// time writes a command about the time of a buff, an owner or a zone.
func (l *line) time(c *Command) {
	key := "to"
	switch c.Whose {
	case define.OfBuff:
		l.value(c.Handle.String())
	case define.OfZone:
		l.value(strconv.FormatUint(uint64(c.Zone), 10))
	default:
		key = ""
	}
	if c.Verb == verb.SetRate {
		l.ratio(key, c.Rate)
	}
	if c.Whose == define.OfOwner {
		l.owner("owner", c.Owner)
	}
}

// asked writes a command that has a query.
func (l *line) asked(c *Command) {
	q := &c.Query
	switch l.owner("owner", c.Owner); c.Verb {
	case verb.Steal:
		l.field("to", strconv.FormatUint(uint64(q.To), 10))
		l.span("at_most", c.By, c.By != 0)
	case verb.Compensate:
		l.span("by", c.By, true)
	}
	l.spec("buff", q.Spec)
	if q.Tag != 0 {
		l.tag("tag", q.Tag)
	}
	if q.Neutral {
		l.field("polarity", define.Neutral.String())
	}
	for _, f := range []struct{ key, word, none string }{
		{"type", q.Type, ""},
		{"polarity", q.Polarity.String(), define.Neutral.String()},
		{"grade", q.Grade.String(), define.GradeBasic.String()},
		{"compensate", q.Compensate, ""},
	} {
		if f.word != f.none {
			l.field(f.key, f.word)
		}
	}
	l.owner("source", q.Source)
	l.number("most", int64(q.Most))
	l.number("stacks", int64(q.Stacks))
	l.flag("newest", q.Newest)
}

// toBuff writes a command for the buff of a handle.
func (l *line) toBuff(c *Command) {
	if _, by := c.Number(); !by {
		return
	}
	switch l.value(c.Handle.String()); c.Verb {
	case verb.Remove:
		l.taken(c)
	case verb.Extend:
		l.span("by", c.By, true)
		l.span("at_most", c.Application.Duration.d, c.Application.Duration.given)
	case verb.SetRemaining, verb.SetPeriod:
		l.span("to", c.By, true)
	case verb.ConsumeCharges:
		l.number("charges", int64(c.Stacks))
	}
}

// toOwner writes any other command for one owner.
func (l *line) toOwner(c *Command) {
	switch c.Verb {
	case verb.AddTag, verb.DropTag, verb.Immunize, verb.DropImmunity:
		l.tag("", c.Tag)
		l.flag("purge", c.Purge)
	case verb.Interrupt, verb.Consume, verb.Happened:
		l.act(c.Act)
	case verb.Absorb:
		l.value(strconv.FormatInt(c.Amount, 10))
	case verb.SetZone:
		l.value(strconv.FormatUint(uint64(c.Zone), 10))
	case verb.SetBase:
		l.attr(c.Attr)
		l.fraction("to", c.Value)
	case verb.AddBase, verb.Damage:
		l.attr(c.Attr)
		l.fraction("by", c.Value)
	}
	l.owner("owner", c.Owner)
	if c.Verb == verb.Happened {
		l.owner("target", c.Application.Source)
		l.number("amount", c.Amount)
	}
	if (c.Verb == verb.Absorb || c.Verb == verb.Damage) && c.Tag != 0 {
		l.tag("school", c.Tag)
	}
	if c.Verb == verb.Kill || c.Verb == verb.Damage {
		l.owner("source", c.Application.Source)
	}
}
