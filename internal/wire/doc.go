// Package wire contains the elements of the binary formats of this module: varints of minimal
// length, strings with a length prefix, and CRC-32C. Blobs of owners (package buff), records of
// a cut (store) and recordings (internal/recording) use it, so that numbers and checksums
// follow one rule.
//
//	7                07
//	300              ac 02
//	-1 (AppendInt)   01
//	"ox"             02 6f 78
package wire
