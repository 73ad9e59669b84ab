// Yardstick compares the cost of the engine with simpler designs that do less, on this machine:
//
//	go -C bench run ./yardstick                  all tables, in about ten minutes
//	go -C bench run ./yardstick events small     some of them
//	go -C bench run ./yardstick -quick           fewer rounds and smaller worlds, in about a minute
//
// The tables:
//
//	events      time of one event, in a fight and in a city, at 10⁴, 10⁵ and 10⁶ buffs
//	small       time of a Tick with 0, 1, 4 and 16 due events, and of an event in arenas of 100 players
//	handlers    two workers compared with one, with handlers of 1, 5 and 20 µs, at 10⁴ and 10⁵ buffs
//	memory      bytes of a buff, and processor time of one garbage collection
//	calls       AddBuff of a new buff, a refresh, Remove
//	mass        the longest Tick when 300,000 buffs end in one millisecond
//	collection  frames during a garbage collection
//
// In the fight each buff pulses every 3 s, so that 1/60 of all buffs are due in a frame of 50 ms;
// in the city 6 of 100 buffs pulse. In each round, all worlds run one after the other. Each figure
// is the median of the rounds. So ratios within one run are meaningful even if absolute times
// drift.
//
// The worlds, which the flag -worlds selects:
//
//	engine              default options
//	engine+quick        the same, with handlers that are declared quick
//	engine+data         the same, without Go handlers
//	engine+sync         without workers
//	engine+history      default options with the flight recorder
//	engine+sync+history without workers, with the flight recorder
//	onelist+all         package onelist with all promises of the engine that it can keep
//	onelist             package onelist: order only
//	structs             one flat array of structs, scanned in each frame
//	arrays              the same, with the deadlines in a separate array
//	heap                container/heap of all deadlines
//
// TestSame shows that onelist and the engine produce the same events in the same order for each
// owner.
package main
