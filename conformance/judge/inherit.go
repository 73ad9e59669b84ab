package judge

import (
	"encoding/json"
	"errors"
	"fmt"
)

// whole returns a definition with the fields that it inherits, by the ruling on "extends".
func whole(raw json.RawMessage, buffs, templates map[string]json.RawMessage) (json.RawMessage, error) {
	var d map[string]any
	if err := json.Unmarshal(raw, &d); err != nil || d["extends"] == nil {
		return raw, nil // an error is reported when the definition is decoded
	}
	for range len(buffs) + len(templates) + 1 {
		of, isText := d["extends"].(string)
		if !isText {
			return json.Marshal(d)
		}
		base, ok := templates[of]
		if !ok {
			base, ok = buffs[of]
		}
		var inherited map[string]any
		if err := json.Unmarshal(base, &inherited); !ok || err != nil {
			return nil, fmt.Errorf("nothing to extend: %q", of)
		}
		delete(d, "extends")
		d = over(inherited, d, "")
	}
	return nil, errors.New("a circle of extends")
}

// over returns the fields of both maps. If both have a field, the second map's counts, unless
// both are maps of fields.
func over(inherited, own map[string]any, name string) map[string]any {
	if name != "params" && (isNumber(inherited) || isNumber(own)) {
		return own
	}
	both := clone(inherited)
	for k, v := range own {
		below, isMap := both[k].(map[string]any)
		if above, alsoMap := v.(map[string]any); isMap && alsoMap {
			v = over(below, above, k)
		}
		both[k] = v
	}
	return both
}

// isNumber reports whether a map is a number with its origin. Such a map is one value.
func isNumber(m map[string]any) bool {
	for _, origin := range []string{"const", "curve", "attr", "caller", "formula"} {
		switch m[origin].(type) {
		case string, float64:
			return true
		}
	}
	return false
}
