package game

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/catalog"
)

// TestBuffsUseEveryFeature checks that the buffs of the game together use every field of the
// format, and every value of every field with a choice of values. The buffs also serve as examples
// of the format. The first value of a choice need not be used, because it is the default.
func TestBuffsUseEveryFeature(t *testing.T) {
	var schema map[string]any
	require.NoError(t, json.Unmarshal([]byte(catalog.Schema()), &schema))
	wanted := map[string]bool{}
	wants(schema, schema, "", 0, wanted)
	require.Greater(t, len(wanted), 200)

	files, err := filepath.Glob(folder + "/*.yaml")
	require.NoError(t, err)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var file any
		require.NoError(t, yaml.Unmarshal(text, &file))
		uses(file, "", wanted)
	}
	var missing []string
	for path := range wanted {
		// Three kinds of words need not be used in this form: all reasons are used in on.remove,
		// the field $schema is only for JSON files, and the field "dead" of a file is the default
		// for definitions, one of which has this field.
		if !strings.HasPrefix(path, "action.reason=") && path != ".$schema" && path != ".dead" && path != ".dead=deny" {
			missing = append(missing, path)
		}
	}
	slices.Sort(missing)
	require.Empty(t, missing)
}

// action matches the path of an action. An action has the same fields in all lists, including the
// lists that on.remove has for each reason, those that on.act has for each act, and those of a
// variable, so one use of a field is enough.
var action = regexp.MustCompile(`\.(?:on\.((?:remove|act)\.[^.]+|[^.]+)|vars\.[^.]+\.at_(?:min|max))(\.[a-z]+.*)$`)

// The variable "number" matches the path of a number, which has the same fields everywhere, and
// "query" the path of a query. The
// variable "tables" maps the paths of slot classes and of groups of diminishing returns in a file
// to the paths that they have in a definition, where they have the same fields.
var (
	number = regexp.MustCompile(`\.(duration_scale|value|params\.\*|pool|by|base|haste|apply\.magnitude|apply\.duration|apply\.stacks|apply\.level)\.([a-z]+.*)$`)
	query  = regexp.MustCompile(`\.(?:on|vars)\..*\.(?:(?:remove|extend)\.buff|dispel)\.(type|tag|polarity|most|newest)$`)
	acts   = regexp.MustCompile(`(\.on\.(?:act\.[^.]+|when))\.do\b`) // a list in a map of on.act or on.when
	tables = strings.NewReplacer(".one_of.", ".", ".slots.*", ".buffs.*.slot", ".dr.*", ".buffs.*.dr", ".templates.*", ".buffs.*")
)

func canonical(path string) string {
	path = acts.ReplaceAllString(tables.Replace(path), "$1")
	if m := number.FindStringSubmatch(path); m != nil && !strings.HasPrefix(m[2], "modifiers") && m[2] != "mode" {
		return "number." + m[2]
	}
	if m := query.FindStringSubmatch(path); m != nil {
		return "query." + m[1]
	}
	if strings.HasSuffix(path, ".dispel.grade") { // of an action or a definition
		return "dispel.grade"
	}
	if m := action.FindStringSubmatch(path); m != nil && m[1] != "remove" && m[1] != "act" {
		return "action" + strings.TrimPrefix(m[2], ".one_of")
	}
	return path
}

// wants adds the fields and words that a part of the schema allows. A field has the form
// "buffs.*.stack.limit", and a word the form "buffs.*.clock=wall".
func wants(root, s map[string]any, path string, refs int, to map[string]bool) {
	if ref, ok := s["$ref"].(string); ok && refs < 2 {
		name := filepath.Base(ref)
		wants(root, root["definitions"].(map[string]any)[name].(map[string]any), path, refs+1, to)
	}
	branches, _ := s["anyOf"].([]any) // oneOf only lists required fields
	parts, _ := s["allOf"].([]any)
	for _, b := range slices.Concat(branches, parts) {
		wants(root, b.(map[string]any), path, refs, to)
	}
	words, _ := s["enum"].([]any)
	for i, w := range words {
		if i > 0 {
			to[fmt.Sprintf("%s=%v", canonical(path), w)] = true
		}
	}
	fields, _ := s["properties"].(map[string]any)
	for name, f := range fields {
		to[canonical(path+"."+name)] = true
		if f, ok := f.(map[string]any); ok { // otherwise only "required" is about it
			wants(root, f, path+"."+name, refs, to)
		}
	}
	if items, ok := s["items"].(map[string]any); ok {
		wants(root, items, path, refs, to)
	}
	if values, ok := s["additionalProperties"].(map[string]any); ok {
		wants(root, values, path+".*", refs, to)
	}
}

// uses removes from "wanted" the fields and words that a part of a file uses.
func uses(v any, path string, wanted map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			for _, key := range []string{name, "*"} {
				delete(wanted, canonical(path+"."+key))
				uses(value, path+"."+key, wanted)
			}
		}
	case []any:
		for _, value := range v {
			uses(value, path, wanted)
		}
	default:
		delete(wanted, fmt.Sprintf("%s=%v", canonical(path), v))
	}
}
