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

// The buffs of the game are also its lessons: together they show each field of the format
// and each word of each choice but the first, which is the default.
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
		// The words of on.remove are all there; $schema is for files of JSON; the word dead of a
		// file is that of its definitions, which one has.
		if !strings.HasPrefix(path, "action.reason=") && path != ".$schema" && path != ".dead" && path != ".dead=deny" {
			missing = append(missing, path)
		}
	}
	slices.Sort(missing)
	require.Empty(t, missing)
}

// An action is the same wherever it stands, and on.remove has a list for each reason, on.act for each act: one
// place is enough to show them.
var action = regexp.MustCompile(`\.on\.((?:remove|act)\.[^.]+|[^.]+)(\.[a-z]+.*)$`)

// A number may be given in the same ways wherever one stands, and a class of slots or
// a group of diminishing returns is the same in a definition as beside the definitions.
var (
	number = regexp.MustCompile(`\.(duration_scale|value|params\.\*|pool|by)\.([a-z]+.*)$`)
	tables = strings.NewReplacer(".slots.*", ".buffs.*.slot", ".dr.*", ".buffs.*.dr")
)

func canonical(path string) string {
	path = tables.Replace(path)
	if m := number.FindStringSubmatch(path); m != nil && !strings.HasPrefix(m[2], "modifiers") {
		return "number." + m[2]
	}
	if m := action.FindStringSubmatch(path); m != nil && m[1] != "remove" && m[1] != "act" {
		return "action" + m[2]
	}
	return path
}

// wants adds what a part of the schema allows: fields as "buffs.*.stack.limit", words as
// "buffs.*.clock=wall".
func wants(root, s map[string]any, path string, refs int, to map[string]bool) {
	if ref, ok := s["$ref"].(string); ok && refs < 2 {
		name := filepath.Base(ref)
		wants(root, root["definitions"].(map[string]any)[name].(map[string]any), path, refs+1, to)
	}
	branches, _ := s["anyOf"].([]any) // what stands under oneOf only says which of the fields must be there
	for _, b := range branches {
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
		wants(root, f.(map[string]any), path+"."+name, refs, to)
	}
	if items, ok := s["items"].(map[string]any); ok {
		wants(root, items, path, refs, to)
	}
	if values, ok := s["additionalProperties"].(map[string]any); ok {
		wants(root, values, path+".*", refs, to)
	}
}

// uses takes off what a part of a file uses.
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
