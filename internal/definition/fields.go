package definition

import (
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/misspelt"
)

// table is the set of fields of one kind of map.
type table struct {
	of    string   // name of this kind of map, as in plannedFields and spelling
	needs []string // required fields
	read  map[string]readFunc
}

// readFunc reads the value of a field. The value is not empty.
type readFunc = func(d *definition, field string, n ast.Node)

var specFields = table{"", nil, map[string]readFunc{
	"name":           func(d *definition, f string, n ast.Node) { d.text(f, n, &d.spec.Name) },
	"extends":        func(d *definition, f string, n ast.Node) { d.name(f, n, false, new(string)) },
	"note":           func(d *definition, f string, n ast.Node) { d.text(f, n, &d.spec.Note) },
	"tags":           func(d *definition, f string, n ast.Node) { d.texts(f, n, false, &d.spec.Tags) },
	"grants":         func(d *definition, f string, n ast.Node) { d.texts(f, n, false, &d.spec.Grants) },
	"vars":           (*definition).vars,
	"polarity":       func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Polarity) },
	"duration":       (*definition).duration,
	"min_duration":   func(d *definition, f string, n ast.Node) { d.span(f, n, &d.spec.MinDuration) },
	"max_duration":   func(d *definition, f string, n ast.Node) { d.span(f, n, &d.spec.MaxDuration) },
	"clock":          func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Clock) },
	"duration_scale": (*definition).durationScale,
	"period":         (*definition).period,
	"first":          func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.First) },
	"tail":           func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Tail) },
	"align":          func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Align) },
	"haste":          (*definition).haste,
	"haste_duration": func(d *definition, f string, n ast.Node) { d.truth(f, n, &d.spec.HasteDuration) },
	"catchup":        (*definition).catchup,
	"stack":          func(d *definition, f string, n ast.Node) { d.fields(f, at(n), n, stackFields) },
	"group":          func(d *definition, f string, n ast.Node) { d.fields(f, at(n), n, groupFields) },
	"slot":           (*definition).slot,
	"per_source":     func(d *definition, f string, n ast.Node) { d.fields(f, at(n), n, perSourceFields) },
	"require":        func(d *definition, f string, n ast.Node) { d.fields(f, at(n), n, requireFields) },
	"inhibition":     func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Inhibition) },
	"dead":           func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Dead) },
	"immune":         func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Immune) },
	"immunity":       (*definition).immunity,
	"chance":         (*definition).chance,
	"dr":             (*definition).diminishing,
	"dispel":         func(d *definition, f string, n ast.Node) { d.fields(f, at(n), n, dispelFields) },
	"interrupt":      func(d *definition, f string, n ast.Node) { d.texts(f, n, false, &d.spec.Interrupt) },
	"charges":        func(d *definition, f string, n ast.Node) { d.fields(f, at(n), n, chargesFields) },
	"shield":         (*definition).shield,
	"aura":           func(d *definition, f string, n ast.Node) { d.fields(f, at(n), n, auraFields) },
	"modifiers":      (*definition).modifiers,
	"links":          func(d *definition, f string, n ast.Node) { d.texts(f, n, true, &d.spec.Links) },
	"params":         (*definition).params,
	"on_death":       func(d *definition, f string, n ast.Node) { d.fate(f, n, define.FatePause, &d.spec.OnDeath) },
	"on_source_gone": func(d *definition, f string, n ast.Node) { d.fate(f, n, define.FateAdopt, &d.spec.OnSourceGone) },
	"on_area":        func(d *definition, f string, n ast.Node) { d.fate(f, n, define.FateKeep, &d.spec.OnArea) },
	"on_fault":       func(d *definition, f string, n ast.Node) { d.fate(f, n, define.FateKeep, &d.spec.OnFault) },
	"save":           func(d *definition, f string, n ast.Node) { d.fields(f, at(n), n, saveFields) },
	"reload":         func(d *definition, f string, n ast.Node) { d.word(f, n, &d.spec.Reload) },
	"data":           (*definition).data,
	"client":         func(d *definition, f string, n ast.Node) { d.fields(f, at(n), n, clientFields) },
	"on":             func(d *definition, f string, n ast.Node) { d.fields(f, at(n), n, onFields) },
}}

var onFields = table{"on", nil, map[string]readFunc{
	"apply":    func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.Apply) },
	"refresh":  func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.Refresh) },
	"pulse":    func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.Pulse) },
	"exec":     func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.Exec) },
	"overflow": func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.Overflow) },
	"act":      (*definition).reactions,
	"death":    func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.Death) },
	"absorb":   func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.Absorb) },
	"remove":   func(d *definition, f string, n ast.Node) { d.fields(f, at(n), n, removeReasons) },
	"when": func(d *definition, f string, n ast.Node) {
		d.spec.On.When = &define.When{}
		d.fields(f, at(n), n, whenFields)
	},
}}

var whenFields = table{"on.when", []string{"if", "do"}, map[string]readFunc{
	"if": func(d *definition, f string, n ast.Node) {
		d.loader.number = &d.spec.On.When.If
		d.formula(f, n)
	},
	"do": func(d *definition, f string, n ast.Node) { d.actions(f, n, &d.spec.On.When.Do) },
}}

// Fields and words that the format reserves but that this version does not support. The error
// message for them says so, unlike the message for a misspelled name. Remove an entry when its
// feature is implemented.
var (
	plannedFields = map[string][]string{
		"number": {"handler"},
	}

	plannedWords = map[string][]string{
		"stack.refresh": {"handler"},
		"stack.expire":  {"handler"},
	}
)

// spelling maps the names of fields in other systems to the equivalent in this format.
var spelling = map[string]struct{ near, write string }{
	"stack.mode":   {"timers", "timers: queue"},
	"stack.reload": {"", "reload: migrate beside stack"},
	"compensate":   {"", "save: {compensate: CLASS}"},
	"handler":      {"", "on: {pulse: [{call: NAME}]}"},
	"school":       {"", "shield: {schools: [TAG]} or on: {pulse: [{damage: {attr: NAME, by: 5, school: TAG}}]}"},
}

// isPlanned reports whether the field is part of the format but not supported yet.
func (t table) isPlanned(name string) bool { return slices.Contains(plannedFields[t.of], name) }

// instead returns the known field whose name is most similar to an unknown name, or "", and a hint.
func (t table) instead(name string) (near, hint string) {
	if other, ok := spelling[join(t.of, name)]; ok {
		return other.near, ": write " + other.write
	}
	known := slices.Sorted(maps.Keys(t.read))
	if near = misspelt.Near(name, append(known, plannedFields[t.of]...)); near != "" {
		return near, didYouMean(near)
	}
	switch places := suggestPlaces(t.of, name); {
	case len(places) > 0:
		return "", ": did you mean " + orList(places) + "?"
	case t.of == "":
		return "", ""
	case t.of == "on":
		return "", ": want " + orList(known) + "; an act of the game is written as " + written("act."+name)
	}
	return "", ": want " + orList(known)
}

// orList joins words to "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
