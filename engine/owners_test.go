package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// TestOwners_Ref checks that a ref no longer finds its owner when the owner is leaving, even if
// another owner has taken its place.
func TestOwners_Ref(t *testing.T) {
	l := &owners{}
	n := l.next()
	first := l.reserve(n)
	require.Nil(t, l.there(n), "it has not arrived")
	require.Nil(t, l.at(n))
	l.arrive(first)
	named := first.ref()
	require.Same(t, first, named.alive())
	require.Same(t, first, l.there(n))
	first.presence = leaving
	require.Nil(t, named.alive())
	require.Nil(t, l.there(n))
	require.Same(t, first, l.at(n), "its last turns may be to come")
	l.depart(first)
	require.Nil(t, l.at(n))
	second := l.reserve(n)
	l.arrive(second)
	require.Same(t, first, second, "the place is the next one's")
	require.Nil(t, named.alive())
	require.Same(t, second, second.ref().alive())
}

// TestOwners_Slabs checks that a small engine has room for sixteen owners, and that a slab is
// freed with the last of its owners, except the first slab, and allocated again when needed.
func TestOwners_Slabs(t *testing.T) {
	l := &owners{}
	add := func(n uint32) *owner {
		o := l.reserve(n)
		l.arrive(o)
		return o
	}
	for range 3*slabLength + 1 {
		n := l.next()
		require.Equal(t, n, add(n).number)
		if n < rowLength {
			require.Len(t, l.rows, 1)
		}
	}
	require.Nil(t, l.there(4*slabLength), "nobody has had that number")
	for n := range uint32(3 * slabLength) {
		l.depart(l.at(n))
		require.Equal(t, n >= slabLength && n%slabLength == slabLength-1, l.rows[n/rowLength] == nil, "owner %d", n)
		require.Nil(t, l.there(n))
	}
	require.NotNil(t, l.there(3*slabLength))
	again := add(slabLength + 7)
	require.Same(t, again, l.there(slabLength+7))
	require.Nil(t, l.there(slabLength+8))
}

// TestOwners_ReusedNumberIsClean checks that an owner that gets the number of an owner that has
// left inherits nothing from it: no scheduled turn, no backlog entry, no deadline.
func TestOwners_ReusedNumberIsClean(t *testing.T) {
	catalog, err := buff.NewCatalog()
	require.NoError(t, err)
	e, err := New(Options{Catalog: catalog, Synchronous: true})
	require.NoError(t, err)
	require.NoError(t, e.Spawn(1, "first"))
	o := e.ownerOf(1)
	e.turns.scheduleTurn(o)
	e.areas.retryLater(o)
	e.sweep.missed = append(e.sweep.missed, o.ref())
	require.NoError(t, e.Drop(1))
	require.NoError(t, e.Spawn(2, "second"))
	require.Same(t, o, e.ownerOf(2))
	require.Equal(t, "second", e.Data(2))
	e.turns.scheduleTurn(e.ownerOf(2))
	require.Len(t, e.turns.scheduled, 2)
	require.Nil(t, e.turns.scheduled[0].alive())
	require.Same(t, o, e.turns.scheduled[1].alive())
	e.turns.collectDue()
	require.Equal(t, 1, e.turns.waiting.n, "one turn, for the one that is there")
	require.Nil(t, e.areas.pending[0].alive())
	require.Nil(t, e.sweep.missed[0].alive())
}

// TestEngine_Restore_FailedKeepsNothing checks that after a failed Restore the owner's place
// contains neither the game's data nor the state of an owner.
func TestEngine_Restore_FailedKeepsNothing(t *testing.T) {
	catalog, err := buff.NewCatalog()
	require.NoError(t, err)
	e, err := New(Options{Catalog: catalog, Synchronous: true})
	require.NoError(t, err)
	_, err = e.Restore(1, "data", []byte("no blob"))
	require.ErrorIs(t, err, buff.ErrBlob)
	require.Nil(t, e.owners.place(0).data)
	require.Zero(t, e.owners.place(0).set)
	require.Nil(t, e.at(0))
	require.NoError(t, e.Spawn(2, "other"))
	require.Equal(t, "other", e.Data(2))
	require.Equal(t, 1, e.owners.len(), "the number is used again")
}
