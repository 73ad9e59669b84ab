// Peers compares the wheel and the mailboxes with other libraries. It is a separate module, so
// that users of bufftick do not download these libraries:
//
//	go -C bench/peers run .           all tables, in alternating rounds (A B A B); prints the data for the report
//	cd bench/peers && go test -run '^$' -bench . -benchtime 2x
//	go -C bench/peers run . -timers 1000000 -rounds 3    package timer and other libraries
//	cd bench/peers && go test -run '^$' -bench Fire -benchtime 1x -peers.most 10000000
//
// The rows of a benchmark run within the same minute on the same machine. In each round, the
// command measures every row once, and computes the ratio of each row to our code.
//
// # Wheels
//
// In each row, N timers with a resolution of one second wait for up to 12 h. The timers are added,
// moved or removed by their number, or they fire as time advances in steps of a second. All rows
// use virtual time.
//
//	row    is
//	wheel  this module's wheel
//	otter  otter v2, a cache: its timing wheel is only available inside the cache, so its
//	       rows include a map and a lock. It rounds up and may fire one step late
//	gozero the timing wheel of go-zero, with a slot for each second of the 12 h. It passes
//	       every call to its own goroutine and has a map of keys; it fires timers on
//	       another goroutine
//	btree  the ordered tree of tidwall/btree, without its lock, keyed by deadline and number
//
// container/heap, a flat wheel of 43,200 slots and time.AfterFunc are measured in bench, because
// they need no other module.
//
// Several well-known wheels are missing, because the module proxy used to build this project does
// not have them: RussellLuo/timingwheel, antlabs/timer, thinkgos/timer, ouqiang/timewheel,
// rfyiamcool/go-timewheel and cherry-game's. Wheels that cannot cancel a timer are left out.
//
// # Pools
//
// In each frame, one message is sent to each of N players. The frame ends when all messages have
// been handled.
//
//	row          is
//	pumps        this module's mailboxes, with as many tasks in ants as there are processors.
//	             Only they keep the order of a player's messages and never run two of its
//	             handlers at the same time
//	go           a goroutine for each message
//	ants-submit  one Submit to ants for each message
//	pond         one task of pond for each message
//	conc         one task of conc for each message, with a new pool in each frame, because a
//	             pool cannot be used again after Wait
package main
