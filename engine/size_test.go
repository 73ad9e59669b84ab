package engine

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// TestOwnerSize: up to 512 bytes, memory with pointers has no header of its own, and the collector
// scans it together with its neighbours. The allocator has 256 for it, four cache lines.
func TestOwnerSize(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(owner{}), uintptr(256))
}

// TestCopiedOfLeaver: who is leaving when Copies is called may have turns to come, and they look at what is
// kept for copies.
func TestCopiedOfLeaver(t *testing.T) {
	catalog, err := buff.NewCatalog()
	require.NoError(t, err)
	e, err := New(Options{Catalog: catalog, Synchronous: true})
	require.NoError(t, err)
	require.NoError(t, e.Spawn(1, nil))
	o := e.ownerOf(1)
	o.leaving = true // as Drop leaves one that is busy
	e.Copies(nil)
	require.NotNil(t, o.copied())
}
