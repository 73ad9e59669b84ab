package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/wordlist"
)

// Err is matched by every error of this package. The error names the fault and its position.
var Err = errors.New("buff: bad blob")

// Limits of the numbers in an [Owner].
const (
	Format      = 8       // the newest format
	MaxPerOwner = 1 << 12 // maximum number of buffs of one owner, and of its timeouts; the same numbers may also be set aside
	MaxRate     = 1000    // largest numerator or denominator of a rate
	MaxTagCount = 1<<16 - 1
	MaxAges     = 1 << 60 // number of applications and timeouts of one owner so far

	// Farthest is the longest distance in ms from the moment of saving, about nine million years.
	// An instant at that distance is never reached. The sum of a few such distances fits in an
	// int64.
	Farthest = 1 << 58
)

// Owner is the saved state of one owner. Empty lists are nil. A buff or timeout is set aside if it
// cannot run with the present catalog, for example because its definition is missing; it stays in
// the saved state.
type Owner struct {
	Format   int       `json:"format"`
	Wall     int64     `json:"wall_ms"`
	Uptime   int64     `json:"uptime_ms"`
	Time     int64     `json:"owner_time_ms"`
	Scale    Scale     `json:"pace,omitzero"` // the zero Scale if owner time equals world time
	Ages     uint64    `json:"ages"`
	Dead     bool      `json:"dead,omitempty"` // killed and not revived since
	Rolls    uint64    `json:"rolls,omitempty"`
	Events   uint64    `json:"events,omitempty"`
	Area     uint32    `json:"area,omitempty"`
	Tags     []Tag     `json:"tags,omitempty"`
	Immune   []Tag     `json:"immune,omitempty"`
	Returns  []Return  `json:"diminishing,omitempty"`
	Timeouts []Timeout `json:"timeouts,omitempty"`
	Bases    []Value   `json:"bases,omitempty"` // base values that differ from the attribute's definition
	Buffs    []Buff    `json:"buffs,omitempty"` // sorted by age, followed by the buffs that are set aside
}

// Scale is a time scale of an owner or a buff at the moment of saving. The zero Scale means that
// there is no time scale.
type Scale struct {
	Ahead int64  `json:"ahead_ms,omitempty"` // only for a buff: its time starts Ahead ms after the moment of saving; if negative, it has been paused for -Ahead ms
	Inner int64  `json:"inner_ms,omitempty"` // only for a buff: its time minus its owner's time
	Rest  int64  `json:"rest,omitempty"`     // fraction of a ms, in units of 1/Parts ms
	Parts int64  `json:"parts"`              // number of units in a ms
	Held  bool   `json:"held,omitempty"`
	Num   uint32 `json:"rate_num,omitempty"`
	Den   uint32 `json:"rate_den,omitempty"`
}

// Is reports whether there is a scale.
func (p *Scale) Is() bool { return p.Parts != 0 }

// Tag is a tag or an immunity, with its count.
type Tag struct {
	Name string `json:"tag"`
	N    int64  `json:"n"`
}

// Return is the state of one group of diminishing returns.
type Return struct {
	Group  string `json:"group"`
	Source uint64 `json:"source,omitempty"`
	N      int64  `json:"n"`
	Left   int64  `json:"left_ms"`
}

// Timeout is a timeout that calls a handler by name.
type Timeout struct {
	Name    string `json:"name,omitempty"`
	Handler string `json:"handler"`
	Age     uint64 `json:"age"`
	Left    int64  `json:"left_ms"`
}

// Buff is one instance.
type Buff struct {
	ID        string  `json:"buff"`
	Version   string  `json:"version,omitempty"` // version of the definition; reserved, never written so far
	Since     *Moment `json:"since,omitempty"`   // when the buff was set aside; nil if it was running
	Age       uint64  `json:"age"`
	Source    uint64  `json:"source"`
	Stacks    int64   `json:"stacks"`
	Level     int64   `json:"level,omitempty"`
	Magnitude int64   `json:"magnitude,omitempty"`
	Clock     string  `json:"clock,omitempty"`          // empty for the clock "online"
	Left      Maybe   `json:"left_ms,omitzero"`         // missing if the buff has no end
	Duration  int64   `json:"duration_ms,omitempty"`    // duration of the last application; 0 if infinite
	Next      Maybe   `json:"next_ms,omitzero"`         // time to the next pulse, even if the buff ends before it; missing if the buff has no pulses
	Period    int64   `json:"period_ms,omitempty"`      // 0 for the period of the definition
	Wanted    int64   `json:"wanted_ms,omitempty"`      // the period after the next refresh; 0 if unchanged
	Length    int64   `json:"this_period_ms,omitempty"` // length of the running period; 0 if it is as long as the later periods
	Key       uint64  `json:"key,omitempty"`
	Charges   int64   `json:"charges,omitempty"`
	Recharge  Maybe   `json:"recharge_ms,omitzero"` // time until a charge comes back; missing if none will
	Shield    Maybe   `json:"shield,omitzero"`      // missing if there is no shield
	Owed      int64   `json:"owed_pulses,omitempty"`
	Hidden    Causes  `json:"hidden,omitempty"`
	Dead      bool    `json:"death_pause,omitempty"`
	Scale     Scale   `json:"pace,omitzero"`
	Running   uint64  `json:"running,omitempty"` // if there is a queue: age of the running application minus Age
	Async     []Stack `json:"layers,omitempty"`  // stacks, for define.TimersEach
	Waiting   []Stack `json:"waiting,omitempty"` // waiting applications, for define.TimersQueue
	Numbers
	Vars     []Value  `json:"vars,omitempty"`     // variables, and the age in ms and the damage absorbed if the definition reads them
	With     []uint64 `json:"with,omitempty"`     // if the buff is a link, the ages of its heads
	Brought  []int64  `json:"brought,omitempty"`  // number of stacks that each head has added, in the order of With
	Appliers []uint64 `json:"appliers,omitempty"` // sources with an application in effect; empty if Source is the only one

	Number int32 `json:"-"` // number of the definition: see [Memory.Numbers]
}

// Moment is the instant at which a buff without a known definition was first set aside.
type Moment struct {
	Wall   int64 `json:"wall_ms"`
	Uptime int64 `json:"uptime_ms"`
}

// Stack is one application with its own timer.
type Stack struct {
	Left      int64  `json:"left_ms"`
	Last      int64  `json:"counts_for_ms,omitempty"` // how long the stack still counts in pulses; since format 3 only used if Lag is -1
	Lag       int64  `json:"lag_ms,omitempty"`        // time from a pulse of the buff to the end of the period of the stack; -1 if Last is used instead
	Magnitude int64  `json:"magnitude,omitempty"`
	Source    uint64 `json:"source"`
	Age       uint64 `json:"age,omitempty"` // age of the application minus the age of the buff
	Stacks    int64  `json:"stacks,omitempty"`
	Level     int64  `json:"level,omitempty"`
	Charges   int64  `json:"charges,omitempty"`
	Shield    Maybe  `json:"shield,omitzero"` // missing if there is no shield

	Numbers
}

// Numbers are the evaluated numbers of one application.
type Numbers struct {
	Params   []Value `json:"params,omitempty"`
	Others   []Value `json:"numbers,omitempty"`  // other numbers of the definition
	Captures []Value `json:"captures,omitempty"` // attributes of the source, named "cast:…" or "apply:…"
}

// Some reports whether there is at least one number.
func (n *Numbers) Some() bool { return len(n.Params)+len(n.Others)+len(n.Captures) > 0 }

// Value is a named number: a parameter, another number of a definition, or an attribute.
type Value struct {
	Name  string `json:"name"`
	Value Float  `json:"value"`
}

// Maybe is a number that may be missing.
type Maybe struct {
	N  int64
	Is bool
}

// Some returns a present number.
func Some(n int64) Maybe { return Maybe{n, true} }

// MarshalJSON writes the number.
func (m Maybe) MarshalJSON() ([]byte, error) { return json.Marshal(m.N) }

// UnmarshalJSON reads a number, or null for a missing number.
func (m *Maybe) UnmarshalJSON(text []byte) error {
	*m = Maybe{Is: string(text) != "null"}
	return json.Unmarshal(text, &m.N)
}

// Causes are the reasons why a buff is hidden, one bit for each of the words in causeWords.
type Causes uint8

// The causes.
const (
	Unmet Causes = 1 << iota
	Inhibited
	Weaker
	Ineffective
	Immune

	allCauses = 1<<iota - 1
)

var causeWords = [...]string{"requirement", "inhibited", "group", "effective", "immune"}

// MarshalJSON returns the list of words.
func (c Causes) MarshalJSON() ([]byte, error) {
	var words []string
	for k, word := range causeWords {
		if c&(1<<k) != 0 {
			words = append(words, word)
		}
	}
	return json.Marshal(words)
}

// UnmarshalJSON reads a list of words.
func (c *Causes) UnmarshalJSON(text []byte) error {
	var words []string
	if err := json.Unmarshal(text, &words); err != nil {
		return err
	}
	*c = 0
	for _, word := range words {
		k := slices.Index(causeWords[:], word)
		if k < 0 {
			return fmt.Errorf("hidden: %q is not one of %v", word, causeWords)
		}
		*c |= 1 << k
	}
	return nil
}

var clocks = wordlist.All(define.Wall)

// On reports whether the buff runs on the given clock.
func (b *Buff) On(clock define.Clock) bool { return b.Clock == clocks[clock] }

// SetClock sets the buff's clock. The word of define.Online is not saved.
func (b *Buff) SetClock(clock define.Clock) {
	if b.Clock = ""; clock != define.Online {
		b.Clock = clocks[clock]
	}
}

// Clone returns a copy of the buff that shares no memory with it. The owner must be in the newest
// format.
func (b *Buff) Clone() Buff {
	c := *b
	if b.Since != nil {
		since := *b.Since
		c.Since = &since
	}
	c.Async, c.Waiting = cloneStacks(b.Async), cloneStacks(b.Waiting)
	c.Numbers, c.Vars = b.Numbers.clone(), slices.Clone(b.Vars)
	c.Appliers, c.With, c.Brought = slices.Clone(b.Appliers), slices.Clone(b.With), slices.Clone(b.Brought)
	return c
}

func cloneStacks(list []Stack) []Stack {
	list = slices.Clone(list)
	for k := range list {
		list[k].Numbers = list[k].Numbers.clone()
	}
	return list
}

func (n *Numbers) clone() Numbers {
	return Numbers{slices.Clone(n.Params), slices.Clone(n.Others), slices.Clone(n.Captures)}
}

// Upgrade converts an owner of an older format to the newest format. It cannot know which buffs are
// links of which heads, so the caller has to find the links of an owner in a format before 4.
func (o *Owner) Upgrade() {
	if o.Format == Format {
		return
	}
	for k := range o.Buffs {
		b := &o.Buffs[k]
		if o.Format < 3 {
			for j := range b.Async {
				b.Async[j].Lag = -1
			}
		}
		if o.Format < 5 {
			b.shareNumbers(b.Waiting)
		}
		if o.Format < 7 {
			b.shareNumbers(b.Async)
			b.giveUses()
			if len(b.With) > 0 {
				b.Brought = make([]int64, len(b.With))
			}
		}
	}
	o.Format = Format
}

// shareNumbers gives the numbers of the buff to the applications in the given list. Captures are
// only given to applications of the same source.
func (b *Buff) shareNumbers(list []Stack) {
	for k := range list {
		l := &list[k]
		if l.Numbers = b.Numbers; l.Source != b.Source {
			l.Captures = nil
		}
	}
}

// giveUses moves the shield and charges of the buff to the async stack that ends last.
func (b *Buff) giveUses() {
	if len(b.Async) == 0 {
		return
	}
	last := &b.Async[0]
	for k := range b.Async {
		if b.Async[k].Left >= last.Left {
			last = &b.Async[k]
		}
	}
	last.Charges, last.Shield = b.Charges, b.Shield
	b.Charges, b.Shield = 0, Maybe{}
}
