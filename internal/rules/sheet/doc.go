// Package sheet holds the attributes of one owner: a base for each, and the modifiers of buffs.
// Package stat describes how a value is computed from them.
//
// [Sheet.SetBase] and [Sheet.AddBase] change a base. [Sheet.Add] adds a modifier, and
// [Sheet.Remove] removes it. The value of an attribute is computed from its base and modifiers
// when it is first read after a change.
//
// A [Sheet] has no goroutine, lock or clock, and does not know buffs: each modifier only stores a
// number that identifies its creator. A Sheet must not be used concurrently, not even for reading.
//
// # Cost
//
// [Sheet.Value] is O(1) while the sheet has not changed. After a change it costs one pass over the
// attribute's modifiers and a sort of them. Add, Remove and SetValue are O(1). If the changed
// attribute was read since its last change, they also take one step for each attribute that it
// limits. A modifier takes 32 bytes and an attribute 24, both without pointers. No memory is
// allocated once the Sheet has reached its maximum number of modifiers.
package sheet
