package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// word is a field of a definition, such as "stack.by", with its possible values.
type word struct {
	path   string
	values []any
}

func list(v ...any) []any { return v }

func m(pairs ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}

// removals contains one remove action for each reason.
var removals = func() (all []any) {
	for _, why := range strings.Fields("expired cancelled broken condition consumed death fault interrupt out_of_aura overflow reload replaced source_gone unload") {
		all = append(all, m("remove", "q", "reason", why))
	}
	return all
}()

// vocabulary lists the words that can change the log of a scenario.
var vocabulary = []word{
	{"tags", list(list("f"), list("f.g", "e"))},
	{"grants", list(list("t.a"), list("t.b"), list("f.g"))},
	{"polarity", list("positive", "negative", "neutral")},
	{"duration", list("instant", "infinite", "1s", "6s", "2500ms", m("curve", "c"))},
	{"duration_scale", list(0, 0.5, 1.5, m("attr", "pow", "coef", 0.125))},
	{"min_duration", list("1s")},
	{"max_duration", list("6s")},
	{"clock", list("uptime", "wall", "online")},
	{"period", list("1s", "700ms", "10s", m("curve", "d"), m("formula", "(stacks + level) / 2"), m("attr", "pow", "of", "source", "coef", 0.125, "default", 0.7), m("caller", "k", "default", 0.5), m("attr", "pow", "pre", 2, "coef", 0.1, "post", -0.2, "of", "owner"))},
	{"first", list("none", "start", "every")},
	{"tail", list("none", "partial", "fit")},
	{"align", list("start", "owner")},
	{"catchup", list("all", "coalesce", "skip", m("coalesce", 2))},
	{"haste", list("snapshot", "next", "rescale",
		m("attr", "pow", "coef", 0.125), m("attr", "pow", "of", "source", "coef", 0.25, "default", 1.3, "mode", "snapshot"), m("attr", "pow", "of", "source", "coef", 0.125, "mode", "next", "default", 1),
		m("attr", "pow", "coef", 0.125, "mode", "rescale"), m("formula", "1 + owner.pow / 16", "mode", "next"), m("formula", "0.5 + stacks / 2", "mode", "rescale"), m("caller", "k", "default", 1.3), m("curve", "c"),
		m("attr", "pow", "pre", 2, "coef", 0.1, "post", 0.1, "of", "owner", "mode", "next"))},
	{"haste_duration", list(true)},
	{"stack.by", list("none", "source", "target", "key")},
	{"stack.limit", list(1, 2, 3, "unlimited")},
	{"stack.initial", list(1, 2)},
	{"stack.timers", list("shared", "each", "queue")},
	{"stack.effective", list(1, 2)},
	{"stack.refresh", list("restart", "none", "extend", "pandemic", "max", "residual_tick")},
	{"stack.refresh_share", list(0.5, 100)},
	{"stack.refresh_cap", list("7s")},
	{"stack.phase", list("keep", "reset", "execute")},
	{"stack.overflow", list("allow", "deny", "clear", "replace_oldest")},
	{"stack.expire", list("all", "one", "half", 2)},
	{"stack.decay", list("1s", "300ms")},
	{"stack.level", list("ignore", "higher_wins", "segregate", "sum")},
	{"stack.thresholds", list(
		list(m("at", 2, "apply", "q")), list(m("at", 2, "apply", "x", "consume", "all")), list(m("at", 2, "apply", "x", "consume", 1)), list(m("at", 3, "apply", "y", "consume", true)),
	)},
	{"group", list(
		m("name", "g"), m("name", "g", "rule", "always", "priority", 1), m("name", "g", "priority", 2, "rule", "never"), m("name", "g", "priority", 2, "rule", "higher"),
		m("name", "g", "priority", 2, "rule", "equal_or_higher"), m("name", "g", "priority", 2, "rule", "same_source_only"),
		m("name", "g", "priority", 2, "rule", "hide"), m("name", "g", "priority", 3, "rule", "hide"),
	)},
	{"slot", list(
		m("class", "s1", "limit", 1), m("class", "s5", "limit", 1, "evict", "reject"), "s9", "s10", "s11", "s12", m("class", "s2", "limit", 2, "evict", "oldest"),
		m("class", "s3", "limit", 2, "evict", "lowest_priority"), m("class", "s4", "limit", 2, "evict", "soonest_to_end"),
	)},
	{"per_source", list(m("limit", 1), m("limit", 2, "evict", "oldest"))},
	{"require.apply", list(m("all", list("t.a")), m("any", list("t", "u")), m("none", list("t.a")), m("all", list("t.a"), "from", "source"), m("any", list("t", "u"), "none", list("f"), "from", "source"), m("if", "owner.pow > 4"), m("if", "owner.pow + stacks > 6", "why", "cost"),
		m("none", list("t.a"), "if", "source.pow >= 5"), m("if", "magnitude > owner.pow or level > 1", "why", "cost"))},
	{"require.ongoing", list(m("all", list("t.a")), m("none", list("t")), m("any", list("t.b", "u")))},
	{"require.remove", list(m("any", list("t.a", "u")), m("all", list("t.a", "u")), m("none", list("t")))},
	{"inhibition", list("keep", "reset", "execute")},
	{"immune", list("suppress", "remove", "ignore")},
	{"immunity", list(m("tags", list("f")), m("polarity", "negative"), m("type", "poison"), m("polarity", "positive", "tags", list("e")))},
	{"chance", list(0, 1)},
	{"dr", list(
		m("group", "d1", "steps", list(1, 0.5, 0), "reset", "3s"),
		m("group", "d2", "steps", list(1, 0.5, 0.25), "reset", "3s", "scope", "pair"), "d9", "d10",
		m("group", "d3", "steps", list(1, 0), "reset", "1s", "scope", "target"),
	)},
	{"dispel", list(
		m("type", "poison"), m("type", "poison", "grade", "strong"), m("grade", "basic", "per", "all"), m("grade", "death", "stealable", true), m("type", "magic", "stealable", false), m("type", "poison", "per", "charge"), m("type", "poison", "grade", "undispellable"), m("type", "poison", "per", "stack"),
		m("type", "poison", "resist", 1), m("resist", 1),
	)},
	{"interrupt", list(list("move"), list("damaged", "hit"))},
	{"charges", list(m("n", 2, "consume_on", list("hit")), m("n", 2, "on_refresh", "keep"), m("n", 3, "on_refresh", "reset", "consume_on", list("move")), m("n", 2, "on_refresh", "add", "consume_on", list("hit")), m("n", 2, "consume_on", list("damaged", "dealt")), m("n", 2, "consume_on", list("hit"), "recharge", "1s"), m("n", 3, "recharge", "700ms", "on_refresh", "keep"), m("n", 2, "recharge", "2500ms", "on_refresh", "add", "consume_on", list("hit", "damaged")))},
	{"shield", list(m("pool", "unlimited", "share", 0.5),
		m("pool", 50), m(), m("pool", 50, "priority", 1), m("pool", 30, "schools", list("f")), m("pool", m("attr", "pow", "pre", 2, "post", 0.5)),
		m("pool", 30, "share", 0.6), m("pool", 40, "cap", 3, "priority", 1), m("pool", 60, "share", 0.35, "cap", 6), m("pool", 900, "floor", 90, "priority", -1), m("pool", 8, "on_refresh", "add"), m("pool", m("caller", "k", "default", 9), "on_refresh", "reset"), m("pool", 15, "on_refresh", "keep", "share", 0.5), m("pool", 15, "on_refresh", "fill"),
		m("pool", 12, "attrs", list("hp")), m("pool", m("caller", "k", "default", 9), "attrs", list("hp", "soul")),
	)},
	{"dead", list("allow", "deny")},
	{"modifiers", list(
		list(m("attr", "pow", "value", 4)), list(m("attr", "pow", "op", "add", "value", 2, "per_stack", true)),
		list(m("attr", "pow", "op", "mul_add", "value", 0.5)), list(m("attr", "pow", "op", "mul_compound", "value", 0.5, "channel", 1)),
		list(m("attr", "pow", "op", "final_add", "value", -1.5)), list(m("attr", "pow", "op", "override", "value", m("attr", "cap", "coef", 0.25))),
		list(m("attr", "cap", "op", "add", "value", -40)), list(m("attr", "cap", "op", "mul_add", "value", -0.5)), list(m("attr", "floor", "value", 40)),
		list(m("attr", "pow", "value", m("formula", "2 * stacks"))), list(m("attr", "pow", "value", m("caller", "k", "default", 2), "per_stack", true)), list(m("attr", "most", "value", m("curve", "c")), m("attr", "least", "value", -2)),
		list(m("attr", "one", "value", m("caller", "k", "default", 2, "snapshot", "cast"))),
		list(m("attr", "pow", "value", m("formula", "2 * level + magnitude"))), list(m("attr", "pow", "value", m("formula", "owner.pow > 8 ? 1.5 : stacks"))),
		list(m("attr", "pow", "value", m("const", 0.5), "per_stack", true)), list(m("attr", "pow", "value", m("attr", "pow", "of", "owner", "snapshot", "apply"))),
	)},
	{"params", list(m("n", m("caller", "k", "default", 1)), m("n", m("caller", "k")), m("n", m("attr", "pow", "of", "source", "default", 4)))},
	{"name", list("N")},
	{"note", list("for people")},
	{"client", list(m("icon", "i", "show", false, "priority", 1, "sync", "owner"), m("sync", "none"), m("sync", "party"), m("sync", "source"), m("show", true, "sync", "all"))},
	{"reload", list("keep", "migrate", "end")},
	{"on_area", list("keep", "remove")},
	{"on_fault", list("keep", "remove")},
	{"aura", list(
		m("apply", "q", "radius", 1, "interval", "500ms"), m("apply", "y", "radius", 2.5, "interval", "700ms", "linger", "1s"),
		m("apply", "q", "radius", 1, "interval", "1s", "linger", "300ms"),
	)},
	{"links", list(list("q"), list("y"))},
	{"on_death", list("remove", "keep", "pause")},
	{"on_source_gone", list("keep", "remove", "adopt")},
	{"save", list(
		m("mode", "never"), m("mode", "always", "compensate", "feast"), m("offline_pulses", "none", "offline_expire", "notify"), m("mode", "if_remaining", "if_remaining", "1s"), m("offline_pulses", "coalesce"), m("offline_pulses", "all"),
		m("offline_pulses", m("all", 2)), m("offline_expire", "silent"), m("offline_expire", "run"),
	)},
	{"on.apply", list(
		list(m("change", m("attr", "hp", "by", m("attr", "most")))), list(m("change", m("attr", "hp", "by", m("attr", "one")))),
		list(m("change", m("attr", "hp", "by", m("attr", "least")))), list(m("damage", m("attr", "hp", "by", m("caller", "k", "default", 7)))),
		list(m("apply", "q")), list(m("remove", "y"), m("apply", "x")),
		list(m("change", m("attr", "pow", "by", 1)), m("if", "owner.pow > 8", "change", m("attr", "hp", "by", -2)), m("if_tags", m("none", list("t.a")), "apply", "y"), m("if_tags", m("all", list("t.a", "t")), "apply", "x")))},
	{"on.refresh", list(list(m("change", m("attr", "hp", "by", m("attr", "pow"), "per_stack", true))), list(m("apply", "x")), list(m("apply", "q")),
		list(m("if", "stacks > 1 or level > 1", "change", m("attr", "hp", "by", m("formula", "stacks * level - magnitude", "snapshot", "run"), "per_stack", true)), m("if", "owner.hp < 98", "apply", "x")))},
	{"on.pulse", list(list(m("one_of", list(m("change", m("attr", "pow", "by", 1)), m("weight", 2, "change", m("attr", "pow", "by", 1)))), m("one_of", list(m("nothing", true), m("weight", 4, "nothing", true)))), list(m("apply", "x"), m("one_of", list(m("if", "stacks > 1", "apply", "x"), m("if", "stacks > 1", "apply", "x")))),
		list(m("change", m("attr", "pow", "by", -1)), m("damage", m("attr", "hp", "by", m("formula", "owner.pow + source.pow + stacks", "snapshot", "run", "default", 2))), m("if", "owner.hp < 90 and stacks > 1", "apply", "x")),
		list(m("if", "source.pow > owner.pow", "change", m("attr", "pow", "by", m("attr", "pow", "of", "source", "snapshot", "run", "coef", 0.5), "per_stack", true)), m("if", "1 / (owner.pow - 8) < 0.25", "apply", "q", "to", "source")),
		list(m("apply", "q")), list(m("remove", "p")), list(m("kill", true)), list(m("revive", true)),
		list(m("change", m("attr", "hp", "by", m("attr", "pow", "coef", -1)))), list(m("change", m("attr", "pow", "by", 0.5, "per_stack", true))),
		list(m("damage", m("attr", "hp", "by", m("attr", "pow", "snapshot", "pulse")))), list(m("damage", m("attr", "life", "by", 2.5, "school", "f"))),
		list(m("damage", m("attr", "hp", "by", 1.5, "per_stack", true))),
		list(m("apply", "x")), list(m("remove", "p"), m("apply", "p")), list(m("damage", m("attr", "hp", "by", m("caller", "k", "default", 2), "per_stack", true))),
		list(m("damage", m("attr", "soul", "by", m("formula", "3 * stacks")))), list(m("change", m("attr", "hp", "by", m("attr", "pow", "of", "source", "default", -2)))),
	)},
	{"vars", list(m("a", 1), m("a", m("base", 2, "min", 1, "max", 3, "at_min", list(m("apply", "x")), "at_max", list(m("set", m("var", "a", "value", 2)), m("add", m("var", "a", "by", 1))))))},
	{"on.exec", list(removals, list(m("extend", m("buff", "p", "by", 1.5)), m("use", "p"), m("use", m("buff", "y", "charges", 2, "from", "source")), m("rate", m("buff", "y", "value", 2)), m("remove", m("buff", "y", "stacks", 1, "from", "source"))),
		list(m("extend", m("buff", m("tag", "f", "polarity", "negative", "most", 1, "newest", true, "type", "c"), "by", "-1s")), m("remove", m("buff", m("tag", "f", "polarity", "neutral", "most", 1, "newest", true, "type", "c"))), m("extend", m("buff", m("polarity", "positive"), "by", 1, "at_most", "3s", "from", "source")), m("rate", m("buff", "y", "value", 0.5, "from", "source")), m("extend", m("buff", m("polarity", "neutral"), "by", 1)),
			m("remove", m("buff", m("polarity", "positive"))), m("remove", m("buff", m("polarity", "negative"))), m("dispel", m("buff", "p", "tag", "f", "grade", "strong", "polarity", "negative", "newest", true, "stacks", 1, "from", "source", "most", 1, "type", "c")),
			m("dispel", m("grade", "death", "polarity", "positive")), m("dispel", m("grade", "strong", "polarity", "neutral")), m("dispel", m("grade", "basic"))), list(m("apply", m("id", "y", "magnitude", m("formula", "owner.pow + magnitude", "snapshot", "run"), "duration", 1.5, "stacks", 2, "level", m("formula", "level + 1")))),
		list(m("change", m("attr", "pow", "by", -3)), m("if", "owner.pow >= 5", "change", m("attr", "pow", "by", -3)), m("if", "owner.pow >= 5", "apply", "q"), m("if_tags", m("any", list("t", "u")), "remove", "y"), m("damage", m("attr", "hp", "by", m("attr", "pow", "snapshot", "run")))), list(m("remove", "q", "reason", "stolen"), m("remove", "y", "reason", "immunity"), m("call", "h")), list(m("apply", "q"), m("remove", "y", "reason", "dispelled")), list(m("damage", m("attr", "hp", "by", m("attr", "pow")))),
		list(m("damage", m("attr", "soul", "by", 2.5, "per_stack", true))), list(m("change", m("attr", "hp", "by", m("attr", "pow", "of", "source")))),
		list(m("change", m("attr", "hp", "by", m("attr", "pow", "of", "source", "snapshot", "apply", "default", -4)))),
		list(m("change", m("attr", "hp", "by", m("formula", "stacks - source.pow", "snapshot", "apply", "default", 1)))),
	)},
	{"on.death", list(list(m("apply", "q")), list(m("damage", m("attr", "soul", "by", 3), "to", m("bearers", "y"))), list(m("damage", m("attr", "soul", "by", 10), "to", "target")), list(m("apply", "x", "to", "target"), m("remove", "y")))},
	{"on.overflow", list(list(m("one_of", list(m("weight", 3, "apply", "x"), m("apply", "x")))), list(m("apply", "q")), list(m("apply", "x")), list(m("apply", "q")), list(m("change", m("attr", "pow", "by", 1)), m("if", "source.pow + stacks > 10", "change", m("attr", "hp", "by", m("formula", "owner.pow + magnitude", "snapshot", "run"))), m("if_tags", m("none", list("t.a")), "apply", "y")), list(m("change", m("attr", "hp", "by", 0.5, "per_stack", true))))},
	{"on.absorb", list(list(m("apply", "x")), list(m("damage", m("attr", "hp", "by", m("formula", "amount / 2")), "to", "target"), m("if", "amount > 9", "remove", "p")))},
	{"on.when", list(m("if", "owner.hp < 90", "do", list(m("apply", "x"))), m("if", "owner.pow + stacks > 9", "do", list(m("change", m("attr", "pow", "by", -2)), m("if", "owner.hp > 20", "damage", m("attr", "hp", "by", 5)))))},
	{"on.act", list(
		m("hit", list(m("if", "amount > 9", "apply", "x"), m("if", "source.pow > 7", "if_tags", m("none", list("u")), "apply", "y", "to", "target"), m("if", "magnitude < 2", "damage", m("attr", "soul", "by", m("formula", "amount + owner.pow", "snapshot", "run")), "to", "target"))),
		m("hit", list(m("apply", "y", "to", "target"), m("apply", "q"))), m("hit", list(m("damage", m("attr", "hp", "by", 3, "per_stack", true), "to", "target"), m("remove", "y"))),
		m("move", list(m("apply", "q", "to", "source"), m("apply", "x", "to", "owner")), "hit", list(m("remove", "p"))), m("hit", list(m("kill", true, "to", "target"), m("call", "h"))),
		m("hit", list(m("change", m("attr", "hp", "by", m("attr", "pow")), "to", "source"), m("remove", "p", "to", "target"))),
		m("hit", m("by", "source", "do", list(m("apply", "x"), m("damage", m("attr", "soul", "by", m("formula", "amount / 2")), "to", "target")))), m("hit", m("by", "source", "do", list(m("remove", "p"))), "damaged", m("by", "source", "do", list(m("apply", "y")))),
		m("damaged", list(m("damage", m("attr", "soul", "by", 3), "to", "target"))), m("damaged", list(m("apply", "x"))),
		m("dealt", list(m("change", m("attr", "hp", "by", m("formula", "amount / 2"))))), m("damaged", list(m("damage", m("attr", "soul", "by", m("formula", "amount - stacks"))))),
	)},
	{"on.remove", list(
		m("dispelled", list(m("damage", m("attr", "soul", "by", 3), "to", "target")), "stolen", list(m("apply", "x", "to", "target")), "cancelled", list(m("apply", "y", "to", "target"), m("apply", "x"))),
		m("consumed", list(m("damage", m("attr", "soul", "by", 3), "to", "target")), "broken", list(m("apply", "x", "to", "target")), "death", list(m("kill", true, "to", "target")), "interrupt", list(m("apply", "y", "to", "target"))),
		m("any", list(m("if", "level > 0 or magnitude > 1", "apply", "x"), m("if_tags", m("none", list("t")), "apply", "y"))),
		m("expired", list(m("apply", "q"))), m("any", list(m("apply", "x"))), m("death", list(m("apply", "x")), "any", list(m("apply", "q"))),
		m("replaced", list(m("apply", "x"))), m("dispelled", list(m("apply", "q"))), m("consumed", list(m("apply", "x"))),
		m("expired", list(m("change", m("attr", "hp", "by", -3, "per_stack", true)))),
		m("cancelled", list(m("apply", "x")), "stolen", list(m("apply", "q")), "overflow", list(m("apply", "x")), "broken", list(m("apply", "q")), "source_gone", list(m("apply", "x"))),
		m("immunity", list(m("apply", "x")), "condition", list(m("apply", "x")), "interrupt", list(m("apply", "q")), "unload", list(m("apply", "x"))),
		m("out_of_aura", list(m("apply", "x")), "reload", list(m("apply", "x")), "fault", list(m("call", "h"))),
	)},
}

// choice is a word with one of its values.
type choice struct {
	path  string
	value any
}

// String returns "path: value".
func (c choice) String() string { return fmt.Sprintf("%s: %v", c.path, c.value) }

// put writes the word into a definition.
func (c choice) put(d map[string]any) {
	head, tail, deep := strings.Cut(c.path, ".")
	if !deep {
		d[head] = cloneValue(c.value)
		return
	}
	in, ok := d[head].(map[string]any)
	if !ok {
		in = map[string]any{}
		d[head] = in
	}
	in[tail] = cloneValue(c.value)
}

// in reports whether a definition has the word.
func (c choice) in(d map[string]any) bool {
	head, tail, deep := strings.Cut(c.path, ".")
	v, ok := d[head]
	if !deep || !ok {
		return ok && c.path != "duration"
	}
	_, ok = v.(map[string]any)[tail]
	return ok
}

// need adds the words without which other words of the definition would be invalid.
func need(d map[string]any) {
	preset := func(path string, value any) {
		if c := (choice{path, value}); !c.in(d) {
			c.put(d)
		}
	}
	on, _ := d["on"].(map[string]any)
	stack, _ := d["stack"].(map[string]any)
	if d["first"] != nil || d["tail"] != nil || d["align"] != nil || d["catchup"] != nil || d["haste"] != nil || d["haste_duration"] != nil || on["pulse"] != nil ||
		stack["refresh"] == "residual_tick" || d["inhibition"] != nil || stack["phase"] != nil {
		preset("period", "1s")
	}
	if d["haste_duration"] != nil {
		preset("haste", "rescale")
	}
	if on["exec"] != nil {
		d["duration"] = "instant"
	}
	if stack != nil {
		if stack["effective"] != nil && (stack["by"] == "target" || stack["by"] == nil) {
			preset("stack.timers", "each")
		}
		if stack["timers"] == "queue" && stack["limit"] == 1 {
			stack["limit"] = 2
		}
		if stack["decay"] != nil && (stack["expire"] == nil || stack["expire"] == "all") {
			stack["expire"] = "one"
			preset("stack.limit", 3)
		}
		if stack["expire"] == 2 {
			preset("stack.limit", 3)
		}
		preset("stack.by", "target")
		if stack["thresholds"] != nil || stack["initial"] != nil || stack["effective"] != nil {
			preset("stack.limit", 3)
		}
		if stack["refresh_share"] != nil {
			preset("stack.refresh", "pandemic")
		}
		if stack["refresh_cap"] != nil {
			preset("stack.refresh", "extend")
		}
	}
	if on["absorb"] != nil {
		preset("shield", m("pool", 25, "share", 0.5))
	}
	if shield, ok := d["shield"].(map[string]any); ok && shield["on_refresh"] != nil {
		preset("stack.by", "target")
	}
	if save, ok := d["save"].(map[string]any); ok && (save["offline_pulses"] != nil || save["offline_expire"] != nil) {
		preset("clock", "wall")
	}
	if d["immune"] != nil {
		preset("tags", list("f"))
	}
}

// allPairs returns all pairs of two different words, each with one of its values. Two pairs may
// have the same words, but then they have different values.
var allPairs = sync.OnceValue(func() [][2]choice {
	var out [][2]choice
	for i, a := range vocabulary {
		for _, b := range vocabulary[i+1:] {
			for _, va := range a.values {
				for _, vb := range b.values {
					out = append(out, [2]choice{{a.path, va}, {b.path, vb}})
				}
			}
		}
	}
	return out
})

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
