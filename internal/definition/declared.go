package definition

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/misspelt"
	"github.com/goccy/go-yaml/ast"
)

// declares reads a section that declares names, such as "tags".
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
			w.complain(field, at(n), "%s is in the list already", quote(name))
		default:
			here[name] = true
			known[name] = true
			w.loader.stated[section] = append(w.loader.stated[section], stated{name, w, field, at(n)})
			// A tag also declares its parent tags.
			for section == "tags" && strings.Contains(name, ".") {
				name = name[:strings.LastIndexByte(name, '.')]
				known[name] = true
			}
		}
	}
}

// stated is a declared name with its position.
type stated struct {
	name  string
	in    *definition
	field string
	at    position
}

// names returns the names that a section declares, in order.
func (l *loader) names(section string) []string {
	var names []string
	for _, s := range l.stated[section] {
		names = append(names, s.name)
	}
	return names
}

// tags returns the declared tags. If there is no section "tags", it returns the caller's extra
// tags.
func (l *loader) tags() []string {
	if l.stated["tags"] != nil {
		return l.names("tags")
	}
	return slices.DeleteFunc(slices.Clone(l.extraTags), func(name string) bool { return !isTag(name) })
}

// isTag reports whether a name is valid for a tag: at most sixteen words separated by dots.
func isTag(name string) bool {
	words := strings.Split(name, ".")
	return len(words) <= 16 && !slices.Contains(words, "") &&
		!strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}

// explainStated checks whether e is about a declared name. If so, it adds the error at the
// position of the name and returns true.
func (l *loader) explainStated(e *buff.SpecError) bool {
	section, _, ok := strings.Cut(e.Field, "[")
	if !ok || e.ID != "" || l.stated[section] == nil {
		return false
	}
	for i, s := range l.stated[section] {
		if element(section, i) == e.Field {
			l.add(s.in.src, s.at, "", s.field, "%s", e.Text)
		}
	}
	return true
}

// undeclared reports names that are used but not declared. It does so only for the kinds of names
// that the files declare.
func (l *loader) undeclared() {
	if len(l.declared) == 0 || l.blind {
		return
	}
	for _, a := range l.attrs.list {
		l.attrs.from.knownOne("tags", "attributes."+a.Name+".damage_taken", a.DamageTaken)
	}
	for _, d := range l.defs {
		s := d.spec
		d.known("tags", "tags", s.Tags)
		d.known("tags", "grants", s.Grants)
		d.known("tags", "immunity.tags", s.Immunity.Tags)
		d.known("tags", "shield.schools", s.Shield.Schools)
		for _, r := range []struct {
			field string
			test  *define.TagTest
		}{{"require.apply", &s.Require.Apply}, {"require.ongoing", &s.Require.Ongoing}, {"require.remove", &s.Require.Remove}} {
			d.known("tags", r.field+".all", r.test.All)
			d.known("tags", r.field+".any", r.test.Any)
			d.known("tags", r.field+".none", r.test.None)
		}
		d.knownOne("groups", "group.name", s.Group.Name)
		d.known("acts", "interrupt", s.Interrupt)
		d.known("acts", "charges.consume_on", s.Charges.ConsumeOn)
		for _, act := range slices.Sorted(maps.Keys(s.On.Act)) {
			d.knownOne("acts", "on.act."+act, act)
		}
		d.knownOne("icons", "client.icon", s.Client.Icon)
		eachAction(s, func(field string, a *define.Action) {
			if a.Do == define.DoCall {
				d.knownOne("handlers", field+".call", a.Name)
			}
			d.known("tags", field+".if_tags.all", a.IfTags.All)
			d.known("tags", field+".if_tags.any", a.IfTags.Any)
			d.known("tags", field+".if_tags.none", a.IfTags.None)
			if a.Query != nil {
				at := join(field, a.Do.String())
				if a.Do != define.DoDispel {
					at += ".buff"
				}
				d.knownOne("tags", at+".tag", a.Query.Tag)
			}
			if a.Do == define.DoDamage && a.Change != nil {
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
	if known == nil || known[name] || name == "" || section == "acts" && slices.Contains(ownActs, name) {
		return
	}
	p := d.place(field)
	if p.bad {
		return
	}
	names := slices.Sorted(maps.Keys(known))
	if section == "acts" {
		names = append(names, ownActs...)
	}
	d.fail(field, p.position, "%s is not in the list of %s%s", quote(name), section, didYouMean(misspelt.Near(name, names)))
}

// ownActs are the acts that the engine itself reports. The files need not declare them.
var ownActs = []string{define.ActDamaged, define.ActDealt}

// eachAction calls `do` with each action in a definition, in the order of the fields.
func eachAction(s *buff.Spec, do func(field string, a *define.Action)) {
	list := func(field string, actions []define.Action) {
		for i := range actions {
			do(element(field, i), &actions[i])
		}
	}
	list("on.apply", s.On.Apply)
	list("on.refresh", s.On.Refresh)
	list("on.pulse", s.On.Pulse)
	list("on.exec", s.On.Exec)
	list("on.overflow", s.On.Overflow)
	list("on.death", s.On.Death)
	list("on.absorb", s.On.Absorb)
	if s.On.When != nil {
		list("on.when.do", s.On.When.Do)
	}
	for _, act := range slices.Sorted(maps.Keys(s.On.Act)) {
		list("on.act."+act, s.On.Act[act])
	}
	if len(s.On.Remove) > 0 {
		for r := reason.None + 1; r.Removes(); r++ {
			list("on.remove."+r.String(), s.On.Remove[r])
		}
	}
	list("on.remove.any", s.On.RemoveAny)
	for i := range s.Vars {
		v := &s.Vars[i]
		list("vars."+v.Name+".at_min", v.AtMin)
		list("vars."+v.Name+".at_max", v.AtMax)
	}
}
