package engine

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// TestOwnerSize checks that an owner is exactly three cache lines and starts at a cache line,
// except in the first slab: a small allocation with pointers is preceded by eight bytes that
// describe the pointers.
func TestOwnerSize(t *testing.T) {
	require.EqualValues(t, 192, unsafe.Sizeof(owner{}))
	l := &owners{}
	for number := range uint32(2 * slabLength) {
		l.next()
		if o := l.reserve(number); number >= slabLength {
			require.Zero(t, uintptr(unsafe.Pointer(o))%64)
		}
	}
}

// TestCopiedOfLeaver checks that an owner that is leaving when Copies is called gets the state for
// copies, because its remaining turns use it.
func TestCopiedOfLeaver(t *testing.T) {
	catalog, err := buff.NewCatalog()
	require.NoError(t, err)
	e, err := New(Options{Catalog: catalog, Synchronous: true})
	require.NoError(t, err)
	require.NoError(t, e.Spawn(1, nil))
	o := e.ownerOf(1)
	o.presence = leaving // as Drop does with a busy owner
	Copies(e, nil)
	require.NotNil(t, o.copied())
}

// TestTurn_UsedAllowance checks that the used part of an allowance is known after a batched turn,
// even if the turn was cut short or measured.
func TestTurn_UsedAllowance(t *testing.T) {
	for _, c := range []struct {
		batched, turns bool // whether the owner has a batched turn, and turns of package actor
		in, after      int32
		used           int32
	}{
		{batched: false, turns: false, used: 0},
		{batched: true, turns: false, in: 3, used: 3},
		{batched: true, turns: true, in: 3, used: 3},           // measured
		{batched: true, turns: true, in: 3, after: 5, used: 5}, // cut short and continued
		{batched: false, turns: true, after: 2, used: 2},
	} {
		o := &owner{}
		if c.batched {
			o.needRare().batched = &batchedTurn{used: c.in}
		}
		if c.turns {
			o.needTurns().used = c.after
		}
		require.Equal(t, c.used, o.used())
		o.resetUsed()
		require.Zero(t, o.used())
	}
	require.Nil(t, emptyRare.batched, "nobody writes to what all share")
}
