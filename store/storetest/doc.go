// Package storetest provides a conformance test for stores, an in-memory store, a store with
// random faults, and a simulated disk that loses unsynced writes.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) storetest.Open {
//			path := filepath.Join(t.TempDir(), "zones")
//			return func() (store.Store, error) { return mystore.Open(path) }
//		})
//	}
//
// [Memory] is for tests of games, and is the reference against which [Run] compares a store.
// [Faulty] wraps a store and injects faults chosen from a seed: commits that fail, that fail
// although they are kept, or that wait until the test releases them. It also injects faults that
// a correct store cannot have, so that you can check that your test detects them. [Trace] records
// the writes and syncs of a program, and [Disk.Crash] constructs the file that a power loss would
// have left.
package storetest
