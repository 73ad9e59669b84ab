package inspect

import (
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// TestChange checks that a change of an attribute is reported with its amount and its cause.
func TestChange(t *testing.T) {
	eng, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, eng.Close(t.Context())) }()
	in := Handler(eng)
	ember := &buff.Spec{ID: "ember"}
	for want, e := range map[string]buff.Event{
		"change health -320, now 795":                {Kind: buff.Changed, Name: "health", Delta: -320, Value: 795},
		"change health +12.5, now 1219":              {Kind: buff.Changed, Name: "health", Delta: 12.5, Value: 1219},
		"change ember health -40, now 960":           {Kind: buff.Changed, Name: "health", Spec: ember, Delta: -40, Value: 960},
		"change ember health +0, now 5, 70 absorbed": {Kind: buff.Changed, Name: "health", Spec: ember, Value: 5, Magnitude: 70},
		"pulse ember ":                               {Kind: buff.Pulsed, Spec: ember, Magnitude: 9},
	} {
		got := in.eventOf(&e)
		require.Equal(t, want, got.Kind+" "+got.Spec+" "+got.Change)
	}
}

// TestChangeIsAComment checks that in a scenario, a change of an attribute is a comment that
// contains the attribute's name once.
func TestChangeIsAComment(t *testing.T) {
	ember := &buff.Spec{ID: "ember"}
	for want, e := range map[string]buff.Event{
		"  # 40 change health -320, now 795":             {At: 40, Kind: buff.Changed, Name: "health", Delta: -320, Value: 795},
		"  # 40 change ember from 9 health -40, now 960": {At: 40, Kind: buff.Changed, Name: "health", Spec: ember, Source: 9, Delta: -40, Value: 960},
		"  # 40 deny ember from 9, limit":                {At: 40, Kind: buff.Denied, Spec: ember, Source: 9, Why: reason.Limit},
	} {
		var s scenario
		s.comment(&e)
		require.Equal(t, []scenarioStep{{40, want}}, s.steps)
	}
}
