package compile_test

import (
	"slices"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/stretchr/testify/require"
)

// TestCascades checks that a definition that applies itself more than once is an error, unless one
// of its applications may be denied.
func TestCascades(t *testing.T) {
	twice := []define.Action{{Do: define.DoApply, Name: "a"}, {Do: define.DoApply, Name: "a"}}
	again := []define.Action{{Do: define.DoRemove, Name: "a"}, {Do: define.DoApply, Name: "a"}}
	for name, c := range map[string]struct {
		spoil func(*buff.Spec)
		fails bool
	}{
		"two":           {func(*buff.Spec) {}, true},
		"one":           {func(s *buff.Spec) { s.On.RemoveAny = twice[:1] }, false},
		"a chance":      {func(s *buff.Spec) { s.Chance = 999 }, false},
		"a sure chance": {func(s *buff.Spec) { s.Chance = 1000 }, true},
		"a condition":   {func(s *buff.Spec) { s.Require.Apply.None = []string{"full"} }, false},
		"a share":       {func(s *buff.Spec) { s.PerSource.Limit = 3 }, false},

		// A pulse that removes its own buff and applies another one does not increase the number of
		// buffs.
		"a pulse":                   {func(s *buff.Spec) { s.Period, s.On = period, define.Hooks{Pulse: again[1:]} }, true},
		"a pulse for itself":        {func(s *buff.Spec) { s.Period, s.On = period, define.Hooks{Pulse: again} }, false},
		"a pulse for another owner": {func(s *buff.Spec) { s.Period, s.On = period, define.Hooks{Pulse: toSource(again)} }, true},
		"two for itself":            {func(s *buff.Spec) { s.Period, s.On = period, define.Hooks{Pulse: append(again, again[1])} }, true},
		"itself, and at its end":    {func(s *buff.Spec) { s.Period, s.On = period, define.Hooks{Pulse: again, RemoveAny: twice[:1]} }, true},
		"itself, and when cancelled": {func(s *buff.Spec) {
			s.Period, s.On = period, define.Hooks{Pulse: again, Remove: ending(reason.Cancelled, twice[:1])}
		}, true},
		"itself, and when it expires": {
			func(s *buff.Spec) {
				s.Period, s.On = period, define.Hooks{Pulse: again, Remove: ending(reason.Expired, twice[:1])}
			}, false,
		},
	} {
		a := buff.Spec{ID: "a", Duration: time.Second, Tags: []string{"full"}, On: define.Hooks{RemoveAny: twice}}
		c.spoil(&a)
		_, err := buff.NewCatalog(a)
		if c.fails {
			require.ErrorContains(t, err, "multiply without a limit", name)
		} else {
			require.NoError(t, err, name)
		}
	}
}

// TestCascades_WrongReason checks that a pulse that removes its own buff with a reason that does
// not end buffs is an error. NewCatalog used to panic when it counted the pulses of such a
// definition.
func TestCascades_WrongReason(t *testing.T) {
	_, err := buff.NewCatalog(buff.Spec{
		ID: "a", Duration: time.Second, Period: period, Stack: define.Stacking{By: define.ByNone},
		On: define.Hooks{Pulse: []define.Action{{Do: define.DoRemove, Name: "a", Reason: reason.Full}}},
	})
	require.EqualError(t, err, `buff "a": on.pulse[0].reason: full is not a reason that ends a buff`)
}

const period = 200 * time.Millisecond

func ending(why reason.Reason, list []define.Action) map[reason.Reason][]define.Action {
	return map[reason.Reason][]define.Action{why: list}
}

// toSource returns a copy of the actions in which the target of the first action is the source.
func toSource(list []define.Action) []define.Action {
	list = slices.Clone(list)
	list[0].To = define.ToSource
	return list
}
