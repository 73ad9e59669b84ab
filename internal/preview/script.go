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

// Errors of [Run]. Run wraps them in an error that gives the name or the limit.
var (
	ErrUnknown = errors.New("preview: unknown definition")
	ErrTag     = errors.New("preview: no definition uses the tag")
	ErrStep    = errors.New("preview: invalid step")
	ErrEvents  = errors.New("preview: too many events")
)

// MaxEvents is the maximum number of events in a timeline.
const MaxEvents = 100_000

// Script is the input of [Run].
type Script struct {
	// ID is the definition to preview. Required.
	ID string

	// Steps are the actions of the script. Run sorts them by time. Steps at the same instant keep
	// their order, and run after all deadlines at that instant.
	Steps []Step

	// Until is the end of the timeline. If Until is zero, the timeline ends when no buff is active,
	// but a buff that never ends is only shown for a few pulses.
	Until time.Duration

	// Seed determines all random outcomes.
	Seed uint64
}

// Verb is the kind of a [Step].
type Verb uint8

// The verbs.
const (
	Apply  Verb = iota + 1 // applies a definition to the owner
	Haste                  // sets the period of each instance to its defined period divided by Rate
	Extend                 // moves the end of each instance by Step.By, which may be negative
	Dispel                 // dispels once, with the highest grade; if Stacks is set, removes stacks
	Pause                  // pauses the owner
	Resume                 // resumes the owner
	Tag                    // adds the tag Step.Tag to the owner, which may have it several times
	Untag                  // removes the tag Step.Tag once
)

var verbWords = []string{"", "apply", "haste", "extend", "dispel", "pause", "resume", "tag", "untag"}

// String returns the verb's name, such as "apply".
func (v Verb) String() string {
	if int(v) < len(verbWords) {
		return verbWords[v]
	}
	return fmt.Sprintf("Verb(%d)", v)
}

// Step is one action on the owner. The verb decides which fields are used.
type Step struct {
	At wheel.Time // not below zero
	Do Verb

	ID     string // ID of the definition; "" means Script.ID
	Source string // name of the source; "" is the unnamed source

	Stacks    int // as in buff.Application
	Level     int
	Magnitude int64
	Params    []buff.Arg

	By   time.Duration // for Extend
	Rate buff.Ratio    // for Haste; 13/10 makes the pulses 30 % faster
	Tag  string
}

// label returns a short description of the step for a picture. The parameter `of` is the ID of the
// previewed definition.
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

// signed formats a duration with its sign, such as "+2s".
func signed(d time.Duration) string {
	if d < 0 {
		return "-" + span(-d.Milliseconds())
	}
	return "+" + span(d.Milliseconds())
}

// decimal formats a ratio as a short decimal number, such as "1.3" or "2".
func decimal(r buff.Ratio) string {
	return fmt.Sprintf("%.4g", float64(r.Num)/float64(max(r.Den, 1)))
}

// check returns the steps sorted by time, or an error if the script is invalid.
func (s *Script) check(c *buff.Catalog) ([]Step, error) {
	steps := slices.Clone(s.Steps)
	if err := known(c, s.ID); err != nil {
		return nil, err
	}
	if s.Until < 0 || s.Until > define.MaxDuration {
		return nil, fmt.Errorf("%w: until %v, want at most %v", ErrStep, s.Until, define.MaxDuration)
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
		return fmt.Errorf("%w: unknown verb %v", ErrStep, s.Do)
	}
	return known(c, s.ID)
}

func known(c *buff.Catalog, id string) error {
	if c.Spec(id) == nil {
		return fmt.Errorf("%w: %q", ErrUnknown, id)
	}
	return nil
}
