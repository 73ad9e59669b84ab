// Package bolt keeps zones in one file, without a server: a [store.Store] over
// go.etcd.io/bbolt, for a game that is one process.
//
//	s, err := bolt.Open("world.db", bolt.Options{})
//	if err != nil {
//		return err // locked, damaged, from the future: it says which, and what to do
//	}
//	defer s.Close()
//
// A commit is one transaction: its pages are written and synced, then the page that points at
// them is. So what a power loss leaves is the cut before or the cut after. A commit costs two
// syncs, 0.6 to 2.8 ms on the disks we have seen, whatever is in it: commit in batches.
//
// bbolt has a check of the page that points at all others, and none of those. So Open walks over
// the whole file before bbolt sees it: each page is what it should be, is reached once or is
// free, and all of them are there. What a record says has a check of its own. The walk reads the
// file once: some 0.1 s for 100 MB that are in memory.
//
// If the last of the two pages that point at all others is damaged, the file is as it was one
// commit before. That is what a power loss in the middle of a commit leaves, and nobody can tell
// it from damage to that page later: [Store.Warning] says that it is so.
package bolt
