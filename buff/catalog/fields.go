package catalog

import (
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// table is the fields of one kind of map.
type table struct {
	of   string // its place in laterFields
	read map[string]readFunc
}

// readFunc reads the value of a field, which is not empty.
type readFunc = func(d *definition, field string, n ast.Node)

var specFields = table{"", map[string]readFunc{
	"name":           func(d *definition, f string, n ast.Node) { d.text(f, n, &d.spec.Name) },
	"note":           func(d *definition, f string, n ast.Node) { d.text(f, n, &d.spec.Note) },
	"tags":           func(d *definition, f string, n ast.Node) { d.texts(f, n, false, &d.spec.Tags) },
	"duration":       (*definition).duration,
	"clock":          func(d *definition, f string, n ast.Node) { d.only(f, n, "online") },
	"period":         (*definition).period,
	"first":          func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.First) },
	"tail":           func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Tail) },
	"stack":          func(d *definition, f string, n ast.Node) { d.fields(f, at(n), n, stackFields) },
	"on_death":       func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.OnDeath) },
	"on_source_gone": func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.OnSourceGone) },
	"on_fault":       func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.OnFault) },
	"on":             func(d *definition, f string, n ast.Node) { d.fields(f, at(n), n, onFields) },
}}

var stackFields = table{"stack", map[string]readFunc{
	"by":             func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Stack.By) },
	"limit":          func(d *definition, f string, n ast.Node) { d.count(f, n, &d.spec.Stack.Limit) },
	"initial":        func(d *definition, f string, n ast.Node) { d.count(f, n, &d.spec.Stack.Initial) },
	"timers":         func(d *definition, f string, n ast.Node) { d.only(f, n, "shared") },
	"refresh":        func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Stack.Refresh) },
	"refresh_pct":    func(d *definition, f string, n ast.Node) { d.count(f, n, &d.spec.Stack.RefreshPct) },
	"phase":          func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Stack.Phase) },
	"overflow":       func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Stack.Overflow) },
	"overflow_apply": func(d *definition, f string, n ast.Node) { d.texts(f, n, true, &d.spec.Stack.OverflowApply) },
	"expire":         func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Stack.Expire) },
}}

var onFields = table{"on", map[string]readFunc{
	"apply":    func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.Apply) },
	"refresh":  func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.Refresh) },
	"pulse":    func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.Pulse) },
	"exec":     func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.Exec) },
	"overflow": func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.Overflow) },
	"remove":   func(d *definition, f string, n ast.Node) { d.fields(f, at(n), n, removeFields) },
}}

// What the format has a name for and this version does not do. Such a field or word
// is refused in other words than a slip of the pen: the file is right, but it would
// mean something else here. An entry goes when the feature comes.
var (
	laterFields = map[string][]string{
		"": {
			"align", "aura", "catchup", "chance", "charges", "client", "compensate", "dispel", "dr", "duration_scale",
			"group", "handler", "haste", "haste_duration", "immune", "immunity", "inhibition", "interrupt", "level",
			"links", "max_duration", "min_duration", "modifiers", "on_zone", "params", "per_source", "polarity",
			"reload", "require", "save", "shield", "slot", "slots", "version",
		},
		"stack": {"effective", "level", "mode", "refresh_cap", "reload", "thresholds"},
	}

	laterWords = map[string][]string{
		"clock":          {"uptime", "wall"},
		"tail":           {"fit"},
		"on_death":       {"pause"},
		"on_source_gone": {"adopt"},
		"stack.by":       {"key"},
		"stack.limit":    {"unlimited"},
		"stack.timers":   {"each", "queue"},
		"stack.refresh":  {"residual-tick", "handler"},
		"stack.expire":   {"half", "n", "handler"},
	}
)

// isLater reports whether the field is one of those that are still to come.
func (t table) isLater(name string) bool { return slices.Contains(laterFields[t.of], name) }

// instead returns the field that an unknown one is near to, if any, and a hint at
// what may stand in its place.
func (t table) instead(name string) (near, hint string) {
	known := slices.Sorted(maps.Keys(t.read))
	near = nearest(name, append(known, laterFields[t.of]...))
	if near != "" || t.of == "" {
		return near, didYouMean(near)
	}
	last := len(known) - 1
	return "", ": want " + strings.Join(known[:last], ", ") + " or " + known[last]
}
