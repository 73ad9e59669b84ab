// Package slots stores records of 64 bytes for many owners. The rules keep the running buffs of a
// player in it, but the package knows nothing of buffs.
//
// A [Slots] has the records of one owner. Each record is in a slot, which has a number:
//
//	slot, r := s.Alloc(memory) // a free slot, now the newest, and its record
//	r = s.Record(slot)         // the record, for reading and writing
//	s.Free(slot)               // the slot may be used again
//
//	for slot := s.Oldest(); slot != slots.None; slot = s.Record(slot).Newer() { … }
//
// Each use of a slot has a generation. A number and a generation together identify a record for
// ever: [Slots.Has] is false once the record has been freed, even if the slot is used again.
//
// Two fields of a slot are stored apart from its record, so that a search reads little memory: a
// key of 64 bits, see [Slots.Keys], and a hash of 16 bits, see [Slots.Hashes].
//
// A [Memory] has the records of all Slots. When a Slots is full, Alloc moves its records to a
// larger piece of the Memory. A pointer to a record is therefore valid until the next Alloc of the
// same Slots.
//
// # Layout
//
//	chunk of the Memory    ┌ piece of one Slots ──────────┬ piece ─────────────
//	in lines of 64 bytes   │ slot slot slot slot keys,name│ slot slot slot …
//	                       └──────────────────────────────┴────────────────────
//
// With many owners nearly every access to memory is a cache miss. A record is one
// cache line. It ends with a [Header]: its generation and its two neighbors by age. The keys of a Slots are a row
// of words after its slots, and the hashes are a second row, four in a word. A chunk contains no
// pointers, so the garbage collector does not scan it. A record must contain no pointers either.
//
// Slots and rows are computed from one pointer, with unsafe; access beyond the piece panics. It is
// the only use of unsafe in the rules.
package slots
