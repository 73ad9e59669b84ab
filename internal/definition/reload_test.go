package definition

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// reloaded loads the first files, and then the second files in their place.
func reloaded(t *testing.T, before, after map[string]string) (prev, next *buff.Catalog, err error) {
	t.Helper()
	files := func(texts map[string]string) fstest.MapFS {
		f := fstest.MapFS{}
		for name, text := range texts {
			f["buffs/"+name] = &fstest.MapFile{Data: []byte(text)}
		}
		return f
	}
	prev, err = LoadFS(files(before), "buffs")
	require.NoError(t, err)
	next, err = ReloadFS(prev, files(after), "buffs")
	return prev, next, err
}

const sheetText = "attributes: {health: {base: 100}, speed: {base: 5}}\n"

func TestReload(t *testing.T) {
	prev, next, err := reloaded(t, map[string]string{
		"a.yaml": sheetText + "curves: {dmg: [1, 2], other: [3]}",
		"b.yaml": `buffs:
  same: {duration: 3s, params: {a: {curve: other}, b: {formula: curve.other + level}}}
  longer: {duration: 3s}
  curved: {duration: 3s, params: {a: {formula: curve.dmg + level}}}
  text: {duration: 3s, params: {a: {formula: level + 1}}}
  gone: {duration: 3s}
`,
	}, map[string]string{
		"a.yaml": sheetText + "curves: {dmg: [1, 3], other: [3]}",
		"b.yaml": `buffs:
  same: {duration: 3s, params: {a: {curve: other}, b: {formula: curve.other + level}}}
  longer: {duration: 4s}
  curved: {duration: 3s, params: {a: {formula: curve.dmg + level}}}
  text: {duration: 3s, params: {a: {formula: level + 2}}}
  new: {duration: 3s}
`,
	})
	require.NoError(t, err)
	require.True(t, next.Succeeds(prev))
	require.Equal(t, []define.SpecChange{
		{ID: "longer", Kind: define.SpecChanged},
		{ID: "curved", Kind: define.SpecChanged},
		{ID: "text", Kind: define.SpecChanged},
		{ID: "new", Kind: define.SpecAdded},
		{ID: "gone", Kind: define.SpecRemoved},
	}, next.Changes())
}

// TestReloadBad checks that a folder with an error gives no catalog, and that the old catalog does
// not change.
func TestReloadBad(t *testing.T) {
	prev, next, err := reloaded(t, map[string]string{"a.yaml": "buffs: {a: {duration: 3s}}"}, map[string]string{"a.yaml": "buffs: {a: {duration: 3}}"})
	require.Nil(t, next)
	require.Equal(t, "duration", firstError(t, err).Field)
	require.NotNil(t, prev.Spec("a"))
}

// TestReloadOtherAttributes checks that a reload cannot change an attribute that owners have, and
// that the error has its position. Attributes may be added anywhere.
func TestReloadOtherAttributes(t *testing.T) {
	for _, c := range []struct {
		other, field, text string
		column             int
	}{
		{"attributes: {health: {base: 100}, speed: {base: 5, min: 0}}", "attributes.speed", "changed: ", 42},
		{"attributes: {health: {base: 100}}", "attributes.speed", "taken away: ", 1},
		{"attributes: {mana: {base: 1}, speed: {base: 5}, health: {base: 90}}", "attributes.health", "changed: ", 57},
	} {
		_, next, err := reloaded(t, map[string]string{"a.yaml": sheetText}, map[string]string{"a.yaml": "\n" + c.other})
		require.Nil(t, next)
		e := firstError(t, err)
		require.ErrorIs(t, e, buff.ErrAttributes)
		require.Contains(t, e.Text, c.text)
		require.Equal(t, Error{File: "buffs/a.yaml", Line: 2, Column: c.column, Field: c.field, Text: e.Text, Source: e.Source, cause: e.cause}, *e)
	}
	prev, next, err := reloaded(t, map[string]string{"a.yaml": sheetText}, map[string]string{"a.yaml": "attributes: {mana: {base: 1}, speed: {base: 5}, health: {base: 100}}"})
	require.NoError(t, err)
	for _, name := range []string{"health", "speed"} {
		was, _ := prev.Attr(name)
		is, _ := next.Attr(name)
		require.Equal(t, was, is, name)
	}
	_, ok := next.Attr("mana")
	require.True(t, ok)

	_, next, err = reloaded(t, map[string]string{"a.yaml": sheetText}, map[string]string{"a.yaml": "buffs: {}"})
	require.Nil(t, next)
	require.ErrorIs(t, err, buff.ErrAttributes)

	// Only the file that could not be read is reported, because it may contain the attributes.
	_, _, err = reloaded(t, map[string]string{"a.yaml": sheetText}, map[string]string{"a.yaml": "attributes: {"})
	require.Len(t, err, 1)
	require.NotErrorIs(t, err, buff.ErrAttributes)
}

// TestReloadOtherAttributesAndMore checks that changed attributes do not hide other errors.
func TestReloadOtherAttributesAndMore(t *testing.T) {
	_, _, err := reloaded(t, map[string]string{"a.yaml": sheetText}, map[string]string{
		"a.yaml": "attributes: {speed: {base: 5}}\nbuffs: {a: {duration: 3s, period: 20ms}, b: {duration: 0s}}",
	})
	var list Errors
	require.ErrorAs(t, err, &list)
	fields := []string{}
	for _, e := range list {
		fields = append(fields, e.Field)
	}
	require.Equal(t, []string{"attributes.health", "period", "duration"}, fields)
}
