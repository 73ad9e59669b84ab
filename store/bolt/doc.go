// Package bolt stores zones in one file, without a server: a [store.Store] on top of
// go.etcd.io/bbolt, for a game that is one process.
//
//	s, err := bolt.Open("world.db", bolt.Options{})
//	if err != nil {
//		return err // the message names the cause, such as a lock or damage, and the remedy
//	}
//	defer s.Close()
//
// A commit is one transaction. First its pages are written and synced, and then the meta page
// that refers to them. After a power loss, the file has either the cut before or the cut after
// the commit. A commit costs two syncs, 0.6 to 2.8 ms on the disks we have measured, regardless
// of its size, so commit in batches.
//
// bbolt checks only its two meta pages, which refer to all other pages. Therefore Open first
// reads the whole file and checks that every page is well-formed, and is either free or reachable
// in exactly one way. In addition, every record has a checksum. Reading takes some 0.1 s for 100
// MB in memory.
//
// If the last meta page to be written is damaged, Open uses the other meta page, and the file is
// in the state before the last transaction. A power loss in the middle of a commit also damages
// that page and cannot be distinguished from later damage, so [Store.Warning] reports both.
//
// # Moves
//
// Store is a [store.Mover], so [store.Saver.Move] can move an owner from one zone of the file to
// another. The commit that removes the owner from its zone adds it to the owners in transit,
// under the number of the move, and sets its location to the destination. The first commit of the
// other zone that contains the owner removes it from the owners in transit. Each of the two
// commits is one bbolt transaction. So an owner is in exactly one place at any time, and no owner
// is lost or duplicated if the process is killed. Repeating a commit does not move an owner
// again, because the zone is already at the frame of the move.
//
// # Compaction
//
// bbolt reuses free pages, but never makes a file smaller. [Compact], which "bufftick cut
// -compact" calls, locks the file, reads every zone, copies everything to a new file next to it,
// compares the two files, syncs the new file, and renames it to the path of the old file. The old
// file is never written to. So after a crash or a power loss, either the old file or the new file
// is at the path, and it is complete.
//
// # While the file is open
//
// Before and after each commit the path is compared with the open file. If the file has been
// removed, renamed, replaced, truncated or overwritten with an older copy, the commit is not
// acknowledged and every later commit fails with [store.ErrBroken], because the next process could
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
