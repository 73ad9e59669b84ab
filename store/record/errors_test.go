package record_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/record"
)

// TestDamageErrorPlace checks that an error names the place of damage from the outermost to the
// innermost part.
func TestDamageErrorPlace(t *testing.T) {
	const rest = "; nothing has been changed: restore a copy, or list the intact records with: bufftick cut -verify"
	inner := &store.DamageError{Problem: "no"}
	require.EqualError(t, inner, "store: damaged: no"+rest)
	once := record.At(inner, "", "the head")
	require.EqualError(t, once, "store: damaged: the head: no"+rest)
	twice := record.At(once, "world.db", "zone a")
	require.EqualError(t, twice, "store: damaged: world.db: zone a: the head: no"+rest)
	require.EqualError(t, record.At(twice, "other.db", ""), twice.Error())
	require.EqualError(t, record.At(inner, "world.db", ""), "store: damaged: world.db: no"+rest)
	require.EqualError(t, inner, "store: damaged: no"+rest, "what was given is as it was")

	require.NoError(t, record.At(nil, "world.db", "x"))
	require.Equal(t, store.ErrLocked, record.At(store.ErrLocked, "", "x"))
	for err, want := range map[error]string{
		store.ErrLocked:   "world.db: store: locked by another process; stop that process first",
		store.ErrForeign:  "world.db: store: not a bufftick store; nothing has been changed: check the path",
		store.ErrFuture:   "world.db: store: written by a later version; nothing has been changed: update this program",
		store.ErrReadOnly: "world.db: store: read-only; make the file and its directory writable",
		store.ErrClosed:   "world.db: store: closed",
	} {
		got := record.At(err, "world.db", "x")
		require.EqualError(t, got, want)
		require.ErrorIs(t, got, err)
	}
}
