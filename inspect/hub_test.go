package inspect_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/inspect"
)

// TestHubForgets checks that a client that connects after all others have left gets no old state.
func TestHubForgets(t *testing.T) {
	require.Empty(t, inspect.LeftOver())
}

// TestHub_Join_Overlap is for the race detector. The last round of a run may still count
// definitions while the next client starts another run.
func TestHub_Join_Overlap(t *testing.T) {
	page := newGame(t, inspect.Options{}).page
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { inspect.JoinAndQuit(page, 2000) })
	}
	all.Wait()
}
