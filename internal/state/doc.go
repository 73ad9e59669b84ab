// Package state is the saved state of one owner: plain structs, and the two forms in which they
// are written, a binary blob and JSON. It knows no rules: package buff exports an owner into this
// form and imports it again.
//
// [Decode] reads a blob into an [Owner], and [Owner.Append] writes one. [Writer] writes the same
// bytes piece by piece, so that saving an owner needs no memory. [Owner.JSON] and [ParseJSON] are
// for people. All of them check limits: an Owner that they return has no value that an owner could
// not have had.
//
// # The blob
//
//	"buff"     4 bytes
//	format     1 byte, now 7
//	length     4 bytes, big-endian, of the whole blob
//	contents   see coder.owner
//	check      4 bytes: CRC-32C of everything before
//
// Numbers are varints of minimal length, signed ones in zigzag encoding. A name is its length and
// its bytes, a list its length and its entries. Definitions, tags, groups, parameters and handlers
// are saved by name, instants as ms relative to the moment of saving, so that a blob has the same
// meaning in another process and with other definitions. There is exactly one blob for the same
// contents.
//
// # Formats
//
// Every format can be read, now and in all later versions. [Owner.Upgrade] gives missing fields the
// meaning that they had:
//
//   - 1 has no attributes, numbers and captures.
//   - 2 adds them. It has no appliers, and the last pulse of an async stack instead of its lag.
//   - 3 adds appliers and lags. It does not say which buffs are links of which heads; a link of a
//     definition is assumed to be the oldest instance of the same source.
//   - 4 adds the heads of links. Applications waiting in a queue have no numbers and use the
//     numbers of the buff.
//   - 5 adds these numbers. It has no event count; it is assumed to be 0.
//   - 6 adds the event count. It has no zone, which is assumed to be 0, and does not say how many
//     stacks each head of a link has added, which is assumed to be none. Async stacks have no
//     shields, charges and numbers: the one that ends last has the shield and charges of the buff,
//     the others have full ones, and all have the numbers of the buff.
//   - 7 adds them.
//
// # One list of fields
//
// The methods of coder list the fields of each struct once, in their binary order, with their
// limits. The same list writes a blob, reads it, and checks an Owner that was read from JSON.
package state
