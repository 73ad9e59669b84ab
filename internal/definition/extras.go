package definition

import (
	"math"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/goccy/go-yaml/ast"
)

var chargesFields = table{"charges", []string{"n"}, map[string]readFunc{
	"n":          func(d *definition, f string, n ast.Node) { d.count(f, n, &d.spec.Charges.N) },
	"consume_on": func(d *definition, f string, n ast.Node) { d.texts(f, n, false, &d.spec.Charges.ConsumeOn) },
	"on_refresh": func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Charges.Refresh) },
	"recharge":   func(d *definition, f string, n ast.Node) { d.span(f, n, &d.spec.Charges.Recharge) },
}}

// shield reads a shield. All its fields are optional.
func (d *definition) shield(field string, n ast.Node) {
	d.spec.Shield.On = true
	d.fields(field, at(n), n, shieldFields)
}

var shieldFields = table{"shield", nil, map[string]readFunc{
	"pool":     (*definition).pool,
	"priority": func(d *definition, f string, n ast.Node) { d.integer(f, n, &d.spec.Shield.Priority) },
	"schools":  func(d *definition, f string, n ast.Node) { d.texts(f, n, false, &d.spec.Shield.Schools) },
	"share":    func(d *definition, f string, n ast.Node) { d.shareAboveZero(f, n, &d.spec.Shield.Share) },
	"cap": func(d *definition, f string, n ast.Node) {
		d.spec.Shield.Cap, _ = d.whole(f, n, 1, math.MaxInt64)
	},
	"floor": func(d *definition, f string, n ast.Node) {
		d.spec.Shield.Floor, _ = d.whole(f, n, 1, math.MaxInt64)
	},
	"on_refresh": func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Shield.Refresh) },
	"attrs": func(d *definition, f string, n ast.Node) {
		d.list(f, n, "attributes, such as [health]", func(f string, n ast.Node) {
			var name string
			d.attribute(f, n, &name)
			d.spec.Shield.Attrs = append(d.spec.Shield.Attrs, name)
		})
	},
}}

// pool reads the amount that a shield absorbs.
func (d *definition) pool(field string, n ast.Node) {
	h := &d.spec.Shield
	if _, isMap := Fields(n); !isMap {
		switch text, isText := Text(n); {
		case text == "unlimited":
			h.Pool = define.UnlimitedPool
			return
		case isText:
			d.fail(field, at(n), "want a whole number, unlimited or the source of a number, such as {formula: 5 * level}, not %s", Describe(n))
			return
		}
		h.Pool, _ = d.whole(field, n, 1, math.MaxInt64)
		return
	}
	h.By = &define.Number{}
	d.magnitude(field, n, h.By)
	if h.By.From == define.FromConst && h.By.Const < 1 && !d.isBad(field) {
		d.fail(field, at(n), "must be at least 1, not %v", h.By.Const)
	}
}

var auraFields = table{"aura", []string{"apply", "radius", "interval"}, map[string]readFunc{
	"apply":    func(d *definition, f string, n ast.Node) { d.name(f, n, true, &d.spec.Aura.Apply) },
	"radius":   (*definition).radius,
	"interval": func(d *definition, f string, n ast.Node) { d.span(f, n, &d.spec.Aura.Interval) },
	"linger":   (*definition).linger,
}}

// radius reads the radius of an aura. Zero is an error, because it means the same as no radius.
func (d *definition) radius(field string, n ast.Node) {
	to := &d.spec.Aura.Radius
	if d.real(field, n, to); !d.isBad(field) && *to == 0 {
		d.fail(field, at(n), "must be above zero")
	}
}

// linger reads how long an owner keeps the buff of an aura after leaving its range. Unlike other
// spans, linger may be 0, which is the default.
func (d *definition) linger(field string, n ast.Node) {
	span, why := spanOf(n, spanForm)
	if why != "" {
		d.fail(field, at(n), "%s", why)
		return
	}
	d.spec.Aura.Linger = span
}

// params reads the map of parameters.
func (d *definition) params(field string, n ast.Node) {
	list, _ := Fields(n)
	// Allocate the full capacity now, so that the elements never move.
	d.spec.Params = make([]define.Param, 0, len(list))
	d.byName(field, "parameter", n, func(field, name string, f *ast.MappingValueNode) {
		d.spec.Params = append(d.spec.Params, define.Param{Name: name})
		if kindOf(f.Value) != "nothing" {
			d.magnitude(field, f.Value, &d.spec.Params[len(d.spec.Params)-1].Value)
		}
	})
}

// reactions reads a map from acts to lists of actions, or to maps with a list.
func (d *definition) reactions(field string, n ast.Node) {
	d.spec.On.Act = map[string][]define.Action{}
	d.byName(field, "act", n, func(field, name string, f *ast.MappingValueNode) {
		var list []define.Action
		if _, isMap := Fields(f.Value); isMap {
			d.reaction(field, name, f.Value, &list)
		} else if kindOf(f.Value) != "nothing" {
			d.actions(field, f.Value, &list)
		}
		d.spec.On.Act[name] = list
	})
}

// reaction reads a map with a list of actions for an act.
func (d *definition) reaction(field, act string, n ast.Node, list *[]define.Action) {
	d.fields(field, at(n), n, table{"act", []string{"by", "do"}, map[string]readFunc{
		"by": func(d *definition, f string, n ast.Node) {
			if d.oneOf(f, n, define.ToSource.String()) {
				d.spec.On.ActBySource = append(d.spec.On.ActBySource, act)
			}
		},
		"do": func(d *definition, _ string, n ast.Node) { d.actions(field, n, list) },
	}})
}

// byName reads a map whose keys are names chosen by the author of the file. If a value is missing,
// byName reports an error, but still calls read.
func (d *definition) byName(field, of string, n ast.Node, read func(field, name string, f *ast.MappingValueNode)) {
	list, ok := Fields(n)
	if !ok {
		d.fail(field, at(n), "want a map from names to %ss, not %s", of, kindOf(n))
		return
	}
	one := "a " + of
	if of[0] == 'a' {
		one = "an " + of
	}
	seen := map[string]position{}
	for _, f := range list {
		name, isText := Text(f.Key)
		first, again := seen[name]
		switch {
		case !isText:
			d.complain(field, at(f.Key), "the name of %s must be text, not %s: put it in quotes", one, Describe(f.Key))
		case name == "":
			d.complain(field, at(f.Key), "the name of %s is empty", one)
		case again:
			d.complain(field, at(f.Key), "the %s %s is repeated: it is already in line %d", of, quote(name), first.line)
		default:
			seen[name] = at(f.Key)
			d.places.set(join(field, name), place{position: valueAt(f)})
			if kindOf(f.Value) == "nothing" {
				d.empty(join(field, name), valueAt(f))
			}
			read(join(field, name), name, f)
		}
	}
}

var saveFields = table{"save", nil, map[string]readFunc{
	"mode":           func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Save.Mode) },
	"if_remaining":   func(d *definition, f string, n ast.Node) { d.span(f, n, &d.spec.Save.IfRemaining) },
	"offline_pulses": (*definition).offline,
	"offline_expire": func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Save.OfflineExpire) },
	"compensate":     func(d *definition, f string, n ast.Node) { d.name(f, n, false, &d.spec.Save.Compensate) },
}}

var clientFields = table{"client", nil, map[string]readFunc{
	"icon":     func(d *definition, f string, n ast.Node) { d.name(f, n, false, &d.spec.Client.Icon) },
	"priority": func(d *definition, f string, n ast.Node) { d.integer(f, n, &d.spec.Client.Priority) },
	"sync":     func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Client.Sync) },
	"show": func(d *definition, f string, n ast.Node) {
		show := true
		d.truth(f, n, &show)
		d.spec.Client.Hide = !show
	},
}}

// offline reads what happens to pulses that were due while the owner was offline. The value is a
// word, or a map with the maximum number of pulses that are made up for.
func (d *definition) offline(field string, n ast.Node) {
	v := &d.spec.Save
	if _, isMap := Fields(n); !isMap {
		d.word(field, n, &v.Offline)
		return
	}
	v.Offline = define.OfflineAll
	d.fields(field, at(n), n, table{"offline", []string{"all"}, map[string]readFunc{
		"all": func(d *definition, f string, n ast.Node) { d.count(f, n, &v.OfflineCap) },
	}})
}

// catchup reads how late pulses are handled. The value is a word, or a map with the maximum number
// of pulses that are combined into one.
func (d *definition) catchup(field string, n ast.Node) {
	if _, isMap := Fields(n); !isMap {
		d.word(field, n, &d.spec.Catchup)
		return
	}
	d.spec.Catchup = define.CatchupCoalesce
	d.fields(field, at(n), n, table{"catchup", []string{"coalesce"}, map[string]readFunc{
		"coalesce": func(d *definition, f string, n ast.Node) { d.count(f, n, &d.spec.CatchupMax) },
	}})
}
