// Yardstick compares the cost of the engine with simpler designs that do less, on this machine:
//
//	go -C bench run ./yardstick                  all tables, in about ten minutes
//	go -C bench run ./yardstick events small     some tables
//	go -C bench run ./yardstick -quick           fewer rounds and smaller worlds, in about a minute
//
// The tables:
//
//	events      time of one event, in a fight and in a city, at 10⁴, 10⁵ and 10⁶ buffs
//	small       time of a Tick with 0, 1, 4 and 16 due events; time of an event in arenas of 100 players
//	handlers    two workers compared with one worker; handlers of 1, 5 and 20 µs, at 10⁴ and 10⁵ buffs
//	memory      bytes of a buff, and processor time of one garbage collection
//	calls       AddBuff of a new buff, a refresh, Remove
//	mass        the longest Tick when 300,000 buffs end in one millisecond
//	collection  duration of frames during a garbage collection
//
// In the fight each buff pulses every 3 s, so 1/60 of all buffs are due in each frame of 50 ms. In
// the city 6 of 100 buffs pulse. In each round, all worlds run one after the other, and each figure
// is the median of the rounds. Ratios within one run are therefore meaningful even if absolute
// times drift.
//
// The flag -worlds selects the worlds:
//
//	engine              the engine with default options
//	engine+quick        the engine with handlers that are declared quick
//	engine+data         the engine without Go handlers
//	engine+sync         the engine without workers
//	engine+history      the engine with the flight recorder
//	engine+sync+history the engine without workers and with the flight recorder
//	onelist+all         package onelist with all promises of the engine that it can keep
//	onelist             package onelist with only the order of events
//	structs             one flat array of structs, scanned in each frame
//	arrays              like structs, with the deadlines in a separate array
//	heap                container/heap of all deadlines
//
// TestSame shows that onelist and the engine produce the same events in the same order for each
// owner.
package main
