// Package state defines the saved state of one owner: plain structs, and the two forms in which
// they are written, a binary blob and JSON. It knows no rules: package rules exports an owner into
// this form and imports it again.
//
// [Decode] reads a blob into an [Owner], and [Owner.Append] writes one. [Writer] writes the same
// bytes buff by buff, so that saving an owner allocates no memory. [Owner.JSON] and [ParseJSON]
// convert to and from JSON, for people. All functions that return an Owner check limits: such an
// Owner has no value that an owner of an engine could not have had.
//
// # The blob
//
//	"buff"     4 bytes
//	format     1 byte, now 7
//	length     4 bytes, big-endian, of the whole blob
//	contents   see coder.owner
//	check      4 bytes: CRC-32C of everything before
//
// Numbers are varints of minimal length; signed numbers are in zigzag encoding. A name is its
// length followed by its bytes, and a list is its length followed by its entries. Definitions,
// tags, groups, parameters and handlers are saved by name, and instants in ms relative to the
// moment of saving, so that a blob has the same meaning in another process and with other
// definitions. The same contents always give the same blob.
//
// # Formats
//
// Every format can be read, now and in all later versions. In an older format some fields are
// missing. [Owner.Upgrade] sets them to the meaning that a blob of that format had:
//
//   - Format 1 has no attributes, numbers and captures.
//   - Format 2 adds them. It has no appliers. For an async stack it has the time of the last pulse
//     instead of the lag.
//   - Format 3 adds appliers and lags. It does not say which buffs are links of which heads; a link
//     of a definition is assumed to be the oldest instance of the same source.
//   - Format 4 adds the heads of links. Applications waiting in a queue have no numbers and use the
//     numbers of the buff.
//   - Format 5 adds the numbers of waiting applications. It has no event count; the count is
//     assumed to be 0.
//   - Format 6 adds the event count. It has no area; the area is assumed to be 0. It does not say
//     how many stacks each head of a link has added; the number is assumed to be 0. Async stacks
//     have no shields, charges and numbers. The stack that ends last is assumed to have the shield
//     and charges of the buff, all other stacks to have full shields and charges, and all stacks to
//     have the numbers of the buff.
//   - Format 7 adds the fields that format 6 does not have.
//
// # One list of fields
//
// The methods of coder list the fields of each struct once, in their binary order, with their
// limits. The same list serves to write a blob, to read a blob, and to check an Owner that was read
// from JSON. Only Buff.appendCommon repeats a part of it, because that makes saving faster.
//
// To add a field: add it to the struct, to a method of coder and, if it may be missing, to the
// mask; raise Format; let Upgrade give the field its meaning in older formats; and let package
// rules export it (save.go) and import it (restore_buff.go, restore_place.go).
package state
