package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// TestEngine_DoAll_ReleasesOwners checks that after DoAll has returned or panicked, the prefetch
// list keeps no owner alive.
func TestEngine_DoAll_ReleasesOwners(t *testing.T) {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "b", Duration: 1e9})
	require.NoError(t, err)
	e, err := New(Options{Catalog: catalog, Synchronous: true})
	require.NoError(t, err)
	var commands []buff.Command
	// the last batch is smaller than the one before
	for id := range buff.OwnerID(prefetchBatch + 3) {
		require.NoError(t, e.Spawn(id+1, nil))
		commands = append(commands, buff.Apply(id+1, buff.Application{Spec: catalog.Spec("b")}))
	}
	unsound := buff.Remove(1)
	unsound.Tag = 1
	for _, last := range []buff.Command{commands[0], unsound} {
		do := func() { e.DoAll(nil, append(commands, last)) }
		if last.Tag == 0 {
			do()
		} else {
			require.Panics(t, do)
		}
		require.Equal(t, [prefetchBatch]*owner{}, e.prefetching.owners)
		require.Equal(t, [prefetchBatch]*buff.Command{}, e.prefetching.commands)
	}
}
