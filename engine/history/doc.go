// Package history is a flight recorder: it keeps what the last minute brought, in bounded memory,
// and answers afterwards what happened to whom.
//
//	e, err := engine.New(engine.Options{Catalog: c, History: history.DefaultBytes})
//	...
//	for event := range e.History().Events(history.Query{Owners: []buff.OwnerID{81}}) {
//		fmt.Println(event)
//	}
//
// The events come back as they were in their Frames, with every field but Seq, in the same order. What is
// older than a minute of game time, or for which there is no room, is gone, and [Recorder.Since]
// says from when on all is known: no answer leaves something out in silence.
//
// How time passes for an owner and for its buffs, no event tells: [Recorder.TimeChanges] does, of each
// pause, of each that ends, and of each other rate. Nor do they tell all by which the attributes of an owner are
// worked out: the rest is with [Recorder.SheetChanges].
//
// # Layout
//
// A [buff.Event] has some 150 bytes, of which few say something. A record has only these, in words of
// eight bytes, and leaves out what is as in the record before it:
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
//	│ what few events have, and Seen if it is another    │
//	└────────────────────────────────────────────────────┘
//
// A pulse that is not of the owner before has 24 bytes. It is taken in by one pass over the events, of which each has
// three lines of the cache; with a ring that is larger than the cache half of the time is that of writing to memory.
//
// Records stand in chunks of 64 KiB, in the order of the events; no record is in two, and each chunk can be
// read without the others. The oldest chunk is the next one to be written to. The
// goroutine of the loop writes, once in each frame; any goroutine reads, and copies one
// chunk at a time, so that the loop waits for a few microseconds at most.
package history
