package buff

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bufftick/bufftick/internal/wordlist"
)

// Names says what the names in the text of a command stand for. The zero value will do for a text
// without definitions, tags, acts and attributes.
type Names struct {
	Catalog *Catalog // of definitions, tags, acts and attributes

	// Self is whom a line means that names no owner, Source who applies a buff where it does not
	// say.
	Self, Source OwnerID

	// Owner returns who has that name; nil: the name is a number.
	Owner func(name string) (OwnerID, error)

	// Buff returns the handle of that name, of a buff of the owner whom the line names; nil: it is
	// written as [Handle.String] does.
	Buff func(owner OwnerID, name string) (Handle, error)

	// Timeout is the same for timeouts.
	Timeout func(owner OwnerID, name string) (TimeoutHandle, error)
}

// TextError is what is wrong with one part of the text of a command. It is [ErrCommand] for
// errors.Is, or also [ErrName].
type TextError struct {
	Verb string // the word of the verb; empty if there is none that is known
	Key  string // the option; empty for the verb and what stands behind it
	Err  error  // what is wrong
}

// Error names the part.
func (e *TextError) Error() string {
	switch {
	case e.Verb == "":
		return e.Err.Error()
	case e.Key == "":
		return fmt.Sprintf("%s: %v", e.Verb, e.Err)
	}
	return fmt.Sprintf("%s: %q %v", e.Verb, e.Key, e.Err)
}

// Unwrap returns ErrCommand and what is wrong.
func (e *TextError) Unwrap() []error { return []error{ErrCommand, e.Err} }

// MaxCommandText is how long the text of a command may be, in bytes.
const MaxCommandText = 1 << 16

// ParseCommand reads the line of one command: a verb, what it is about, and options, in any order.
//
//	apply BUFF [owner= source= stacks= level= key= magnitude= duration= scale= param.NAME=]
//	remove HANDLE [stacks= why=]                    remove_oldest BUFF [owner= stacks= why=]
//	extend HANDLE by= [at_most=]                    set_remaining HANDLE to=, set_period HANDLE to=
//	pause, resume, rate RATIO [owner=]              pause_buff, resume_buff, rate_buff HANDLE [to=]
//	zone ZONE [owner=]                              pause_zone, resume_zone, rate_zone ZONE [to=]
//	inhibit HANDLE, release HANDLE                  use HANDLE [charges=]
//	tag TAG, untag TAG, immune TAG [purge], vulnerable TAG [owner=]
//	dispel QUERY [owner=]                           steal QUERY to=OWNER [at_most= owner=]
//	compensate QUERY by=                            source_gone OWNER
//	interrupt ACT, consume ACT [owner=]             absorb AMOUNT [school= owner=]
//	base ATTR to=, change ATTR by=, damage ATTR by= [school= source=] [owner=]
//	timeout HANDLER after= [owner=]                 cancel TIMEOUT
//	kill [source=], revive [owner=]
//
// QUERY is any of buff= tag= type= polarity= source= compensate= most= newest, and behind dispel and
// steal also grade= and stacks=. A definition alone behind those two stands for one portion of it, of any
// grade; with stacks= that is so many stacks of the oldest. Spans are as in Go, 1.5s; ratios are 2, 0.25 or
// 1/4; a name with spaces is in double quotes.
//
// The error is a [TextError].
func ParseCommand(text string, names Names) (Command, error) {
	r := parser{names: &names}
	if len(text) > MaxCommandText {
		r.fail("", fmt.Errorf("a line of %d bytes, the limit is %d", len(text), MaxCommandText))
		return Command{}, r.err
	}
	c := r.command(text)
	if r.err != nil {
		return Command{}, r.err
	}
	return c, nil
}

// parser reads one line.
type parser struct {
	names   *Names
	word    string
	value   string
	valued  bool
	options []option
	err     error // the first
	owner   OwnerID
}

type option struct {
	key, value string
	bare, used bool
}

func (r *parser) fail(key string, err error) {
	if r.err == nil {
		r.err = &TextError{r.word, key, err}
	}
}

// split takes the parts of the line apart. A part is a word, or key=value; either side may be
// quoted.
func (r *parser) split(text string) {
	for n := 0; r.err == nil; n++ {
		text = strings.TrimLeft(text, " \t")
		if text == "" {
			return
		}
		part, quoted, rest := r.part(text, " \t=")
		if n > 0 && strings.HasPrefix(rest, "=") && r.err == nil {
			key := part
			part, _, rest = r.part(rest[1:], " \t")
			r.option(option{key: key, value: part})
		} else {
			r.take(n, part, quoted)
		}
		if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			r.fail("", fmt.Errorf("something stands behind %.100q: %.100q", part, rest))
		}
		text = rest
	}
}

// part takes what stands before any of the ends, or in quotes.
func (r *parser) part(text, ends string) (part string, quoted bool, rest string) {
	if !strings.HasPrefix(text, `"`) {
		n := strings.IndexAny(text, ends)
		if n < 0 {
			n = len(text)
		}
		return text[:n], false, text[n:]
	}
	q, err := strconv.QuotedPrefix(text)
	if err != nil {
		r.fail("", fmt.Errorf("a quote does not end: %.100s", text))
		return "", true, ""
	}
	part, _ = strconv.Unquote(q)
	return part, true, text[len(q):]
}

// take takes one part in that is not key=value.
func (r *parser) take(n int, part string, quoted bool) {
	switch {
	case n == 0:
		r.word = part
	case n == 1 && (quoted || part != "newest" && part != "purge"):
		r.value, r.valued = part, true
	default:
		r.option(option{key: part, bare: true})
	}
}

func (r *parser) option(o option) {
	if slices.ContainsFunc(r.options, func(old option) bool { return old.key == o.key }) {
		r.fail(o.key, fmt.Errorf("stands there twice"))
	}
	r.options = append(r.options, o)
}

// command reads the whole line.
func (r *parser) command(text string) Command {
	r.split(text)
	read := readers[r.word]
	switch {
	case r.err != nil:
		return Command{}
	case read == nil:
		unknown := r.word
		r.word = ""
		r.fail("", fmt.Errorf("there is no verb %.100q%s", unknown, wordlist.DidYouMean(unknown, slices.Sorted(maps.Keys(readers)))))
		return Command{}
	}
	r.owner = r.names.Self
	if name, there := r.get("owner"); there {
		r.owner = r.ownerOf("owner", name)
	}
	c := read(r)
	for _, o := range r.options {
		if !o.used {
			r.fail(o.key, fmt.Errorf("says nothing here"))
		}
	}
	if r.err == nil {
		if err := c.Check(r.names.Catalog); err != nil {
			r.fail("", err)
		}
	}
	return c
}

// get returns an option, if it is there.
func (r *parser) get(key string) (value string, there bool) {
	for i := range r.options {
		if o := &r.options[i]; o.key == key {
			o.used = true
			if o.bare {
				r.fail(key, fmt.Errorf("has no value"))
			}
			return o.value, true
		}
	}
	return "", false
}

func (r *parser) flag(key string) bool {
	for i := range r.options {
		if o := &r.options[i]; o.key == key {
			o.used = true
			if !o.bare && o.value != "true" && o.value != "false" {
				r.fail(key, fmt.Errorf("must be true or false, not %.100q", o.value))
			}
			return o.bare || o.value == "true"
		}
	}
	return false
}

// must returns an option that must be there.
func (r *parser) must(key string) string {
	value, there := r.get(key)
	if !there {
		r.fail("", fmt.Errorf("it needs %q", key))
	}
	return value
}

// about returns what stands behind the verb.
func (r *parser) about(what string) string {
	if !r.valued {
		r.fail("", fmt.Errorf("of which %s?", what))
	}
	return r.value
}

// none says that nothing stands behind the verb; in a scenario that is "true".
func (r *parser) none() {
	if r.valued && r.value != "true" {
		r.fail("", fmt.Errorf("nothing stands behind it, or true, not %.100q", r.value))
	}
}

func (r *parser) ownerOf(key, name string) OwnerID {
	if r.names.Owner == nil {
		return OwnerID(r.unsigned(key, name, math.MaxUint64))
	}
	id, err := r.names.Owner(name)
	if err != nil {
		r.fail(key, err)
	}
	return id
}

func (r *parser) buff() Handle {
	name := r.about("buff")
	if r.err != nil {
		return 0
	}
	if r.names.Buff == nil {
		return Handle(r.handle(name))
	}
	h, err := r.names.Buff(r.owner, name)
	if err != nil {
		r.fail("", err)
	}
	return h
}

func (r *parser) timeout() TimeoutHandle {
	name := r.about("timeout")
	if r.err != nil {
		return 0
	}
	if r.names.Timeout == nil {
		return TimeoutHandle(r.handle(name))
	}
	h, err := r.names.Timeout(r.owner, name)
	if err != nil {
		r.fail("", err)
	}
	return h
}

// handle reads "3/0/17".
func (r *parser) handle(text string) uint64 {
	parts := strings.Split(text, "/")
	if len(parts) != 3 {
		r.fail("", fmt.Errorf("a handle is owner number, slot and generation, 3/0/17, not %.100q", text))
		return 0
	}
	number := r.unsigned("", parts[0], MaxOwners-1)
	slot := r.unsigned("", parts[1], MaxPerOwner-1)
	return pack(uint32(number), uint16(slot), uint32(r.unsigned("", parts[2], math.MaxUint32)))
}

// printableRune keeps what is quoted in an error short and whole.
func printableRune(text string) string {
	if len(text) > 100 {
		text = text[:100]
	}
	return strings.ToValidUTF8(text, string(utf8.RuneError))
}

func (r *parser) unsigned(key, text string, most uint64) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > most {
		r.fail(key, fmt.Errorf("must be a whole number from 0 to %d, not %q", most, printableRune(text)))
	}
	return n
}

func (r *parser) whole(key, text string, least, most int64) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		r.fail(key, fmt.Errorf("must be a whole number, not %q", printableRune(text)))
	} else if n < least || n > most {
		r.fail(key, fmt.Errorf("must be from %d to %d, not %d", least, most, n))
	}
	return n
}

// number returns an option that is a whole number, or 0.
func (r *parser) number(key string, least, most int64) int64 {
	if text, there := r.get(key); there {
		return r.whole(key, text, least, most)
	}
	return 0
}

func (r *parser) fraction(key string) float64 {
	text := r.must(key)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && r.err == nil {
		r.fail(key, fmt.Errorf("must be a number, not %q", printableRune(text)))
	}
	return v
}

func (r *parser) span(key string) time.Duration {
	text := r.must(key)
	d, err := time.ParseDuration(text)
	if err != nil && r.err == nil {
		r.fail(key, fmt.Errorf("must be a span such as 12s, 1500ms or 36h, not %q", printableRune(text)))
	}
	return d
}

// atMost returns the option at_most, zero if it is not there.
func (r *parser) atMost() time.Duration {
	if _, there := r.get("at_most"); !there {
		return 0
	}
	d := r.span("at_most")
	if d <= 0 && r.err == nil {
		r.fail("at_most", fmt.Errorf("must be above 0, not %v", d))
	}
	return d
}

// ratio reads "2", "0.25" or "1/3", exactly, in lowest terms.
func (r *parser) ratio(key, text string) Ratio {
	top, bottom := text, "1"
	if whole, part, decimal := strings.Cut(text, "."); decimal {
		top, bottom = whole+part, "1"+strings.Repeat("0", min(len(part), 20))
	} else if over, under, slash := strings.Cut(text, "/"); slash {
		top, bottom = over, under
	}
	n, err := strconv.ParseUint(top, 10, 32)
	d, err2 := strconv.ParseUint(bottom, 10, 32)
	if err != nil || err2 != nil {
		r.fail(key, fmt.Errorf(`must be a ratio such as 2, 0.25 or "1/3", not %q`, printableRune(text)))
		return Ratio{}
	}
	if g := gcd(n, d); n > 0 && d > 0 { // others are the rules' to refuse
		n, d = n/g, d/g
	}
	if n == 1 && d == 1 {
		return Ratio{}
	}
	return Ratio{uint32(n), uint32(d)}
}
