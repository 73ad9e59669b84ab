// Package peers weighs the wheel against other libraries. It is a module of its own, so
// that nobody who uses the wheel downloads them:
//
//	cd bench/peers && go test -run '^$' -bench . -benchtime 2x
//
// The rows stand in the same benchmark and run in the same minute on the same machine.
//
//	row    is
//	wheel  this module's wheel
//	otter  otter v2, a cache: its timing wheel cannot be had without the cache around it,
//	       so its rows hold a map and a lock as well. Its time is virtual, as ours is
//
// The flat wheel, container/heap and time.AfterFunc are in bench, which needs no other
// module.
package peers
