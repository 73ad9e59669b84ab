package preview

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// Errors of [Run], which wraps them and names the thing and the limit.
var (
	ErrUnknown = errors.New("preview: there is no such definition")
	ErrTag     = errors.New("preview: no definition speaks of the tag")
	ErrStep    = errors.New("preview: a step that cannot be done")
	ErrEvents  = errors.New("preview: too many events")
)

// MaxEvents is how many events one timeline may have.
const MaxEvents = 100_000

// Script says what is to be shown.
type Script struct {
	// ID is the definition that is previewed. Required.
	ID string

	// Steps is what is done and when. Run sorts them by their instants; those of one
	// instant keep their order. Each comes after everything that is due at its instant.
	Steps []Step

	// Until is where the timeline ends. If zero, it ends when everything has ended, or,
	// if something never does, when enough of it has been seen.
	Until time.Duration

	// Seed is what chance depends on.
	Seed uint64
}

// Verb says what a [Step] does.
type Verb uint8

// The verbs.
const (
	Apply  Verb = iota + 1 // applies a definition to the owner
	Haste                  // the period of each instance becomes that of its definition, divided by Rate
	Extend                 // the end of each instance moves by By, which may be negative
	Dispel                 // one dispel of the highest grade; with Stacks, so many are taken off
	Pause                  // the owner's time stands still
	Resume                 // it goes on
	Tag                    // the owner has Tag, once more
	Untag                  // the owner has Tag once less
)

var verbWords = []string{"", "apply", "haste", "extend", "dispel", "pause", "resume", "tag", "untag"}

// String returns the word of messages: "apply".
func (v Verb) String() string {
	if int(v) < len(verbWords) {
		return verbWords[v]
	}
	return fmt.Sprintf("Verb(%d)", v)
}

// Step is one thing that is done to the owner. Each verb reads the fields that it
// names.
type Step struct {
	At wheel.Time // not below zero
	Do Verb

	ID     string // of the definition; if "", Script.ID
	Source string // who applies it; if "", the one without a name

	Stacks    int // as in buff.Application
	Level     int
	Magnitude int64
	Params    []buff.Arg

	By   time.Duration // of an Extend
	Rate buff.Ratio    // of a Haste: 13/10 is a third faster
	Tag  string
}

// label says in a few letters what the step does, for a picture.
func (s *Step) label(of string) string {
	text := s.Do.String()
	switch s.Do {
	case Apply:
		if s.ID != "" && s.ID != of {
			text = s.ID
		}
		if s.Stacks > 1 {
			text += fmt.Sprintf(" x%d", s.Stacks)
		}
		if s.Magnitude != 0 {
			text += fmt.Sprintf(" =%d", s.Magnitude)
		}
		if s.Source != "" {
			text += " by " + s.Source
		}
	case Haste:
		text += " " + decimal(s.Rate)
	case Extend:
		text += " " + signed(s.By)
	case Dispel:
		if s.Stacks > 0 {
			text += fmt.Sprintf(" x%d", s.Stacks)
		}
	case Tag, Untag:
		text += " " + s.Tag
	}
	return text
}

// signed writes a span with its sign: "+2s".
func signed(d time.Duration) string {
	if d < 0 {
		return "-" + span(-d.Milliseconds())
	}
	return "+" + span(d.Milliseconds())
}

// decimal writes a ratio as short as it can be read: "1.3", "2".
func decimal(r buff.Ratio) string {
	return fmt.Sprintf("%.4g", float64(r.Num)/float64(max(r.Den, 1)))
}

// check returns the steps by time, or what is wrong with the script.
func (s *Script) check(c *buff.Catalog) ([]Step, error) {
	steps := slices.Clone(s.Steps)
	if err := known(c, s.ID); err != nil {
		return nil, err
	}
	if s.Until < 0 || s.Until > define.MaxDuration {
		return nil, fmt.Errorf("%w: until %v, want a span up to %v", ErrStep, s.Until, define.MaxDuration)
	}
	for i := range steps {
		st := &steps[i]
		if st.ID == "" {
			st.ID = s.ID
		}
		if err := st.check(c); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return cmp.Compare(a.At, b.At) })
	return steps, nil
}

func (s *Step) check(c *buff.Catalog) error {
	if s.At < 0 || int64(s.At) > define.MaxDuration.Milliseconds() {
		return fmt.Errorf("%w: %v at %v, want from 0 to %v", ErrStep, s.Do, s.At, define.MaxDuration)
	}
	switch s.Do {
	case Apply, Dispel, Extend:
	case Haste:
		if s.Rate.Num == 0 || s.Rate.Den == 0 || s.Rate.Num > buff.MaxRatio || s.Rate.Den > buff.MaxRatio {
			return fmt.Errorf("%w: haste by %d/%d, want a ratio above zero with parts up to %d", ErrStep, s.Rate.Num, s.Rate.Den, buff.MaxRatio)
		}
	case Tag, Untag:
		if _, ok := c.Tag(s.Tag); !ok {
			return fmt.Errorf("%w %q", ErrTag, s.Tag)
		}
		return nil
	case Pause, Resume:
		return nil
	default:
		return fmt.Errorf("%w: there is no %v", ErrStep, s.Do)
	}
	return known(c, s.ID)
}

func known(c *buff.Catalog, id string) error {
	if c.Spec(id) == nil {
		return fmt.Errorf("%w: %q", ErrUnknown, id)
	}
	return nil
}
