// Package storetest has the tests that every store passes, a store in memory, one that fails as
// disks and networks do, and a disk that forgets.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) storetest.Open {
//			path := filepath.Join(t.TempDir(), "zones")
//			return func() (store.Store, error) { return mystore.Open(path) }
//		})
//	}
//
// [Memory] is for tests of games and for the reference beside which [Run] plays a store.
// [Faulty] puts faults before a store, by dice from a seed: commits that fail, that are kept
// although they fail, that wait until the test lets them go, and, to see that a test of yours
// would find it, faults that no store may have. [Trace] is what a program has written to a file
// and when it asked for it to be on disk; [Trace.Crash] makes the file that a power loss would
// have left.
package storetest
