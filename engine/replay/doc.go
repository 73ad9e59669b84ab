// Package replay replays recordings: from the output of [engine.Options].Trace.Record, another
// engine, in another process and with any number of workers, produces the same events, frame by
// frame.
//
//	 the game                                     a test, a tool
//	┌────────┐ calls, Ticks, inbox  ┌───────────┐  the same calls  ┌────────┐
//	│ Engine │ ───────────────────▸ │ recording │ ───────────────▸ │ Engine │ ─▸ the same events,
//	└────────┘  a digest a frame    └───────────┘  digests compare └────────┘    or ErrDiffers
//
// It has three uses. Reproduce a bug that a server has seen once, in a debugger: [Run]. Try a
// change of the rules on last night's game: [ErrDiffers] names the first frame that differs. And
// continue a process that has died at the last recorded Tick, not at the last saved round:
// [Resume], see docs/persistence.md.
//
// A recording holds the inputs of the engine, but not the effects of handlers, which run again.
// So handlers must depend only on their arguments, the owner's data and their Context. A
// recording can be read by the minor version that wrote it: see docs/versioning.md.
package replay
