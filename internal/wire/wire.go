package wire

import (
	"encoding/binary"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of the bytes.
func Checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// AppendUint appends a number.
func AppendUint(dst []byte, n uint64) []byte {
	if n < 0x80 { // most numbers are this small
		return append(dst, byte(n))
	}
	return binary.AppendUvarint(dst, n)
}

// AppendInt appends a signed number, in zigzag encoding.
func AppendInt(dst []byte, n int64) []byte { return AppendUint(dst, uint64(n)<<1^uint64(n>>63)) }

// AppendText appends a string with a length prefix.
func AppendText(dst []byte, text string) []byte {
	return append(AppendUint(dst, uint64(len(text))), text...)
}

// AppendBytes appends bytes with a length prefix.
func AppendBytes(dst, b []byte) []byte { return append(AppendUint(dst, uint64(len(b))), b...) }

// Uint decodes the number at the start of b and returns its size in bytes. The size is 0 if the
// number is incomplete or above 64 bits, and negative if its encoding is not minimal.
func Uint(b []byte) (n uint64, size int) {
	n, size = binary.Uvarint(b)
	switch {
	case size <= 0:
		return 0, 0
	case size > 1 && b[size-1] == 0:
		return 0, -size
	}
	return n, size
}

// Signed returns the number that [AppendInt] has encoded as n.
func Signed(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }
