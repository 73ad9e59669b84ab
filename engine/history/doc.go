// Package history is a flight recorder: it keeps the events of the last minute in bounded memory,
// so that they can be queried later.
//
//	e, err := engine.New(engine.Options{Catalog: c, Trace: engine.Trace{History: history.DefaultBytes}})
//	...
//	for event := range e.History().Events(history.Query{Owners: []buff.OwnerID{81}}) {
//		fmt.Println(event)
//	}
//
// Queries return the events in the same order as in their Frames and with the same fields, except
// Seq. Events older than a minute of game time, and events for which there is no room, are
// dropped. [Recorder.Since] returns the time from which the record is complete, so that missing
// events are never mistaken for no events.
//
// Some changes have no event: [Recorder.TimeChanges] returns pauses of the time of an owner or a
// buff, and changes of its rate, and [Recorder.SheetChanges] returns changes of an owner's
// attributes that are not in events.
//
// # Layout
//
// A [buff.Event] has about 150 bytes, most of them zero or repeated. A record stores only the
// relevant bytes, in words of eight bytes, and omits words that are the same as in the previous
// record:
//
//	63          48        32        16      9      4     0
//	┌────────────┬─────────┬─────────┬──────┬──────┬─────┐
//	│ms from At  │ stacks  │ spec    │ why  │ kind │ has │   spec: index in the chunk's table
//	│to Seen     │         │         │      │      │     │   has: flags of the fields that follow
//	├────────────┴─────────┴─────────┴──────┴──────┴─────┤
//	│ Owner                    │ Source                  │   omitted if both are unchanged
//	├──────────────────────────┼─────────────────────────┤
//	│ ms from At to End        │ Magnitude               │   omitted if both are unchanged
//	├──────────────────────────┴─────────────────────────┤
//	│ Handle                                             │
//	├────────────────────────────────────────────────────┤
//	│ rare fields, and Seen if it has changed            │
//	└────────────────────────────────────────────────────┘
//
// For example, a pulse takes 24 bytes if the previous record has another owner.
// Adding events is a single pass, which reads three cache lines for each event. If the recorded
// chunks are larger than the cache, half of the time is spent writing to memory.
//
// Records are stored in chunks of 64 KiB, in the order of the events. No record spans two chunks,
// and each chunk can be read on its own. The oldest chunk is reused first. The loop goroutine
// writes once per frame. Any goroutine may read; readers copy one chunk at a time, so that the
// loop waits for at most a few microseconds.
package history
