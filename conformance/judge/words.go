package judge

// Sections 3.2 and 3.3 of the rules: the words of a definition. Only the fields `id` and `duration`
// are required; all other fields have defaults.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// ErrNotCovered is wrapped by each error that Decode returns for a field, a word or a step that the
// interpreter does not know, although the engine may know it.
var ErrNotCovered = errors.New("judge: not covered")

func notCovered(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrNotCovered}, args...)...)
}

// span is a time in ms. A file contains it with a unit, such as 12s.
type span int64

// UnmarshalJSON reads a span, which must be a whole number of milliseconds.
func (s *span) UnmarshalJSON(text []byte) error {
	var word string
	if err := json.Unmarshal(text, &word); err != nil {
		return fmt.Errorf("%w: span %s", ErrNotCovered, text)
	}
	d, err := time.ParseDuration(word)
	if err != nil || d%time.Millisecond != 0 {
		return fmt.Errorf("%w: span %q", ErrNotCovered, word)
	}
	*s = span(d.Milliseconds())
	return nil
}

// length is a duration: "instant", "infinite", a span, or a curve.
type length struct {
	instant, infinite bool
	ms                span
	curve             string // the name of a curve that gives seconds by level
	levels            curve
}

// at returns the duration at a level, in ms.
func (l *length) at(level int) int64 {
	if l.levels != nil {
		return halfUp(l.levels.at(level) * 1000)
	}
	return int64(l.ms)
}

// given reports whether the length is a span or a curve.
func (l *length) given() bool { return l.ms != 0 || l.curve != "" }

// UnmarshalJSON reads "instant", "infinite", a span, or a curve.
func (l *length) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"instant"`:
		l.instant = true
	case `"infinite"`:
		l.infinite = true
	default:
		var by struct{ Curve string }
		if strictly(text, &by) == nil {
			l.curve = by.Curve
			return nil
		}
		return l.ms.UnmarshalJSON(text)
	}
	return nil
}

// count is a number, a word instead of a number, or a word with a number.
type count struct {
	word string
	n    int
}

// UnmarshalJSON reads a number, a word, the value true, which means "all", or an object that has
// one word as its key and a number as its value.
func (c *count) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &c.n) == nil || json.Unmarshal(text, &c.word) == nil {
		return nil
	}
	if string(text) == "true" {
		c.word = "all"
		return nil
	}
	var m map[string]int
	if json.Unmarshal(text, &m) == nil && len(m) == 1 {
		for c.word, c.n = range m {
		}
		return nil
	}
	return fmt.Errorf("%w: %s", ErrNotCovered, text)
}

// definition is the definition of a buff.
type definition struct {
	ID            string `json:"-"`
	Name, Note    string // for people; no effect
	Client        any    // for game clients; no effect
	Reload        string // for reloads of the catalog; no effect here
	OnArea        string `json:"on_area"`  // what happens when the owner changes its area
	OnFault       string `json:"on_fault"` // for failed handlers; no effect here
	Tags          []string
	Grants        []string
	Polarity      string
	Duration      length
	DurationScale *number `json:"duration_scale"`
	MinDuration   span    `json:"min_duration"`
	MaxDuration   span    `json:"max_duration"`
	Clock         string
	Period        period
	First         string
	Tail          string
	Align         string
	Catchup       count
	Haste         haste
	HasteDuration bool `json:"haste_duration"`
	Stack         *stacking
	Group         *group
	Slot          *slot
	PerSource     *perSource `json:"per_source"`
	Require       struct {
		Apply           applyTest
		Ongoing, Remove tagTest
	}
	Inhibition   string
	Immune       string
	Immunity     *immunity
	Chance       *fraction
	DR           *diminishing
	Dispel       *dispel
	Interrupt    []string
	Charges      *charges
	Shield       *shield
	Modifiers    []modifier
	Params       map[string]*number
	Vars         map[string]*variable
	Links        []string
	Aura         *aura
	OnDeath      string `json:"on_death"`
	OnSourceGone string `json:"on_source_gone"`
	Dead         string
	Save         *saving
	On           *lists
}

// fraction is a part of 1, in thousandths.
type fraction int64

func (s *fraction) UnmarshalJSON(text []byte) error {
	var part float64
	err := json.Unmarshal(text, &part)
	*s = fraction(math.Round(part * 1000))
	return err
}

type stacking struct {
	By           string
	Limit        *count
	Initial      int
	Timers       string
	Effective    int
	Refresh      string
	RefreshShare *fraction `json:"refresh_share"`
	RefreshCap   *span     `json:"refresh_cap"`
	Phase        string
	Overflow     string
	Expire       count
	Decay        span
	Level        string
	Thresholds   []threshold
}

type threshold struct {
	At      int
	Apply   string
	Consume count
}

type group struct {
	Name     string
	Priority int
	Rule     string
}

// slot is a slot class, or the name of a class that the file declares.
type slot struct {
	name string
	slotWords
}

// UnmarshalJSON reads a name or a class.
func (s *slot) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &s.name) == nil {
		return nil
	}
	return strictly(text, &s.slotWords)
}

type slotWords struct {
	Class string
	Limit int
	Evict string
}

type perSource struct {
	Limit int
	Evict string
}

type tagTest struct{ All, Any, None []string }

// applyTest is the condition for an application: tags, and a formula, which is one more number of
// the definition.
type applyTest struct {
	tagTest
	From string // "source": only tags that buffs of the application's source grant
	If   *formula
	Why  string

	number *number
}

// condition returns the number of the formula, or nil if there is none. It reads the source as it is
// at the application.
func (t *applyTest) condition() *number {
	if t.If != nil && t.number == nil {
		t.number = &number{Formula: t.If, Snapshot: "apply"}
	}
	return t.number
}

type immunity struct {
	Tags     []string
	Type     string
	Polarity string
}

// diminishing is a group of diminishing returns, or the name of a group that the file declares.
type diminishing struct {
	name string
	drWords
}

// UnmarshalJSON reads a name or a group.
func (d *diminishing) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &d.name) == nil {
		return nil
	}
	return strictly(text, &d.drWords)
}

type drWords struct {
	Group string
	Steps []fraction
	Reset span
	Scope string
}

type dispel struct {
	Type      string
	Grade     string
	Per       string
	Resist    fraction
	Stealable *bool
}

type charges struct {
	N         int
	ConsumeOn []string `json:"consume_on"`
	OnRefresh string   `json:"on_refresh"`
	Recharge  span
}

type shield struct {
	Pool     *number
	Priority int
	Schools  []string
	Attrs    []string

	Share     fraction
	Cap       int64
	Floor     int64
	OnRefresh string `json:"on_refresh"`
}

type saving struct {
	Mode          string
	IfRemaining   span   `json:"if_remaining"`
	OfflinePulses count  `json:"offline_pulses"`
	OfflineExpire string `json:"offline_expire"`
	Compensate    string // a class for compensations; no effect here
}

// lists is the field "on". It has a list of actions for each trigger.
type lists struct {
	Apply, Refresh, Pulse, Exec, Overflow, Death, Absorb []action
	Remove                                               map[string][]action
	Act                                                  map[string]reaction
	When                                                 *when
}

// when has the actions for the moment when a condition begins to hold.
type when struct {
	If formula
	Do []action
}

// reaction has the actions for an act.
type reaction struct {
	By string // "source": only if the other owner of the act is the source of the buff
	Do []action
}

// UnmarshalJSON reads a list of actions, or a JSON object with the fields of reaction.
func (r *reaction) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, &r.Do)
	}
	type plain reaction
	return strictly(text, (*plain)(r))
}

type action struct {
	If     *formula
	IfTags tagTest `json:"if_tags"`
	Call   string
	Apply  applied
	Remove removed
	Reason string
	Kill   bool
	Revive bool
	Change *change
	Damage *change
	Extend *extended
	Use    *used
	Dispel *dispelled
	Rate   *rated
	Set    *assigned
	Add    *added
	To     target

	OneOf   []action `json:"one_of"`
	Weight  int      // of an alternative
	Nothing bool

	condition *number // the formula of the field `if`
}

// target is the field "to" of an action: a word, or the ID of the definition that the targets have.
type target struct{ word, Bearers string }

// UnmarshalJSON reads a word or a JSON object with the field "bearers".
func (t *target) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &t.word) == nil {
		return nil
	}
	type plain target
	return json.Unmarshal(text, (*plain)(t))
}

// applied is the ID of a definition, or an ID with numbers that replace the numbers of the event.
type applied struct {
	ID                                 string
	Magnitude, Duration, Stacks, Level *number
}

// UnmarshalJSON reads an ID, or a JSON object with the fields of applied.
func (a *applied) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &a.ID) == nil {
		return nil
	}
	type plain applied
	return strictly(text, (*plain)(a))
}

// numbers returns the numbers of an action except its condition, in the order of their evaluation.
func (a *action) numbers() (all []*number) {
	for _, c := range []*change{a.Change, a.Damage} {
		if c != nil {
			all = append(all, &c.By)
		}
	}
	for _, n := range []*number{a.Apply.Magnitude, a.Apply.Duration, a.Apply.Stacks, a.Apply.Level} {
		if n != nil {
			all = append(all, n)
		}
	}
	switch {
	case a.Extend != nil:
		all = append(all, &a.Extend.By)
	case a.Rate != nil:
		all = append(all, &a.Rate.Value)
	case a.Set != nil:
		all = append(all, &a.Set.Value)
	case a.Add != nil:
		all = append(all, &a.Add.By)
	}
	return all
}

// perStack reports whether a number of the action counts once for each stack.
func (a *action) perStack() bool {
	return a.Change != nil && a.Change.PerStack || a.Damage != nil && a.Damage.PerStack
}

// UnmarshalJSON reads an action.
func (a *action) UnmarshalJSON(text []byte) error {
	type plain action
	if err := strictly(text, (*plain)(a)); err != nil {
		return err
	}
	if a.If != nil {
		a.condition = &number{Formula: a.If, Snapshot: "run"}
	}
	return nil
}

// or returns the word or, if it is empty, the default.
func or(word, preset string) string {
	if word == "" {
		return preset
	}
	return word
}

func (d *definition) clockWord() string { return or(d.Clock, "online") }

func (d *definition) stack() stacking {
	if d.Stack == nil {
		return stacking{By: "none"}
	}
	s := *d.Stack
	s.By = or(s.By, "none")
	return s
}

// limit returns the maximum number of stacks. Without the field `stack` it is 1.
func (s *stacking) limit() int {
	switch {
	case s.Limit == nil && s.Timers == "queue":
		return 256
	case s.Limit == nil:
		return 1
	case s.Limit.word == "unlimited":
		return 32767
	}
	return s.Limit.n
}

func (d *definition) limit() int { s := d.stack(); return s.limit() }

func (s *stacking) each() bool  { return s.Timers == "each" }
func (s *stacking) queue() bool { return s.Timers == "queue" }

func (d *definition) on() lists {
	if d.On == nil {
		return lists{}
	}
	return *d.On
}

// strictly decodes JSON and refuses unknown fields.
func strictly(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err != nil && (strings.Contains(err.Error(), "unknown field") || strings.Contains(err.Error(), "cannot unmarshal")) {
		return fmt.Errorf("%w: %w", ErrNotCovered, err)
	}
	return err
}
