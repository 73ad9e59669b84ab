package recording

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/bufftick/bufftick/internal/wire"
)

// AppendBlock appends a block containing data.
func AppendBlock(dst, data []byte) []byte {
	dst = wire.AppendBytes(dst, data)
	return binary.LittleEndian.AppendUint32(dst, wire.Checksum(data))
}

// Blocks reads the blocks of a recording.
type Blocks struct {
	r    *bufio.Reader
	data []byte
}

// Read returns a reader of blocks.
func Read(r io.Reader) *Blocks { return &Blocks{r: bufio.NewReader(r)} }

var errChecksum = errors.New("the checksum is wrong")

// Next returns the bytes of the next block, which are valid until the next call. It returns
// io.EOF after the last block, and io.ErrUnexpectedEOF if the block is incomplete.
func (b *Blocks) Next() ([]byte, error) {
	n, err := binary.ReadUvarint(b.r)
	switch {
	case err != nil:
		return nil, err
	case n > MostBytes:
		return nil, fmt.Errorf("a block of %d bytes, above the limit of %d", n, MostBytes)
	}
	b.data = b.data[:0]
	// Read in parts, so that a wrong length does not allocate more memory than the input has data.
	for left := int(n) + 4; left > 0; {
		k := min(left, 1<<16)
		from := len(b.data)
		b.data = append(b.data, make([]byte, k)...)
		if _, err := io.ReadFull(b.r, b.data[from:]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		left -= k
	}
	data, sum := b.data[:n], binary.LittleEndian.Uint32(b.data[n:])
	if wire.Checksum(data) != sum {
		return nil, errChecksum
	}
	return data, nil
}
