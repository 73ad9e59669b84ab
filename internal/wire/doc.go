// Package wire has what the binary forms of this module are made of: varints of the least possible
// length, texts with their length before them, and CRC-32C. Blobs of owners (package buff), records of
// a cut (store) and recordings (internal/recording) are written with it, so that one rule
// says what a number looks like and what a checksum is taken of.
//
//	7                07
//	300              ac 02
//	-1 (AppendInt)   01
//	"ox"             02 6f 78
package wire
