// Package sheet holds the attributes of one owner: a base for each, and the modifiers that buffs put on it. How a
// value is worked out from them is what package stat says.
//
// A base is changed by [Sheet.SetBase] and [Sheet.AddBase]. A modifier is put on by [Sheet.Add] and taken off by
// [Sheet.Remove]. No value is ever changed in place and changed back: it is worked out when it is first asked for
// after a change.
//
// A [Sheet] has no goroutine, no lock and no clock, and knows nothing of buffs; a modifier carries the number of
// whoever put it there. One goroutine at a time may use a Sheet, and reading is using.
//
// # Cost
//
// [Sheet.Value] is O(1) while nothing has changed. After a change it costs one pass over the attribute's modifiers
// and a sort of them. Add, Remove and SetValue are O(1), and one more for each attribute that is limited by this
// one, the first time after it was read. A modifier takes 32 bytes, an attribute of a Sheet 24, none of them with a
// pointer in it. Nothing is allocated once the Sheet has held as many modifiers as it will.
package sheet
