package record_test

import (
	"encoding/binary"
	"hash/crc32"
)

// reseal corrects the length and the checksum of a record.
func reseal(record []byte) []byte {
	binary.BigEndian.PutUint32(record[2:], uint32(len(record)))
	n := len(record) - 4
	binary.BigEndian.PutUint32(record[n:], crc32.Checksum(record[:n], crc32.MakeTable(crc32.Castagnoli)))
	return record
}
