// Package store saves zones to durable storage and restores them after a restart or a crash.
//
// A zone is one engine with its loop. A [Cut] is the state of a whole zone at the end of one
// frame: the blob of each owner ([engine.Engine.Save]) with the game's own data, the zone's
// clocks, and the ids of the executed commands. A [Store] holds exactly one cut of each zone,
// never a mixture of two:
//
//	Open    acquires the zone, fences off its previous writer and returns the last cut
//	Commit  applies the changes since the last cut: all of them or none
//	Load    reads the last cut without acquiring the zone
//
// # Who may write
//
// Each Open of a zone gives it a higher epoch. A [Batch] carries the epoch of its writer. A Commit
// whose epoch is not the current epoch of the zone is refused with [ErrFenced], so that a process
// that was paused, disconnected or slow cannot overwrite the work of its successor. The refused
// process must drop the zone and open it again.
//
// The Since field of a Batch names the last cut that its writer knows to be committed. If the
// connection breaks during a Commit, its outcome is unknown, but the writer need not find out.
// The next Batch holds all changes since the last acknowledged cut, so it has the same result
// whether the previous Batch was kept or not. A store that has lost an acknowledged cut returns
// [ErrLost]; it then accepts a Batch with Whole set, which contains the complete zone.
//
// # What a store promises
//
// When Commit returns nil, the cut is durable: any later Open or Load returns this cut or a later
// cut, whatever crashes. A Commit that failed or never returned is applied completely or not at
// all. An owner is in one zone of a store at a time. Each record has a CRC-32C, and a cut has a
// checksum over its records, so damaged data is detected when it is read. The reader gets an error
// with the location of the damage, never a wrong cut. A failed Open leaves the store unchanged.
//
// # Saving a running zone
//
// [Open] acquires a zone and returns a running engine restored from its last cut, with a [Saver]
// that makes further cuts while the game runs:
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
// At the end of a frame, once in each interval of Options.Every, a cut starts. Owners that have
// changed since the previous cut are copied in the state that they have at that time. Each frame
// copies a few of them, for at most Options.Share. An owner that is about to change is copied
// first, by the goroutine that changes it. Another goroutine commits the cut. The next cut does
// not start before this cut is on disk. If the process dies, the zone is restored from its last
// cut, which is at most Every plus one commit old.
//
//	call                           waits for the disk
//	Saver.After, WhenCommitted     never
//	Saver.Committed, Durable       the calling goroutine, which must not be the loop
//	Saver.SaveAll, Drain           the loop; for the end of a game
//
// The loop must call [Saver.Touch] before it changes an owner's data; changes that handlers make to
// their own owner are tracked automatically. Effects that must not be repeated, such as paying out
// gold, must wait for Committed or WhenCommitted, or be stored in the cut: see [Saver.Effects]. A cut does not
// contain timeouts that were set with a function value, handlers that a call by the loop has
// deferred to the next Tick, or commands for a busy owner that identify a buff by its handle.
//
// # Logging out and in
//
// [Saver.Park] removes the owner of a player who logs out from the engine, and keeps it in the
// zone. [Saver.Unpark] restores it. Each cut has an owner either in the engine or parked, so a
// crash neither loses nor duplicates it.
//
// # Moving owners between zones
//
// A [Mover] is a store with zones that can exchange owners. The stores of store/bolt and
// store/postgres and storetest.Memory are Movers. [Saver.Move] removes an owner from its engine,
// with its buffs, attributes, named timeouts and data; [Saver.Arrive] adds it to the engine of the
// other zone:
//
//	a's engine ──Move──▶ (leaving) ──a's cut──▶ in transit to b ──Arrive──▶ b's engine ──b's cut──▶ in b
//
// The owner's stored location changes with these two cuts. Each cut is one transaction, and is
// refused if another process has opened the zone. If the process dies before the first cut, the
// owner is restored in a. If it dies between the two cuts, the owner arrives in b again. If the
// acknowledgement of a commit is lost and the commit is repeated, the owner is not moved twice,
// even if it has moved on in the meantime. The two zones may belong to one process or to different
// processes. At startup, [ArriveAll] adds the owners that were in transit.
//
// Package store/storetest contains a conformance test for stores, including your own, an
// in-memory store, and a store that fails at random. Package store/record encodes the records of a
// store. Package store/bolt keeps zones in one file.
// The binary format is specified in docs/format.md.
package store
