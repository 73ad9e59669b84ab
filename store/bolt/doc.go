// Package bolt stores zones in one file, without a server: a [store.Store] on top of
// go.etcd.io/bbolt, for a game that is one process.
//
//	s, err := bolt.Open("world.db", bolt.Options{})
//	if err != nil {
//		return err // locked, damaged, from the future: the message names the cause and the remedy
//	}
//	defer s.Close()
//
// A commit is one transaction: its pages are written and synced, then the page that refers to them
// is. After a power loss, the file has either the cut before or the cut after the commit. A commit
// costs two syncs, 0.6 to 2.8 ms on the disks we have measured, regardless of its size: commit in
// batches.
//
// bbolt checks its two meta pages, which refer to all others, and no other page. So Open reads
// the whole file first: every page must be well-formed, and either be reachable exactly once or
// be free. Every record has a checksum of its own. Reading takes some 0.1 s for 100 MB in
// memory.
//
// If the meta page that was written last is damaged, the file is read in the state of the
// transaction before. A power loss in the middle of a commit has the same effect and cannot be
// distinguished from damage at a later time; [Store.Warning] reports both.
//
// # Moves
//
// Store is a [store.Mover]: an owner moves from one zone of the file to another with
// [store.Saver.Move], also if both zones belong to one process. The commit that removes the owner
// from its zone also adds it to the owners in transit, with a number, and sets its location to the
// destination; the first commit of the other zone that contains the owner removes it from the
// owners in transit. Each of the two commits is one bbolt transaction. So an owner is in exactly
// one place at any time, and none is lost or duplicated if the process is killed. Repeating a
// commit does not move an owner again, because the zone is already at the frame of the move.
//
// # Compaction
//
// bbolt reuses free pages, but a file never becomes smaller. [Compact], which "bufftick cut
// -compact" calls, locks the file, reads every zone, copies everything to a new file next to it,
// compares the two, syncs the new file, and renames it to the old one's path. The old file is
// never written to, so a process that is killed, or a power loss, leaves the old file or the new
// one at the path, each complete.
//
// # While the file is open
//
// Before and after each commit the path is compared with the open file. If the file has been
// removed, renamed, replaced, truncated or overwritten with an older copy, the commit is not
// acknowledged and every later one fails with [store.ErrBroken], because the next process could
// not find the data. A page that cannot be read, because of the disk or a truncated file, is a
// [store.DamageError] for the zone that needs it; the process and the other zones of the file
// continue.
//
// Several zones may share a file, each with its own [store.Saver]. They must also share the
// Reopen function of their store.Options, so that the file is reopened once for all of them:
//
//	reopen := func() (store.Store, error) {
//		mu.Lock()
//		defer mu.Unlock()
//		if disk.Broken() == nil {
//			return disk, nil // another zone has reopened it
//		}
//		again, err := bolt.Open("world.db", bolt.Options{})
//		if err == nil {
//			disk = again
//		}
//		return again, err
//	}
package bolt
