// Package replay replays recordings. From the output of [engine.Options].Trace.Record it produces
// the same events, frame by frame, in another engine, which may be in another process and have any
// number of workers.
//
//	 the game                                     a test, a tool
//	┌────────┐ calls, Ticks, inbox  ┌───────────┐  the same calls  ┌────────┐
//	│ Engine │ ───────────────────▸ │ recording │ ───────────────▸ │ Engine │ ─▸ the same events,
//	└────────┘  a digest a frame    └───────────┘  digests compare └────────┘    or ErrDiffers
//
// It has three uses:
//
//   - [Run] reproduces in a debugger a bug that a server has seen once.
//   - After a change of the rules, Run replays last night's game, and [ErrDiffers] names the first
//     frame with different events.
//   - [Resume] continues the game of a process that has died. It continues at the last recorded
//     Tick, not at the last saved round: see docs/persistence.md.
//
// A recording contains the inputs of the engine, but not the effects of handlers, which run again.
// Handlers must therefore depend only on their arguments, the owner's data and their Context. A
// recording can only be read by the minor version that wrote it: see docs/versioning.md.
package replay
