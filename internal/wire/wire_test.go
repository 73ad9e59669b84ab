package wire_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/wire"
)

func Example() {
	b := wire.AppendText(wire.AppendInt(wire.AppendUint(nil, 300), -1), "ox")
	fmt.Printf("% x\n", b)
	n, size := wire.Uint(b)
	m, _ := wire.Uint(b[size:])
	fmt.Println(n, size, wire.Signed(m))
	// Output:
	// ac 02 01 02 6f 78
	// 300 2 -1
}

// TestNumbers checks that numbers have the encoding of package binary, and that each has only one
// encoding.
func TestNumbers(t *testing.T) {
	for _, n := range []uint64{0, 1, 0x7f, 0x80, 0x3fff, 0x4000, math.MaxUint32, 1<<63 - 1, 1 << 63, math.MaxUint64} {
		b := wire.AppendUint([]byte{9}, n)
		require.Equal(t, binary.AppendUvarint([]byte{9}, n), b)
		require.Equal(t, binary.AppendVarint(nil, int64(n)), wire.AppendInt(nil, int64(n)))
		require.Equal(t, int64(n), wire.Signed(uint64(n)<<1^uint64(int64(n)>>63)))
		is, size := wire.Uint(append(b[1:], 0xff))
		require.Equal(t, n, is)
		require.Equal(t, len(b)-1, size)
		for cut := range size {
			_, size := wire.Uint(b[1 : 1+cut])
			require.Zero(t, size, "cut off")
		}
	}
	_, size := wire.Uint([]byte{0x87, 0x80, 0})
	require.Equal(t, -3, size, "7, longer than it need be")
	_, size = wire.Uint([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2})
	require.Zero(t, size, "above 64 bits")
	require.Equal(t, []byte{2, 'o', 'x'}, wire.AppendBytes(nil, []byte("ox")))
}

// FuzzUint checks that a number that is read would be written with the same bytes.
func FuzzUint(f *testing.F) {
	f.Add([]byte{0x80, 0})
	f.Add([]byte{0xac, 2, 7})
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, size := wire.Uint(b); size > 0 {
			require.Equal(t, b[:size], wire.AppendUint(nil, n))
		}
	})
}

// TestChecksum uses the check value that RFC 3720 gives for the digits.
func TestChecksum(t *testing.T) {
	require.EqualValues(t, 0xe3069283, wire.Checksum([]byte("123456789")))
	require.NotEqual(t, crc32.ChecksumIEEE([]byte("123456789")), wire.Checksum([]byte("123456789")))
}
