package client_test

import (
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/replicate/client"
)

// TestOptions_MemoryOfOwnersThatLeft checks that owners that had many buffs, and have left the
// view, do not retain the memory of more than Options.Buffs.
func TestOptions_MemoryOfOwnersThatLeft(t *testing.T) {
	const owners = 100
	c := client.New(client.Options{Owners: owners, Buffs: buff.MaxPerOwner})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for k := range uint64(owners) {
		m := binary.AppendUvarint([]byte{0x10}, k+1) // a packet
		m = binary.AppendUvarint(append(m, 0), k<<2|1)
		m = binary.AppendUvarint(append(m, byte(1+k%100)), buff.MaxPerOwner)
		for slot := range uint64(buff.MaxPerOwner) {
			m = append(binary.AppendUvarint(m, slot+1), 0x80, 1, 1)
		}
		require.NoError(t, c.Receive(binary.AppendUvarint(m, k<<2|2)))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(2<<20)) // of one owner: 0.5 MB
	runtime.KeepAlive(c)
}
