package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/preview"
	"github.com/bufftick/bufftick/wheel"
)

// instant parses a time from the start, in ms.
func instant(flag, text string) (wheel.Time, error) {
	if text == "0" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s: %q is not a time: want one such as 4s, 1500ms or 1m30s", flag, text)
	case d < 0 || d > define.MaxDuration:
		return 0, fmt.Errorf("%s: the time %s must be from 0 to %v", flag, text, define.MaxDuration)
	case d%time.Millisecond != 0:
		return 0, fmt.Errorf("%s: the time %s must be of whole milliseconds", flag, text)
	}
	return wheel.Time(d.Milliseconds()), nil
}

// atTime splits text of the form "WHAT@TIME".
func atTime(flag, value, example string) (what string, at wheel.Time, err error) {
	what, text, ok := strings.Cut(value, "@")
	if !ok {
		return "", 0, fmt.Errorf(`%s: %q needs "@" and a time, as in %s`, flag, value, example)
	}
	at, err = instant(flag, text)
	return what, at, err
}

// readApply parses TIME[xN][=N][:NAME].
func (c *previewCmd) readApply(flag, value string) ([]preview.Step, error) {
	st := preview.Step{Do: preview.Apply, Stacks: c.Stacks, Level: c.Level}
	rest, source, named := strings.Cut(value, ":")
	if named && source == "" {
		return nil, fmt.Errorf(`%s: %q needs the name of a source after ":"`, flag, value)
	}
	rest, magnitude, weighed := strings.Cut(rest, "=")
	rest, stacks, stacked := strings.Cut(rest, "x")
	var err error
	if st.At, err = instant(flag, rest); err != nil {
		return nil, err
	}
	if weighed {
		if st.Magnitude, err = strconv.ParseInt(magnitude, 10, 64); err != nil {
			return nil, fmt.Errorf("%s: %q: the magnitude %q must be a whole number", flag, value, magnitude)
		}
	}
	if stacked {
		if st.Stacks, err = stacksIn(flag, value, stacks); err != nil {
			return nil, err
		}
	}
	st.Source = source
	return []preview.Step{st}, nil
}

func stacksIn(flag, value, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > define.MaxStacks {
		return 0, fmt.Errorf("%s: %q: stacks must be from 1 to %d, not %q", flag, value, define.MaxStacks, text)
	}
	return n, nil
}

// readAlso parses ID@, followed by an application in the form that readApply parses.
func (c *previewCmd) readAlso(flag, value string) ([]preview.Step, error) {
	cut := strings.LastIndex(value, "@")
	if cut < 1 {
		return nil, fmt.Errorf(`%s: %q must be an ID, "@" and a time, as in curse@4s`, flag, value)
	}
	steps, err := c.readApply(flag, value[cut+1:])
	if err == nil {
		steps[0].ID = value[:cut]
	}
	return steps, err
}

func readHaste(flag, value string) ([]preview.Step, error) {
	factor, at, err := atTime(flag, value, "1.3@5s")
	if err != nil {
		return nil, err
	}
	num, den, ok := fraction(factor)
	if !ok || num == 0 {
		return nil, fmt.Errorf("%s: %q is not a factor above 0, such as 1.3, 2 or 1/2", flag, factor)
	}
	return []preview.Step{{At: at, Do: preview.Haste, Rate: buff.Ratio{Num: num, Den: den}}}, nil
}

func readExtend(flag, value string) ([]preview.Step, error) {
	by, at, err := atTime(flag, value, "2s@3s")
	if err != nil {
		return nil, err
	}
	d, err := time.ParseDuration(by)
	if err != nil || d == 0 || d%time.Millisecond != 0 {
		return nil, fmt.Errorf("%s: %q is not a span such as 2s or -500ms", flag, by)
	}
	if d.Abs() > define.MaxDuration {
		return nil, fmt.Errorf("%s: %q is beyond %v", flag, by, define.MaxDuration)
	}
	return []preview.Step{{At: at, Do: preview.Extend, By: d}}, nil
}

func readDispel(flag, value string) ([]preview.Step, error) {
	what, at, err := atTime(flag, value, "@6s")
	if err != nil {
		return nil, err
	}
	st := preview.Step{At: at, Do: preview.Dispel}
	if what != "" {
		n, ok := strings.CutPrefix(what, "x")
		if !ok {
			return nil, fmt.Errorf("%s: %q: want @6s, or x2@6s for two stacks", flag, value)
		}
		if st.Stacks, err = stacksIn(flag, value, n); err != nil {
			return nil, err
		}
	}
	return []preview.Step{st}, nil
}

func readPause(flag, value string) ([]preview.Step, error) {
	from, to, err := between(flag, value, "3s-5s")
	if err != nil {
		return nil, err
	}
	return []preview.Step{{At: from, Do: preview.Pause}, {At: to, Do: preview.Resume}}, nil
}

func readTag(flag, value string) ([]preview.Step, error) {
	name, when, ok := strings.Cut(value, "@")
	if !ok || name == "" {
		return nil, fmt.Errorf(`%s: %q must be a tag, "@" and a time, as in state.rooted@3s-5s`, flag, value)
	}
	if !strings.Contains(when, "-") {
		at, err := instant(flag, when)
		return []preview.Step{{At: at, Do: preview.Tag, Tag: name}}, err
	}
	from, to, err := between(flag, when, "3s-5s")
	if err != nil {
		return nil, err
	}
	return []preview.Step{{At: from, Do: preview.Tag, Tag: name}, {At: to, Do: preview.Untag, Tag: name}}, nil
}

// between parses "TIME-TIME".
func between(flag, value, example string) (from, to wheel.Time, err error) {
	first, last, ok := strings.Cut(value, "-")
	if !ok || first == "" {
		return 0, 0, fmt.Errorf(`%s: %q must be two times with "-" between them, as in %s`, flag, value, example)
	}
	if from, err = instant(flag, first); err != nil {
		return 0, 0, err
	}
	if to, err = instant(flag, last); err != nil {
		return 0, 0, err
	}
	if to <= from {
		return 0, 0, fmt.Errorf("%s: %q ends before it begins", flag, value)
	}
	return from, to, nil
}

// previewParams parses NAME=NUMBER.
func previewParams(values []string) ([]buff.Arg, error) {
	var out []buff.Arg
	for _, v := range values {
		name, text, ok := strings.Cut(v, "=")
		n, err := strconv.ParseFloat(text, 64)
		if !ok || name == "" || err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, fmt.Errorf("-param: %q must be a name and a number, as in dmg=35", v)
		}
		if slices.ContainsFunc(out, func(a buff.Arg) bool { return a.Caller == name }) {
			return nil, fmt.Errorf("-param: %q is given twice", name)
		}
		out = append(out, buff.Arg{Caller: name, Value: n})
	}
	return out, nil
}

// fraction parses a number such as "2", "0.25" or "1/3" without rounding.
func fraction(text string) (num, den uint32, ok bool) {
	top, bottom := text, "1"
	if whole, part, decimal := strings.Cut(text, "."); decimal {
		top, bottom = whole+part, "1"+strings.Repeat("0", len(part))
	} else if over, under, slash := strings.Cut(text, "/"); slash {
		top, bottom = over, under
	}
	n, err := strconv.ParseUint(top, 10, 32)
	d, err2 := strconv.ParseUint(bottom, 10, 32)
	ok = err == nil && err2 == nil && d > 0 && n <= buff.MaxRatio && d <= buff.MaxRatio
	return uint32(n), uint32(d), ok
}
