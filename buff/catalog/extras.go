package catalog

import (
	"math"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
)

var chargesFields = table{"charges", []string{"n"}, map[string]readFunc{
	"n":          func(d *definition, f string, n ast.Node) { d.count(f, n, &d.spec.Charges.N) },
	"consume_on": func(d *definition, f string, n ast.Node) { d.texts(f, n, false, &d.spec.Charges.ConsumeOn) },
	"on_refresh": func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Charges.Refresh) },
}}

// shield reads a shield, which may have nothing but defaults.
func (d *definition) shield(field string, n ast.Node) {
	h := &d.spec.Shield
	h.On = true
	d.fields(field, at(n), n, table{"shield", nil, map[string]readFunc{
		"pool":     func(d *definition, f string, n ast.Node) { h.Pool, _ = d.whole(f, n, 1, math.MaxInt64) },
		"priority": func(d *definition, f string, n ast.Node) { d.integer(f, n, &h.Priority) },
		"schools":  func(d *definition, f string, n ast.Node) { d.texts(f, n, false, &h.Schools) },
	}})
}

var auraFields = table{"aura", []string{"apply", "radius", "interval"}, map[string]readFunc{
	"apply":    func(d *definition, f string, n ast.Node) { d.name(f, n, true, &d.spec.Aura.Apply) },
	"radius":   (*definition).radius,
	"interval": func(d *definition, f string, n ast.Node) { d.span(f, n, &d.spec.Aura.Interval) },
	"linger":   (*definition).linger,
}}

// radius reads how far an aura reaches. Zero would look as if it was left out.
func (d *definition) radius(field string, n ast.Node) {
	to := &d.spec.Aura.Radius
	if d.real(field, n, to); !d.places[field].bad && *to == 0 {
		d.fail(field, at(n), "must be above zero")
	}
}

// linger reads how long an aura lingers; not at all is the default and may be said.
func (d *definition) linger(field string, n ast.Node) {
	span, why := spanOf(n, spanForm)
	if why != "" {
		d.fail(field, at(n), "%s", why)
		return
	}
	d.spec.Aura.Linger = span
}

// params reads the parameters, by their names.
func (d *definition) params(field string, n ast.Node) {
	list, ok := Fields(n)
	if !ok {
		d.fail(field, at(n), "want a map from names to parameters, not %s", kindOf(n))
		return
	}
	seen := map[string]position{}
	for _, f := range list {
		name, isText := Text(f.Key)
		first, again := seen[name]
		switch {
		case !isText:
			d.complain(field, at(f.Key), "the name of a parameter must be text, not %s: put it in quotes", Describe(f.Key))
		case name == "":
			d.complain(field, at(f.Key), "the name of a parameter is empty")
		case again:
			d.complain(field, at(f.Key), "the parameter %s is repeated: it stands in line %d already", quote(name), first.line)
		default:
			seen[name] = at(f.Key)
			d.param(join(field, name), name, f)
		}
	}
}

// param reads one parameter: a constant, or what an application gives and its default.
func (d *definition) param(field, name string, f *ast.MappingValueNode) {
	p, before, stands := buff.Param{Name: name}, len(d.loader.faults), valueAt(f)
	given := map[string]bool{}
	note := func(part string, read readFunc) readFunc {
		return func(d *definition, f string, n ast.Node) {
			given[part] = true
			read(d, f, n)
		}
	}
	number := func(d *definition, f string, n ast.Node) { d.real(f, n, &p.Value.Const) }
	d.places[field] = place{position: stands}
	d.fields(field, stands, f.Value, table{"param", nil, map[string]readFunc{
		"caller":   note("caller", func(d *definition, f string, n ast.Node) { d.name(f, n, false, &p.Value.Caller) }),
		"default":  note("default", number),
		"const":    note("const", number),
		"snapshot": note("snapshot", (*definition).snapshot),
	}})
	p.Value.Default = given["default"]
	if given["caller"] {
		p.Value.From = buff.FromCaller
	}
	d.spec.Params = append(d.spec.Params, p)
	switch {
	case len(d.loader.faults) > before:
	case given["const"] && len(given) > 1:
		d.fail(field, stands, "a const stands alone")
	case !given["const"] && !given["caller"]:
		d.fail(field, stands, "want caller, the application's name for it, or const")
	}
}

// snapshot reads when a parameter takes its value: there is one way so far, and it is
// the default.
func (d *definition) snapshot(field string, n ast.Node) {
	if s, _ := Text(n); s == "apply" || s == "tick" {
		d.fail(field, at(n), "%s is not supported yet", quote(s))
		return
	}
	d.oneOf(field, n, "cast")
}

var saveFields = table{"save", nil, map[string]readFunc{
	"mode":           func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Save.Mode) },
	"if_remaining":   func(d *definition, f string, n ast.Node) { d.span(f, n, &d.spec.Save.IfRemaining) },
	"offline_pulses": (*definition).offline,
	"offline_expire": func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Save.OfflineExpire) },
}}

// offline reads what becomes of the pulses of the time away: a word, or all of them up
// to a number.
func (d *definition) offline(field string, n ast.Node) {
	v := &d.spec.Save
	if _, isMap := Fields(n); !isMap {
		d.word(field, n, &v.Offline)
		return
	}
	v.Offline = buff.OfflineAll
	d.fields(field, at(n), n, table{"offline", []string{"all"}, map[string]readFunc{
		"all": func(d *definition, f string, n ast.Node) { d.count(f, n, &v.OfflineCap) },
	}})
}

// catchup reads what becomes of late pulses: a word, or one for them that counts up to
// a number.
func (d *definition) catchup(field string, n ast.Node) {
	if _, isMap := Fields(n); !isMap {
		d.word(field, n, &d.spec.Catchup)
		return
	}
	d.spec.Catchup = buff.CatchupCoalesce
	d.fields(field, at(n), n, table{"catchup", []string{"coalesce"}, map[string]readFunc{
		"coalesce": func(d *definition, f string, n ast.Node) { d.count(f, n, &d.spec.CatchupMax) },
	}})
}
