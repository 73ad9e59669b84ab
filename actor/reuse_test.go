package actor_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A round of messages after a whole round of visits: the visits that are over are not waited
// for again.
func TestMessagesAfterVisits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := visitors(goroutines{}, 2)
		b := newBoxes("a", "b")
		g.Visit(b[0], 1)
		g.Visit(b[1], 2)
		g.Start()
		require.True(t, g.Wait(nil))
		_, whole := g.EndVisits()
		require.True(t, whole)
		send(t, g, b[0], 3)
		g.Start()
		require.True(t, g.Wait(time.After(time.Second)), "nobody is busy")
		requireBoxes(t, b[:1], g.Collect(nil))
		requireQuiet(t, g)
	})
}
