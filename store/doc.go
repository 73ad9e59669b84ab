// Package store keeps zones on disk: what a game may lose when its process dies, and how it
// comes back.
//
// A zone is one engine with its loop. A [Cut] is the state of a whole zone at the end of one
// frame: the blob of each owner ([engine.Engine.Save]), the game's own bytes beside it, the
// zone's clocks, and the ids of the commands that have been done. What a [Store] has of a zone
// is always exactly one cut, never a mixture of two:
//
//	Open    takes the zone: whoever had it is fenced off, and its last cut comes back
//	Commit  makes the next cut of the last one, by what has changed: all of it or nothing
//	Load    reads the last cut and takes nothing
//
// # Who may write
//
// Each Open of a zone gives it a higher epoch. A [Batch] carries the epoch of its writer, and
// a Commit with any other one than the zone's is refused with [ErrFenced]: a process that has
// been paused, or cut off, or is just slow, cannot write over what its successor has. It must
// drop the zone and open it again.
//
// A Batch says which cut it follows, in Since: the last one that its writer knows to be
// committed. So a Commit whose outcome nobody knows, because the connection broke in the
// middle, needs no inquiry: the next Batch holds what has changed since the last cut that was
// acknowledged, and comes to the same whether the one before has been kept or not. A store that
// has lost an acknowledged cut says so with [ErrLost], and takes a Batch that is Whole.
//
// # What a store promises
//
// A Commit that returned nil is on disk: it is in what any later Open or Load gives, whatever
// dies. One that failed, or never returned, is there wholly or not at all. An owner is in one
// zone of a store at a time. What is damaged is found when it is read, by a CRC-32C of each
// record and a sum over the records of a cut, and is an error that says where, never a wrong
// cut. A failed Open changes nothing.
//
// # A zone that survives
//
// [Open] takes a zone, gives back a running engine as of its last cut, and a [Saver] that makes the
// next ones while the game goes on:
//
//	disk, err := bolt.Open("world.db", bolt.Options{})
//	zone, err := store.Open(ctx, disk, "arena", engine.Options{Catalog: catalog}, store.Options{
//		Marshal: …, Unmarshal: …, // the game's own data of an owner
//	})
//	eng := zone.Engine()
//	for range ticker.C {
//		frame := zone.After(eng.Tick(50 * time.Millisecond))
//		…
//	}
//	err = zone.Drain(ctx)
//
// Once in Options.Every a cut begins, at the end of a frame. Owners that have changed since the last
// one are copied as they are then: a few in each frame (Options.Share), and first those that are about to
// change, by whoever changes them. A goroutine commits the cut, and the next one begins when it is on
// disk. If the process dies, the zone comes back as its last cut: Every and one commit old at most.
//
//	what                           waits for the disk
//	Saver.After                    no
//	Saver.Committed, Durable       the caller, never the loop
//	Saver.SaveAll, Drain           the loop: at the end of a game
//
// The game says [Saver.Touch] before it changes data of an owner on the loop; what handlers change of
// their own owner is known. What must not happen twice, as gold that is paid out, is given out after
// Committed, or kept in the cut until it is: [Saver.Effects]. Not in a cut are timeouts by function, handlers that a call of the loop has put
// off to the next Tick, and commands for a busy owner that name a buff by its handle.
//
// # From zone to zone
//
// A [Mover] is a store whose zones can exchange owners: store/bolt, store/postgres and storetest.Memory are.
// [Saver.Move] removes an owner from its engine, with its buffs, attributes, named timeouts and data;
// [Saver.Arrive] adds it to the engine of the other zone:
//
//	a's engine ──Move──▶ (leaving) ──a's cut──▶ on its way to b ──Arrive──▶ b's engine ──b's cut──▶ in b
//
// The stored state changes with the two cuts. Each is one transaction, and is refused if its zone has a new owner.
// If the process dies before the first cut, the owner is restored in a; between the two cuts it
// arrives in b again. A commit whose answer was lost does not move an owner twice, wherever it has gone since.
// The two zones may belong to one process or to different ones.
//
// Package store/storetest has the tests that each store must pass, also one of your own, with a
// store in memory and one that fails on a seed. Package store/bolt keeps zones in one file. What
// the bytes are is in docs/format.md.
package store
