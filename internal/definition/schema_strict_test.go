package definition

import (
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// TestSchemaStrict checks a rule of the strict mode of Ajv (8.20.0 was tried by hand): the
// required properties of each part of the schema are also among the properties of that part.
func TestSchemaStrict(t *testing.T) {
	var root any
	require.NoError(t, json.Unmarshal([]byte(Schema()), &root))
	seen := 0
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case []any:
			for i, x := range v {
				walk(fmt.Sprint(path, "/", i), x)
			}
		case map[string]any:
			properties, _ := v["properties"].(map[string]any)
			if list, is := v["required"].([]any); is {
				for _, name := range list {
					seen++
					require.Contains(t, properties, name, "%s requires it", path)
				}
			}
			for key, x := range v {
				walk(path+"/"+key, x)
			}
		}
	}
	walk("#", root)
	require.Greater(t, seen, 10)
}

// TestForeignEncodings checks that the encoding that spreadsheets call "Unicode" is refused by its
// name, with and without a byte order mark.
func TestForeignEncodings(t *testing.T) {
	for _, name := range []string{"a.csv", "a.yaml", "a.json"} {
		for _, mark := range []string{"", "\ufeff"} {
			for _, low := range []bool{true, false} {
				var text []byte
				for _, u := range utf16.Encode([]rune(mark + "buffs: {}")) {
					if low {
						text = append(text, byte(u), byte(u>>8))
					} else {
						text = append(text, byte(u>>8), byte(u))
					}
				}
				_, err := Parse(name, text)
				require.ErrorContains(t, err, name+":1:1: UTF-16: save the file as UTF-8")
			}
		}
	}
}
