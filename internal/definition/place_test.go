package definition_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/definition"
)

// TestPlaces checks that a catalog has the file and line of each definition, including those of
// tables, and that after a reload in which only lines have moved, the catalog has the new ones.
func TestPlaces(t *testing.T) {
	files := fstest.MapFS{
		"buffs/a.yaml": {Data: []byte("buffs:\n  venom: {duration: 5s}\n\n  burn:\n    duration: 3s\n")},
		"buffs/b.csv":  {Data: []byte("id,duration\nchill,2s\nrend,4s\n")},
	}
	cat, err := definition.LoadFS(files, "buffs")
	require.NoError(t, err)
	for id, want := range map[string]string{"venom": "buffs/a.yaml:2", "burn": "buffs/a.yaml:4", "chill": "buffs/b.csv:2", "rend": "buffs/b.csv:3"} {
		require.Equal(t, want, cat.Place(cat.Spec(id)))
	}
	files["buffs/a.yaml"].Data = append([]byte("# more\n"), files["buffs/a.yaml"].Data...)
	next, err := definition.ReloadFS(cat, files, "buffs")
	require.NoError(t, err)
	require.Empty(t, next.Changes(), "it says the same")
	require.Equal(t, "buffs/a.yaml:3", next.Place(next.Spec("venom")))
	require.Empty(t, next.Place(cat.Spec("venom")), "not of this very catalog")
	require.Empty(t, next.Place(nil))
}
