package inspect

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
)

// TestEdgesOfTime checks the display of rates and definitions at the ends of their ranges.
func TestEdgesOfTime(t *testing.T) {
	rate, is := ratioOf(0.25)
	require.True(t, is)
	require.Equal(t, buff.Ratio{Num: 1, Den: 4}, rate)
	require.Zero(t, ownSpeed(buff.Instance{Held: buff.HeldByBuff}, 1))
	require.Zero(t, ownSpeed(buff.Instance{Held: buff.HeldByDeath}, 1))
	require.Zero(t, clocksOf(&view.Owner{Paused: true}, history.New(history.MinBytes), 0).owner.first)
	require.Zero(t, *leftOf(buff.Instance{End: 5}, 10), "it is over, and its owner busy")
	endless := specOf(&buff.Spec{ID: "oath", Kind: define.Infinite})
	require.Empty(t, endless.Lasts+endless.Period, "without an end, and without pulses")
	short := specOf(&buff.Spec{ID: "blink", Duration: time.Millisecond, Period: time.Millisecond})
	require.NotEmpty(t, short.Lasts)
	require.NotEmpty(t, short.Period)
}

// TestScenario_StepsInOrder checks that a change of speed is inserted in order among the events
// of its lane.
func TestScenario_StepsInOrder(t *testing.T) {
	const h = 7
	l := lanes{list: []laneJSON{{Steps: []stepJSON{{At: 5}, {At: 9}}}}, at: map[laneKey]int{{handle: h}: 0}}
	l.addSpeeds(&clocks{owner: speeds{first: 1}, changes: []buff.TimeChange{{Handle: h, At: 7, Verb: verb.Pause}}}, 0, 10)
	at := []int64{}
	for _, step := range l.list[0].Steps {
		at = append(at, step.At)
	}
	require.Equal(t, []int64{5, 7, 9}, at)
}

// TestScenario_Comments checks that an event that no step can cause becomes a comment, with and
// without a buff.
func TestScenario_Comments(t *testing.T) {
	s := &scenario{at: map[buff.Handle]*scenarioBuff{7: {id: "oath"}}}
	s.addEvent(&buff.Event{Kind: buff.Faulted, At: 1})
	s.addEvent(&buff.Event{Kind: buff.Faulted, At: 2, Handle: 7})
	require.Equal(t, []scenarioStep{{1, "  # 1 error"}, {2, "  # 2 error"}}, s.steps)
}

// TestScenarioStart checks that a buff that was applied in the recorded time, and has pulsed
// since then, does not move the start of a scenario to an earlier time.
func TestScenarioStart(t *testing.T) {
	s := &scenario{from: 200, known: 200, times: &clocks{owner: speeds{first: 1}}}
	s.lanes = append(s.lanes, &scenarioBuff{id: "venom", handle: 7, begins: true, begin: 300, period: time.Second, firstPulse: 1350})
	s.begin()
	require.EqualValues(t, 200, s.from)
	require.Empty(t, s.steps)
}
