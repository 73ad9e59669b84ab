package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// farAway is how far ahead the generator searches for interesting instants, in ms.
const farAway = 15_000

// script generates the steps of a draft.
func (g *dice) script(d *Draft, chosen *story) {
	at, away := int64(0), ""
	played := d.Scenario()
	add := func(st map[string]any) {
		d.Script = append(d.Script, st)
		played.add(st)
	}
	if d.any("aura") {
		add(m("at", at, "owner", "o2", "near", "p1"))
		if g.one(3) {
			add(m("at", at, "near", pick(g, "p1", "o2")))
		}
	}
	for range 5 + g.IntN(10) {
		if chosen == nil || g.one(2) {
			at = g.instant(played, at)
		} else if chosen.long && away != "" {
			at += 1000 + g.Int64N(4000)
		} else if g.one(2) { // a short time after the last step, when most buffs still run
			at += g.Int64N(400)
		}
		st := m("at", at)
		switch {
		case chosen != nil && chosen.leave && away != "" && g.one(2):
			g.stepWhileAway(chosen, away, st)
		case away != "" && !g.one(3):
			st["load"], st["owner"] = true, away
			away = ""
		case chosen != nil && g.IntN(5) > 0 && away == "":
			away = g.storyStep(chosen, len(d.Script) < 3, st)
		case away == "":
			away = g.verb(d, st)
		default:
			st["tick"] = true
		}
		add(st)
		if g.one(5) && away == "" {
			add(m("at", at, "show", everything, "owner", pick(g, "p1", "p1", "p1", "o2")))
		}
	}
	if away != "" {
		add(m("at", at+700, "load", true, "owner", away))
	}
	add(m("at", at+farAway, "tick", true))
	add(m("at", at+farAway, "show", everything))
	if d.fast() { // with a fast clock, the runner would run more frames than the script has
		d.Seen, played.seen = true, true
	}
	d.decoded = played
}

// fast reports whether a step or an action changes the rate of a clock.
func (d *Draft) fast() bool {
	return bytes.Contains(d.JSON(), []byte(`"rate":`)) || slices.ContainsFunc(d.Script, func(st map[string]any) bool {
		return st["rate"] != nil || st["rate_buff"] != nil || st["rate_area"] != nil
	})
}

// everything has the names that a show step lists: all attributes, and some tags.
var everything = list("pow", "hp", "cap", "life", "soul", "floor", "most", "least", "one", "t.a", "t.b", "f")

// add appends a step to a scenario.
func (s *Scenario) add(st map[string]any) {
	text, err := json.Marshal(st)
	if err != nil {
		panic("judge: a step is no JSON: " + err.Error())
	}
	decoded, err := decodeStep(text)
	if err != nil {
		panic("judge: " + err.Error())
	}
	s.steps = append(s.steps, decoded)
}

// instant returns the time of the next step. This is often the time of an event, one ms before or
// after an event, or the time of the last step.
func (g *dice) instant(played *Scenario, last int64) int64 {
	switch g.IntN(10) {
	case 0, 1, 2:
		return last
	case 3, 4:
		return last + g.Int64N(3000)
	}
	ahead := *played
	ahead.steps = append(slices.Clip(played.steps), step{At: instant(last + farAway), Owner: "p1", Tick: true})
	var near []int64
	log, _ := ahead.Play()
	for _, line := range log {
		var t int64
		if _, err := fmt.Sscan(line, &t); err == nil && t > last {
			near = append(near, t)
		}
		if _, end, ok := strings.Cut(line, "end="); ok {
			if _, err := fmt.Sscan(end, &t); err == nil && t > last && t < last+farAway {
				near = append(near, t)
			}
		}
		if len(near) >= 8 {
			break
		}
	}
	if len(near) == 0 {
		return last + 100*g.Int64N(20)
	}
	return max(last, near[g.IntN(len(near))]+pick(g, int64(-1), 0, 0, 0, 1))
}

// verb fills in a random step. If the step logs an owner out, "verb" returns the name of this
// owner.
func (g *dice) verb(d *Draft, st map[string]any) (away string) {
	id := pick(g, "p", "p", "p", "p", "q", "y")
	if g.one(8) {
		st["owner"] = "o2"
	}
	if d.any("aura") && g.one(4) {
		st[pick(g, "near", "far")] = pick(g, "p1", "p1", "p1", "o2")
		st["owner"] = pick(g, "p1", "o2", "o2", "o3")
		return ""
	}
	if g.one(60) || d.reacts() && g.one(4) {
		g.happened(st)
		return ""
	}
	switch n := g.IntN(116); {
	case n >= 112:
		g.area(st)
	case n >= 100:
		g.time(st, id)
	case n < 45:
		g.application(st, id)
	case n < 49:
		st["remove"] = id
		if g.one(4) {
			st["why"] = pick(g, "dispelled", "consumed", "interrupt")
		}
		if g.one(3) {
			st["stacks"] = 1 + g.IntN(2)
		}
	case n < 54:
		st["dispel"] = pick[any](g, id, id, m("type", "poison"), m("type", "poison", "grade", "strong", "most", 1), g.query(id))
		if g.one(2) {
			st["stacks"] = 1 + g.IntN(2)
		}
		if g.one(2) {
			st["target"] = pick(g, "o2", "p1", "a")
		}
	case n < 60 && d.Buffs[id]["duration"] == "infinite":
		st["tick"] = true // the buff has no end that could be moved
	case n < 58:
		st["extend"], st["by"] = id, pick(g, "1s", "-1s", "-700ms", "333ms")
		if g.one(3) {
			st["at_most"] = "5s"
		}
	case n < 60:
		st["set_remaining"], st["to"] = id, pick(g, "1s", "1ms", "2s")
	case n < 65 && d.Buffs[id]["period"] != nil:
		st["set_period"], st["to"] = id, pick(g, "500ms", "333ms", "1500ms", "2307ms")
	case n < 68:
		st[pick(g, "inhibit", "release")] = id
	case n < 71:
		st[pick(g, "pause", "resume")] = true
	case n < 73:
		st[pick(g, "pause_buff", "resume_buff")] = id
	case n < 78:
		delete(st, "owner")
		st["save"] = true
		return "p1"
	case n < 81:
		st[pick(g, "kill", "kill", "revive")] = true
	default:
		g.rare(d, st, id)
	}
	return ""
}

// reacts reports whether any definition has actions that react to acts.
func (d *Draft) reacts() bool {
	for _, b := range d.Buffs {
		if on, ok := b["on"].(map[string]any); ok && on["act"] != nil {
			return true
		}
	}
	return false
}

// happened fills in a step in which an act happens.
func (g *dice) happened(st map[string]any) {
	st["happened"] = pick(g, "hit", "hit", "move", "damaged")
	if g.one(2) {
		st["amount"] = 1 + g.IntN(40)
	}
	if st["owner"] == "o2" {
		st["target"] = "p1"
	} else if g.one(2) {
		st["target"] = pick(g, "o2", "p1", "o2")
	}
}

// area fills in a step about areas.
func (g *dice) area(st map[string]any) {
	switch area := g.IntN(2); g.IntN(6) {
	case 0:
		st["pause_area"] = area
	case 1:
		st["resume_area"] = area
	case 2:
		st["rate_area"], st["to"] = area, pick(g, rates...)
	default:
		st["area"] = area
	}
}

// query returns a query with random words.
func (g *dice) query(id string) map[string]any {
	q := map[string]any{}
	for _, w := range []choice{
		{"buff", id},
		{"tag", pick(g, "f", "t.a", "e")},
		{"polarity", pick(g, "neutral", "positive", "negative")},
		{"source", pick(g, "b", "o2", "a")},
		{"grade", pick(g, "strong", "death")},
		{"most", 1 + g.IntN(3)},
		{"newest", true},
	} {
		if g.one(3) {
			q[w.path] = w.value
		}
	}
	if len(q) == 0 {
		q["polarity"] = "neutral"
	}
	return q
}

// rates are the rates of clocks.
var rates = []any{2, "1/2", "1/3", 1, "7/5", 5}

// time fills in a step about clocks, attributes or several owners.
func (g *dice) time(st map[string]any, id string) {
	switch g.IntN(9) {
	case 6:
		st["change"], st["by"] = pick(g, "hp", "pow", "cap", "life", "floor"), pick(g, 2.5, -4, -0.5, 0, -30, 25)
	case 7:
		st["damage"], st["by"] = pick(g, "hp", "soul", "life"), pick(g, 12, 0.5, 40, 0.25, -3)
		if g.one(2) {
			st["source"] = pick(g, "o2", "p1", "b")
		}
		if g.one(2) {
			st["school"] = pick(g, "f", "f.g", "e")
		}
	case 8:
		st["base"], st["to"] = pick(g, "pow", "hp", "cap", "floor", "soul"), pick(g, 16, 90, 4, 200)
	case 0:
		st["rate"] = pick(g, rates...)
	case 1, 2:
		st["rate_buff"], st["to"] = id, pick(g, rates...)
	case 3:
		st["compensate"], st["by"] = pick[any](g, id, id, m("tag", "f"), m("source", "b"), m("polarity", "negative"), g.query(id)), pick(g, "1s", "-1s", "333ms")
		if q, ok := st["compensate"].(map[string]any); ok {
			delete(q, "grade")
		}
	default:
		st["steal"], st["to"] = pick[any](g, id, id, m("type", "poison"), m("tag", "f", "grade", "strong"), m("buff", id, "most", 1, "newest", true), g.query(id)), "o2"
		if g.one(3) {
			st["stacks"] = 1 + g.IntN(2)
		}
		if st["owner"] == "o2" {
			st["to"] = "p1"
		}
		if g.one(3) {
			st["at_most"] = pick(g, "1s", "3s")
		}
	}
}

// rare fills in a step that has an effect on only a few definitions.
func (g *dice) rare(d *Draft, st map[string]any, id string) {
	switch g.IntN(9) {
	case 0:
		st["source_gone"] = pick(g, "a", "b")
	case 1, 2:
		st["immune"] = pick(g, "f", "f.g", "e")
		if g.one(3) {
			st["purge"] = true
		}
	case 3:
		st["vulnerable"] = pick(g, "f", "f.g", "e")
	case 4, 5:
		st[pick(g, "tag", "tag", "untag")] = pick(g, "t.a", "t.b", "u")
	case 6:
		if d.Buffs[id]["charges"] != nil {
			st["use"] = id
			return
		}
		st["consume"] = "hit"
	case 7:
		if g.one(2) {
			st["interrupt"] = "move"
			return
		}
		st["absorb"] = 20 + g.IntN(50)
		if g.one(2) {
			st["school"] = pick(g, "f", "f.g", "e")
		}
	case 8:
		st["timeout"], st["after"] = "t", pick(g, "1s", "700ms", "0s")
	}
}

// application fills in an apply step.
func (g *dice) application(st map[string]any, id string) {
	st["apply"] = id
	if g.one(3) {
		st["source"] = pick(g, "b", "c", "o2", "p1", "o2")
	}
	if g.one(4) {
		st["stacks"] = 1 + g.IntN(4)
	}
	if g.one(6) {
		st["duration"] = pick(g, "1s", "5s", "2345ms", "7s")
	}
	if g.one(12) {
		st["scale"] = pick(g, rates...)
	}
	if g.one(4) {
		st["magnitude"] = 1 + g.IntN(3)
	}
	if g.one(5) {
		st["level"] = g.IntN(4)
	}
	if g.one(6) {
		st["key"] = 1 + g.IntN(2)
	}
	if g.one(4) {
		st["params"] = m("k", pick(g, 3, 0.5))
	}
}
