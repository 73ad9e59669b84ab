// Package history is a flight recorder: it keeps the events of the last minute in bounded memory,
// to be queried afterwards.
//
//	e, err := engine.New(engine.Options{Catalog: c, History: history.DefaultBytes})
//	...
//	for event := range e.History().Events(history.Query{Owners: []buff.OwnerID{81}}) {
//		fmt.Println(event)
//	}
//
// Queries return the events with the same fields, except Seq, and in the same order as in their
// Frames. Events older than a minute of game time, and those for which there is no room, are
// dropped. [Recorder.Since] returns the time from which the record is complete, so that a gap is
// never silent.
//
// Some changes have no event: pauses and rates of the time of an owner or a buff are in
// [Recorder.TimeChanges], and changes of an owner's attributes that are not in events are in
// [Recorder.SheetChanges].
//
// # Layout
//
// A [buff.Event] has about 150 bytes, most of them zero or repeated. A record stores only the
// relevant bytes, in words of eight bytes, and omits words that are the same as in the previous
// record:
//
//	63          48        32        16      9      4     0
//	┌────────────┬─────────┬─────────┬──────┬──────┬─────┐
//	│ms before   │ stacks  │ spec    │ why  │ kind │ has │   spec: a place in the chunk's table
//	│Seen        │         │         │      │      │     │
//	├────────────┴─────────┴─────────┴──────┴──────┴─────┤
//	│ Owner                    │ Source                  │   if not both are as before
//	├──────────────────────────┼─────────────────────────┤
//	│ ms from At to End        │ Magnitude               │   likewise
//	├──────────────────────────┴─────────────────────────┤
//	│ Handle                                             │
//	├────────────────────────────────────────────────────┤
//	│ rare fields, and Seen if not as before             │
//	└────────────────────────────────────────────────────┘
//
// For example, a pulse takes 24 bytes if its owner differs from the previous one. Adding events is
// a single pass over the events, which reads three cache lines for each. If the recorded chunks
// are larger than the cache, half of the time is spent writing to memory.
//
// Records are stored in chunks of 64 KiB, in the order of the events. No record spans two chunks,
// and each chunk can be read on its own. The oldest chunk is reused first. The loop goroutine
// writes once per frame. Any goroutine may read; readers copy one chunk at a time, so that the
// loop waits for at most a few microseconds.
package history
