package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWatch_Heard checks the decisions about sequences of packets, given as epoch, join and number.
func TestWatch_Heard(t *testing.T) {
	a, b := Joins(1), Joins(2)
	w := &Watch{}
	for _, c := range []struct {
		at                  Time
		epoch, join, number uint64
		defines             bool
		want                Sight
		missed              bool
	}{
		{0, 7, a, 1, true, ShowFirst, false},
		{0, 7, a, 2, false, Show, false},
		{0, 7, a, 4, false, Show, true},
		{0, 7, a + 1, 1, true, ShowFirst, false},
		{0, 7, a, 5, false, Skip, false}, // from an earlier viewer
		{0, 8, a, 2, false, Skip, true},  // the definitions were lost
		{0, 8, a, 3, true, ShowFirst, false},
		// Packets of an earlier owner arrive together with those of the known one.
		{1 * time.Second, 7, a, 5, false, Skip, false},
		{2 * time.Second, 7, a, 6, false, Skip, false},
		{3 * time.Second, 8, a, 4, false, Show, false},
		{4 * time.Second, 7, a, 7, false, Skip, false},
		// A pause of more than a lease.
		{7 * time.Second, 7, a, 8, false, Skip, false},
		// Packets with the same epoch from another life arrive for longer than a lease.
		{20 * time.Second, 8, b, 1, true, Skip, false},
		{21 * time.Second, 8, b, 2, false, Skip, false},
		{22 * time.Second, 8, b, 3, false, Skip, false},
		{22*time.Second + 1, 8, b, 4, false, GoneBack, true},
		{23 * time.Second, 8, b, 5, false, Skip, false}, // the definitions are missing
		{24 * time.Second, 8, b, 6, true, ShowFirst, false},
		{24 * time.Second, 8, b, 7, false, Show, false},
	} {
		what, missed := w.Heard(c.at, 2*time.Second, c.epoch, c.join, c.number, c.defines)
		require.Equal(t, c.want, what, "%+v", c)
		require.Equal(t, c.missed, missed, "%+v", c)
	}
}

// TestWatch_Turn checks that after Turn the next packet of that epoch is GoneBack, once.
func TestWatch_Turn(t *testing.T) {
	w := &Watch{}
	heard := func(epoch, join, number uint64) Sight {
		what, _ := w.Heard(0, time.Second, epoch, join, number, number == 1)
		return what
	}
	w.Turn(7)
	require.Equal(t, ShowFirst, heard(7, Joins(1), 1), "nothing was shown yet")
	w.Turn(6)
	require.Equal(t, Show, heard(7, Joins(1), 2))
	require.Equal(t, GoneBack, heard(6, Joins(2), 1))
	w.Turn(6)
	require.Equal(t, ShowFirst, heard(6, Joins(2)+1, 1))
	w.Turn(6)
	require.Equal(t, Show, heard(6, Joins(2)+1, 2), "once")
}

// TestWatch_Resync checks that a lost packet is reported until the definitions arrive, because
// reports may be lost too.
func TestWatch_Resync(t *testing.T) {
	w := &Watch{}
	heard := func(number uint64, defines bool) { w.Heard(0, time.Second, 7, Joins(1), number, defines) }
	heard(1, true)
	heard(2, false)
	require.False(t, w.Resync())
	heard(4, false)
	heard(5, false)
	require.True(t, w.Resync())
	heard(6, true)
	require.False(t, w.Resync())
}
