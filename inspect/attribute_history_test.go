package inspect_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/inspect"
	"github.com/stretchr/testify/require"
)

// historyBuffs are definitions that change attributes in every possible way.
const historyBuffs = `
attributes:
  power: {base: 100, min: 0, max: 5000}
  max_health: {base: 200, min: 1}
  health: {base: 150, min: 0, max: max_health}
  pace: {base: 5}
curves:
  rise: {1: 0.1, 10: 1}
buffs:
  might: {duration: 8s, stack: {by: target, limit: 5, expire: one}, modifiers: [{attr: power, op: add, value: 10, per_stack: true}]}
  fury: {duration: 6s, stack: {by: source, level: higher_wins}, modifiers: [{attr: power, op: mul_add, value: {curve: rise}}]}
  gift: {duration: 5s, stack: {by: target, limit: 3}, modifiers: [{attr: power, op: final_add, value: {caller: gift}, per_stack: true}], params: {gift: {caller: gift}}}
  share: {duration: 9s, modifiers: [{attr: power, op: add, value: {attr: power, of: source, coef: 0.2, default: 3, snapshot: apply}}]}
  moss: {duration: 12s, period: 1s, modifiers: [{attr: pace, op: add, value: {attr: power, of: owner, coef: 0.1, snapshot: pulse}}, {attr: pace, op: final_add, value: {formula: "owner.power / (10 + level)"}}], on: {pulse: [{change: {attr: health, by: 3}}]}}
  crown: {duration: 3s, modifiers: [{attr: pace, op: override, value: 7}]}
  cloak: {duration: infinite, stack: {by: none}, modifiers: [{attr: pace, op: override, value: 3}, {attr: power, op: mul_compound, channel: 2, value: -0.1}]}
  vigor: {duration: 7s, tags: [vigor], modifiers: [{attr: max_health, op: mul_compound, value: 0.5}, {attr: health, op: add, value: 20}]}
  focus: {duration: infinite, stack: {by: target}, require: {ongoing: {all: [calm]}}, modifiers: [{attr: power, op: add, value: 1000}]}
  frost: {duration: 10s, stack: {by: target, limit: 6, timers: each, effective: 2}, modifiers: [{attr: pace, op: mul_add, value: -0.1, per_stack: true}]}
  turns: {duration: 4s, stack: {by: target, limit: 3, timers: queue}, modifiers: [{attr: power, op: add, value: {formula: "magnitude * 2 + level"}}]}
  oath: {duration: 9s, group: {name: oath, priority: 1, rule: hide}, modifiers: [{attr: power, op: add, value: 50}]}
  vow: {duration: 5s, group: {name: oath, priority: 2, rule: hide}, on_death: pause, modifiers: [{attr: power, op: add, value: 70}]}
  wound: {duration: 5s, period: 700ms, stack: {by: source, limit: 4}, on: {pulse: [{damage: {attr: health, by: 4, per_stack: true}}]}}
`

// attributeWas is the value of an attribute, as returned by the engine at an earlier instant.
type attributeWas struct {
	base, value float64
	marks       []string
}

// historyGame is a game in which every kind of event that changes attributes happens to player 7.
type historyGame struct {
	*testing.T
	e    *engine.Engine
	cat  *buff.Catalog
	dice *rand.Rand
	was  map[int64]map[string]attributeWas
}

func (g *historyGame) one(list ...buff.Command) {
	for _, c := range list {
		_ = g.e.Do(c) // a refused command changes nothing
	}
}

// act executes a random action.
func (g *historyGame) act() {
	specs := slices.Collect(g.cat.All())
	var handles []buff.Handle
	carried, err := g.e.Buffs(7)
	require.NoError(g, err)
	for b := range carried.All() {
		handles = append(handles, b.Handle)
	}
	power, _ := g.cat.Attr("power")
	health, _ := g.cat.Attr("health")
	top, _ := g.cat.Attr("max_health")
	calm, _ := g.cat.Tag("calm")
	n := g.dice.IntN(28)
	if n >= 16 || len(handles) == 0 {
		spec := specs[g.dice.IntN(len(specs))]
		a := buff.Application{Spec: spec, Source: buff.OwnerID(7 + g.dice.IntN(3)), Stacks: g.dice.IntN(4), Level: 1 + g.dice.IntN(9), Magnitude: int64(g.dice.IntN(9))}
		if spec.ID == "gift" {
			a.Params = []buff.Arg{{Caller: "gift", Value: g.dice.Float64() * 100}}
		}
		g.e.AddBuff(7, a)
		return
	}
	h := handles[g.dice.IntN(len(handles))]
	switch n {
	case 0:
		g.one(buff.Remove(h))
	case 1:
		g.one(buff.RemoveStacks(h, 1+g.dice.IntN(2), reason.Cancelled))
	case 2:
		g.one(buff.Inhibit(h))
	case 3:
		g.one(buff.Release(h))
	case 4:
		g.one(buff.AddTag(7, calm))
	case 5:
		g.one(buff.DropTag(7, calm))
	case 6:
		g.one(buff.SetBase(7, power, float64(g.dice.IntN(300))))
	case 7:
		g.one(buff.AddBase(7, health, float64(g.dice.IntN(90))))
	case 8:
		g.one(buff.SetBase(7, top, 50+float64(g.dice.IntN(200))))
	case 9:
		g.one(buff.Damage(7, health, float64(g.dice.IntN(60)), 0))
	case 10:
		g.one(buff.Pause(7))
	case 11:
		g.one(buff.Resume(7))
	case 12:
		g.one(buff.PauseBuff(h))
	case 13:
		g.one(buff.ResumeBuff(h), buff.Revive(7))
	case 14:
		g.one(buff.Extend(h, time.Second))
	case 15:
		if g.dice.IntN(6) == 0 {
			g.one(buff.Kill(7))
		}
	}
}

// look records the current attributes.
func (g *historyGame) look() {
	all, err := g.e.Attributes(7)
	require.NoError(g, err)
	now := map[string]attributeWas{}
	for a := range all {
		w := attributeWas{base: a.Base, value: a.Value}
		marks, err := g.e.Modifiers(7, a.Attr)
		require.NoError(g, err)
		for m := range marks {
			w.marks = append(w.marks, markText(m))
		}
		slices.Sort(w.marks)
		now[a.Name] = w
	}
	g.was[int64(g.e.Now())] = now
}

func markText(m stat.Modifier) string {
	text := inspect.Effect(m.Op, m.Value)
	if m.Channel != 0 {
		text += fmt.Sprintf(" in channel %d", m.Channel)
	}
	return strconv.FormatUint(m.Of, 10) + " " + text
}

// entryAt returns the last entry of a list that is not after an instant.
func entryAt(list any, at int64) (last map[string]any) {
	for _, x := range list.([]any) {
		if x := x.(map[string]any); x["at"].(float64) <= float64(at) {
			last = x
		}
	}
	return last
}

// compare checks the page's answer for each instant against the recorded attributes. It returns
// the number of values that the page knew, and the page's reasons why the other values were
// unknown.
func (g *historyGame) compare(answer map[string]any) (known int, not map[string]int) {
	not = map[string]int{}
	for at, was := range g.was {
		if at < int64(answer["sheet"].(float64)) {
			continue
		}
		for _, x := range answer["attributes"].([]any) {
			x := x.(map[string]any)
			name := x["name"].(string)
			v, want := entryAt(x["values"], at), was[name]
			require.NotNil(g, v, "%s at %d", name, at)
			if v["base"] != nil {
				require.Equal(g, want.base, v["base"], "the base of %s at %d", name, at)
			}
			unsure := ""
			var marks []string
			list, _ := x["modifiers"].([]any)
			for _, m := range list {
				m := m.(map[string]any)
				switch step := entryAt(m["steps"], at); {
				case step == nil || step["text"] == "":
				case step["why"] != nil:
					unsure = step["why"].(string)
				default:
					marks = append(marks, fmt.Sprint(m["handle"], " ", step["text"]))
				}
			}
			slices.Sort(marks)
			if unsure == "" {
				require.Equal(g, want.marks, marks, "what lay on %s at %d", name, at)
			}
			if v["value"] == nil {
				require.NotEmpty(g, v["why"])
				not[fmt.Sprint(v["why"], ": ", unsure)]++
				continue
			}
			require.Empty(g, unsure)
			require.Equal(g, want.value, v["value"], "%s at %d", name, at)
			known++
		}
	}
	return known, not
}

// historyPlan describes a historyGame.
type historyPlan struct {
	frames, history int
	crowd           int  // number of events of other players in a frame
	reload          bool // reload the definitions half way through the game
	back            bool // half way through the game, the player leaves and returns
}

// playHistory runs a game for a number of frames, and requests the player's history at its end.
func playHistory(t *testing.T, seed uint64, p historyPlan) (*historyGame, map[string]any) {
	files := fstest.MapFS{"buffs/a.yaml": {Data: []byte(historyBuffs)}}
	cat, err := catalog.LoadFS(files, "buffs")
	require.NoError(t, err)
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{History: cmp.Or(p.history, history.DefaultBytes)}})
	require.NoError(t, err)
	for id := buff.OwnerID(7); id <= 9; id++ {
		require.NoError(t, e.Spawn(id, nil))
	}
	g := &historyGame{T: t, e: e, cat: cat, dice: rand.New(rand.NewPCG(seed, 1)), was: map[int64]map[string]attributeWas{}}
	for n := range p.frames {
		for range g.dice.IntN(3) {
			g.act()
		}
		if p.reload && n == p.frames/2 {
			g.reload(files)
		}
		if p.back && n == p.frames/2 {
			blob, err := e.Despawn(7)
			require.NoError(t, err)
			_, err = e.Restore(7, nil, blob)
			require.NoError(t, err)
		}
		for range p.crowd {
			e.AddBuff(8, buff.Application{Spec: g.cat.Spec("might"), Source: 9})
		}
		g.look()
		g.e.Tick(time.Duration(50+g.dice.IntN(100)) * time.Millisecond)
	}
	g.look()
	answer, _ := lanesOf(t, e, "?history=7")
	return g, answer
}

// reload reloads definitions in which the buff might is stronger, also for active buffs.
func (g *historyGame) reload(files fstest.MapFS) {
	text := string(files["buffs/a.yaml"].Data)
	for _, change := range [][2]string{{"value: 10, per_stack", "value: 12, per_stack"}, {"expire: one}", "expire: one}, reload: migrate"}, {"magnitude * 2 + level", "magnitude * 3 + level"}} {
		require.Contains(g, text, change[0])
		text = replaceOnce(text, change[0], change[1])
	}
	files["buffs/a.yaml"] = &fstest.MapFile{Data: []byte(text)}
	next, err := catalog.Loader{Previous: g.cat}.LoadFS(files, "buffs")
	require.NoError(g, err)
	_, err = g.e.Reload(next)
	require.NoError(g, err)
	g.cat = next
}

// TestAttributes_EarlierInstant checks that for each instant of the last minute, the page shows
// the attributes and modifiers as the engine had them, and marks the values that it cannot know.
// For buffs older than the recording, these are only the number of stacks before its first
// change, and which of two overrides is newer.
func TestAttributes_EarlierInstant(t *testing.T) {
	t.Parallel()
	for name, k := range map[string]struct {
		historyPlan
		young bool
	}{
		"young":       {historyPlan{frames: 400}, true},
		"a minute":    {historyPlan{frames: 1200}, false},
		"reload":      {historyPlan{frames: 400, reload: true}, true},
		"overwritten": {historyPlan{frames: 400, history: history.MinBytes, crowd: 40, reload: true}, false},
		"back":        {historyPlan{frames: 300, back: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(6) {
				g, answer := playHistory(t, seed, k.historyPlan)
				known, not := g.compare(answer)
				t.Logf("seed %d: from %v on of %v: %d values known, not %v", seed, answer["sheet"], answer["now"], known, not)
				require.Greater(t, known, 400)
				if k.crowd > 0 {
					require.Equal(t, answer["since"], answer["sheet"])
					require.Greater(t, answer["sheet"], 1000.)
				}
				if k.back {
					require.Greater(t, answer["sheet"], 10_000.)
				}
				for why := range not {
					require.Regexp(t, "depends on its stacks|unknown which override", why)
				}
				if k.young {
					require.Empty(t, not)
				}
			}
		})
	}
}

func replaceOnce(text, old, with string) string { return strings.Replace(text, old, with, 1) }

// TestAttributes_EarlierInstantWhileBusy checks a player that has been busy since the first
// client connected. The page shows only the bases that changed. If the game supplies the
// attributes, it shows none.
func TestAttributes_EarlierInstantWhileBusy(t *testing.T) {
	held := make(chan struct{})
	cat, err := catalog.Parse("a.yaml", []byte(`
attributes: {power: {base: 100}, pace: {base: 5}}
buffs:
  might: {duration: 8s, modifiers: [{attr: power, op: add, value: 10}]}
  grip: {duration: 8s, on: {apply: [{call: hold}]}}
`))
	require.NoError(t, err)
	e, err := engine.New(engine.Options{
		Catalog: cat, Budget: time.Millisecond, Trace: engine.Trace{History: history.DefaultBytes}, Handlers: engine.Handlers{"hold": func(*engine.Context, buff.Event) { <-held }},
	})
	require.NoError(t, err)
	defer func() { close(held); require.NoError(t, e.Close(t.Context())) }()
	require.NoError(t, e.Spawn(7, nil))
	power, _ := cat.Attr("power")
	require.NoError(t, e.Do(buff.SetBase(7, power, 120)).Failure)
	e.AddBuff(7, buff.Application{Spec: cat.Spec("might"), Source: 7})
	e.Tick(time.Second)
	e.AddBuff(7, buff.Application{Spec: cat.Spec("grip"), Source: 7})
	e.Tick(time.Second)

	answer, _ := lanesOf(t, e, "?history=7")
	list := answer["attributes"].([]any)
	values := func(k int) any { return list[k].(map[string]any)["values"] }
	const why = "unknown: the player is busy, and its other buffs cannot be read"
	require.Equal(t, []any{map[string]any{"at": 0., "base": 120., "value": nil, "why": why}}, values(0))
	require.Equal(t, []any{map[string]any{"at": 0., "base": nil, "value": nil, "why": why}}, values(1))
	lay := list[0].(map[string]any)["modifiers"].([]any)
	require.Len(t, lay, 1, "what is known to have lain there")
	require.Equal(t, []any{map[string]any{"at": 0., "text": "+10"}}, lay[0].(map[string]any)["steps"])
}
