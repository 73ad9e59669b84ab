// Package replay plays a recording again: what [engine.Options].Trace.Record has got of a run leads another
// engine, in another process, to the same events, frame by frame, with any number of workers.
//
//	 the game                                     a test, a tool
//	┌────────┐ calls, Ticks, inbox  ┌───────────┐  the same calls  ┌────────┐
//	│ Engine │ ───────────────────▸ │ recording │ ───────────────▸ │ Engine │ ─▸ the same events,
//	└────────┘  a digest a frame    └───────────┘  digests compare └────────┘    or ErrDiffers
//
// It has three uses. A bug that a server has seen once is run again at a desk, with a debugger: [Run].
// A change of the rules is tried on last night's game: where the two part, [ErrDiffers] names the frame.
// And a process that died goes on where it was, not at the last cut: [Resume], see docs/persistence.md.
//
// A recording holds what went into the engine, and not what handlers did: they do it again. So
// handlers must depend on nothing but their arguments, the owner's data and what Context says.
// A recording is read by the same minor version that wrote it: docs/versioning.md.
package replay
