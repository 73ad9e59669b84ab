package studio_test

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/cmd/bufftick/studio"
)

// ask calls a method and returns its result.
func ask[R any](t testing.TB, s *studio.Studio, method string, request any) (r R) {
	t.Helper()
	body, err := json.Marshal(request)
	require.NoError(t, err)
	v, err := s.Call(t.Context(), method, body)
	require.NoError(t, err)
	text, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}

// failure calls a method and returns its error.
func failure(t *testing.T, s *studio.Studio, method string, request any) string {
	t.Helper()
	body, err := json.Marshal(request)
	require.NoError(t, err)
	_, err = s.Call(t.Context(), method, body)
	require.Error(t, err)
	return err.Error()
}

//go:embed testdata/bleed.yaml
var bleed string

func newStudio() *studio.Studio {
	return studio.New(studio.NewMemory(map[string]string{"buffs/bleed.yaml": bleed}))
}

func TestStudio_Check(t *testing.T) {
	s := newStudio()
	r := studio.CheckRequest{Name: "buffs/bleed.yaml"}
	out := ask[studio.CheckResult](t, s, "check", r)
	require.Empty(t, out.Findings)
	require.Equal(t, []studio.Definition{{ID: "bleed", Line: 4}}, out.Definitions)
	require.Equal(t, []string{"health"}, out.Names["attributes"])

	r.Open = map[string]string{r.Name: strings.Replace(bleed, "9s", "9", 1), "buffs/more.yaml": "buffs:\n  x: {duration: 1s, links: [nobleed]}\n"}
	out = ask[studio.CheckResult](t, s, "check", r)
	require.Len(t, out.Findings, 2)
	require.Equal(t, studio.Finding{File: r.Name, Line: 6, Column: 15, Severity: "error", ID: "bleed", Field: "duration", Text: out.Findings[0].Text}, out.Findings[0])
	require.Equal(t, "buffs/more.yaml", out.Findings[1].File)

	r.Open = map[string]string{r.Name: "buffs:\n  bleed: {duration"}
	require.NotEmpty(t, ask[studio.CheckResult](t, s, "check", r).Findings)
}

func TestStudio_Play(t *testing.T) {
	s := newStudio()
	r := studio.PlayRequest{Name: "buffs/bleed.yaml", Script: "- {at: 0, apply: bleed}\n- {at: 4s, apply: bleed}"}
	line := ask[studio.Timeline](t, s, "play", r)
	require.Empty(t, line.Findings)
	require.EqualValues(t, 13_000, line.End)
	require.Len(t, line.Owners, 1)
	lane := line.Owners[0].Lanes[0]
	require.Equal(t, "bleed", lane.ID)
	require.Len(t, lane.Bars[0].Pulses, 4)
	require.EqualValues(t, 4000, lane.Bars[0].Levels[1].At)
	require.Equal(t, 2, lane.Bars[0].Levels[1].N)
	require.Equal(t, [][2]float64{{0, 1000}, {3000, 990}, {6000, 970}, {9000, 950}, {12000, 930}}, line.Owners[0].Curves[0].Points)

	for _, wrong := range []string{"- {at: 1s, aply: bleed}", "- {at: 1s, apply: bleed"} {
		r.Script = "- {at: 0, apply: bleed}\n" + wrong
		line = ask[studio.Timeline](t, s, "play", r)
		require.Equal(t, "script", line.Findings[0].File)
		require.Equal(t, 2, line.Findings[0].Line)
	}
}

// TestStudio_Play_Frames checks that a timeline whose frames are the steps shows each state from the
// event that caused it.
func TestStudio_Play_Frames(t *testing.T) {
	const text = `attributes:
  health: {base: 1000, min: 0, at_min: kill}
buffs:
  bomb: {duration: 20s, shield: {pool: 100}, on: {remove: {broken: [{apply: blast, to: source}]}}}
  blast: {duration: instant, on: {exec: [{damage: {attr: health, by: 150}}]}}
`
	const script = `- {at: 0, owner: ann, tick: true}
- {at: 0, apply: bomb, source: ann}
- {at: 2s, damage: health, by: 70}
- {at: 5s, damage: health, by: 70}
- {at: 9s, tick: true}
`
	s := studio.New(studio.NewMemory(map[string]string{"a.yaml": text}))
	line := ask[studio.Timeline](t, s, "play", studio.PlayRequest{Name: "a.yaml", Script: script})
	require.Empty(t, line.Findings)
	require.True(t, line.Frames)
	require.Len(t, line.Owners, 2)
	ann, p1 := line.Owners[0], line.Owners[1]
	require.Equal(t, []studio.Level{{N: 1, Shield: 100, End: 20_000}, {At: 2000, N: 1, Shield: 30, End: 20_000}}, p1.Lanes[0].Bars[0].Levels)
	require.Equal(t, [][2]float64{{0, 1000}, {5000, 960}}, p1.Curves[0].Points)
	require.Equal(t, []float64{1000, 850}, []float64{ann.Curves[0].Points[0][1], ann.Curves[0].Points[1][1]})
}

// TestStudio_Play_Endless checks scripts with more events than a timeline shows.
func TestStudio_Play_Endless(t *testing.T) {
	const text = "buffs:\n  a: {duration: instant, on: {exec: [{apply: a}]}}\n  b: {duration: infinite, period: 50ms}\n"
	s := studio.New(studio.NewMemory(map[string]string{"a.yaml": text}))
	for _, script := range []string{
		"- {at: 0, apply: a}",
		"- {at: 0, apply: b}\n- {at: 9000s, tick: true}",
		strings.Repeat("- {at: 0, apply: a}\n", 1000),
	} {
		line := ask[studio.Timeline](t, s, "play", studio.PlayRequest{Name: "a.yaml", Script: script})
		require.Empty(t, line.Findings)
		require.LessOrEqual(t, len(line.Log), 200_000)
	}
}

func TestStudio_Numbers(t *testing.T) {
	s := newStudio()
	text := strings.Replace(bleed, "period: 3s", "chance: 0.5\n    period: 3s", 1)
	r := studio.NumbersRequest{Runs: 200, Variants: []studio.Variant{{Label: "10", Text: text}, {Label: "20", Text: strings.Replace(text, "by: 10", "by: 20", 1)}}}
	r.Name, r.Script = "buffs/bleed.yaml", "- {at: 0, apply: bleed}"
	out := ask[[]studio.Numbers](t, s, "numbers", r)
	require.Len(t, out, 2)
	require.Equal(t, 200, out[0].Runs)
	require.Equal(t, []float64{0, 30}, []float64{out[0].Damage.Min, out[0].Damage.Max})
	require.InDelta(t, 15, out[0].Damage.Mean, 5)
	require.Equal(t, 2*out[0].Damage.Mean, out[1].Damage.Mean) // the same seeds
	row := out[0].Rows[0]
	require.InDelta(t, 1, row.Applied+row.Refused, 1e-9)
	require.InDelta(t, 9000*row.Applied, row.Uptime, 1e-6)
	require.Equal(t, out, ask[[]studio.Numbers](t, s, "numbers", r))
}

// TestStudio_Keep checks that a kept timeline passes as a test, and fails after a change.
func TestStudio_Keep(t *testing.T) {
	s := newStudio()
	r := studio.KeepRequest{Title: "It bleeds: twice"}
	r.Name, r.Script = "buffs/bleed.yaml", "- {at: 0, apply: bleed}\n- {at: 4s, apply: bleed}\n"
	kept := ask[studio.KeepResult](t, s, "keep", r)
	require.Equal(t, "scenarios/it-bleeds-twice.yaml", kept.File)
	require.Contains(t, failure(t, s, "keep", r), "choose another name")

	out := ask[[]studio.TestResult](t, s, "tests", studio.Edits{})
	require.Equal(t, []studio.TestResult{{File: kept.File, Title: r.Title, State: "passed"}}, out)
	out = ask[[]studio.TestResult](t, s, "tests", studio.Edits{Open: map[string]string{r.Name: strings.Replace(bleed, "9s", "6s", 1)}})
	require.Equal(t, "failed", out[0].State)
	require.Contains(t, out[0].Diff, "- 4000 refresh bleed x2 end=13000")
	out = ask[[]studio.TestResult](t, s, "tests", studio.Edits{Open: map[string]string{r.Name: "buffs: {bleed: {}}"}})
	require.Equal(t, "error", out[0].State)
}

// TestStudio_Recipe checks that each recipe, as a new file, plays its script without errors.
func TestStudio_Recipe(t *testing.T) {
	for _, x := range ask[[]studio.Recipe](t, newStudio(), "recipes", studio.SearchRequest{}) {
		s := studio.New(studio.NewMemory(nil))
		r := ask[studio.RecipeResult](t, s, "recipe", studio.RecipeRequest{ID: x.ID, Dir: "."})
		edits := studio.Edits{Open: map[string]string{r.Name: r.Text}}
		require.Empty(t, ask[studio.Timeline](t, s, "play", studio.PlayRequest{Edits: edits, Name: r.Name, Script: r.Script}).Findings, x.ID)
	}
	s := newStudio()
	r := ask[studio.RecipeResult](t, s, "recipe", studio.RecipeRequest{ID: "trinket-proc", Dir: "buffs"})
	require.NotContains(t, r.Text, "attributes:")
	require.Contains(t, r.Note, "power, haste")
}

// TestStudio_Search checks that recipes are found by what they do.
func TestStudio_Search(t *testing.T) {
	for query, want := range map[string]string{
		"a shield that explodes": "exploding-shield", "stuns shorter each time": "shared-stun-dr", "damage over time": "poison", "heals at the end": "bloom",
		"cannot be used again": "cooldown", "thorns": "reflect", "slow area": "swamp", "lasts longer when refreshed": "pandemic-dot", "breaks on damage": "sleep",
		"persists through death": "well-fed", "a bleed that ramps": "ramping-bleed", "a stun with diminishing returns": "shared-stun-dr", "proc chance": "trinket-proc",
	} {
		var ids []string
		for _, r := range ask[[]studio.Recipe](t, newStudio(), "recipes", studio.SearchRequest{Query: query}) {
			ids = append(ids, r.ID)
		}
		require.Contains(t, ids[:min(len(ids), 5)], want, query)
	}
	require.Empty(t, ask[[]studio.Recipe](t, newStudio(), "recipes", studio.SearchRequest{Query: "xylophone"}))
}

func TestMemory_Save(t *testing.T) {
	s := newStudio()
	was := ask[studio.Text](t, s, "read", studio.NameRequest{Name: "buffs/bleed.yaml"})
	now := ask[studio.Text](t, s, "save", studio.SaveRequest{Name: "buffs/bleed.yaml", Text: bleed + "# more\n", Version: was.Version})
	require.NotEqual(t, was.Version, now.Version)
	require.Equal(t, studio.ErrChanged.Error(), failure(t, s, "save", studio.SaveRequest{Name: "buffs/bleed.yaml", Text: bleed, Version: was.Version}))
	require.Equal(t, studio.ErrChanged.Error(), failure(t, s, "save", studio.SaveRequest{Name: "buffs/bleed.yaml", Text: bleed}))
}
