package judge

import "maps"

// story is a set of words and steps that together give a certain rule an effect. Random words and
// steps rarely form such a combination.
type story struct {
	name  string
	words map[string][]word // words by definition ID; one value of each word is picked
	steps []any             // templates of steps; one is picked for each step
	seen  bool              // if set, Draft.Seen is set
	life  bool              // if set, Draft.Life is set
	long  bool              // if set, an owner that logs out stays away for seconds
	leave bool              // if set, the other owners continue to get steps while an owner is away
}

// oneOf is a list in the template of a step. One of its values is picked.
type oneOf []any

func owners(v ...any) oneOf { return v }

var (
	someStacks  = oneOf{1, 2, 3}
	someLevels  = oneOf{0, 1, 2, 3}
	someSpans   = oneOf{"700ms", "1s", "2s", "3s", "5s"}
	anyOwner    = owners("p1", "o2")
	anySource   = owners("a", "b", "o2", "p1")
	saveAway    = m("save", true)
	oftenApply  = m("apply", "p", "stacks", someStacks)
	applySecond = m("apply", "q")
	applyThird  = m("apply", "y")
	saveAny     = m("save", true, "owner", anyOwner)
	rebasePow   = m("base", "pow", "to", oneOf{4, 16, 30}, "owner", anyOwner)
)

// hitsBySource are lists of actions that read the source.
var hitsBySource = list(
	list(m("change", m("attr", "hp", "by", m("attr", "pow", "of", "source", "snapshot", "apply", "coef", -0.5)))), list(m("change", m("attr", "hp", "by", m("attr", "pow", "of", "source", "coef", -0.25)))),
	list(m("damage", m("attr", "hp", "by", m("formula", "source.pow + stacks", "snapshot", "apply", "default", 3), "per_stack", true))), list(m("damage", m("attr", "soul", "by", m("attr", "pow", "of", "source", "default", 1)))),
)

// modifiedBySource are lists of modifiers that read the source.
var modifiedBySource = list(
	list(m("attr", "pow", "value", m("attr", "pow", "of", "source", "snapshot", "apply", "coef", 0.5))), list(m("attr", "pow", "value", m("attr", "pow", "of", "source", "coef", 0.25, "default", 1))),
	list(m("attr", "pow", "value", m("formula", "source.pow * stacks", "snapshot", "apply", "default", 2))),
)

var stories = []story{
	{
		name: "levels that add up",
		words: map[string][]word{
			"p": {
				{"stack", list(m("by", "target", "limit", 3, "level", "sum"), m("by", "source", "limit", 2, "level", "sum", "refresh", "none"), m("by", "target", "limit", 2, "timers", "each", "level", "sum"), m("by", "source", "limit", 3, "level", "sum", "overflow", "replace_oldest"))},
				{"on.refresh", list(
					list(m("change", m("attr", "hp", "by", m("formula", "0 - level", "snapshot", "run"))), m("if", "level > 3", "apply", "x")),
					list(m("change", m("attr", "hp", "by", m("formula", "0 - level - stacks"), "per_stack", true)), m("apply", "q")),
				)},
				{"on.overflow", list(list(m("if", "level > 2", "change", m("attr", "pow", "by", m("formula", "level", "snapshot", "run")))))},
				{"on.act", list(m("hit", list(m("if", "level > 4", "apply", "q"), m("change", m("attr", "hp", "by", m("formula", "level * magnitude", "snapshot", "run"))))))},
				{"period", list("700ms")},
				{"on.pulse", list(list(m("damage", m("attr", "hp", "by", m("formula", "level / 2 + magnitude", "snapshot", "run"), "per_stack", true))))},
				{"duration", list("4s", "infinite")},
			},
			"q": {{"modifiers", list(list(m("attr", "pow", "value", m("formula", "level"))))}, {"stack", list(m("by", "target"))}},
			"x": {{"on.exec", list(list(m("damage", m("attr", "hp", "by", m("formula", "level"))), m("change", m("attr", "pow", "by", m("formula", "level - magnitude", "snapshot", "run")))))}},
		},
		steps: []any{
			m("apply", "p", "level", someLevels, "magnitude", someStacks), m("apply", "p", "level", someLevels, "source", anySource, "stacks", someStacks), m("happened", "hit", "amount", oneOf{3, 7}), m("dispel", "p", "stacks", 1), saveAway, m("steal", "p", "to", "o2"), m("tick", true),
		},
	},
	{
		name: "applications with numbers",
		words: map[string][]word{
			"x": {{"on.exec", list(
				list(m("change", m("attr", "pow", "by", 2)), m("apply", m("id", "y", "magnitude", m("formula", "owner.pow", "snapshot", "run"), "stacks", m("attr", "pow", "coef", 0.25, "snapshot", "run"))), m("apply", m("id", "y", "magnitude", m("attr", "pow")))),
				list(m("apply", m("id", "y", "duration", m("formula", "owner.pow / 4", "snapshot", "run"), "level", 2)), m("apply", m("id", "y", "duration", 0))),
				list(m("apply", m("id", "y", "duration", 1.5, "level", m("formula", "level + 1")))),
				list(m("if", "owner.pow > 3", "apply", m("id", "y", "stacks", m("formula", "owner.pow - 3", "snapshot", "run"))), m("apply", m("id", "y")), m("apply", m("id", "y", "stacks", 0.4))),
			)}},
			"y": {{"duration", list("4s", "infinite")}, {"stack", list(m("by", "target", "limit", 4), m("by", "source", "limit", 3, "level", "higher_wins"))}, {"modifiers", list(list(m("attr", "cap", "value", m("formula", "magnitude + level"))))}},
			"p": {
				{"period", list("500ms", "700ms")},
				{"duration", list("3300ms")},
				{"tail", list("partial", "none")},
				{"stack", list(m("by", "target", "limit", 3), m("by", "target", "limit", 3, "timers", "each"), m("by", "target", "limit", 3, "timers", "queue"))},
				{"on.pulse", list(list(m("apply", m("id", "y", "magnitude", m("formula", "magnitude + stacks")))), list(m("apply", m("id", "x", "magnitude", m("formula", "10 * stacks", "snapshot", "run")))), list(m("apply", m("id", "y", "level", m("formula", "source.pow", "default", 1), "duration", m("formula", "1 + stacks / 2")))))},
				{"on.remove", list(m("any", list(m("apply", m("id", "y", "magnitude", m("attr", "pow", "snapshot", "run")))), "expired", list(m("apply", m("id", "y", "stacks", 2)))))},
				{"on.act", list(m("hit", list(m("apply", m("id", "y", "magnitude", m("formula", "amount / 2"))))))},
			},
		},
		steps: []any{
			m("apply", "x", "source", anySource, "level", someLevels), m("apply", "x", "source", anySource, "magnitude", oneOf{1, 30}), m("apply", "p", "source", anySource, "stacks", someStacks, "magnitude", oneOf{1, 2, 30}), rebasePow, rebasePow, m("happened", "hit", "amount", 5), applyThird, saveAny,
		},
	},
	{
		name: "variables, and what is left of a buff",
		words: map[string][]word{
			"p": {
				{"vars", list(
					m("bank", m("base", m("formula", "level + 1"), "min", 0, "max", 10, "at_max", list(m("change", m("attr", "pow", "by", m("formula", "var.bank"))), m("set", m("var", "bank", "value", 2))), "at_min", list(m("apply", "x")))),
					m("bank", 3, "n", m("max", 4, "at_max", list(m("remove", "p")))),
					m("bank", m("base", 20, "max", 8), "n", m("base", m("attr", "pow", "of", "source", "default", 1), "min", -2, "at_min", list(m("extend", m("buff", "p", "by", 1)), m("damage", m("attr", "hp", "by", m("formula", "var.n + var.bank")))))),
				)},
				{"duration", list("4s", "infinite", "2500ms")},
				{"period", list("700ms", "1s")},
				{"tail", list("partial", "none")},
				{"clock", list("wall", "online")},
				{"catchup", list(m("coalesce", 3), "skip")},
				{"shield", list(m("pool", 30, "attrs", list("hp")), m("attrs", list("hp")))},
				{"stack", list(m("by", "target", "limit", 3), m("by", "source", "limit", 2), m("by", "target", "limit", 2, "refresh", "extend"), m("by", "none"), m("by", "target", "overflow", "deny"))},
				{"save.offline_pulses", list("all", "none", "next")},
				{"on.pulse", list(
					list(m("add", m("var", "bank", "by", 1.5)), m("change", m("attr", "hp", "by", m("formula", "var.bank - left")))),
					list(m("add", m("var", "bank", "by", m("formula", "stacks - age"))), m("if", "var.bank > 4", "apply", "x")),
					list(m("set", m("var", "bank", "value", m("formula", "age * 2"))), m("damage", m("attr", "hp", "by", m("formula", "absorbed / 2 + age")))),
				)},
				{"on.apply", list(list(m("add", m("var", "bank", "by", m("attr", "pow", "of", "source", "default", 1))), m("change", m("attr", "pow", "by", m("formula", "var.bank / 4")))))},
				{"on.refresh", list(list(m("set", m("var", "bank", "value", m("formula", "var.bank + level"))), m("change", m("attr", "hp", "by", m("formula", "0 - left")))))},
				{"on.overflow", list(list(m("change", m("attr", "hp", "by", m("formula", "amount * 2 + left"))), m("add", m("var", "bank", "by", m("formula", "amount")))), list(m("if", "amount > 1", "apply", "x")))},
				{"on.act", list(
					m("hit", list(m("add", m("var", "bank", "by", m("formula", "amount"))), m("change", m("attr", "hp", "by", m("formula", "0 - var.bank"))), m("if", "var.bank > 6", "remove", "p"), m("change", m("attr", "pow", "by", m("formula", "var.bank"))))),
					m("damaged", list(m("change", m("attr", "pow", "by", m("formula", "absorbed + left + amount"))))),
				)},
				{"on.remove", list(m("any", list(m("change", m("attr", "pow", "by", m("formula", "var.bank + absorbed"))), m("add", m("var", "bank", "by", 1)))), m("expired", list(m("apply", m("id", "y", "magnitude", m("formula", "var.bank * 10 + left + age"))))))},
			},
			"x": {{"on.exec", list(list(m("remove", "p")), list(m("apply", "y")), list(m("dispel", m("most", 1))))}},
			"y": {{"on.apply", list(list(m("change", m("attr", "hp", "by", m("formula", "magnitude - age")))))}, {"stack", list(m("by", "target", "limit", 9))}, {"duration", list("3s")}},
		},
		steps: []any{
			m("apply", "p", "source", anySource, "level", someLevels, "stacks", someStacks), m("apply", "p", "source", anySource, "level", someLevels), m("happened", "hit", "amount", oneOf{3, 7}), m("damage", "hp", "by", oneOf{4, 12, 40}), m("tick", true), m("extend", "p", "by", "1s"), saveAway,
			m("steal", "p", "to", "o2"), m("remove", "p"), m("pause_buff", "p"), m("resume_buff", "p"), m("rate_buff", "p", "to", "2"), m("inhibit", "p"), m("release", "p"), m("happened", "hit", "amount", 2, "owner", "o2"), saveAny,
		},
	},
	{
		name: "whose, and who removes",
		words: map[string][]word{
			"x": {
				{"require.apply", list(m("any", list("t"), "from", "source"), m("none", list("t.a"), "from", "source"))},
				{"on.exec", list(list(m("remove", "p"), m("apply", "y")), list(m("dispel", m("type", "c", "most", 2))), list(m("use", "p"), m("damage", m("attr", "soul", "by", 4))), list(m("damage", m("attr", "hp", "by", 30)), m("remove", m("buff", "p", "from", "source"), "reason", "interrupt")))},
			},
			"p": {
				{"grants", list(list("t.a"), list("t"))},
				{"duration", list("4s", "infinite")},
				{"stack", list(m("by", "source"), m("by", "target", "limit", 3), m("by", "source", "timers", "queue"), m("by", "none"))},
				{"dispel", list(m("type", "c"), m("type", "c", "per", "stack"))},
				{"charges", list(m("n", 2, "consume_on", list("hit", "damaged")))},
				{"interrupt", list(list("move", "dealt"))},
				{"shield", list(m("pool", 20))},
				{"links", list(list("q"))},
				{"on.act", list(m("hit", m("by", "source", "do", list(m("apply", "x"), m("apply", "y", "to", "target")))), m("damaged", m("by", "source", "do", list(m("damage", m("attr", "hp", "by", m("formula", "amount / 2")))))))},
				{"on.remove", list(
					m("dispelled", list(m("apply", "y", "to", "target")), "cancelled", list(m("damage", m("attr", "soul", "by", 3), "to", "target")), "stolen", list(m("apply", "x", "to", "target"))),
					m("consumed", list(m("apply", "y", "to", "target")), "broken", list(m("damage", m("attr", "hp", "by", 7), "to", "target")), "death", list(m("kill", true, "to", "target")), "interrupt", list(m("apply", "x", "to", "target"))),
				)},
			},
			"q": {{"on.remove", list(m("dispelled", list(m("apply", "x", "to", "target")), "consumed", list(m("apply", "y", "to", "target"))))}},
			"y": {{"duration", list("3s")}, {"dispel", list(m("type", "c"))}, {"grants", list(list("t.b"))}},
		},
		steps: []any{
			m("apply", "x", "source", anySource), m("apply", "x", "source", anySource, "owner", anyOwner), m("apply", "p", "source", anySource, "stacks", someStacks), m("apply", "p", "source", anySource),
			m("happened", "hit", "target", anyOwner, "amount", oneOf{5, 12}), m("happened", "move", "target", anyOwner), m("damage", "hp", "by", oneOf{9, 200}, "source", anyOwner), m("dispel", m("type", "c"), "target", anyOwner), m("steal", "p", "to", "o2"), m("kill", true), saveAny,
		},
	},
	{
		name: "revived by an action",
		life: true,
		words: map[string][]word{
			"p": {
				{"on.death", list(list(m("revive", true), m("change", m("attr", "life", "by", 5))), list(m("revive", true)))},
				{"on_death", list("keep", "pause", "remove")},
				{"period", list("700ms")},
				{"on.pulse", list(list(m("damage", m("attr", "life", "by", 4))), list(m("kill", true), m("revive", true)))},
				{"duration", list("5s", "infinite")},
			},
			"q": {{"on.remove", list(m("expired", list(m("revive", true), m("change", m("attr", "life", "by", 8)))))}, {"on_death", list("keep", "pause")}, {"duration", list("2s")}, {"dead", list("allow")}},
			"x": {{"on.exec", list(list(m("revive", true)), list(m("revive", true, "to", "source")))}},
		},
		steps: []any{
			m("apply", "p", "source", anySource), m("apply", "q"), m("apply", "q", "owner", anyOwner), m("apply", "x", "source", anySource), m("damage", "life", "by", oneOf{4, 12}), m("kill", true), m("kill", true, "owner", anyOwner), m("tick", true), m("revive", true), saveAway,
		},
	},
	{
		name: "bearers of a mark",
		words: map[string][]word{
			"p": {
				{"stack", list(m("by", "source"), m("by", "source", "timers", "queue"), m("by", "source", "limit", 3, "timers", "each"), m("by", "target"), m("by", "none"))},
				{"duration", list("2s", "6s", "infinite")},
				{"per_source", list(m("limit", 1), m("limit", 2))},
				{"on_source_gone", list("adopt", "remove")},
				{"period", list("700ms")},
				{"on.pulse", list(list(m("apply", "q", "to", m("bearers", "y"))), list(m("if", "owner.pow > 8", "damage", m("attr", "hp", "by", m("formula", "owner.pow + stacks", "snapshot", "run"), "per_stack", true), "to", m("bearers", "p"))))},
				{"on.act", list(
					m("dealt", list(m("change", m("attr", "hp", "by", m("formula", "amount / 2")), "to", m("bearers", "y")))),
					m("damaged", list(m("damage", m("attr", "soul", "by", m("formula", "amount / 3"), "school", "f"), "to", m("bearers", "p")))),
					m("hit", list(m("remove", "y", "to", m("bearers", "y")), m("extend", m("buff", "p", "by", 1), "to", m("bearers", "p")))),
					m("hit", list(m("apply", "x", "to", m("bearers", "y")), m("dispel", m("type", "c"), "to", m("bearers", "p")))),
				)},
				{"on.remove", list(m("any", list(m("apply", "x", "to", m("bearers", "p")), m("kill", true, "to", m("bearers", "q")))), m("dispelled", list(m("remove", "p", "to", m("bearers", "p")))))},
			},
			"q": {{"duration", list("3s", "instant")}, {"stack", list(m("by", "source"))}, {"grants", list(list("t.b"))}},
			"x": {{"on.exec", list(
				list(m("remove", "y", "to", m("bearers", "y"))), list(m("damage", m("attr", "hp", "by", m("formula", "magnitude + source.pow", "default", 3)), "to", m("bearers", "p"))),
				list(m("apply", m("id", "y", "duration", 2), "to", m("bearers", "p")), m("apply", "q", "to", m("bearers", "y"))), list(m("remove", m("buff", "p", "from", "source"), "to", m("bearers", "y")), m("use", "p", "to", m("bearers", "p"))),
			)}},
			"y": {{"duration", list("4s", "infinite")}, {"per_source", list(m("limit", 2))}, {"on.remove", list(m("any", list(m("remove", "y", "to", m("bearers", "y")))))}, {"stack", list(m("by", "source"), m("by", "none"), m("by", "source", "limit", 2))}, {"dispel", list(m("type", "c"))}},
		},
		steps: []any{
			m("apply", "p", "source", anySource, "owner", anyOwner), m("apply", "y", "source", anySource, "owner", anyOwner), m("apply", "y", "source", "a", "owner", "o2"), m("apply", "y", "source", "a", "owner", "b"), m("apply", "p", "source", "a", "owner", "a"),
			m("apply", "x", "source", anySource, "owner", anyOwner, "magnitude", someStacks), m("damage", "hp", "by", oneOf{9, 40}, "source", anySource, "owner", anyOwner), m("happened", "hit", "target", anyOwner, "amount", oneOf{5, 12}), m("remove", oneOf{"p", "y"}), m("dispel", m("type", "c")), m("steal", oneOf{"p", "y"}, "to", "o2"), rebasePow, m("kill", true), saveAny,
		},
	},
	{
		name: "commands as actions",
		words: map[string][]word{
			"x": {{"on.exec", list(
				list(m("extend", m("buff", "p", "by", 1.5)), m("extend", m("buff", "y", "by", m("formula", "0 - owner.pow / 10", "snapshot", "run"), "at_most", "3s", "from", "source"))),
				list(m("extend", m("buff", m("tag", "f", "newest", true, "most", 1), "by", "-700ms")), m("remove", m("buff", m("tag", "f", "most", 2), "stacks", 1, "from", "source"))),
				list(m("remove", m("buff", m("polarity", "negative", "type", "c")), "reason", "consumed"), m("remove", m("buff", "p", "stacks", 2))),
				list(m("use", "p"), m("use", m("buff", "y", "charges", 2, "from", "source"))),
				list(m("rate", m("buff", "p", "value", 2)), m("extend", m("buff", m("tag", "f"), "by", 1, "at_most", "4s"))),
				list(m("rate", m("buff", "y", "value", m("formula", "owner.pow / 8 - level", "snapshot", "run"), "from", "source"))),
				list(m("dispel", m("type", "c", "most", 2)), m("apply", "y")),
				list(m("dispel", m("tag", "f", "grade", "strong", "newest", true, "stacks", 1, "from", "source")), m("if", "magnitude > 1", "use", "p", "to", "source")),
				list(m("dispel", m("buff", "p", "polarity", "neutral")), m("extend", m("buff", "y", "by", m("attr", "pow", "of", "source", "coef", 0.25, "default", 1)), "to", "source")),
			)}},
			"p": {
				{"tags", list(list("f"), list("f.g"))},
				{"period", list("700ms", "1s")},
				{"duration", list("4s", "infinite")},
				{"stack", list(m("by", "source", "limit", 3), m("by", "target", "limit", 3, "timers", "each"), m("by", "source", "limit", 2, "timers", "queue"), m("by", "none"), m("by", "target", "limit", 3, "expire", "one"))},
				{"charges", list(m("n", 3), m("n", 1))},
				{"dispel", list(m("type", "c"), m("type", "c", "per", "stack"), m("type", "c", "grade", "strong", "resist", 1))},
				{"on.pulse", list(list(m("apply", "x")), list(m("extend", m("buff", "y", "by", m("formula", "stacks + magnitude")))), list(m("rate", m("buff", "p", "value", m("formula", "1 + stacks / 4"))), m("use", "y")))},
				{"on.act", list(m("hit", list(m("extend", m("buff", "p", "by", m("formula", "amount / 10"))), m("use", "y", "to", "target"))))},
				{"on.remove", list(m("any", list(m("remove", m("buff", m("tag", "f", "most", 1))))))},
			},
			"y": {
				{"tags", list(list("f.g"), list("e"))},
				{"duration", list("6s")},
				{"charges", list(m("n", 3))},
				{"polarity", list("negative")},
				{"dispel", list(m("type", "c"))},
				{"stack", list(m("by", "source"), m("by", "target", "limit", 3))},
				{"period", list("900ms")},
				{"haste_duration", list(true)},
			},
		},
		steps: []any{
			m("apply", "x", "source", anySource, "magnitude", someStacks, "level", oneOf{0, 1}), m("apply", "x", "source", anySource, "owner", anyOwner), m("apply", "p", "source", anySource, "stacks", someStacks, "magnitude", someStacks), m("apply", "p", "source", anySource),
			m("apply", "y", "source", anySource, "owner", anyOwner), rebasePow, m("happened", "hit", "amount", oneOf{7, 30}), m("tick", true), m("rate_buff", "p", "to", oneOf{"1/2", "2"}), m("pause_buff", "y"), saveAny,
		},
	},
	{
		name: "conditions see what earlier actions changed",
		words: map[string][]word{
			"x": {{"on.exec", list(
				list(m("if", "owner.pow >= 4", "change", m("attr", "pow", "by", -4)), m("if", "owner.pow >= 4", "change", m("attr", "pow", "by", -4)), m("if_tags", m("none", list("t.a")), "apply", "y"), m("if_tags", m("none", list("t.a")), "apply", "y")),
				list(m("change", m("attr", "pow", "by", m("attr", "pow", "snapshot", "run"))), m("change", m("attr", "hp", "by", m("formula", "0 - owner.pow", "snapshot", "run"), "per_stack", true)), m("change", m("attr", "hp", "by", m("attr", "pow")))),
				list(m("remove", "p"), m("if_tags", m("all", list("t.b")), "change", m("attr", "hp", "by", -1)), m("if", "owner.cap < 100", "apply", "y"), m("if", "1 / (owner.pow - 8) < 0.25", "remove", "y")),
				list(m("damage", m("attr", "life", "by", 6)), m("if", "owner.life > 0", "apply", "y"), m("if", "owner.life <= 0", "change", m("attr", "life", "by", 5))),
				list(m("apply", "y"), m("if_tags", m("all", list("t.a")), "damage", m("attr", "soul", "by", m("formula", "owner.pow + source.pow", "snapshot", "run", "default", 3))), m("if_tags", m("all", list("t.a")), "kill", true, "to", "source")),
			)}},
			"p": {
				{"modifiers", list(list(m("attr", "pow", "value", 4, "per_stack", true)), list(m("attr", "cap", "value", -40)), modifiedBySource[0])},
				{"grants", list(list("t.b"), list("t.a"))},
				{"require.ongoing", list(m("none", list("t.a")))},
				{"stack", list(m("by", "target", "limit", 3), m("by", "source", "limit", 3), m("by", "target", "limit", 3, "timers", "each"))},
				{"on.apply", list(list(m("apply", "x")), list(m("if", "owner.pow > 11", "apply", "x")))},
				{"duration", list("6s")},
			},
		},
		steps: []any{
			m("apply", "x", "source", anySource), m("apply", "x", "source", anySource, "owner", anyOwner), m("apply", "p", "source", anySource, "stacks", someStacks), rebasePow, rebasePow, m("base", "life", "to", oneOf{5, 20}), m("revive", true), applyThird, saveAny,
		},
		life: true,
	},
	{
		name: "pulses with conditions and present numbers",
		words: map[string][]word{
			"p": {
				{"period", list("500ms", "700ms")},
				{"duration", list("3300ms", "6s")},
				{"tail", list("partial", "none")},
				{"catchup", list("coalesce", "all")},
				{"clock", list("wall", "online")},
				{"save", list(m("offline_pulses", "coalesce"), m("offline_pulses", "all", "offline_expire", "run"))},
				{"stack", list(m("by", "target", "limit", 3), m("by", "target", "limit", 3, "timers", "each"), m("by", "target", "limit", 3, "timers", "each", "effective", 1), m("by", "target", "limit", 3, "timers", "queue"), m("by", "source", "limit", 2, "level", "sum"))},
				{"on.pulse", list(
					list(m("damage", m("attr", "hp", "by", m("formula", "owner.hp / 4", "snapshot", "run"))), m("damage", m("attr", "hp", "by", m("formula", "owner.hp / 4", "snapshot", "run")))),
					list(m("change", m("attr", "pow", "by", 0.5)), m("if", "owner.pow > 9 and stacks > 1", "change", m("attr", "hp", "by", m("formula", "magnitude - level", "snapshot", "run"), "per_stack", true)), m("if", "owner.pow > 9", "apply", "x")),
					list(m("if", "source.pow > owner.pow", "apply", "q"), m("if", "source.pow <= owner.pow", "apply", "x", "to", "source")),
				)},
				{"on.refresh", list(list(m("if", "stacks > 2", "apply", "x"), m("change", m("attr", "hp", "by", m("formula", "stacks + level", "snapshot", "run")))))},
				{"on.remove", list(m("any", list(m("if", "owner.hp < 80", "apply", "q"), m("change", m("attr", "hp", "by", m("attr", "pow", "snapshot", "run"))))))},
			},
			"q": {{"modifiers", list(list(m("attr", "pow", "value", 4)), list(m("attr", "cap", "op", "mul_add", "value", -0.5)))}, {"group", list(m("name", "g", "priority", 3, "rule", "hide"))}},
			"x": {{"on.exec", list(list(m("if_tags", m("none", list("t")), "damage", m("attr", "hp", "by", m("formula", "owner.pow", "snapshot", "run"))), m("change", m("attr", "pow", "by", -1))))}},
		},
		steps: []any{
			m("apply", "p", "source", anySource, "stacks", someStacks, "magnitude", someStacks, "level", someLevels), m("apply", "p", "source", anyOwner, "magnitude", someStacks), applySecond, applyThird, rebasePow, saveAway, saveAny, m("tick", true), m("tick", true), m("remove", "p"), m("steal", "p", "to", "o2"),
		},
		seen: true, leave: true,
	},
	{
		name: "conditions of actions for other owners",
		words: map[string][]word{
			"p": {
				{"on.act", list(
					m("hit", list(m("change", m("attr", "pow", "by", -4)), m("if", "owner.pow > 4", "damage", m("attr", "hp", "by", m("formula", "owner.pow + source.pow", "snapshot", "run", "default", 1)), "to", "target"), m("if", "owner.pow > 4", "apply", "q"))),
					m("damaged", list(m("if", "amount > 5", "damage", m("attr", "soul", "by", m("formula", "amount / 2")), "to", "target"), m("if_tags", m("all", list("t.a")), "apply", "x"))),
					m("dealt", list(m("if", "owner.hp < 100", "change", m("attr", "hp", "by", m("formula", "amount + stacks"))), m("if_tags", m("any", list("t.a")), "apply", "y", "to", "target"))),
				)},
				{"on.death", list(list(m("if", "level > 0", "apply", "x", "to", "target"), m("if", "owner.life <= 0", "apply", "q")))},
				{"stack", list(m("by", "target", "limit", 2), m("by", "source"))},
				{"duration", list("6s", "infinite")},
				{"on_death", list("keep", "remove")},
			},
			"q": {{"on.apply", list(list(m("if", "source.pow > 5", "change", m("attr", "pow", "by", 1), "to", "source"), m("if", "owner.pow > 5", "apply", "x")))}, {"stack", list(m("by", "target"))}},
			"x": {{"on.exec", list(list(m("damage", m("attr", "life", "by", m("formula", "owner.pow / 4", "snapshot", "run")))), list(m("damage", m("attr", "hp", "by", 12))))}},
		},
		steps: []any{
			m("apply", "p", "owner", anyOwner, "source", anySource, "level", someLevels), m("happened", "hit", "owner", anyOwner, "target", anyOwner, "amount", oneOf{5, 20}), m("happened", "hit", "owner", anyOwner), m("damage", oneOf{"hp", "life"}, "by", oneOf{3, 12}, "owner", anyOwner, "source", oneOf{"o2", "p1"}),
			m("apply", "x", "owner", anyOwner, "source", anySource), rebasePow, applyThird, saveAny, m("revive", true),
		},
		seen: true, life: true, leave: true,
	},
	{
		name: "links of heads that are not saved",
		words: map[string][]word{
			"p": {{"links", list(list("q"), list("q", "y"))}, {"save", list(m("mode", "never"), m("mode", "if_remaining", "if_remaining", "2s"))}, {"stack", list(m("by", "target", "limit", 3))}},
			"q": {{"duration", list("infinite", "6s")}, {"stack", list(m("by", "target", "limit", 5), m("by", "source", "limit", 4, "timers", "each"), m("by", "none"))}},
			"y": {{"links", list(list("q"))}, {"duration", list("3s")}, {"stack", list(m("by", "target"))}},
		},
		steps: []any{oftenApply, applyThird, applyThird, applyThird, saveAway, saveAway, m("remove", "y")},
	},
	{
		name: "a link of a saved and an unsaved head",
		words: map[string][]word{
			"p": {{"links", list(list("q"))}, {"save", list(m("mode", "never"))}, {"stack", list(m("by", "target", "limit", 3))}},
			"q": {{"duration", list("infinite")}, {"stack", list(m("by", "target", "limit", 5), m("by", "target", "limit", 5, "timers", "each", "initial", 2))}},
			"y": {{"links", list(list("q"))}, {"duration", list("6s")}},
		},
		steps: []any{m("apply", "p"), m("apply", "y"), m("apply", "y"), saveAway, m("apply", "p", "source", anySource)},
	},
	{
		name: "links of several heads",
		words: map[string][]word{
			"p": {{"links", list(list("q"))}, {"stack", list(m("by", "target", "limit", 2), m("by", "source"))}},
			"q": {{"duration", list("infinite", "6s")}, {"stack", list(m("by", "target", "limit", 5), m("by", "target", "limit", 4, "timers", "each"))}},
			"y": {{"links", list(list("q"))}, {"duration", list("3s")}},
		},
		steps: []any{oftenApply, m("apply", "y"), m("remove", oneOf{"p", "y", "q"}), m("steal", oneOf{"q", m("buff", "q"), "p"}, "to", "o2"), m("apply", "p", "source", anySource)},
	},
	{
		name: "auras with links",
		words: map[string][]word{
			"p": {{"aura", list(m("apply", "q", "radius", 1, "interval", "500ms"), m("apply", "q", "radius", 1, "interval", "700ms", "linger", "1s"))}, {"duration", list("6s", "infinite")}},
			"q": {{"links", list(list("y"))}, {"duration", list("4s", "infinite")}, {"stack", list(m("by", "target"))}},
			"y": {{"duration", list("infinite", "9s")}},
		},
		steps: []any{m("apply", "p", "owner", anyOwner), m("near", anyOwner), m("far", anyOwner), saveAway, m("near", "o2"), m("steal", oneOf{"q", m("buff", "q")}, "to", anyOwner)},
		seen:  true,
	},
	{
		name: "hidden buffs with charges and shields",
		words: map[string][]word{
			"p": {
				{"charges", list(m("n", 2, "consume_on", list("hit", "damaged")))},
				{"shield", list(m("pool", 30, "attrs", list("soul", "hp")))},
				{"on.act", list(m("hit", list(m("apply", "x"))))},
				{"require.ongoing", list(m("none", list("t.a")))},
				{"interrupt", list(list("move"))},
				{"duration", list("6s", "infinite")},
			},
		},
		steps: []any{
			oftenApply, applyThird, applyThird, m("tag", "t.a"), m("untag", "t.a"), m("happened", oneOf{"hit", "hit", "move"}), m("consume", "hit"), m("use", "p"), m("inhibit", "p"), m("release", "p"),
			m("damage", oneOf{"soul", "hp"}, "by", oneOf{12, 30}), m("absorb", 25),
		},
	},
	{
		name: "shields that absorb a part of each hit, and refreshes of shields",
		words: map[string][]word{
			"p": {
				{"shield", list(m("pool", 40, "share", 0.6), m("pool", 30, "cap", 5), m("pool", 8, "on_refresh", "add", "share", 0.34, "cap", 9), m("pool", m("caller", "k", "default", 9), "on_refresh", "reset"), m("on_refresh", "keep"), m("on_refresh", "add", "priority", 1))},
				{"stack", list(m("by", "target"), m("by", "source"), m("by", "target", "limit", 3), m("by", "target", "refresh", "none"), m("by", "target", "level", "higher_wins"))},
				{"duration", list("6s", "infinite")},
				{"on.refresh", list(list(m("apply", "x")))},
			},
			"q": {{"shield", list(m("pool", 20, "share", 0.5), m("pool", 25, "cap", 4, "priority", 1), m("pool", 10))}, {"stack", list(m("by", "target"), m("by", "target", "timers", "each", "limit", 3))}, {"duration", list("6s")}},
		},
		steps: []any{
			m("apply", "p", "magnitude", oneOf{10, 20, 30}, "level", someLevels, "params", m("k", oneOf{3, 8, 0.5, 20})), m("apply", "p", "magnitude", oneOf{10, 40}, "source", anySource), m("apply", "q"),
			m("damage", oneOf{"hp", "hp", "soul"}, "by", oneOf{1, 12, 30, 5}), m("absorb", oneOf{1, 12, 25}), m("damage", "hp", "by", oneOf{7, 15}, "source", "o2"), m("steal", "p", "to", "o2"),
		},
	},
	{
		name: "conditions that begin to hold",
		words: map[string][]word{
			"p": {
				{"on.when", list(
					m("if", "owner.hp < 90", "do", list(m("apply", "x"))), m("if", "owner.hp < 0.5 * owner.cap", "do", list(m("change", m("attr", "hp", "by", 30, "per_stack", true)), m("apply", "q"))),
					m("if", "owner.pow >= 8 + stacks", "do", list(m("change", m("attr", "pow", "by", -3)), m("if", "owner.hp > 20", "damage", m("attr", "hp", "by", m("formula", "magnitude + level"))))),
					m("if", "not (owner.hp > 80)", "do", list(m("remove", "p"), m("apply", "y"))), m("if", "1 / (owner.pow - 8) > 0.2", "do", list(m("apply", m("id", "y", "magnitude", m("formula", "owner.pow"))))),
				)},
				{"duration", list("6s", "infinite")},
				{"stack", list(m("by", "target", "limit", 3), m("by", "source"), m("by", "target", "timers", "each", "limit", 3), m("by", "target", "timers", "queue", "limit", 3))},
				{"require.ongoing", list(m("none", list("t.a")))},
				{"period", list("1s")},
				{"on.pulse", list(list(m("change", m("attr", "pow", "by", 1))), list(m("damage", m("attr", "hp", "by", 15))))},
				{"modifiers", list(list(m("attr", "pow", "value", 1, "per_stack", true)))},
			},
			"q": {{"modifiers", list(list(m("attr", "cap", "value", -60)), list(m("attr", "pow", "value", 4)))}, {"duration", list("2s")}, {"on.when", list(m("if", "owner.hp >= 90", "do", list(m("apply", "x"))))}},
		},
		steps: []any{
			m("apply", "p", "magnitude", oneOf{2, 5}, "owner", anyOwner), m("apply", "p", "source", anySource), m("apply", "q", "owner", anyOwner), m("tag", "t.a"), m("untag", "t.a"), m("change", "hp", "by", oneOf{-20, 30}), m("change", "pow", "by", oneOf{1, -2}),
			m("damage", "hp", "by", oneOf{12, 30}), m("steal", "p", "to", "o2"), saveAway,
		},
	},
	{
		name: "attributes that multiply damage",
		words: map[string][]word{
			"p": {
				{"modifiers", list(list(m("attr", "fire", "op", "mul_add", "value", 0.5)), list(m("attr", "spark", "op", "override", "value", -1)), list(m("attr", "fire", "value", -0.75), m("attr", "spark", "value", 0.5, "per_stack", true)), list(m("attr", "fire", "op", "override", "value", 0)))},
				{"on.pulse", list(list(m("damage", m("attr", "hp", "by", 3, "school", "f"))), list(m("damage", m("attr", "hp", "by", m("formula", "stacks / 2"), "school", "f.g"))), list(m("change", m("attr", "spark", "by", 0.25)), m("damage", m("attr", "soul", "by", 2, "school", "f.g")), m("damage", m("attr", "soul", "by", 2, "school", "e"))))},
				{"period", list("1s", "700ms")},
				{"stack", list(m("by", "target", "limit", 3), m("by", "source"))},
				{"duration", list("6s")},
				{"require.ongoing", list(m("none", list("t.a")))},
			},
			"q": {{"shield", list(m("pool", 20, "schools", list("f")), m("pool", 25, "share", 0.5), m("pool", 100, "floor", 60))}, {"on.act", list(m("damaged", list(m("damage", m("attr", "hp", "by", 4, "school", "f"), "to", "target"))))}, {"duration", list("6s")}},
		},
		steps: []any{
			m("apply", "p", "owner", anyOwner), m("apply", "p", "source", anySource), m("apply", "q", "owner", anyOwner), m("tag", "t.a"), m("change", "fire", "by", oneOf{0.25, -0.5}), m("change", "spark", "by", oneOf{0.5, -0.75}),
			m("damage", oneOf{"hp", "hp", "soul"}, "by", oneOf{1, 12, 30, 0.25}, "school", oneOf{"f", "f.g", "e"}), m("absorb", 12, "school", "f"), m("damage", "hp", "by", 7, "source", "p1", "owner", "o2", "school", "f.g"),
		},
	},
	{
		name: "actions of shields that absorb",
		words: map[string][]word{
			"p": {
				{"shield", list(m("pool", 40, "share", 0.6), m("pool", 900, "floor", 60, "priority", -1), m("pool", 20, "floor", 80, "attrs", list("soul", "hp", "life")), m("pool", 30), m("pool", m("caller", "k", "default", 9), "priority", 1), m("attrs", list("soul", "hp")))},
				{"on.absorb", list(
					list(m("damage", m("attr", "hp", "by", m("formula", "amount")), "to", "target")), list(m("change", m("attr", "pow", "by", m("formula", "amount / 5 + stacks"))), m("apply", "x")),
					list(m("apply", m("id", "y", "magnitude", m("formula", "amount * 2"))), m("if", "amount > 5", "apply", "q")), list(m("damage", m("attr", "hp", "by", 3, "per_stack", true))), list(m("remove", "p")),
				)},
				{"stack", list(m("by", "target"), m("by", "source"), m("by", "target", "limit", 3), m("by", "target", "timers", "each", "limit", 3), m("by", "target", "timers", "queue", "limit", 3))},
				{"duration", list("6s")},
				{"on.remove", list(m("broken", list(m("apply", "x"))))},
			},
			"q": {{"shield", list(m("pool", 10))}, {"on.absorb", list(list(m("apply", "x")), list(m("damage", m("attr", "hp", "by", 2), "to", "target")))}, {"stack", list(m("by", "target"))}, {"duration", list("6s")}, {"on.act", list(m("damaged", list(m("damage", m("attr", "hp", "by", 4), "to", "target"))))}},
		},
		steps: []any{
			m("apply", "p", "magnitude", oneOf{10, 20, 30}, "owner", anyOwner, "params", m("k", oneOf{3, 8, 0.5, 20})), m("apply", "p", "magnitude", oneOf{10, 40}, "source", anySource), m("apply", "q", "owner", anyOwner),
			m("damage", oneOf{"hp", "hp", "soul"}, "by", oneOf{1, 12, 30, 5}, "source", "o2"), m("absorb", oneOf{1, 12, 25}), m("damage", "hp", "by", oneOf{7, 15}, "source", "p1", "owner", "o2"), m("damage", "hp", "by", 9, "source", "p1"),
		},
	},
	{
		name: "queues with shields and charges",
		words: map[string][]word{
			"p": {
				{"shield", list(m("attrs", list("soul", "hp")), m("pool", m("caller", "k", "default", 12), "attrs", list("soul")))},
				{"charges", list(m("n", 2, "consume_on", list("hit")))},
				{"stack", list(m("by", "target", "timers", "queue", "limit", 3))},
				{"duration", list("4s", "6s")},
				{"on.remove", list(m("any", list(m("apply", "x"))))},
			},
		},
		steps: []any{
			m("apply", "p", "magnitude", oneOf{10, 20, 30}, "level", someLevels), m("apply", "p", "magnitude", oneOf{10, 40}, "source", anySource), m("happened", "hit"), m("use", "p", "charges", someStacks),
			m("damage", oneOf{"soul", "hp"}, "by", oneOf{12, 30, 5}), m("absorb", oneOf{12, 25}), m("steal", "p", "to", "o2"), m("dispel", "p"),
		},
	},
	{
		name: "async stacks with shields, charges and numbers",
		words: map[string][]word{
			"p": {
				{"shield", list(m("attrs", list("soul", "hp")), m("pool", m("caller", "k", "default", 12), "attrs", list("hp")))},
				{"charges", list(m("n", 2, "consume_on", list("hit")))},
				{"stack", list(m("by", "target", "timers", "each", "limit", 3), m("by", "target", "timers", "each", "limit", 5, "effective", 2))},
				{"duration", list("4s", "6s")},
				{"period", list("1s")},
				{"on.pulse", list(list(m("damage", m("attr", "hp", "by", m("caller", "k", "default", 2), "per_stack", true))), list(m("change", m("attr", "hp", "by", m("formula", "level - stacks")))))},
				{"modifiers", list(list(m("attr", "pow", "value", m("caller", "k", "default", 2), "per_stack", true)), list(m("attr", "cap", "value", m("formula", "magnitude * stacks"))))},
			},
		},
		steps: []any{
			m("apply", "p", "magnitude", oneOf{10, 20, 30}, "level", someLevels, "params", m("k", oneOf{3, 8, 0.5})), m("apply", "p", "magnitude", oneOf{10, 40}, "stacks", someStacks), m("happened", "hit"),
			m("use", "p", "charges", someStacks), m("damage", oneOf{"soul", "hp"}, "by", oneOf{12, 30, 5}), m("absorb", oneOf{12, 25}), m("steal", "p", "to", "o2", "stacks", someStacks), m("change", "hp", "by", 0),
			m("dispel", "p", "stacks", someStacks),
		},
	},
	{
		name: "queries with every word",
		words: map[string][]word{
			"p": {{"polarity", list("positive")}, {"stack", list(m("by", "source", "limit", 3))}},
			"q": {{"polarity", list("neutral")}, {"dispel", list(m("type", "poison", "per", "stack"))}},
			"y": {{"polarity", list("negative")}},
		},
		steps: []any{
			oftenApply, applySecond, applyThird, m("apply", "q", "source", anySource), m("apply", "p", "source", anySource), m("dispel", m("polarity", "neutral")), m("steal", m("polarity", oneOf{"neutral", "positive"}, "most", someStacks), "to", "o2", "stacks", someStacks),
			m("compensate", m("polarity", oneOf{"neutral", "positive"}, "most", 1), "by", oneOf{"1s", "-1s"}), m("compensate", m("most", 1, "newest", true, "buff", oneOf{"q", "p"}), "by", "1s"),
			m("dispel", m("polarity", oneOf{"positive", "neutral"}, "most", someStacks), "stacks", 1),
		},
	},
	{
		name:  "compensations",
		words: map[string][]word{"p": {{"polarity", list("positive")}, {"stack", list(m("by", "source", "limit", 3))}, {"duration", list("6s")}}, "q": {{"duration", list("4s")}}},
		steps: []any{
			m("apply", "p", "source", anySource), applySecond, m("compensate", m("most", 1), "by", oneOf{"1s", "-1s"}), m("compensate", m("most", 1, "newest", true, "buff", oneOf{"q", "p"}), "by", "1s"),
			m("compensate", m("most", someStacks, "polarity", oneOf{"neutral", "positive"}), "by", oneOf{"1s", "-700ms"}),
		},
	},
	{
		name:  "stacks that are stolen",
		words: map[string][]word{"p": {{"stack", list(m("by", "target", "limit", 5), m("by", "target", "limit", 5), m("by", "target", "limit", 5, "timers", "each"))}, {"duration", list("6s")}}},
		steps: []any{
			m("apply", "p", "stacks", 3), m("apply", "p", "owner", "o2", "duration", oneOf{"9s", "2s"}), m("steal", "p", "to", "o2", "stacks", someStacks), m("steal", m("buff", "p"), "to", "o2", "stacks", someStacks),
			m("steal", "p", "to", "o2", "at_most", "1s"),
		},
	},
	{
		name: "steals",
		words: map[string][]word{
			"p": {
				{"stack", list(m("by", "target", "limit", 5), m("by", "target", "limit", 4, "timers", "each"), m("by", "target", "limit", 3, "refresh", "extend"), m("by", "target", "limit", 3, "expire", "one", "level", "higher_wins"))},
				{"duration", list("3s", "6s")},
				{"dispel", list(m("type", "poison", "resist", 1), m("type", "poison"))},
			},
		},
		steps: []any{
			m("apply", "p", "stacks", someStacks, "duration", someSpans), m("apply", "p", "owner", "o2", "duration", someSpans, "stacks", someStacks), m("steal", oneOf{"p", m("type", "poison", "most", 2)}, "to", "o2", "stacks", someStacks),
			m("steal", oneOf{"p", m("type", "poison")}, "to", "p1", "owner", "o2"), m("apply", "p", "level", someLevels), m("steal", "p", "to", "o2", "at_most", someSpans),
		},
	},
	{
		name: "steals of charges",
		words: map[string][]word{
			"p": {
				{"charges", list(m("n", 9, "consume_on", list("damaged")), m("n", 9, "consume_on", list("damaged"), "on_refresh", "add"))},
				{"stack", list(m("by", "target", "limit", 3), m("by", "target", "limit", 3, "refresh", "none"), m("by", "target", "limit", 2, "level", "higher_wins"))},
				{"duration", list("9s", "infinite")},
				{"period", list("500ms", "700ms")},
				{"on.pulse", list(list(m("damage", m("attr", "hp", "by", 1))))},
			},
		},
		steps: []any{m("apply", "p"), m("apply", "p", "owner", "o2"), m("apply", "p", "level", someLevels), m("use", "p", "owner", anyOwner), m("steal", "p", "to", "o2"), m("steal", "p", "to", "o2")},
	},
	{
		name: "partial pulses of the time away",
		words: map[string][]word{
			"p": {
				{"clock", list("wall", "uptime")},
				{"period", list("1s", "700ms")},
				{"tail", list("partial")},
				{"save", list(m("offline_pulses", "all"), m("offline_pulses", "coalesce"), m("offline_pulses", m("all", 2)))},
				{"duration", list("2500ms", "3300ms")},
				{"on.pulse", list(list(m("apply", "x")), list(m("damage", m("attr", "hp", "by", 12))))},
			},
			"x": {{"on.exec", list(list(m("damage", m("attr", "hp", "by", 12, "per_stack", true))))}},
		},
		steps: []any{oftenApply, saveAway, saveAway, m("set_period", "p", "to", "500ms")},
	},
	{
		name: "whole periods with haste",
		words: map[string][]word{
			"p": {
				{"tail", list("fit")},
				{"period", list("700ms", m("curve", "d"))},
				{"haste", list("snapshot", "rescale", "next")},
				{"duration", list("2500ms", "3s")},
				{"stack", list(m("by", "target", "limit", 2), m("by", "target", "phase", "reset"), m("by", "target", "refresh", "extend"), m("by", "target", "limit", 2, "timers", "queue"))},
			},
		},
		steps: []any{oftenApply, m("apply", "p", "level", someLevels), m("set_period", "p", "to", oneOf{"333ms", "500ms", "1500ms"}), m("set_period", "p", "to", "2307ms")},
	},
	{
		name: "numbers of the source",
		words: map[string][]word{
			"p": {{"period", list("700ms", "1s")}, {"on.pulse", list(list(m("apply", "x")), list(m("apply", "q")))}, {"on.remove", list(m("any", list(m("apply", "x"))))}, {"stack", list(m("by", "target", "limit", 2), m("by", "source"))}},
			"x": {{"on.exec", list(
				list(m("change", m("attr", "hp", "by", m("attr", "pow", "of", "source", "snapshot", "apply", "coef", -0.5)))), list(m("change", m("attr", "cap", "by", m("attr", "pow", "of", "source")))),
				list(m("damage", m("attr", "hp", "by", m("formula", "source.pow + owner.pow", "snapshot", "apply", "default", 3)))), list(m("damage", m("attr", "hp", "by", m("formula", "source.pow", "default", 5)))),
			)}},
			"q": {{"modifiers", list(list(m("attr", "pow", "value", m("attr", "pow", "of", "source", "snapshot", "apply", "coef", 0.5))))}, {"links", list(list("y"))}},
		},
		steps: []any{
			m("apply", "p", "source", oneOf{"o2", "o2", "p1", "b"}), m("base", "pow", "to", oneOf{4, 16, 30}, "owner", anyOwner), m("change", "pow", "by", oneOf{-3, 5}, "owner", anyOwner), m("apply", "x", "source", "o2"),
			m("apply", "q", "source", anySource, "owner", anyOwner), m("save", true, "owner", "o2"), m("apply", "p", "source", oneOf{"o2", "p1"}, "owner", "o2"),
		},
	},
	{
		name: "formulas with stacks",
		words: map[string][]word{
			"p": {
				{"modifiers", list(list(m("attr", "pow", "value", m("formula", "2 * stacks"))), list(m("attr", "cap", "value", m("formula", "0 - 10 * stacks * level"), "per_stack", true)))},
				{"period", list("1s")},
				{"on.pulse", list(list(m("damage", m("attr", "hp", "by", m("formula", "3 * stacks")))), list(m("change", m("attr", "pow", "by", m("formula", "owner.pow > 8 ? 1.5 : stacks"), "per_stack", true))))},
				{"stack", list(m("by", "target", "limit", 5), m("by", "target", "limit", 5, "expire", "one"), m("by", "target", "limit", 4, "timers", "each"), m("by", "target", "limit", 4, "refresh", "none"))},
				{"dispel", list(m("type", "poison", "per", "stack"))},
			},
			"x": {{"on.exec", list(list(m("change", m("attr", "hp", "by", m("attr", "pow", "coef", -1)))))}},
		},
		steps: []any{oftenApply, m("apply", "x"), m("dispel", "p", "stacks", 1), m("dispel", m("type", "poison", "most", 1)), m("remove", "p", "stacks", 1), m("apply", "p", "level", someLevels)},
	},
	{
		name:  "logging out in an area",
		words: map[string][]word{"p": {{"on_area", list("remove")}, {"duration", list("6s", "infinite")}}, "q": {{"on_area", list("remove", "keep")}}},
		steps: []any{oftenApply, applySecond, m("area", 1), m("area", 1), m("area", 0), saveAway, saveAway, m("rate_area", 1, "to", oneOf{2, "1/2"}), m("pause_area", 1), m("resume_area", 1)},
	},
	{
		name: "slots and priorities",
		words: map[string][]word{
			"p": {{"slot", list("s11")}, {"group", list(m("name", "g", "priority", 1, "rule", "hide"), m("name", "g", "priority", 2, "rule", "higher"))}},
			"q": {{"slot", list("s11")}, {"group", list(m("name", "h", "priority", 2, "rule", "hide"))}},
			"y": {{"slot", list("s11")}, {"group", list(m("name", "k", "priority", 3, "rule", "hide"))}},
		},
		steps: []any{oftenApply, applySecond, applyThird, m("apply", "p", "source", anySource), m("apply", "q", "source", anySource)},
	},
	{
		name: "levels",
		words: map[string][]word{
			"p": {
				{"stack", list(
					m("by", "target", "level", "higher_wins", "refresh", "max"), m("by", "target", "level", "higher_wins", "limit", 2, "overflow", "deny"), m("by", "target", "level", "higher_wins", "overflow", "deny"), m("by", "target", "level", "higher_wins", "overflow", "deny", "refresh", "max"), m("by", "target", "level", "higher_wins", "limit", 2, "refresh", "none"),
					m("by", "target", "level", "higher_wins", "limit", 3, "timers", "each", "refresh", "none"), m("by", "target", "level", "higher_wins", "refresh", "extend"), m("by", "source", "effective", 1), m("by", "target", "level", "segregate", "effective", 1),
					m("by", "target", "timers", "queue", "limit", 3), m("by", "target", "timers", "each", "limit", 3, "effective", 1),
				)},
				{"shield", list(m("attrs", list("hp")))},
				{"charges", list(m("n", 2))},
				{"modifiers", list(list(m("attr", "cap", "value", m("formula", "level - magnitude"))))},
				{"group", list(m("name", "g", "priority", 2, "rule", "hide"))},
				{"on.refresh", list(list(m("apply", "x")))},
			},
			"q": {{"group", list(m("name", "g", "priority", 2, "rule", "hide"))}},
		},
		steps: []any{
			m("apply", "p", "level", someLevels, "magnitude", oneOf{1, 2, 30}), m("apply", "p", "level", someLevels, "magnitude", oneOf{1, 2, 30}, "source", anySource), m("apply", "p", "level", someLevels, "duration", someSpans, "magnitude", oneOf{1, 3}, "stacks", someStacks),
			m("apply", "q", "level", someLevels, "magnitude", oneOf{1, 2, 30}), m("damage", "hp", "by", 2), m("use", "p"),
		},
	},
	{
		name:  "a full buff and a higher level",
		words: map[string][]word{"p": {{"stack", list(m("by", "target", "level", "higher_wins", "overflow", "deny"), m("by", "target", "level", "higher_wins", "overflow", "deny", "refresh", "none", "limit", 2), m("by", "target", "level", "higher_wins", "overflow", "deny", "timers", "each"))}, {"duration", list("6s")}}},
		steps: []any{m("apply", "p", "level", someLevels, "magnitude", someStacks), m("apply", "p", "level", someLevels, "stacks", someStacks, "duration", someSpans)},
	},
	{
		name: "refreshes that change nothing",
		words: map[string][]word{
			"p": {{"on.refresh", list(list(m("apply", "x")), list(m("apply", "q")))}, {"stack", list(m("by", "target", "refresh", "max"), m("by", "target", "refresh", "extend", "refresh_cap", "7s"), m("by", "target", "refresh", "residual_tick"), m("by", "target", "refresh", "max", "phase", "reset"))}, {"charges", list(m("n", 2, "on_refresh", "keep"))}},
		},
		steps: []any{oftenApply, m("apply", "p", "duration", someSpans), m("apply", "p", "duration", someSpans), m("use", "p")},
	},
	{
		name: "chains of the time away",
		words: map[string][]word{
			"p": {{"clock", list("wall")}, {"save", list(m("offline_expire", "run"), m("offline_expire", "run", "offline_pulses", "all"))}, {"on.remove", list(m("expired", list(m("apply", "q"))), m("any", list(m("apply", "q"), m("apply", "x"))))}, {"duration", list("700ms", "1400ms")}},
			"q": {
				{"clock", list("wall", "wall", "wall", "uptime")},
				{"save", list(m("offline_expire", "run", "offline_pulses", "all"), m("offline_pulses", "coalesce"), m("offline_expire", "silent"))},
				{"on.remove", list(m("any", list(m("apply", "x"))))},
				{"duration", list("1s", "1400ms", "3s", "infinite")},
				{"period", list("500ms", "1s")},
				{"stack", list(m("by", "target", "limit", 2), m("by", "target", "limit", 3, "expire", "one"), m("by", "none"), m("by", "target", "timers", "each", "limit", 3))},
				{"links", list(list("y"))},
			},
			"y": {{"clock", list("wall")}, {"duration", list("1s", "4s")}},
		},
		steps: []any{oftenApply, oftenApply, saveAway, saveAway, applySecond},
		long:  true,
	},
	{
		name: "chains of the time away that join",
		words: map[string][]word{
			"p": {{"clock", list("wall")}, {"save", list(m("offline_expire", "run"))}, {"on.remove", list(m("expired", list(m("apply", "q"))), m("any", list(m("apply", "q"))))}, {"duration", list("1400ms", "2500ms")}, {"stack", list(m("by", "none"), m("by", "source"))}},
			"q": {{"clock", list("wall")}, {"duration", list("6s", "infinite", "9s")}, {"stack", list(m("by", "target", "limit", 3), m("by", "target", "limit", 3, "refresh", "max"), m("by", "target", "timers", "each", "limit", 3), m("by", "target", "timers", "queue", "limit", 3))}},
		},
		steps: []any{m("apply", "p", "source", anySource), saveAway, applySecond},
		long:  true,
	},
	{
		name: "the share of a pulse",
		words: map[string][]word{
			"p": {
				{"period", list("500ms", "700ms")},
				{"catchup", list("coalesce", m("coalesce", 2), "all")},
				{"tail", list("partial")},
				{"duration", list("2500ms", "3300ms", "infinite")},
				{"stack", list(m("by", "target", "limit", 3))},
				{"clock", list("wall")},
				{"save", list(m("offline_pulses", "coalesce"))},
				{"on.pulse", list(list(m("apply", "x")), list(m("apply", "q")), list(m("apply", "q"), m("apply", "x")))},
			},
			"q": {{"on.apply", list(list(m("change", m("attr", "hp", "by", -2))), list(m("apply", "x")))}, {"on.refresh", list(list(m("damage", m("attr", "hp", "by", 4, "per_stack", true))))}, {"stack", list(m("by", "target", "limit", 2))}},
			"x": {{"on.exec", list(list(m("damage", m("attr", "hp", "by", 4, "per_stack", true))), list(m("change", m("attr", "hp", "by", m("formula", "2 * stacks")))))}},
		},
		steps: []any{oftenApply, saveAway, m("tick", true), m("tick", true)},
		seen:  true,
	},
	{
		name:  "infinite buffs with a scale",
		words: map[string][]word{"p": {{"duration", list("infinite")}, {"duration_scale", list(m("attr", "pow", "coef", 0.125), m("formula", "owner.pow > 4 ? 1.5 : 0"))}, {"stack", list(m("by", "target"))}}},
		steps: []any{oftenApply, m("base", "pow", "to", oneOf{0, 4, 16}), m("base", "pow", "to", oneOf{-8, 0}), m("apply", "p", "duration", someSpans)},
	},
	{
		name: "acts of damage",
		words: map[string][]word{
			"p": {
				{"on.act", list(m("damaged", list(m("damage", m("attr", "hp", "by", 3), "to", "target"))), m("damaged", list(m("apply", "x")), "dealt", list(m("change", m("attr", "hp", "by", m("formula", "amount / 2"))))), m("dealt", list(m("apply", "q"))), m("damaged", list(m("apply", "x", "to", "target"))))},
				{"charges", list(m("n", 3, "consume_on", list("damaged", "dealt")))},
				{"duration", list("6s", "infinite")},
			},
			"q": {{"interrupt", list(list("damaged"), list("dealt"))}},
			"x": {{"on.exec", list(list(m("damage", m("attr", "hp", "by", 4))))}},
		},
		steps: []any{
			m("apply", "p", "owner", anyOwner, "source", anySource), m("apply", "q", "owner", anyOwner), m("damage", oneOf{"hp", "soul", "life"}, "by", oneOf{3, 12}, "owner", anyOwner, "source", oneOf{"o2", "p1", "p1"}), m("apply", "x", "owner", anyOwner, "source", anySource),
			m("happened", oneOf{"damaged", "dealt"}, "amount", 5, "target", anyOwner), m("damage", "hp", "by", 5),
		},
		seen: true,
	},
	{
		name: "death",
		words: map[string][]word{
			"p": {{"on.death", list(list(m("apply", "q")), list(m("damage", m("attr", "soul", "by", 25), "to", "target")), list(m("apply", "x", "to", "target")))}, {"on_death", list("remove", "keep", "pause")}},
			"q": {{"on.death", list(list(m("apply", "y"), m("remove", "p")))}},
		},
		steps: []any{
			m("apply", "p", "owner", anyOwner), applySecond, m("kill", true), m("revive", true), m("damage", oneOf{"life", "soul"}, "by", oneOf{12, 40}, "owner", anyOwner, "source", oneOf{"o2", "p1"}), m("change", "life", "by", oneOf{-30, 25}), m("base", "floor", "to", oneOf{0, 50}),
		},
		seen: true, life: true,
	},
	{
		name:  "limits of attributes",
		words: map[string][]word{"p": {{"modifiers", list(list(m("attr", "cap", "op", "mul_add", "value", -0.5)), list(m("attr", "floor", "value", 40)), list(m("attr", "cap", "value", -90)))}}, "x": {{"on.exec", list(list(m("change", m("attr", "hp", "by", 0))), list(m("change", m("attr", "soul", "by", -5))))}}},
		steps: []any{
			oftenApply, m("base", "hp", "to", oneOf{200, 90}), m("base", "hp", "to", 200), m("change", "hp", "by", 0), m("base", "soul", "to", oneOf{200, -5, 60}), m("change", oneOf{"hp", "soul"}, "by", oneOf{0, 0, -5}), m("apply", "x"), m("base", "cap", "to", oneOf{30, 150}), m("base", "floor", "to", oneOf{0, 50}), m("revive", true), m("kill", true),
		},
	},
	{
		name:  "removals by an action",
		words: map[string][]word{"p": {{"period", list("700ms")}, {"on.pulse", list(list(m("remove", "q")), list(m("remove", "p"), m("apply", "p")))}, {"stack", list(m("by", "source"))}}, "q": {{"stack", list(m("by", "source"))}, {"duration", list("6s")}}},
		steps: []any{m("apply", "p", "source", anySource), m("apply", "q", "source", anySource), m("apply", "q", "source", anySource)},
	},
	{
		name:  "cascades",
		words: map[string][]word{"p": {{"on.refresh", list(list(m("apply", "p")), list(m("apply", "x"), m("apply", "p")))}, {"period", list("1s")}, {"stack", list(m("by", "target", "phase", "execute"), m("by", "target", "limit", 3))}}, "q": {{"on.pulse", list(list(m("apply", "q")))}, {"period", list("1s")}, {"stack", list(m("by", "target", "phase", "execute"), m("by", "target"))}}},
		steps: []any{oftenApply, applySecond},
	},
	{
		name: "haste from an attribute",
		words: map[string][]word{
			"p": {
				{"haste", list(m("attr", "pow", "coef", 0.125, "mode", "rescale"), m("attr", "pow", "coef", 0.125, "mode", "next"), m("attr", "pow", "coef", 0.125, "of", "source", "mode", "next", "default", 1), m("attr", "pow", "coef", 0.125, "of", "source", "default", 1), m("formula", "(owner.pow + stacks) / 9", "mode", "rescale"), m("attr", "pow", "coef", 0.125))},
				{"period", list("1s", "700ms", m("curve", "d"), m("formula", "owner.pow / 8 + stacks / 4"), m("attr", "pow", "coef", 0.125))},
				{"tail", list("partial", "fit")},
				{"haste_duration", list(true)},
				{"duration", list("6s", "2500ms", "infinite")},
				{"clock", list("wall")},
				{"catchup", list("coalesce", "skip")},
				{"align", list("owner")},
				{"stack", list(m("by", "target", "limit", 3), m("by", "target", "refresh", "pandemic"), m("by", "source", "limit", 3, "timers", "each"), m("by", "target", "phase", "reset"), m("by", "target", "limit", 3, "expire", "one", "decay", "300ms"), m("by", "target", "level", "higher_wins"))},
				{"charges", list(m("n", 2, "recharge", "1s", "consume_on", list("hit")), m("n", 3, "recharge", "700ms"))},
				{"on.refresh", list(list(m("apply", "x")))},
				{"modifiers", list(list(m("attr", "pow", "op", "mul_add", "value", 0.25)))},
				{"on.pulse", list(list(m("change", m("attr", "hp", "by", -1))), list(m("change", m("attr", "pow", "by", 1))))},
				{"on_death", list("pause")},
				{"save", list(m("offline_pulses", "all"))},
			},
			"q": {{"modifiers", list(list(m("attr", "pow", "value", 4)), list(m("attr", "pow", "op", "mul_add", "value", -0.5)))}, {"duration", list("1s", "2500ms")}, {"on.remove", list(m("expired", list(m("change", m("attr", "pow", "by", 1)))))}},
			"y": {{"aura", list(m("apply", "p", "radius", 1, "interval", "500ms", "linger", "1s"))}, {"duration", list("6s")}},
		},
		steps: []any{
			oftenApply, m("apply", "p", "source", anyOwner, "level", someLevels), applySecond, m("apply", "q", "owner", anyOwner), applyThird, rebasePow, m("change", "pow", "by", oneOf{2, -3}), saveAway, saveAny, m("steal", "p", "to", "o2"), m("happened", "hit"), m("use", "p", "charges", oneOf{1, 2}),
			m("pause_buff", "p"), m("resume_buff", "p"), m("rate", oneOf(rates)), m("near", "o2"), m("far", "o2"), m("set_period", "p", "to", "500ms"), m("extend", "p", "by", "1s"), m("tick", true),
		},
	},
	{
		name: "charges that come back",
		words: map[string][]word{
			"p": {
				{"charges", list(m("n", 2, "recharge", "1s", "consume_on", list("hit")), m("n", 3, "recharge", "700ms", "on_refresh", "keep", "consume_on", list("hit", "damaged")), m("n", 1, "recharge", "2500ms", "on_refresh", "add", "consume_on", list("hit")))},
				{"duration", list("infinite", "6s", "2500ms")},
				{"clock", list("wall", "online")},
				{"period", list("1s", "700ms")},
				{"catchup", list("coalesce", "skip")},
				{"grants", list(list("t.a"))},
				{"stack", list(m("by", "target"), m("by", "target", "limit", 3, "expire", "one"), m("by", "source", "level", "higher_wins"))},
				{"dispel", list(m("type", "poison", "per", "charge"))},
				{"require.ongoing", list(m("none", list("u")))},
				{"inhibition", list("reset", "execute")},
				{"modifiers", list(list(m("attr", "pow", "value", 1)))},
				{"shield", list(m("pool", 30))},
				{"on.act", list(m("hit", list(m("apply", "x"))))},
				{"immunity", list(m("tags", list("f")))},
				{"on.pulse", list(list(m("change", m("attr", "hp", "by", -1))))},
				{"aura", list(m("apply", "q", "radius", 1, "interval", "500ms"))},
			},
			"q": {{"require.apply", list(m("all", list("t.a")))}, {"require.ongoing", list(m("all", list("t.a")))}, {"tags", list(list("f"))}},
		},
		steps: []any{
			oftenApply, m("happened", "hit"), m("happened", "hit"), m("use", "p", "charges", oneOf{1, 2, 4}), applySecond, m("apply", "p", "level", someLevels), m("dispel", m("type", "poison", "most", 1)), m("steal", "p", "to", "o2"), m("pause", true), m("resume", true), saveAway,
			m("rate", oneOf{"1/2", "3/2"}), m("pause_buff", "p"), m("resume_buff", "p"), m("tag", "u"), m("untag", "u"), m("damage", "hp", "by", 5),
		},
	},
	{
		name: "stacks that fade",
		words: map[string][]word{"p": {
			{"stack", list(m("by", "target", "limit", 3, "expire", "one", "decay", "300ms"), m("by", "source", "limit", "unlimited", "expire", "half", "decay", "1s", "refresh", "none"), m("by", "target", "limit", 3, "expire", "one", "decay", "1s", "refresh", "extend"),
				m("by", "target", "limit", 3, "expire", 2, "decay", "300ms", "refresh", "pandemic", "initial", 3))},
			{"duration", list("1s", "2500ms")},
			{"clock", list("wall", "online")},
			{"period", list("700ms")},
			{"tail", list("none", "partial")},
			{"haste", list("rescale", "next")},
			{"haste_duration", list(true)},
			{"modifiers", list(list(m("attr", "pow", "value", 1, "per_stack", true)))},
			{"on.remove", list(m("expired", list(m("apply", "x"))))},
			{"on.refresh", list(list(m("apply", "q")))},
		}},
		steps: []any{oftenApply, oftenApply, m("set_period", "p", "to", oneOf{"500ms", "1400ms"}), m("extend", "p", "by", oneOf{"700ms", "-500ms"}), m("dispel", "p", "stacks", 1), m("pause", true), m("resume", true), saveAway, m("steal", "p", "to", "o2")},
	},
	{
		name:  "haste in a queue",
		words: map[string][]word{"p": {{"stack", list(m("by", "target", "timers", "queue", "limit", 3))}, {"period", list("1s")}, {"haste", list("rescale", "next")}, {"haste_duration", list(true)}}},
		steps: []any{m("apply", "p", "magnitude", oneOf{1, 2}), m("apply", "p", "level", someLevels), m("set_period", "p", "to", oneOf{"333ms", "1500ms", "2307ms"})},
	},
	{
		name: "sources that leave",
		words: map[string][]word{
			"p": {
				{"on.act", list(m("hit", list(m("apply", "x"))), m("hit", list(m("apply", "x", "to", "target"))))},
				{"on.remove", list(m("any", list(m("apply", "x"))), m("any", list(m("apply", "x", "to", "source"))))},
				{"period", list("700ms", "1s")},
				{"on.pulse", list(list(m("apply", "x")), list(m("apply", "q")))},
				{"stack", list(m("by", "source"), m("by", "source", "limit", 3, "refresh", "none"), m("by", "target", "limit", 3), m("by", "target", "timers", "queue", "limit", 3), m("by", "target", "timers", "each", "limit", 3))},
				{"duration", list("6s")},
			},
			"q": {{"modifiers", modifiedBySource}, {"stack", list(m("by", "target"), m("by", "source"))}, {"links", list(list("y"))}},
			"x": {{"on.exec", hitsBySource}},
		},
		steps: []any{
			m("apply", "p", "source", anyOwner, "magnitude", someStacks), m("apply", "p", "source", anySource, "owner", anyOwner), m("apply", "q", "source", anySource, "owner", anyOwner), rebasePow, rebasePow, saveAny, saveAny,
			m("happened", "hit", "owner", anyOwner, "target", anyOwner), m("happened", "move"), m("consume", "move"), m("remove", "y"), m("remove", "p"), m("apply", "x", "source", anyOwner),
		},
		seen: true, leave: true,
	},
	{
		name: "auras that read their bearers",
		words: map[string][]word{
			"p": {
				{"aura", list(m("apply", "q", "radius", 1, "interval", "500ms"), m("apply", "q", "radius", 1, "interval", "700ms", "linger", "1s"))},
				{"duration", list("3s", "6s", "infinite")},
				{"stack", list(m("by", "source"), m("by", "target"))},
			},
			"q": {
				{"modifiers", modifiedBySource},
				{"period", list("500ms", "700ms")},
				{"on.pulse", list(list(m("apply", "x")))},
				{"on.remove", list(m("any", list(m("apply", "x"))), m("any", list(m("apply", "x", "to", "source"))))},
				{"on.act", list(m("hit", list(m("apply", "x"))))},
				{"stack", list(m("by", "target"), m("by", "target", "limit", 3), m("by", "source", "limit", 2))},
			},
			"x": {{"on.exec", hitsBySource}},
		},
		steps: []any{
			m("apply", "p", "owner", anyOwner, "source", anySource), m("apply", "p", "owner", anyOwner, "source", anySource), m("near", anyOwner), m("near", anyOwner), m("far", anyOwner), rebasePow, rebasePow, saveAny,
			m("remove", "p", "owner", anyOwner), m("happened", "hit", "owner", anyOwner), m("source_gone", anySource), m("apply", "q", "owner", anyOwner, "source", anySource),
		},
		seen: true, leave: true,
	},
	{
		name: "buffs whose source has gone",
		words: map[string][]word{
			"p": {
				{"on_source_gone", list("adopt", "adopt", "remove")},
				{"period", list("700ms")},
				{"on.pulse", list(list(m("apply", "x")), list(m("apply", "x", "to", "source")))},
				{"on.remove", list(m("any", list(m("apply", "x", "to", "source"))))},
				{"stack", list(m("by", "source"), m("by", "target", "timers", "queue", "limit", 3), m("by", "target", "limit", 3))},
				{"per_source", list(m("limit", 1))},
				{"duration", list("6s")},
			},
			"x": {{"on.exec", hitsBySource}},
		},
		steps: []any{
			m("apply", "p", "owner", anyOwner, "source", anySource), m("apply", "p", "owner", anyOwner, "source", anySource, "magnitude", someStacks), m("source_gone", anySource), m("source_gone", anySource), rebasePow, saveAny,
		},
		seen: true, leave: true,
	},
	{
		name: "limits of a source",
		words: map[string][]word{
			"p": {{"duration", list("1400ms", "instant")}, {"clock", list("wall")}, {"save", list(m("offline_expire", "run"))}, {"on.remove", list(m("any", list(m("apply", "q"), m("apply", "y", "to", "source"))))}},
			"q": {
				{"per_source", list(m("limit", 1), m("limit", 2))},
				{"on.remove", list(m("any", list(m("apply", "x", "to", "source"))), m("replaced", list(m("apply", "x"))))},
				{"stack", list(m("by", "source"), m("by", "none"), m("by", "target", "timers", "queue", "limit", 3))},
				{"duration", list("6s")},
			},
			"x": {{"on.exec", list(list(m("change", m("attr", "hp", "by", -3))))}},
		},
		steps: []any{
			m("apply", "q", "owner", anyOwner, "source", anySource), m("apply", "q", "owner", anyOwner, "source", anyOwner, "magnitude", someStacks), m("apply", "p", "owner", anyOwner, "source", anyOwner), saveAny, m("steal", "q", "to", "o2"),
		},
		seen: true, leave: true,
	},
	{
		name: "commands across owners",
		words: map[string][]word{
			"p": {
				{"period", list("500ms", "700ms")},
				{"on.pulse", list(list(m("apply", "q", "to", "source"), m("apply", "y")), list(m("damage", m("attr", "hp", "by", 3), "to", "source")))},
				{"on.remove", list(m("any", list(m("change", m("attr", "hp", "by", 2), "to", "source"), m("apply", "q"))))},
				{"on.act", list(m("damaged", list(m("damage", m("attr", "soul", "by", 2), "to", "target"))), m("hit", list(m("apply", "q", "to", "target"), m("kill", true, "to", "target"))))},
				{"stack", list(m("by", "source"), m("by", "target", "limit", 2))},
			},
			"q": {{"on.apply", list(list(m("apply", "x", "to", "source")))}, {"on.refresh", list(list(m("apply", "x", "to", "source")))}, {"stack", list(m("by", "target"))}},
			"x": {{"on.exec", list(list(m("damage", m("attr", "hp", "by", 4))), list(m("damage", m("attr", "soul", "by", 15))))}},
		},
		steps: []any{
			m("apply", "p", "owner", anyOwner, "source", anyOwner), m("apply", "p", "owner", anyOwner, "source", anySource), m("apply", "q", "owner", anyOwner, "source", anyOwner), m("happened", "hit", "owner", anyOwner, "target", anyOwner),
			m("remove", "p", "owner", anyOwner), m("kill", true, "owner", anyOwner), m("revive", true, "owner", anyOwner), saveAny, m("tick", true),
		},
		seen: true, leave: true,
	},
	{
		name: "aligned pulses and rates",
		words: map[string][]word{
			"p": {
				{"align", list("owner")},
				{"period", list("1s", "700ms")},
				{"clock", list("wall", "wall", "uptime", "online")},
				{"save", list(m("offline_pulses", "all"), m("offline_pulses", "coalesce"), m("offline_expire", "run"))},
				{"tail", list("partial", "none")},
				{"stack", list(m("by", "target", "limit", 3), m("by", "target", "timers", "each", "limit", 3), m("by", "target", "timers", "queue", "limit", 3))},
				{"duration", list("6s", "9s")},
			},
		},
		steps: []any{
			oftenApply, oftenApply, m("rate_buff", "p", "to", oneOf(rates)), m("rate", oneOf(rates)), m("pause_buff", "p"), m("resume_buff", "p"), saveAway, saveAway, m("area", oneOf{0, 1}), m("rate_area", oneOf{0, 1}, "to", oneOf(rates)),
			m("set_period", "p", "to", oneOf{"333ms", "1500ms"}),
		},
		long: true,
	},
	{
		name: "pulses that wait for the end of a frame",
		words: map[string][]word{
			"p": {
				{"catchup", list("skip", "coalesce", m("coalesce", 2))},
				{"period", list("500ms", "700ms")},
				{"duration", list("6s")},
				{"charges", list(m("n", 3, "consume_on", list("damaged")))},
				{"shield", list(m("pool", 5, "attrs", list("hp")))},
				{"group", list(m("name", "g", "priority", 2, "rule", "hide"))},
				{"tags", list(list("f.g"))},
				{"stack", list(m("by", "target", "limit", 3), m("by", "target", "timers", "each", "limit", 3, "effective", 1), m("by", "target", "timers", "queue", "limit", 3))},
				{"on.pulse", list(list(m("apply", "x")))},
			},
			"q": {
				{"period", list("900ms", "1s")},
				{"on.pulse", list(list(m("damage", m("attr", "hp", "by", 4))), list(m("remove", "p")), list(m("apply", "y")))},
				{"group", list(m("name", "g", "priority", 3, "rule", "hide"))},
				{"immunity", list(m("tags", list("f")))},
			},
			"x": {{"on.exec", list(list(m("damage", m("attr", "hp", "by", 2, "per_stack", true))))}},
		},
		steps: []any{m("apply", "p", "magnitude", someStacks, "stacks", someStacks), m("apply", "p", "magnitude", someStacks), m("apply", "q", "duration", someSpans), m("tick", true), m("tick", true), m("damage", "hp", "by", 3), m("immune", "f"), m("vulnerable", "f")},
		seen:  true,
	},
	{
		name: "what the thief refuses",
		words: map[string][]word{
			"p": {
				{"stack", list(m("by", "target", "limit", 2, "overflow", "deny"), m("by", "target", "limit", 2, "timers", "each", "overflow", "deny"), m("by", "target", "timers", "queue", "limit", 2), m("by", "target", "timers", "each", "limit", 3), m("by", "target", "level", "higher_wins", "limit", 2))},
				{"duration", list("6s")},
				{"dr", list("d9", "d10")},
				{"slot", list("s10", "s12")},
				{"charges", list(m("n", 3, "consume_on", list("hit")))},
			},
			"y": {{"slot", list("s10")}},
		},
		steps: []any{
			m("apply", "p", "owner", anyOwner, "stacks", someStacks, "level", someLevels), m("apply", "p", "owner", anyOwner, "magnitude", someStacks, "duration", someSpans), m("apply", "y", "owner", "o2"), m("steal", oneOf{"p", m("buff", "p")}, "to", "o2"),
			m("steal", "p", "to", "o2", "stacks", someStacks), m("use", "p"),
		},
	},
	{
		name: "limits of attributes and logout",
		words: map[string][]word{
			"p": {{"modifiers", list(list(m("attr", "floor", "value", 40)), list(m("attr", "cap", "op", "mul_add", "value", -0.5)))}, {"duration", list("6s")}, {"clock", list("wall", "online")}, {"save", list(m("offline_expire", "run"), m("mode", "never"))}},
			"q": {{"on.remove", list(m("any", list(m("change", m("attr", "floor", "by", 25)))))}},
		},
		steps: []any{
			m("apply", "p"), applySecond, m("base", "floor", "to", oneOf{0, 16, 50}), m("change", "floor", "by", oneOf{25, -30}), m("base", oneOf{"soul", "hp"}, "to", oneOf{60, 200}), m("base", "cap", "to", oneOf{30, 150}), m("kill", true), m("revive", true), saveAway, saveAway,
		},
		life: true,
	},
	{
		name: "numbers that refuse",
		words: map[string][]word{
			"p": {{"shield", list(m("pool", m("attr", "pow")), m("pool", m("caller", "k")), m("pool", m("formula", "stacks * owner.pow")))}, {"modifiers", list(list(m("attr", "cap", "value", m("formula", "10 / owner.pow"))))}, {"stack", list(m("by", "target", "limit", 3), m("by", "target", "timers", "each", "limit", 3))}},
			"q": {{"params", list(m("n", m("caller", "k")), m("n", m("attr", "pow", "of", "source")))}},
		},
		steps: []any{
			m("apply", "p"), m("apply", "p", "params", m("k", oneOf{3, 0.5, -2})), m("apply", "p", "params", m("j", 1)), m("apply", "q", "source", anySource), m("apply", "q", "params", m("k", 1)), m("base", "pow", "to", oneOf{-3, 0, 16}), m("damage", "hp", "by", 5),
		},
	},
	{
		name: "thresholds and overflows know their application",
		words: map[string][]word{
			"p": {
				{"stack", list(
					m("by", "target", "limit", 3, "thresholds", list(m("at", 2, "apply", "x"))), m("by", "source", "limit", 3, "thresholds", list(m("at", 2, "apply", "q", "consume", "all"))),
					m("by", "target", "limit", 2), m("by", "target", "limit", 2, "timers", "each"), m("by", "target", "limit", 2, "timers", "queue"),
				)},
				{"on.overflow", list(list(m("apply", "q")), list(m("apply", "x")), list(m("apply", "x"), m("apply", "q")))},
				{"duration", list("6s")},
				{"links", list(list("q"))},
			},
			"q": {{"modifiers", modifiedBySource}},
			"x": {{"on.exec", hitsBySource}},
		},
		steps: []any{m("apply", "p", "source", anySource, "stacks", someStacks), m("apply", "p", "source", anyOwner, "level", someLevels), rebasePow, rebasePow, saveAny},
		seen:  true, leave: true,
	},
	{
		name: "effective stacks in acts, deaths and removals",
		words: map[string][]word{
			"p": {
				{"stack", list(m("by", "target", "timers", "each", "limit", 5, "effective", 1), m("by", "target", "timers", "each", "limit", 5, "effective", 2))},
				{"duration", list("4s", "6s")},
				{"on.act", list(m("hit", list(m("change", m("attr", "hp", "by", m("caller", "k", "default", -2), "per_stack", true)))))},
				{"on.death", list(list(m("change", m("attr", "pow", "by", m("formula", "stacks"), "per_stack", true))))},
				{"on.remove", list(m("any", list(m("damage", m("attr", "hp", "by", m("caller", "k", "default", 2), "per_stack", true)))))},
				{"period", list("1s")},
			},
		},
		steps: []any{
			m("apply", "p", "magnitude", oneOf{1, 5, 9}, "params", m("k", oneOf{3, 8, 0.5})), m("apply", "p", "magnitude", oneOf{1, 5}, "stacks", someStacks, "duration", someSpans), m("happened", "hit"), m("kill", true), m("revive", true), m("remove", "p"), m("dispel", "p", "stacks", someStacks),
		},
	},
	{
		name:  "immunities and what a buff grants",
		words: map[string][]word{"p": {{"grants", list(list("f.g"))}, {"tags", list(list("e"))}}, "q": {{"immunity", list(m("tags", list("f")))}, {"duration", list("3s")}}},
		steps: []any{oftenApply, applySecond, m("immune", "f"), m("immune", "f.g", "purge", true), m("vulnerable", "f"), m("dispel", m("tag", "f"))},
	},
}

// tell adds the words of a story to the definitions of a draft. It leaves out a word that would
// make a definition invalid.
func (g *dice) tell(d *Draft, s *story, must []choice) {
	for _, id := range sortedKeys(s.words) {
		for _, w := range s.words[id] {
			c := choice{w.path, pick(g, w.values...)}
			if id == "p" && clashes(must, c.path) || g.one(8) {
				continue
			}
			with := clone(d.Buffs[id])
			c.put(with)
			need(with)
			if len(refusalsOf(id, with)) == 0 || len(refusalsOf(id, d.Buffs[id])) > 0 {
				d.Buffs[id] = with
			}
		}
	}
	d.Seen = d.Seen || s.seen
	d.Life = d.Life || s.life
}

// storyStep fills in a step of the story. If the step logs an owner out, storyStep returns the name
// of this owner.
func (g *dice) storyStep(s *story, first bool, st map[string]any) (away string) {
	template := pick(g, s.steps...).(map[string]any)
	for range 3 { // prefer steps that apply buffs, especially at the start
		if template["apply"] == nil && (first || g.one(4)) {
			template = pick(g, s.steps...).(map[string]any)
		}
	}
	for _, key := range sortedKeys(template) {
		st[key] = g.resolve(template[key])
	}
	if st["near"] != nil || st["far"] != nil {
		st["owner"] = pick(g, "p1", "o2")
	}
	if st["steal"] != nil && st["owner"] == "o2" && st["to"] == "o2" {
		st["to"] = "p1"
	}
	if st["save"] == true {
		away = "p1"
		if owner, ok := st["owner"].(string); ok {
			away = owner
		}
	}
	return away
}

// stepWhileAway fills in a step of the story while an owner is away. The step is about another
// owner.
func (g *dice) stepWhileAway(s *story, away string, st map[string]any) {
	step := map[string]any{}
	leaves := g.storyStep(s, false, step)
	if owner, ok := step["owner"]; ok && owner == away || !ok && away == "p1" || leaves != "" || step["to"] == away {
		st["tick"] = true
		return
	}
	maps.Copy(st, step)
}

// resolve returns a copy of a value in which each oneOf is replaced by one of its values.
func (g *dice) resolve(v any) any {
	switch v := v.(type) {
	case oneOf:
		return g.resolve(pick(g, v...))
	case map[string]any:
		out := map[string]any{}
		for _, key := range sortedKeys(v) {
			out[key] = g.resolve(v[key])
		}
		return out
	}
	return v
}
