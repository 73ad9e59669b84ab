package inspect

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// TestCompletions checks that a command line is completed with verbs, with their arguments, and
// with options that it does not contain yet.
func TestCompletions(t *testing.T) {
	cat, err := buff.Build(buff.Definitions{
		Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "armour"}}},
		Specs:      []buff.Spec{{ID: "venom", Tags: []string{"debuff.poison"}, Duration: time.Second}, {ID: "veil", Duration: time.Second}},
	})
	require.NoError(t, err)
	c := completer{catalog: cat, carried: func() []buff.Instance { return []buff.Instance{{Spec: cat.Spec("veil")}, {Spec: cat.Spec("veil")}} }}
	for text, want := range map[string]string{
		"ki":                      "kill",
		"re":                      "remove, remove_oldest, release, resume, resume_buff, revive",
		"kill ":                   "kill owner=",
		"kill owner=7 ":           "",
		"apply ve":                "apply venom, apply veil",
		"apply venom s":           "apply venom source=, apply venom stacks=, apply venom scale=",
		"apply venom source=9 so": "",
		"extend v":                "extend veil",
		"extend veil ":            "extend veil by=, extend veil at_most=, extend veil owner=",
		"tag d":                   "tag debuff.poison",
		"change ":                 "change armour",
		"dispel t":                "dispel tag=",
		"nonsense ":               "",
	} {
		require.Equal(t, want, strings.Join(c.lines(text), ", "), "%q", text)
	}
	require.Len(t, c.lines(""), maxCompletions)
}

// TestVerbLines checks that each offered verb can be parsed, and that every verb that an operator
// may use is offered.
func TestVerbLines(t *testing.T) {
	var words []string
	for _, v := range verbLines {
		words = append(words, v.verb)
		_, err := buff.ParseCommand(v.verb, buff.Names{})
		require.NotContains(t, errText(err), "there is no verb", v.verb)
		for _, o := range v.options {
			if key, ok := strings.CutSuffix(o, "="); ok {
				_, err := buff.ParseCommand(v.verb+" 1 "+key+"=1", buff.Names{})
				require.NotContains(t, errText(err), "\""+key+"\" says nothing here", v.verb)
			}
		}
	}
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(words))), len(verbLines))
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
