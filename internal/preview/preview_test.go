package preview_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/preview"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, text string) *buff.Catalog {
	t.Helper()
	c, err := catalog.Parse("test.yaml", []byte(text))
	require.NoError(t, err)
	return c
}

// check checks the properties that every timeline and every drawing of one must have.
func check(t *testing.T, line *preview.Timeline) {
	t.Helper()
	var pulses, ended, applied, other [2]int // in the events, in the lanes
	for _, e := range line.Events {
		switch e.Kind {
		case buff.Pulsed, buff.Suppressed:
			pulses[0]++
		case buff.Removed:
			ended[0]++
		case buff.Applied:
			applied[0]++
		case buff.Hidden, buff.Shown, buff.Changed:
		default:
			other[0]++
		}
		require.LessOrEqual(t, e.At, line.Until)
	}
	for _, l := range line.Lanes {
		other[1] += len(l.Marks)
		applied[1] += len(l.Bars)
		before := wheel.Time(0)
		for _, b := range l.Bars {
			pulses[1] += len(b.Pulses)
			if b.Why != reason.None {
				ended[1]++
			} else {
				require.Equal(t, line.Until, b.To)
			}
			require.LessOrEqual(t, before, b.From, "bars of a lane do not overlap")
			require.LessOrEqual(t, b.From, b.To)
			before = b.To
			require.Equal(t, b.From, b.Counts[0].At)
			for i := 1; i < len(b.Counts); i++ {
				require.Less(t, b.Counts[i-1].At, b.Counts[i].At)
			}
			for _, p := range b.Pulses {
				require.True(t, b.From <= p.At && p.At <= b.To)
			}
			for _, ph := range b.Phases {
				require.True(t, b.From <= ph.From && ph.From < ph.To && ph.To <= b.To, "%+v in %+v", ph, b)
			}
		}
	}
	for _, n := range [][2]int{pulses, ended, applied, other} {
		require.Equal(t, n[0], n[1])
	}
	drawn(t, line)
}

// drawn checks the text and the picture.
func drawn(t *testing.T, line *preview.Timeline) {
	t.Helper()
	for _, width := range []int{preview.NarrowestText, 80, 200} {
		text := line.Text(width)
		parts := strings.Split(text, "\n\n") // title, chart, legend, summary
		require.GreaterOrEqual(t, len(parts), 3)
		for _, l := range strings.Split(parts[1]+"\n"+parts[2], "\n") {
			require.LessOrEqual(t, len([]rune(l)), width, l)
		}
		require.Equal(t, text, line.Text(width))
	}
	pic := line.Picture()
	for _, s := range pic.Shapes {
		for _, p := range s.Points {
			require.True(t, p.X >= 0 && p.X <= pic.Width && p.Y >= 0 && p.Y <= pic.Height, "%+v", s)
		}
	}
	svg := pic.SVG()
	require.Equal(t, string(svg), string(line.Picture().SVG()))
	depth, elements := 0, 0
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch token.(type) {
		case xml.StartElement:
			depth++
			elements++
		case xml.EndElement:
			depth--
		}
	}
	require.Zero(t, depth)
	require.Greater(t, elements, len(pic.Shapes))
}

// TestEveryDefinition checks that every definition of the example game can be shown: applied
// twice, and with every kind of step.
func TestEveryDefinition(t *testing.T) {
	c, err := catalog.Load("../../examples/mmo/buffs")
	require.NoError(t, err)
	for s := range c.All() {
		for _, steps := range [][]preview.Step{
			{{Do: preview.Apply}},
			{
				{At: 0, Do: preview.Apply, Stacks: 2, Magnitude: 30},
				{At: 700, Do: preview.Apply, Source: "b", Magnitude: 70},
				{At: 900, Do: preview.Haste, Rate: buff.Ratio{Num: 13, Den: 10}},
				{At: 1100, Do: preview.Pause},
				{At: 2300, Do: preview.Resume},
				{At: 2500, Do: preview.Extend, By: time.Second},
				{At: 2500, Do: preview.Dispel},
				{At: 2600, Do: preview.Apply},
				{At: 2700, Do: preview.Dispel, Stacks: 1},
			},
		} {
			if s.HasteBy != nil { // the period follows a number, so no step can set it
				steps = slices.DeleteFunc(steps, func(st preview.Step) bool { return st.Do == preview.Haste })
			}
			line, err := preview.Run(c, preview.Script{ID: s.ID, Steps: steps, Until: 5 * time.Minute})
			require.NoError(t, err, s.ID)
			check(t, line)
			line, err = preview.Run(c, preview.Script{ID: s.ID, Steps: steps})
			require.NoError(t, err, s.ID)
			check(t, line)
		}
	}
}

func TestLanes(t *testing.T) {
	c := parse(t, `
buffs:
  a: {duration: 4s, period: 1s, stack: {by: source, limit: 3}, require: {ongoing: {none: [x]}}, on: {remove: {expired: [{apply: b}]}}}
  b: {duration: 1s}
  now: {duration: instant, on: {exec: [{apply: b}]}}
`)
	line, err := preview.Run(c, preview.Script{ID: "a", Steps: []preview.Step{
		{At: 5500, Do: preview.Apply, Source: "s"},
		{At: 0, Do: preview.Apply, Source: "s"},
		{At: 1000, Do: preview.Apply, Source: "s"},
		{At: 1500, Do: preview.Tag, Tag: "x"},
		{At: 2500, Do: preview.Untag, Tag: "x"},
		{At: 3000, Do: preview.Pause},
		{At: 3200, Do: preview.Resume},
		{At: 3500, Do: preview.Apply, ID: "now"},
		{At: 4500, Do: preview.Apply, ID: "a", Source: "r"},
		{At: 6000, Do: preview.Dispel, ID: "now"},
	}})
	require.NoError(t, err)
	check(t, line)
	require.Equal(t, []string{"a", "a", "now", "b", "b", "b"}, ids(line))

	a := line.Lanes[0]
	require.Equal(t, "s", a.Source)
	require.Len(t, a.Bars, 2, "the second is a new instance in the same lane")
	require.Equal(t, &preview.Bar{
		From: 0, To: 5200, Why: reason.Expired,
		Counts: []preview.Count{{At: 0, Stacks: 1}, {At: 1000, Stacks: 2}},
		Phases: []preview.Phase{{Kind: preview.PhaseHidden, From: 1500, To: 2500}, {Kind: preview.PhasePaused, From: 3000, To: 3200}},
		Pulses: []preview.Pulse{
			{At: 1000, Stacks: 1}, {At: 2000, Stacks: 2, Suppressed: true}, {At: 3000, Stacks: 2}, {At: 4200, Stacks: 2}, {At: 5200, Stacks: 2},
		},
	}, a.Bars[0])
	require.Equal(t, []preview.Mark{
		{At: 1000, Kind: buff.Stacked, Stacks: 2, End: wheel.Never},
		{At: 1000, Kind: buff.Refreshed, Stacks: 2, End: 5000},
	}, a.Marks)
	require.Equal(t, []string{"dispel at 6s removed nothing"}, line.Notes)
}

func ids(line *preview.Timeline) (out []string) {
	for _, l := range line.Lanes {
		out = append(out, l.Spec.ID)
	}
	return out
}

// TestTimeline_Until checks the end of the timeline of a script without an end.
func TestTimeline_Until(t *testing.T) {
	c := parse(t, `
buffs:
  timed: {duration: 4s}
  instant: {duration: instant}
  infinite: {duration: infinite}
  pulsing: {duration: infinite, period: 2s}
  aura: {duration: infinite, period: 2s, first: start, on: {pulse: [{apply: timed}]}}
  ping: {duration: 3s, on: {remove: {expired: [{apply: pong}]}}}
  pong: {duration: 2s, on: {remove: {expired: [{apply: ping}]}}}
  falling: {duration: 2s, stack: {by: target, limit: 4, expire: one}}
  waiting: {duration: 3s, stack: {by: target, timers: queue}}
`)
	for _, s := range []struct {
		id    string
		steps []preview.Step
		want  wheel.Time
	}{
		{"timed", []preview.Step{{Do: preview.Apply}}, 4000},
		{"timed", []preview.Step{{Do: preview.Apply}, {At: 1000, Do: preview.Extend, By: time.Minute}}, 64000},
		{"timed", []preview.Step{{At: 9000, Do: preview.Dispel}}, 9000},
		{"timed", nil, 1000},
		{"instant", []preview.Step{{Do: preview.Apply}}, 1000},
		{"infinite", []preview.Step{{Do: preview.Apply}}, 10000},
		{"pulsing", []preview.Step{{At: 1000, Do: preview.Apply}}, 11000},
		{"aura", []preview.Step{{Do: preview.Apply}}, 18000},
		{"ping", []preview.Step{{Do: preview.Apply}}, 13000},
		{"falling", []preview.Step{{Do: preview.Apply, Stacks: 4}}, 8000},
		{"waiting", []preview.Step{{Do: preview.Apply}, {Do: preview.Apply}, {Do: preview.Apply}}, 9000},
		{"timed", []preview.Step{{Do: preview.Apply}, {At: 1000, Do: preview.Pause}}, 11000},
	} {
		line, err := preview.Run(c, preview.Script{ID: s.id, Steps: s.steps})
		require.NoError(t, err)
		require.Equal(t, s.want, line.Until, "%s %v", s.id, s.steps)
		check(t, line)
	}
	line, err := preview.Run(c, preview.Script{ID: "timed", Until: 2 * time.Second, Steps: []preview.Step{{Do: preview.Apply}, {At: 2001, Do: preview.Apply}}})
	require.NoError(t, err)
	require.EqualValues(t, 2000, line.Until)
	require.Equal(t, []string{"apply at 2.001s is after the end of the timeline"}, line.Notes)
	check(t, line)
}

func TestHaste(t *testing.T) {
	c := parse(t, "buffs:\n  a: {duration: 9600h, period: 3s, haste: next}\n  b: {duration: 10s}\n")
	for _, h := range []struct {
		by   buff.Ratio
		want wheel.Time // time from the next pulse to the one after it
	}{
		{buff.Ratio{Num: 13, Den: 10}, 2308}, // 2307.69
		{buff.Ratio{Num: 3000, Den: 1001}, 1001},
		{buff.Ratio{Num: 3000, Den: 1000}, 1000},
		{buff.Ratio{Num: 2000, Den: 2001}, 3002}, // 3001.5
		{buff.Ratio{Num: 20000, Den: 20009}, 3001},
		{buff.Ratio{Num: 1, Den: 2}, 6000},
		{buff.Ratio{Num: 400_000_000, Den: 500_000_000}, 3750},
	} {
		line, err := preview.Run(c, preview.Script{ID: "a", Until: 20 * time.Second, Steps: []preview.Step{
			{Do: preview.Apply}, {At: 100, Do: preview.Haste, Rate: h.by},
		}})
		require.NoError(t, err)
		p := line.Lanes[0].Bars[0].Pulses
		require.EqualValues(t, 3000, p[0].At)
		require.Equal(t, h.want, p[1].At-p[0].At, "%v", h.by)
	}
	line, err := preview.Run(c, preview.Script{ID: "b", Steps: []preview.Step{
		{Do: preview.Apply}, {At: 1000, Do: preview.Haste, Rate: buff.Ratio{Num: 2, Den: 1}}, {At: 11000, Do: preview.Extend, By: time.Second},
	}})
	require.NoError(t, err)
	require.Equal(t, []string{"haste at 1s has no effect: b does not pulse", "extend at 11s found no b"}, line.Notes)
}

func TestErrors(t *testing.T) {
	c := parse(t, "buffs:\n  a: {duration: 10s, period: 50ms}\n  b: {duration: infinite, period: 50ms}\n")
	for _, s := range []struct {
		script preview.Script
		is     error
		want   string
	}{
		{preview.Script{ID: "x"}, preview.ErrUnknown, `preview: unknown definition: "x"`},
		{preview.Script{ID: "a", Steps: []preview.Step{{Do: preview.Apply, ID: "y"}}}, preview.ErrUnknown, `: "y"`},
		{preview.Script{ID: "a", Steps: []preview.Step{{Do: preview.Tag, Tag: "t"}}}, preview.ErrTag, `no definition uses the tag "t"`},
		{preview.Script{ID: "a", Until: -1}, preview.ErrStep, "until -1ns, want at most 9600h0m0s"},
		{preview.Script{ID: "a", Steps: []preview.Step{{Do: preview.Apply, At: -1}}}, preview.ErrStep, "apply at -00:00:00.001"},
		{preview.Script{ID: "a", Steps: []preview.Step{{}}}, preview.ErrStep, "unknown verb"},
		{preview.Script{ID: "a", Steps: []preview.Step{{Do: preview.Haste}}}, preview.ErrStep, "haste by 0/0"},
		{preview.Script{ID: "a", Steps: []preview.Step{{Do: preview.Apply, Stacks: -1}}}, buff.ErrStacks, "apply at 0s"},
		{preview.Script{ID: "a", Steps: []preview.Step{{Do: preview.Apply}, {Do: preview.Haste, Rate: buff.Ratio{Num: 2, Den: 1}}}}, buff.ErrPeriod, "haste at 0s"},
		{preview.Script{ID: "b", Until: 24 * time.Hour, Steps: []preview.Step{{Do: preview.Apply}}}, preview.ErrEvents, "more than 100000 by 1h"},
	} {
		_, err := preview.Run(c, s.script)
		require.ErrorIs(t, err, s.is)
		require.ErrorContains(t, err, s.want)
	}
}

// TestTimeline_ManyLanes checks that only a part is drawn if there are very many rows.
func TestTimeline_ManyLanes(t *testing.T) {
	c := parse(t, "buffs:\n  a: {duration: 10s, period: 50ms, on: {pulse: [{apply: b}]}}\n  b: {duration: 10s}\n")
	line, err := preview.Run(c, preview.Script{ID: "a", Steps: []preview.Step{{Do: preview.Apply}}})
	require.NoError(t, err)
	require.Len(t, line.Lanes, 201)
	check(t, line)
	require.Contains(t, line.Text(80), "\n… and 161 more rows\n")
	require.Contains(t, string(line.Picture().SVG()), "… and 161 more rows")
}

// TestPicture_CrowdedMarks checks that only some of the marks at one position of a picture are
// drawn.
func TestPicture_CrowdedMarks(t *testing.T) {
	c := parse(t, "buffs:\n  a: {duration: 30m, period: 50ms, on: {pulse: [{apply: b}, {apply: c}]}}\n  b: {duration: 50ms, period: 50ms}\n  c: {duration: instant}\n")
	line, err := preview.Run(c, preview.Script{ID: "a", Until: 4 * time.Minute, Steps: []preview.Step{{Do: preview.Apply}}})
	require.NoError(t, err)
	check(t, line)
	require.Greater(t, len(line.Events), 20_000)
	require.Less(t, len(line.Picture().Shapes), 15_000)
	require.Contains(t, line.Text(80), "◉◉◉◉◉◉◉◉◉◉")
}

// TestPicture_Names checks that names in a file cannot break a picture.
func TestPicture_Names(t *testing.T) {
	c := parse(t, "buffs:\n  \"<b>&\\\"'毒\": {duration: 10s}\n")
	for s := range c.All() {
		line, err := preview.Run(c, preview.Script{ID: s.ID, Steps: []preview.Step{
			{Do: preview.Apply, Source: "\a\uFFFE毒毒毒毒毒毒毒毒毒毒毒毒"}, {Do: preview.Apply},
		}})
		require.NoError(t, err)
		check(t, line)
		require.Contains(t, string(line.Picture().SVG()), "&lt;b&gt;&amp;&quot;'毒")
		require.Contains(t, line.Text(80), "\n<b>&\"'毒                   ┣━━")
		require.Contains(t, line.Text(80), "\n<b>&\"'毒 by ��毒毒毒毒毒…  ┣━━")
	}
}
