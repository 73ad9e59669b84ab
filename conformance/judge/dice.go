package judge

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Draft is a generated scenario. It consists of maps that encode to JSON, so that Shrink can remove
// parts of it.
type Draft struct {
	// Buffs are the definitions by ID. Script has the steps.
	Buffs  map[string]map[string]any
	Script []map[string]any
	// Templates are the templates of the definitions, by ID.
	Templates map[string]map[string]any
	// Seen is the field "seen" of a scenario file.
	Seen bool
	// Dead is the field "dead" of a scenario file. If Life is true, deaths are logged.
	Dead string
	Life bool
	// Pair has the two words that the scenario must have, with their values. Story names the
	// story that the scenario follows, or is "".
	Pair  [2]string
	Story string

	decoded *Scenario // decoded by the generator, or nil
}

// allTags are the tags that each draft declares. The declaration is required because a step may add
// a tag that no definition names.
var allTags = []string{"t.a", "t.b", "u", "f.g", "f.h", "e"}

// The attributes, slots, diminishing returns and curves that each draft declares. All numbers are
// multiples of 1/4 and therefore exact in floating point. Otherwise a floating-point error could
// hide a violation of the rounding rules.
var (
	allAttributes = map[string]any{
		"cap":  m("base", 120, "min", 1),
		"hp":   m("base", 100, "min", 0, "max", "cap"),
		"pow":  m("base", 8),
		"most": m("base", 8, "aggregate", "max"), "least": m("base", 8, "aggregate", "min"), "one": m("base", 8, "aggregate", m("strongest", 1)),
		"life":  m("base", 10, "min", 0, "at_min", "kill"),
		"floor": m("base", 0), "soul": m("base", 40, "min", "floor", "max", "cap", "at_min", "kill"),
		"fire": m("base", 1, "damage_taken", "f"), "spark": m("base", 1, "min", -2, "damage_taken", "f.g"),
	}
	allSlots = map[string]any{
		"s9": m("limit", 1, "evict", "oldest"), "s10": m("limit", 1, "evict", "reject"), "s11": m("limit", 2, "evict", "lowest_priority"),
		"s12": m("limit", 1, "evict", "soonest_to_end"),
	}
	allReturns = map[string]any{"d9": m("steps", list(1, 0.25), "reset", "2s", "scope", "target"), "d10": m("steps", list(1, 0.5, 0), "reset", "3s", "scope", "pair")}
	allCurves  = map[string]any{"c": m("1", 1.5, "3", 2.5), "d": list(0.5, 0.75, 2)}
)

// JSON returns the draft as a scenario file.
func (d *Draft) JSON() []byte {
	m := map[string]any{
		"tags": allTags, "attributes": allAttributes, "curves": allCurves, "slots": allSlots, "dr": allReturns,
		"groups": list("g", "h", "k"), "handlers": list("h"), "acts": list("move", "hit", "damaged", "dealt"), "icons": list("i"), "buffs": d.Buffs, "script": d.Script,
	}
	if len(d.Templates) > 0 {
		m["templates"] = d.Templates
	}
	if d.Dead != "" {
		m["dead"] = d.Dead
	}
	if d.Seen {
		m["seen"] = true
	}
	if d.Life {
		m["life"] = true
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic("judge: a draft is no JSON: " + err.Error())
	}
	return text
}

// Text returns the draft with one definition or step per line.
func (d *Draft) Text() string {
	var b strings.Builder
	line := func(v any) string {
		text, _ := json.Marshal(v)
		return string(text)
	}
	fmt.Fprintf(&b, "{\"tags\": %s, \"attributes\": %s, \"curves\": %s, \"slots\": %s, \"dr\": %s, \"dead\": %q, \"life\": %v, \"templates\": %s, \"buffs\": {\n",
		line(allTags), line(allAttributes), line(allCurves), line(allSlots), line(allReturns), or(d.Dead, "allow"), d.Life, line(d.Templates))
	for i, id := range sortedKeys(d.Buffs) {
		fmt.Fprintf(&b, "  %q: %s%s\n", id, line(d.Buffs[id]), comma(i < len(d.Buffs)-1))
	}
	fmt.Fprintf(&b, "}, \"seen\": %v, \"script\": [\n", d.Seen)
	for i, st := range d.Script {
		fmt.Fprintf(&b, "  %s%s\n", line(st), comma(i < len(d.Script)-1))
	}
	b.WriteString("]}\n")
	return b.String()
}

func comma(yes bool) string {
	if yes {
		return ","
	}
	return ""
}

// Scenario decodes the draft. It panics if the draft is invalid.
func (d *Draft) Scenario() *Scenario {
	if d.decoded != nil {
		return d.decoded
	}
	all, err := Decode(d.JSON())
	if err != nil {
		panic("judge: " + err.Error())
	}
	return all[0]
}

// Generate returns scenario number n of a seed. The number n selects two words of the format, each
// with a value, which the definition "p" of the scenario has. Any [Pairs] successive scenarios
// contain all such pairs. The rest of a scenario is random.
func Generate(seed uint64, n int) *Draft {
	g := &dice{rand.New(rand.NewPCG(seed, uint64(n)))}
	pairs := allPairs()
	pair := pairs[n*stride%len(pairs)]
	d := &Draft{Buffs: map[string]map[string]any{}, Pair: [2]string{pair[0].String(), pair[1].String()}}
	var chosen *story
	often := 0.12
	if g.IntN(3) > 0 { // follow a story, with fewer random words that could interfere
		chosen = &stories[g.IntN(len(stories))]
		d.Story, often = chosen.name, 0.03
	}
	d.Buffs["p"] = g.definition("p", pair[:], often)
	d.Buffs["q"] = g.definition("q", nil, often/2)
	d.Buffs["x"] = map[string]any{"duration": "instant"}
	d.Buffs["y"] = map[string]any{"duration": "1s", "grants": []string{"t.a"}, "tags": []string{"f.h"}}
	if chosen != nil {
		g.tell(d, chosen, pair[:])
	}
	for _, id := range []string{"q", "x"} { // avoid cycles: p may apply q and x, and q may apply x
		if on, ok := d.Buffs[id]["on"].(map[string]any); ok {
			d.Buffs[id]["on"] = replaced(on, id)
		}
	}
	if a, ok := d.Buffs["q"]["aura"].(map[string]any); ok {
		a["apply"] = "y"
	}
	if a, ok := d.Buffs["p"]["aura"].(map[string]any); ok && a["apply"] == "q" {
		if stack, ok := d.Buffs["q"]["stack"].(map[string]any); ok {
			delete(stack, "timers") // members of an aura have no timers
		}
	}
	d.Seen = d.Seen || g.one(8) || d.any("catchup") || d.any("aura") // the log depends on the frames
	d.Life = d.Life || g.one(4)
	if g.one(8) {
		d.Dead = pick(g, "allow", "deny")
	}
	g.script(d, chosen)
	if g.one(4) {
		g.extend(d)
	}
	return d
}

// extend moves some fields of a definition into a template, or into another definition that the
// definition then extends. What the definition says does not change.
func (g *dice) extend(d *Draft) {
	b := d.Buffs["p"]
	t := g.split(b)
	if g.one(2) && b["duration"] != nil { // an inherited field that does not count
		t["duration"] = "31s"
	}
	d.Templates, d.decoded = map[string]map[string]any{"t": t}, nil
	b["extends"] = "t"
	if g.one(2) {
		d.Templates["t2"] = g.split(t)
		t["extends"] = "t2"
	}
}

// split moves some of the fields of a map into another map.
func (g *dice) split(from map[string]any) map[string]any {
	to := map[string]any{}
	for _, k := range sortedKeys(from) {
		inner, isMap := from[k].(map[string]any)
		switch {
		case isMap && !isNumber(inner) && k != "aura" && len(inner) > 1 && g.one(2):
			to[k] = g.split(inner)
		case g.one(2):
			to[k] = from[k]
			delete(from, k)
		}
	}
	return to
}

// any reports whether any definition has the given word.
func (d *Draft) any(word string) bool {
	for _, b := range d.Buffs {
		if b[word] != nil {
			return true
		}
	}
	return false
}

// stride spreads the pairs over the scenarios, so that neighboring scenarios have different words,
// although allPairs lists all pairs of one word together. It is a prime above the number of pairs,
// so every pair occurs.
const stride = 104_729

// Pairs returns the number of pairs of two different words of the format, each with one of its
// values.
func Pairs() int { return len(allPairs()) }

// replaced returns a copy of v in which each action that applies "q" applies "x" instead. It is
// used for the definitions "q" and "x", in which an action that applies "q" would form a cycle.
func replaced(v any, id string) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = replaced(v[k], id)
		}
		if v["apply"] == "q" {
			v["apply"] = "x"
		}
		return v
	case []any:
		for i := range v {
			v[i] = replaced(v[i], id)
		}
		return v
	}
	return v
}

type dice struct{ *rand.Rand }

// one returns true with probability 1/n.
func (g *dice) one(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *dice, list ...T) T { return list[g.IntN(len(list))] }

// definition returns a random definition. It contains every word (a field with a value) in the list
// "must". Each other word of the vocabulary is included with the probability "often".
func (g *dice) definition(id string, must []choice, often float64) map[string]any {
	d := map[string]any{"duration": pick(g, "4s", "2500ms", "3s", "1400ms")}
	var words []choice
	for _, w := range vocabulary {
		if g.Float64() < often {
			words = append(words, choice{w.path, pick(g, w.values...)})
		}
	}
	if g.IntN(10) < 6 {
		words = append(words, choice{"period", pick(g, "1s", "700ms", "2s", "500ms")})
	}
	if g.IntN(10) < 6 {
		words = append(words, choice{"stack.by", pick(g, "source", "target")}, choice{"stack.limit", pick(g, 1, 2, 3, 5)})
	}
	g.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	// A random word that would make the definition invalid is left out. If the words in the list
	// "must" alone form an invalid definition, random words are added until it is valid.
	for _, c := range must {
		c.put(d)
	}
	need(d)
	wrong := len(refusalsOf(id, d)) > 0
	for _, c := range words {
		if c.in(d) || clashes(must, c.path) {
			continue
		}
		with := clone(d)
		c.put(with)
		need(with)
		if still := len(refusalsOf(id, with)) > 0; wrong || !still {
			d, wrong = with, still
		}
	}
	return d
}

// clashes reports whether the path equals, contains or is contained in the path of a word in the
// list "must".
func clashes(must []choice, path string) bool {
	for _, c := range must {
		if c.path == path || strings.HasPrefix(c.path, path+".") || strings.HasPrefix(path, c.path+".") {
			return true
		}
	}
	return false
}

func refusalsOf(id string, d map[string]any) []string {
	text, _ := json.Marshal(d)
	def := &definition{ID: id}
	if err := strictly(text, def); err != nil {
		panic("judge: " + err.Error())
	}
	return def.refusals()
}

// clone copies a tree of maps and lists.
func clone[M map[string]any](m M) M {
	out := M{}
	for k, v := range m {
		out[k] = cloneValue(v)
	}
	return out
}

func cloneValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return clone(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = cloneValue(v[i])
		}
		return out
	}
	return v
}
