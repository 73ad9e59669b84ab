package engine

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// TestOwnerSize: an owner is three cache lines, and begins with one, but for the first ones: before
// a small piece of memory with pointers stand eight bytes that say where these are.
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

// TestCopiedOfLeaver: who is leaving when Copies is called may have turns to come, and they look at
// what is kept for copies.
func TestCopiedOfLeaver(t *testing.T) {
	catalog, err := buff.NewCatalog()
	require.NoError(t, err)
	e, err := New(Options{Catalog: catalog, Synchronous: true})
	require.NoError(t, err)
	require.NoError(t, e.Spawn(1, nil))
	o := e.ownerOf(1)
	o.presence = leaving // as Drop leaves one that is busy
	e.Copies(nil)
	require.NotNil(t, o.copied())
}

// TestUsed: what an owner has used of its allowance is known after a batched turn, also if that was
// cut short, or measured.
func TestUsed(t *testing.T) {
	for _, c := range []struct {
		batched, turns bool // there is one
		in, after      int32
		used           int32
	}{
		{batched: false, turns: false, used: 0},
		{batched: true, turns: false, in: 3, used: 3},
		{batched: true, turns: true, in: 3, used: 3},           // measured
		{batched: true, turns: true, in: 3, after: 5, used: 5}, // gone on
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
