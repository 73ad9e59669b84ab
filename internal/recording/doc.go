// Package recording is the form of what engine.Options.Trace.Record gets: the inputs of a run. Package
// engine writes it, and package engine/replay reads it.
//
//	block   length (uvarint), bytes, CRC-32C of the bytes (4 bytes, the lowest first)
//	first   the [Header]: what the engine was
//	other   the calls since the Tick before, the Tick, what it took from the inbox, a [Digest]
//
// A call is an [Op] and its numbers, signed varints, and bytes with their length before them. What
// handlers did is not in a recording: they do it again. [Loop] is the door by which a replay gets at
// what an engine has for it alone.
package recording
