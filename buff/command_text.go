package buff

import (
	"encoding"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/exact"
	"github.com/bufftick/bufftick/internal/handle"
	"github.com/bufftick/bufftick/internal/wordlist"
)

// String returns the command as a line of a scenario: the word of the verb, its subject, and
// options, as in
//
//	apply venom owner=7 source=9 stacks=2
//	extend 3/0/17 by=2s
//	rate_area 4 to=1/2
//
// [ParseCommand] parses such a line. Tags, acts and attributes are written as numbers ("#3"),
// because a command does not know its catalog; [Command.Text] writes them as names.
func (c Command) String() string { return c.Text(nil) }

// Text is like [Command.String] but writes tags, acts and attributes as their names in a catalog.
func (c *Command) Text(catalog *Catalog) string {
	word := c.Verb.String()
	if c.Verb == verb.Pause || c.Verb == verb.Resume || c.Verb == verb.SetRate {
		switch c.Whose {
		case define.OfBuff:
			word += "_buff"
		case define.OfArea:
			word += "_area"
		}
	}
	l := line{writing: true, names: &Names{Catalog: catalog}, out: []byte(word)}
	if f, ok := lineForms[word]; ok {
		f.code(&l, c)
	} else {
		l.owner(c)
	}
	return string(l.out)
}

// Names resolves the names in the text of a command. The zero value is enough for a text without
// definitions, tags, acts and attributes.
type Names struct {
	Catalog *Catalog // has the names of definitions, tags, acts and attributes

	// Self is the owner of a command whose line has no owner. Source is the source of an
	// application whose line has no source.
	Self, Source OwnerID

	// Owner returns the owner with a name. If Owner is nil, the text must be a number.
	Owner func(name string) (OwnerID, error)

	// Buff returns the handle of a buff with a name, on the owner of the line. If Buff is nil, the
	// text must be in the format of [Handle.String].
	Buff func(owner OwnerID, name string) (Handle, error)

	// Timeout is like Buff, but for timeouts.
	Timeout func(owner OwnerID, name string) (TimeoutHandle, error)
}

// TextError is an error in one part of the text of a command. It matches [ErrCommand], and also
// [ErrName] if a name is unknown.
type TextError struct {
	Verb string // the word of the verb; empty if it is unknown
	Key  string // the option with the error; empty if the error is in the verb or its subject
	Err  error
}

// Error returns the part and its error.
func (e *TextError) Error() string {
	switch {
	case e.Verb == "":
		return e.Err.Error()
	case e.Key == "":
		return fmt.Sprintf("%s: %v", e.Verb, e.Err)
	}
	return fmt.Sprintf("%s: %q %v", e.Verb, e.Key, e.Err)
}

// Unwrap returns ErrCommand and Err.
func (e *TextError) Unwrap() []error { return []error{ErrCommand, e.Err} }

// MaxCommandText is the maximum length of the text of a command, in bytes.
const MaxCommandText = 1 << 16

// ParseCommand parses the line of one command: a verb, its subject, and options in any order.
//
//	apply BUFF [owner= source= stacks= level= key= magnitude= duration= scale= param.NAME=]
//	remove HANDLE [stacks= why=]                    remove_oldest BUFF [owner= stacks= why=]
//	extend HANDLE by= [at_most=]                    set_remaining HANDLE to=, set_period HANDLE to=
//	pause, resume, rate RATIO [owner=]              pause_buff, resume_buff, rate_buff HANDLE [to=]
//	area AREA [owner=]                              pause_area, resume_area, rate_area AREA [to=]
//	inhibit HANDLE, release HANDLE                  use HANDLE [charges=]
//	tag TAG, untag TAG, immune TAG [purge], vulnerable TAG [owner=]
//	dispel QUERY [owner=]                           steal QUERY to=OWNER [at_most= owner=]
//	compensate QUERY by=                            source_gone OWNER
//	interrupt ACT, consume ACT [owner=]             absorb AMOUNT [school= owner=]
//	happened ACT [target= amount= owner=]
//	base ATTR to=, change ATTR by=, damage ATTR by= [school= source=] [owner=]
//	timeout HANDLER after= [owner=]                 cancel TIMEOUT
//	kill [source=], revive [owner=]
//
// QUERY is any of the options buff= tag= type= polarity= source= compensate= most= newest; dispel
// and steal also have grade= and stacks=. Instead of options, dispel and steal can have only the
// name of a definition, which means one portion of a buff of this definition, of any grade; with
// stacks= it means that many stacks of the oldest such buff. Durations have the format of Go, as in
// 1.5s. Ratios are written as 2, 0.25 or 1/4. A name with spaces must be in double quotes.
//
// The error is a [TextError].
func ParseCommand(text string, names Names) (Command, error) {
	l := line{names: &names}
	if len(text) > MaxCommandText {
		l.fail("", fmt.Errorf("a line of %d bytes, the limit is %d", len(text), MaxCommandText))
		return Command{}, l.err
	}
	c := l.parse(text)
	if l.err != nil {
		return Command{}, l.err
	}
	return c, nil
}

// lineForm describes the lines that start with a particular word. The function "code" lists the
// subject and the options in the order in which they are written. The same function reads and
// writes them.
type lineForm struct {
	verb  verb.Verb
	whose define.Whose
	code  func(l *line, c *Command)
}

var lineForms = map[string]lineForm{
	"apply": {verb: verb.Apply, code: func(l *line, c *Command) {
		l.spec("", &c.Application.Spec)
		l.owner(c)
		l.application(&c.Application)
	}},
	"remove": {verb: verb.Remove, code: func(l *line, c *Command) { l.buff(c); l.removal(c) }},
	"remove_oldest": {verb: verb.RemoveSpec, code: func(l *line, c *Command) {
		l.spec("", &c.Application.Spec)
		l.owner(c)
		l.id("source", &c.Application.Source)
		l.removal(c)
	}},
	"extend": {verb: verb.Extend, code: func(l *line, c *Command) {
		l.buff(c)
		l.span("by", &c.By)
		most := c.Application.Duration.d
		if l.atMost(&most, c.Application.Duration.given) {
			c.Application.Duration = Lasting(most)
		}
	}},
	"set_remaining": {verb: verb.SetRemaining, code: func(l *line, c *Command) { l.buff(c); l.span("to", &c.By) }},
	"set_period":    {verb: verb.SetPeriod, code: func(l *line, c *Command) { l.buff(c); l.span("to", &c.By) }},
	"inhibit":       {verb: verb.Inhibit, code: (*line).buff},
	"release":       {verb: verb.Release, code: (*line).buff},
	"use":           {verb: verb.ConsumeCharges, code: func(l *line, c *Command) { l.buff(c); whole(l, "charges", &c.Stacks, 1, define.MaxStacks) }},
	"cancel":        {verb: verb.Cancel, code: (*line).timeout},
	"timeout": {verb: verb.AddTimeout, code: func(l *line, c *Command) {
		if l.writing && c.Name == "" {
			l.put("", "func") // it cannot be parsed
		} else if name, ok := l.option("", "handler", c.Name, true); ok {
			c.Name = name
		}
		l.owner(c)
		l.span("after", &c.By)
	}},

	"pause":       {verb: verb.Pause, whose: define.OfOwner, code: func(l *line, c *Command) { l.none(); l.owner(c) }},
	"resume":      {verb: verb.Resume, whose: define.OfOwner, code: func(l *line, c *Command) { l.none(); l.owner(c) }},
	"rate":        {verb: verb.SetRate, whose: define.OfOwner, code: func(l *line, c *Command) { l.ratio("", &c.Rate); l.owner(c) }},
	"pause_buff":  {verb: verb.Pause, whose: define.OfBuff, code: (*line).buff},
	"resume_buff": {verb: verb.Resume, whose: define.OfBuff, code: (*line).buff},
	"rate_buff":   {verb: verb.SetRate, whose: define.OfBuff, code: func(l *line, c *Command) { l.buff(c); l.ratio("to", &c.Rate) }},
	"pause_area":  {verb: verb.Pause, whose: define.OfArea, code: (*line).area},
	"resume_area": {verb: verb.Resume, whose: define.OfArea, code: (*line).area},
	"rate_area":   {verb: verb.SetRate, whose: define.OfArea, code: func(l *line, c *Command) { l.area(c); l.ratio("to", &c.Rate) }},
	"area":        {verb: verb.SetArea, code: func(l *line, c *Command) { l.area(c); l.owner(c) }},

	"tag":   {verb: verb.AddTag, code: func(l *line, c *Command) { l.tag("", &c.Tag); l.owner(c) }},
	"untag": {verb: verb.DropTag, code: func(l *line, c *Command) { l.tag("", &c.Tag); l.owner(c) }},
	"immune": {verb: verb.Immunize, code: func(l *line, c *Command) {
		l.tag("", &c.Tag)
		l.flag("purge", &c.Purge)
		l.owner(c)
	}},
	"vulnerable": {verb: verb.DropImmunity, code: func(l *line, c *Command) { l.tag("", &c.Tag); l.owner(c) }},
	"dispel": {verb: verb.Dispel, code: func(l *line, c *Command) {
		l.owner(c)
		l.id("target", &c.Application.Source)
		l.query(&c.Query, true)
	}},
	"steal": {verb: verb.Steal, code: func(l *line, c *Command) {
		l.owner(c)
		l.must("to", l.writing)
		if text, ok := l.option("to", "", strconv.FormatUint(uint64(c.Query.To), 10), true); ok {
			c.Query.To = l.ownerOf("to", text)
		}
		l.atMost(&c.By, c.By != 0)
		l.query(&c.Query, true)
	}},
	"compensate": {verb: verb.Compensate, code: func(l *line, c *Command) { l.span("by", &c.By); l.query(&c.Query, false) }},
	"interrupt":  {verb: verb.Interrupt, code: func(l *line, c *Command) { l.act(&c.Act); l.owner(c) }},
	"consume":    {verb: verb.Consume, code: func(l *line, c *Command) { l.act(&c.Act); l.owner(c) }},
	"happened": {verb: verb.Happened, code: func(l *line, c *Command) {
		l.act(&c.Act)
		l.owner(c)
		l.id("target", &c.Application.Source)
		whole(l, "amount", &c.Amount, math.MinInt64, math.MaxInt64)
		l.tag("school", &c.Tag)
	}},
	"source_gone": {verb: verb.LoseSource, code: func(l *line, c *Command) {
		if text, ok := l.option("", "source", strconv.FormatUint(uint64(c.Application.Source), 10), true); ok {
			c.Application.Source = l.ownerOf("", text)
		}
	}},
	"kill":   {verb: verb.Kill, code: func(l *line, c *Command) { l.none(); l.owner(c); l.id("source", &c.Application.Source) }},
	"revive": {verb: verb.Revive, code: func(l *line, c *Command) { l.none(); l.owner(c) }},

	"absorb": {verb: verb.Absorb, code: func(l *line, c *Command) {
		if text, ok := l.option("", "amount", strconv.FormatInt(c.Amount, 10), true); ok {
			c.Amount = l.integer("", text, math.MinInt64, math.MaxInt64)
		}
		l.owner(c)
		l.tag("school", &c.Tag)
	}},
	"base":   {verb: verb.SetBase, code: func(l *line, c *Command) { l.attr(&c.Attr); l.fraction("to", &c.Value); l.owner(c) }},
	"change": {verb: verb.AddBase, code: func(l *line, c *Command) { l.attr(&c.Attr); l.fraction("by", &c.Value); l.owner(c) }},
	"damage": {verb: verb.Damage, code: func(l *line, c *Command) {
		l.attr(&c.Attr)
		l.fraction("by", &c.Value)
		l.owner(c)
		l.tag("school", &c.Tag)
		l.id("source", &c.Application.Source)
	}},

	"enter": {verb: verb.Enter, code: aura},
	"leave": {verb: verb.Leave, code: aura},
}

// aura writes an Enter or a Leave, which only the engine issues. These commands are never parsed.
func aura(l *line, c *Command) {
	l.spec("", &c.Application.Spec)
	l.owner(c)
	l.id("source", &c.Application.Source)
	if c.By != 0 {
		l.span("linger", &c.By)
	}
}

// words returns the words that ParseCommand accepts, sorted.
func words() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(lineForms)), func(word string) bool { return word == "enter" || word == "leave" })
}

// line is the state of reading or writing one line.
type line struct {
	writing bool
	names   *Names
	out     []byte // when writing, the line so far

	word    string
	subject string
	has     bool // the line has a subject
	options []option
	self    OwnerID // the owner that the line names, or Names.Self
	err     error   // the first error
}

type option struct {
	key, value string
	bare, used bool
}

// parse reads the whole line.
func (l *line) parse(text string) (c Command) {
	l.split(text)
	if l.err != nil {
		return c
	}
	if !slices.Contains(words(), l.word) {
		unknown := l.word
		l.word = ""
		l.fail("", fmt.Errorf("there is no verb %.100q%s", unknown, wordlist.DidYouMean(unknown, words())))
		return c
	}
	l.self = l.names.Self
	if name, ok := l.get("owner"); ok {
		l.self = l.ownerOf("owner", name)
	}
	f := lineForms[l.word]
	c.Verb, c.Whose = f.verb, f.whose
	f.code(l, &c)
	for _, o := range l.options {
		if !o.used {
			l.fail(o.key, fmt.Errorf("says nothing here"))
		}
	}
	if l.err == nil {
		if err := c.Check(l.names.Catalog); err != nil {
			l.fail("", err)
		}
	}
	return c
}

func (l *line) fail(key string, err error) {
	if l.err == nil {
		l.err = &TextError{l.word, key, err}
	}
}

// split separates the parts of a line. A part is a word or key=value. The word, the key and the
// value may each be quoted.
func (l *line) split(text string) {
	for n := 0; l.err == nil; n++ {
		text = strings.TrimLeft(text, " \t")
		if text == "" {
			return
		}
		part, quoted, rest := l.part(text, " \t=")
		switch {
		case n > 0 && strings.HasPrefix(rest, "=") && l.err == nil:
			key := part
			part, _, rest = l.part(rest[1:], " \t")
			l.add(option{key: key, value: part})
		case n == 0:
			l.word = part
		case n == 1 && (quoted || part != "newest" && part != "purge"):
			l.subject, l.has = part, true
		default:
			l.add(option{key: part, bare: true})
		}
		if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			l.fail("", fmt.Errorf("something stands behind %.100q: %.100q", part, rest))
		}
		text = rest
	}
}

// part returns the text before the first byte that is in ends, or the quoted text.
func (l *line) part(text, ends string) (part string, quoted bool, rest string) {
	if !strings.HasPrefix(text, `"`) {
		n := strings.IndexAny(text, ends)
		if n < 0 {
			n = len(text)
		}
		return text[:n], false, text[n:]
	}
	q, err := strconv.QuotedPrefix(text)
	if err != nil {
		l.fail("", fmt.Errorf("a quote does not end: %.100s", text))
		return "", true, ""
	}
	part, _ = strconv.Unquote(q)
	return part, true, text[len(q):]
}

func (l *line) add(o option) {
	if slices.ContainsFunc(l.options, func(old option) bool { return old.key == o.key }) {
		l.fail(o.key, fmt.Errorf("stands there twice"))
	}
	l.options = append(l.options, o)
}

// get returns the value of an option, if present.
func (l *line) get(key string) (value string, ok bool) {
	for i := range l.options {
		if o := &l.options[i]; o.key == key {
			o.used = true
			if o.bare {
				l.fail(key, fmt.Errorf("has no value"))
			}
			return o.value, true
		}
	}
	return "", false
}

// must records an error if an option is missing.
func (l *line) must(key string, ok bool) {
	if !ok && !slices.ContainsFunc(l.options, func(o option) bool { return o.key == key }) {
		l.fail("", fmt.Errorf("it needs %q", key))
	}
}

// put writes an option, or the subject if the key is empty.
func (l *line) put(key, v string) {
	l.out = append(l.out, ' ')
	if key != "" {
		l.quote(key)
		l.out = append(l.out, '=')
	}
	l.quote(v)
}

// quote writes a part, in quotes if it would be read as something else.
func (l *line) quote(v string) {
	if v == "" || v == "newest" || v == "purge" || strings.ContainsAny(v, ` "=`) || strconv.Quote(v) != `"`+v+`"` {
		l.out = strconv.AppendQuote(l.out, v)
		return
	}
	l.out = append(l.out, v...)
}

// option writes or reads one option. When writing, it writes the key and v, but only if present is
// true. When reading, it returns the text of the option with this key.
//
// An empty key means the subject of the command, which is the text without a key. When reading, the
// subject is required: if it is missing, the error names its kind.
func (l *line) option(key, kind, v string, present bool) (text string, ok bool) {
	switch {
	case l.writing && present:
		l.put(key, v)
		return "", false
	case l.writing:
		return "", false
	case key != "":
		return l.get(key)
	case !l.has:
		l.fail("", fmt.Errorf("of which %s?", kind))
	}
	return l.subject, l.err == nil
}

// none records an error if the line has a subject. A scenario may have "true" instead of no
// subject.
func (l *line) none() {
	if l.has && l.subject != "true" {
		l.fail("", fmt.Errorf("nothing stands behind it, or true, not %.100q", l.subject))
	}
}

func (l *line) owner(c *Command) {
	if l.writing {
		l.id("owner", &c.Owner)
	} else {
		c.Owner = l.self
	}
}

func (l *line) id(key string, id *OwnerID) {
	if name, ok := l.option(key, "", strconv.FormatUint(uint64(*id), 10), *id != 0); ok {
		*id = l.ownerOf(key, name)
	}
}

func (l *line) ownerOf(key, name string) OwnerID {
	if l.names.Owner == nil {
		return OwnerID(l.unsigned(key, name, math.MaxUint64))
	}
	id, err := l.names.Owner(name)
	if err != nil {
		l.fail(key, err)
	}
	return id
}

func (l *line) buff(c *Command) { handleOf(l, "buff", &c.Handle, l.names.Buff) }

func (l *line) timeout(c *Command) { handleOf(l, "timeout", &c.Timeout, l.names.Timeout) }

// handleOf reads or writes a handle, the subject of a command. When reading, find returns the
// handle of a name; if find is nil, the text is the handle itself.
func handleOf[H interface {
	~uint64
	String() string
}](l *line, kind string, h *H, find func(OwnerID, string) (H, error)) {
	name, ok := l.option("", kind, (*h).String(), true)
	if ok && find == nil {
		*h = H(l.handle(name))
	} else if ok {
		var err error
		if *h, err = find(l.self, name); err != nil {
			l.fail("", err)
		}
	}
}

// handle parses "3/0/17".
func (l *line) handle(text string) uint64 {
	parts := strings.Split(text, "/")
	if len(parts) != 3 {
		l.fail("", fmt.Errorf("a handle is owner number, slot and generation, 3/0/17, not %.100q", text))
		return 0
	}
	number := l.unsigned("", parts[0], MaxOwners-1)
	slot := l.unsigned("", parts[1], MaxPerOwner-1)
	return handle.Pack(uint32(number), uint16(slot), uint32(l.unsigned("", parts[2], math.MaxUint32)))
}

func (l *line) area(c *Command) {
	if text, ok := l.option("", "area", strconv.FormatUint(uint64(c.Area), 10), true); ok {
		c.Area = uint32(l.unsigned("", text, math.MaxUint32))
	}
}

func (l *line) unsigned(key, text string, most uint64) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > most {
		l.fail(key, fmt.Errorf("must be a whole number from 0 to %d, not %q", most, excerpt(text)))
	}
	return n
}

func (l *line) integer(key, text string, least, most int64) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		l.fail(key, fmt.Errorf("must be a whole number, not %q", excerpt(text)))
	} else if n < least || n > most {
		l.fail(key, fmt.Errorf("must be from %d to %d, not %d", least, most, n))
	}
	return n
}

// excerpt returns the start of a text for an error, in valid UTF-8.
func excerpt(text string) string {
	if len(text) > 100 {
		text = text[:100]
	}
	return strings.ToValidUTF8(text, string(utf8.RuneError))
}

// whole reads or writes an option that is an integer. Zero is omitted.
func whole[T ~int | ~int64](l *line, key string, n *T, least, most int64) {
	if text, ok := l.option(key, "", strconv.FormatInt(int64(*n), 10), *n != 0); ok {
		*n = T(l.integer(key, text, least, most))
	}
}

func (l *line) fraction(key string, v *float64) {
	l.must(key, l.writing)
	if text, ok := l.option(key, "", strconv.FormatFloat(*v, 'g', -1, 64), true); ok {
		f, err := strconv.ParseFloat(text, 64)
		if *v = f; err != nil {
			l.fail(key, fmt.Errorf("must be a number, not %q", excerpt(text)))
		}
	}
}

// span reads or writes a duration that must be present.
func (l *line) span(key string, d *time.Duration) {
	l.must(key, l.writing)
	if text, ok := l.option(key, "", d.String(), true); ok {
		span, err := time.ParseDuration(text)
		if *d = span; err != nil {
			l.fail(key, fmt.Errorf("must be a span such as 12s, 1500ms or 36h, not %q", excerpt(text)))
		}
	}
}

// atMost reads or writes the option at_most, which must be above 0. It reports whether it has read
// the option.
func (l *line) atMost(d *time.Duration, present bool) (read bool) {
	if l.writing && present {
		l.span("at_most", d)
	}
	if _, ok := l.get("at_most"); l.writing || !ok {
		return false
	}
	if l.span("at_most", d); *d <= 0 {
		l.fail("at_most", fmt.Errorf("must be above 0, not %v", *d))
	}
	return true
}

// ratio reads or writes a ratio such as "2", "0.25" or "1/3", without rounding. A ratio that it
// reads is in lowest terms.
func (l *line) ratio(key string, r *Ratio) {
	text := "1"
	if *r != (Ratio{}) {
		text = strconv.FormatUint(uint64(r.Num), 10) + "/" + strconv.FormatUint(uint64(r.Den), 10)
	}
	if key == "to" {
		l.must(key, l.writing)
	}
	text, ok := l.option(key, "ratio", text, true)
	if !ok {
		return
	}
	top, bottom := text, "1"
	if whole, part, decimal := strings.Cut(text, "."); decimal {
		top, bottom = whole+part, "1"+strings.Repeat("0", min(len(part), 20))
	} else if over, under, slash := strings.Cut(text, "/"); slash {
		top, bottom = over, under
	}
	n, err := strconv.ParseUint(top, 10, 32)
	d, err2 := strconv.ParseUint(bottom, 10, 32)
	if err != nil || err2 != nil {
		l.fail(key, fmt.Errorf(`must be a ratio such as 2, 0.25 or "1/3", not %q`, excerpt(text)))
		return
	}
	if g := exact.GCD(n, d); n > 0 && d > 0 { // the rules reject any other ratio
		n, d = n/g, d/g
	}
	if *r = (Ratio{uint32(n), uint32(d)}); n == 1 && d == 1 {
		*r = Ratio{}
	}
}

func (l *line) flag(key string, on *bool) {
	if l.writing && *on {
		l.out = append(append(l.out, ' '), key...)
	}
	for i := range l.options {
		if o := &l.options[i]; o.key == key {
			o.used = true
			if !o.bare && o.value != "true" && o.value != "false" {
				l.fail(key, fmt.Errorf("must be true or false, not %.100q", o.value))
			}
			*on = o.bare || o.value == "true"
		}
	}
}

// enum reads or writes an option whose value is a word. The usual value is omitted.
func (l *line) enum(key string, v interface {
	fmt.Stringer
	encoding.TextUnmarshaler
}, usual bool,
) {
	if text, ok := l.option(key, "", v.String(), !usual); ok {
		if err := v.UnmarshalText([]byte(excerpt(text))); err != nil {
			l.fail(key, err)
		}
	}
}

func (l *line) text(key string, v *string) {
	if text, ok := l.option(key, "", *v, *v != ""); ok {
		*v = text
	}
}

func (l *line) application(a *Application) {
	if !l.writing {
		a.Source = l.names.Source
	}
	l.id("source", &a.Source)
	whole(l, "stacks", &a.Stacks, math.MinInt32, math.MaxInt32)
	whole(l, "level", &a.Level, math.MinInt32, math.MaxInt32)
	if text, ok := l.option("key", "", strconv.FormatUint(a.Key, 10), a.Key != 0); ok {
		a.Key = l.unsigned("key", text, math.MaxUint64)
	}
	whole(l, "magnitude", &a.Magnitude, math.MinInt64, math.MaxInt64)
	if _, ok := l.get("duration"); ok || a.Duration.given {
		l.span("duration", &a.Duration.d)
		a.Duration.given = true
	}
	if _, ok := l.get("scale"); ok || a.Scale != (Ratio{}) {
		l.ratio("scale", &a.Scale)
	}
	for i := range a.Params {
		l.fraction("param."+a.Params[i].Caller, &a.Params[i].Value)
	}
	for i := range l.options {
		if name, ok := strings.CutPrefix(l.options[i].key, "param."); ok {
			p := Arg{Caller: name}
			l.fraction(l.options[i].key, &p.Value)
			a.Params = append(a.Params, p)
		}
	}
}

// removal reads or writes the number of stacks to remove and the reason.
func (l *line) removal(c *Command) {
	whole(l, "stacks", &c.Stacks, 0, math.MaxInt32)
	why := c.Reason
	if l.enum("why", &why, why == reason.None || why == reason.Cancelled); !l.writing {
		if c.Reason = why; why == reason.Cancelled {
			c.Reason = reason.None
		}
	}
}

// query reads or writes a query. If the subject of the line is a definition, the query selects the
// buffs of this definition. If portions is true, the query is for a dispel or a steal. It then has
// further options, and a definition as the subject means one portion of that definition, of any
// grade.
func (l *line) query(q *Query, portions bool) {
	if portions && l.has {
		q.Grade, q.Most = define.GradeDeath, 1
		l.spec("", &q.Spec)
		whole(l, "stacks", &q.Stacks, 1, define.MaxStacks)
		return
	}
	l.spec("buff", &q.Spec)
	l.tag("tag", &q.Tag)
	if text, ok := l.option("polarity", "", define.Neutral.String(), q.Neutral); ok {
		q.Neutral = text == define.Neutral.String()
	}
	l.text("type", &q.Type)
	l.enum("polarity", &q.Polarity, q.Polarity == define.Neutral)
	if portions {
		l.enum("grade", &q.Grade, q.Grade == define.GradeBasic)
	}
	l.text("compensate", &q.Compensate)
	l.id("source", &q.Source)
	whole(l, "most", &q.Most, 1, define.MaxStacks)
	if portions {
		whole(l, "stacks", &q.Stacks, 1, define.MaxStacks)
	}
	l.flag("newest", &q.Newest)
	if l.has {
		*q = Query{}
		l.spec("", &q.Spec)
	}
}

func (l *line) spec(key string, s **Spec) {
	id := ""
	if *s != nil {
		id = (*s).ID
	}
	text, ok := l.option(key, "definition", id, *s != nil)
	if !ok {
		return
	}
	if l.names.Catalog != nil {
		*s = l.names.Catalog.Spec(text)
	}
	if *s == nil {
		l.unknown(key, "definition", text)
	}
}

// tag reads or writes a tag. If key is not empty, the tag is an option and is omitted if it is 0.
func (l *line) tag(key string, t *Tag) {
	named(l, key, "tag", t, key == "" || *t != 0, math.MaxUint16, (*Catalog).TagName, (*Catalog).Tag)
}

func (l *line) act(a *Act) {
	named(l, "", "act", a, true, math.MaxUint8, (*Catalog).ActName, (*Catalog).Act)
}

func (l *line) attr(a *stat.Attr) {
	named(l, "", "attribute", a, true, math.MaxUint16, (*Catalog).attrName, (*Catalog).Attr)
}

// named reads or writes the number of a tag, act or attribute as its name, or in the form "#3" if
// it has no name.
func named[T ~uint8 | ~uint16](l *line, key, kind string, v *T, present bool, most uint64, nameOf func(*Catalog, T) string, of func(*Catalog, string) (T, bool)) {
	name, c := "", l.names.Catalog
	if l.writing && c != nil {
		name = nameOf(c, *v)
	}
	if name == "" {
		name = "#" + strconv.Itoa(int(*v))
	}
	text, ok := l.option(key, kind, name, present)
	if !ok {
		return
	}
	if c != nil {
		if n, ok := of(c, text); ok {
			*v = n
			return
		}
	}
	if number, ok := strings.CutPrefix(text, "#"); ok {
		*v = T(l.unsigned(key, number, most))
		return
	}
	l.unknown(key, kind, text)
}

// unknown records an error about a name that the catalog does not have.
func (l *line) unknown(key, kind, name string) { l.fail(key, l.names.Catalog.unknown(kind, name)) }

// attrName returns the name of an attribute, or "" if there is no such attribute.
func (c *Catalog) attrName(a stat.Attr) string {
	if s := c.Attributes(); s != nil && a != 0 && int(a) <= s.Len() {
		return s.At(a).Name
	}
	return ""
}
