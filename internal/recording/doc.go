// Package recording defines the format written to engine.Options.Trace.Record: the inputs of a
// run. Package engine writes it, and package engine/replay reads it.
//
//	block   length (uvarint), bytes, CRC-32C of the bytes (4 bytes, little-endian)
//	first   the [Header]: the options of the engine
//	other   the calls since the last Tick, the Tick, its inbox commands, a [Digest]
//
// A call is an [Op] followed by its numbers, as signed varints, and its byte strings with their
// lengths. The commands that handlers issue are not recorded, because handlers run again in a
// replay. [Loop] gives package replay access to internal functions of an engine.
package recording
