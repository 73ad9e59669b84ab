package recording_test

import (
	"bytes"
	"fmt"
	"io"

	"github.com/bufftick/bufftick/internal/recording"
)

// The same code writes and reads a recording, and detects a damaged block.
func Example() {
	var out recording.Code
	op, owner, blob := recording.Restore, uint64(7), []byte("buff…")
	recording.Number(&out, &op)
	recording.Number(&out, &owner)
	recording.Bytes(&out, &blob)
	file := recording.AppendBlock(nil, out.Data)

	blocks := recording.Read(bytes.NewReader(file))
	data, err := blocks.Next()
	in := recording.Code{Reading: true, Data: data}
	owner, blob = 0, nil
	recording.Number(&in, &op)
	recording.Number(&in, &owner)
	recording.Bytes(&in, &blob)
	fmt.Println(op == recording.Restore, owner, string(blob), err, in.Err)
	_, err = blocks.Next()
	fmt.Println(err == io.EOF)

	file[3]++
	_, err = recording.Read(bytes.NewReader(file)).Next()
	fmt.Println(err)
	// Output:
	// true 7 buff… <nil> <nil>
	// true
	// the checksum is wrong
}
