package catalog

import (
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
)

// declares reads a list of the names that there are.
func (w *definition) declares(section string, f *ast.MappingValueNode) {
	list, ok := f.Value.(*ast.SequenceNode)
	if !ok {
		w.complain(section, valueAt(f), "want a list, not %s: write [a, b]", kindOf(f.Value))
		w.loader.blind = true
		return
	}
	known := w.loader.declared[section]
	if known == nil {
		known = map[string]bool{}
		w.loader.declared[section] = known
	}
	here := map[string]bool{}
	for i, n := range list.Values {
		name, field := "", element(section, i)
		switch w.name(field, n, false, &name); {
		case w.isBad(field):
		case here[name]:
			w.complain(field, at(n), "%s stands in the list already", quote(name))
		default:
			here[name] = true
			known[name] = true
			for section == "tags" && strings.Contains(name, ".") { // and those above it
				name = name[:strings.LastIndexByte(name, '.')]
				known[name] = true
			}
		}
	}
}

// undeclared reports the names that stand in no list, if there are such lists.
func (l *loader) undeclared() {
	if len(l.declared) == 0 || l.blind {
		return
	}
	for _, d := range l.defs {
		s := d.spec
		d.known("tags", "tags", s.Tags)
		d.known("tags", "grants", s.Grants)
		d.known("tags", "immunity.tags", s.Immunity.Tags)
		d.known("tags", "shield.schools", s.Shield.Schools)
		for _, r := range []struct {
			field string
			test  *buff.TagTest
		}{{"require.apply", &s.Require.Apply}, {"require.ongoing", &s.Require.Ongoing}, {"require.remove", &s.Require.Remove}} {
			d.known("tags", r.field+".all", r.test.All)
			d.known("tags", r.field+".any", r.test.Any)
			d.known("tags", r.field+".none", r.test.None)
		}
		d.knownOne("groups", "group.name", s.Group.Name)
		d.known("acts", "interrupt", s.Interrupt)
		d.known("acts", "charges.consume_on", s.Charges.ConsumeOn)
		d.knownOne("icons", "client.icon", s.Client.Icon)
		eachAction(s, func(field string, a *buff.Action) {
			if a.Do == buff.DoCall {
				d.knownOne("handlers", field+".call", a.Name)
			}
			if a.Do == buff.DoDamage && a.Change != nil {
				d.knownOne("tags", field+".damage.school", a.Change.School)
			}
		})
	}
}

func (d *definition) known(section, field string, names []string) {
	for i, name := range names {
		d.knownOne(section, element(field, i), name)
	}
}

func (d *definition) knownOne(section, field, name string) {
	known := d.loader.declared[section]
	if known == nil || known[name] || name == "" {
		return
	}
	p := d.place(field)
	if p.bad {
		return
	}
	d.fail(field, p.position, "%s is not in the list of %s%s", quote(name), section,
		didYouMean(nearest(name, slices.Sorted(maps.Keys(known)))))
}

// eachAction calls do with every action of a definition, in the order of the fields.
func eachAction(s *buff.Spec, do func(field string, a *buff.Action)) {
	list := func(field string, actions []buff.Action) {
		for i := range actions {
			do(element(field, i), &actions[i])
		}
	}
	list("on.apply", s.On.Apply)
	list("on.refresh", s.On.Refresh)
	list("on.pulse", s.On.Pulse)
	list("on.exec", s.On.Exec)
	list("on.overflow", s.On.Overflow)
	if len(s.On.Remove) > 0 {
		for r := buff.NoReason + 1; r.Removes(); r++ {
			list("on.remove."+r.String(), s.On.Remove[r])
		}
	}
	list("on.remove.any", s.On.RemoveAny)
}
