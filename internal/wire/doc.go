// Package wire contains the elements of the binary formats of this module: varints of minimal
// length, strings with a length prefix, and CRC-32C. Blobs of owners (package internal/state),
// records of package store and recordings (package internal/recording) are made of them.
//
//	7                07
//	300              ac 02
//	-1 (AppendInt)   01
//	"ox"             02 6f 78
package wire
