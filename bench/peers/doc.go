// Peers weighs the wheel and the mailboxes against other libraries. It is a module of its
// own, so that nobody who uses them downloads those:
//
//	go -C bench/peers run .           all, in turn, A B A B; prints what the report shows
//	cd bench/peers && go test -run '^$' -bench . -benchtime 2x
//	go -C bench/peers run . -timers 1000000 -rounds 3    package timer next to other libraries
//	cd bench/peers && go test -run '^$' -bench Fire -benchtime 1x -peers.most 10000000
//
// The rows of a benchmark run in the same minute on the same machine; those of the command
// have their turns in every round, and the ratio to ours is that of the round.
//
// # Wheels
//
// Each does the same: N timers wait, due on a grid of a second within 12 h, and are added,
// moved, removed by number, or fire as time goes on by steps of a second. Time is virtual
// in all rows.
//
//	row    is
//	wheel  this module's wheel
//	otter  otter v2, a cache: its timing wheel cannot be had without the cache around it,
//	       so its rows hold a map and a lock as well. It rounds up and may fire a step late
//	gozero the timing wheel of go-zero, with a slot for each second of the 12 h. It has a
//	       goroutine of its own, to which every call is handed, and a map of keys;
//	       what fires is called from another goroutine
//	btree  the ordered tree of tidwall/btree, without its lock, keyed by deadline and number
//
// container/heap, a flat wheel of 43,200 slots and time.AfterFunc are in bench, which needs
// no other module.
//
// Of the wheels that are best known, RussellLuo/timingwheel, antlabs/timer,
// thinkgos/timer, ouqiang/timewheel, rfyiamcool/go-timewheel and cherry-game's are
// missing: the module proxy that this project builds from does not have them. Wheels that
// cannot take a timer back are left out.
//
// # Pools
//
// One message goes to each of so many players, and a frame waits until all are handled.
//
//	row          is
//	pumps        this module's mailboxes, with as many tasks in ants as there are processors.
//	             They alone keep the order of a player's messages and never let two of its
//	             handlers meet
//	go           a goroutine for each message
//	ants-submit  one Submit to ants for each message
//	pond         one task of pond for each message
//	conc         one task of conc for each message; its pool is made anew in each frame, for
//	             it cannot be used again once it was waited for
package main
