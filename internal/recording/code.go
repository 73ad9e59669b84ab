package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Err is wrapped by all errors about the content of a recording.
var Err = errors.New("replay: bad recording")

// Code either encodes or decodes values. Both directions use the same sequence of calls, so that
// they cannot differ. The zero Code encodes. After the first error, decoded values are zero.
type Code struct {
	Reading bool   // if set, Code decodes Data; otherwise Code appends to Data
	Data    []byte // the data encoded so far, or the data that is still to be decoded
	Err     error  // the first error
}

// MostBytes is the maximum size of a string, a list, a blob and a block of a recording.
const MostBytes = 1 << 26

// Failf records an error and ends decoding.
func (c *Code) Failf(format string, args ...any) {
	if c.Err == nil {
		c.Err = fmt.Errorf("%w: %s", Err, fmt.Sprintf(format, args...))
	}
	c.Data = nil
}

// Number encodes or decodes one number.
func Number[T ~int | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](c *Code, v *T) {
	if !c.Reading {
		c.Data = binary.AppendVarint(c.Data, int64(*v))
		return
	}
	n, size := binary.Varint(c.Data)
	if *v = T(n); size <= 0 || int64(*v) != n {
		c.Failf("a number is cut off or out of its range")
		return
	}
	c.Data = c.Data[size:]
}

// Bytes encodes or decodes a string or a blob.
func Bytes[T ~string | ~[]byte](c *Code, v *T) {
	n := len(*v)
	Number(c, &n)
	if !c.Reading {
		c.Data = append(c.Data, *v...)
		return
	}
	if n < 0 || n > min(MostBytes, len(c.Data)) {
		c.Failf("%d bytes, of %d", n, len(c.Data))
		return
	}
	*v = T(append([]byte(nil), c.Data[:n]...))
	c.Data = c.Data[n:]
}
