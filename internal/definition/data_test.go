package definition

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

type ability struct {
	Cast  time.Duration
	Range float64
	Icon  string `yaml:"picture"`
	Cost  map[string]int
}

// loud is a value of a game that panics when it is read.
type loud struct{}

func (*loud) UnmarshalYAML([]byte) error { panic("what a noise") }

func abilities(t *testing.T, of any, text string) (*buff.Catalog, error) {
	t.Helper()
	return Loader{Data: of}.LoadFS(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, "a.yaml")
}

func TestData(t *testing.T) {
	const text = "buffs:\n  a: {duration: 1s, data: {cast: 1500ms, range: 30.5, picture: flame, cost: {mana: 20}}}\n  b: {duration: 1s, data: {cast: 1s}}\n  c: {duration: 1s}\n"
	cat, err := abilities(t, ability{Range: 5}, text)
	require.NoError(t, err)
	require.Equal(t, ability{1500 * time.Millisecond, 30.5, "flame", map[string]int{"mana": 20}}, cat.Spec("a").Data)
	require.Equal(t, ability{Cast: time.Second, Range: 5}, cat.Spec("b").Data, "what is left out is as the Loader says")
	require.Nil(t, cat.Spec("c").Data)

	cat, err = abilities(t, nil, text)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"cast": "1s"}, cat.Spec("b").Data)
}

// TestDataErrors checks that an error in the data has a position, and that code that reads the
// data cannot end the process.
func TestDataErrors(t *testing.T) {
	for text, want := range map[string]string{
		"{cast: 1s, rnge: 5}":    `a.yaml:2:38: buff "a": data: unknown field "rnge"`,
		"{cast: [soon]}":         `a.yaml:2:34: buff "a": data: want time.Duration, not []interface {}`,
		"{range: far}":           `a.yaml:2:35: buff "a": data: want float64, not string`,
		"[1]":                    `a.yaml:2:27: buff "a": data: want a map, not a list`,
		"{cost: {mana: {x: 1}}}": `a.yaml:2:41: buff "a": data: want int, not map[string]interface {}`,
	} {
		_, err := abilities(t, ability{}, "buffs:\n  a: {duration: 1s, data: "+text+"}\n")
		require.ErrorContains(t, err, want, text)
	}
	_, err := abilities(t, loud{}, "buffs:\n  a: {duration: 1s, data: {x: 1}}\n")
	require.ErrorContains(t, err, `a.yaml:2:27: buff "a": data: the decoder panicked: what a noise`)
}

// TestDataReload checks that a definition whose data differs is reported as changed.
func TestDataReload(t *testing.T) {
	prev, err := abilities(t, ability{}, "buffs: {a: {duration: 1s, data: {range: 5}}, b: {duration: 1s, data: {range: 5}}}")
	require.NoError(t, err)
	next, err := Loader{Data: ability{}}.ReloadFS(prev, fstest.MapFS{"a.yaml": {Data: []byte("buffs: {a: {duration: 1s, data: {range: 6}}, b: {duration: 1s, data: {range: 5}}}")}}, "a.yaml")
	require.NoError(t, err)
	require.Equal(t, []define.SpecChange{{ID: "a", Kind: define.SpecChanged}}, next.Changes())
	require.Equal(t, 6., next.Spec("a").Data.(ability).Range)
}

// TestDataTable checks that in a table each field of the data has a column.
func TestDataTable(t *testing.T) {
	cat, err := Loader{Data: ability{}}.LoadFS(fstest.MapFS{"a.csv": {Data: []byte("id,duration,data.range,data.picture\na,1s,7,flame\nb,2s,,\n")}}, "a.csv")
	require.NoError(t, err)
	require.Equal(t, ability{Range: 7, Icon: "flame"}, cat.Spec("a").Data)
	require.Nil(t, cat.Spec("b").Data)
}

// TestDataType checks that data is read into values, and that each definition has its own value.
func TestDataType(t *testing.T) {
	require.PanicsWithValue(t, "catalog: Loader.Data is a *definition.ability, and must be a struct or a map", func() { _, _ = abilities(t, &ability{}, "buffs: {}") })
	type cost struct{ Mana, Rage int }
	type spell struct{ Cost *cost }
	cat, err := abilities(t, spell{&cost{Rage: 5}}, "buffs: {a: {duration: 1s, data: {cost: {mana: 20}}}, b: {duration: 1s, data: {cost: {mana: 3}}}}")
	require.NoError(t, err)
	require.Equal(t, spell{&cost{20, 5}}, cat.Spec("a").Data)
	require.Equal(t, spell{&cost{3, 5}}, cat.Spec("b").Data)
}
