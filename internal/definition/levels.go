package definition

import (
	"slices"
	"strings"
)

// level is a map within a definition, such as "stack", with its fields.
type level struct {
	path   string // "" for the definition itself
	fields map[string]readFunc
}

// levels are the maps in which suggestPlaces searches. An init function sets them, to avoid an
// initialization cycle.
var levels []level

func init() {
	condition := map[string]readFunc{"all": nil, "any": nil, "none": nil}
	levels = []level{
		{"", specFields.read},
		{"haste", hasteFields.read},
		{"stack", stackFields.read},
		{"group", groupFields.read},
		{"slot", slotFields.read},
		{"per_source", perSourceFields.read},
		{"require", requireFields.read},
		{"require.apply", map[string]readFunc{"all": nil, "any": nil, "none": nil, "if": nil, "why": nil}},
		{"require.ongoing", condition},
		{"require.remove", condition},
		{"dr", drFields.read},
		{"dispel", dispelFields.read},
		{"charges", chargesFields.read},
		{"shield", shieldFields.read},
		{"aura", auraFields.read},
		{"save", saveFields.read},
		{"client", clientFields.read},
		{"on", onFields.read},
		{"on.remove", removeReasons.read},
	}
}

// suggestPlaces returns up to three places where a field with the given name may belong. The field
// was found in the map whose path is `of`, where it is unknown. Places within that map come first,
// then places in the map that contains it, then all others. The places are written as in a file.
func suggestPlaces(of, name string) (places []string) {
	if !slices.ContainsFunc(levels, func(l level) bool { return l.path == of }) {
		return nil
	}
	around, _, nested := strings.Cut(of, ".")
	for _, near := range []func(path string) bool{
		func(path string) bool { return of == "" || strings.HasPrefix(path, of+".") },
		func(path string) bool { return nested && path == around },
		func(string) bool { return true },
	} {
		for _, l := range levels {
			if _, ok := l.fields[name]; ok && l.path != of && near(l.path) && len(places) < 3 {
				places = append(places, written(join(l.path, name)))
			}
		}
		if len(places) > 0 {
			break
		}
	}
	return places
}

// written returns a path as it is written in a file. For example, "on.remove.expired" becomes
// "on: {remove: {expired: …}}".
func written(path string) string {
	words := strings.Split(path, ".")
	text := "…"
	for i, w := range slices.Backward(words) {
		if text = w + ": " + text; i > 0 {
			text = "{" + text + "}"
		}
	}
	return text
}
