// Bench measures the engine, and at the same time checks that no event is lost, early or
// duplicated. The command "report" runs everything and writes a report:
//
//	go -C bench run . run -quick            all profiles, shortened to a minute in total
//	go -C bench run . run siege -targets 80 one profile, with another parameter; run siege -help lists them
//	go -C bench run . scale                 cost of an event from 1,000 to 1,000,000 players
//	go -C bench run . rivals                the engine and hand-written alternatives
//	go -C bench run . wheel                 the wheel alone, a heap, a flat wheel, and AfterFunc
//	go -C bench run . cuts                  how much saving makes frames longer; time to restore a zone
//	go -C bench run . viewers               cost of showing buffs to 4,000 players; also JSON and Colyseus
//	go -C bench run . report                everything: tables, charts, run.json, bench.txt, ticks.csv,
//	                                        and the figures of the README
//	go -C bench run . compare main .        compare the speed of two commits: A B A B, with benchstat
//	go -C bench run . gate                  the checks of CI
//	go -C bench run ./yardstick             the engine and simpler designs: events, small Ticks, calls, memory
//
// Bench is a separate module, so that programs that require the engine do not require a chart
// library. The command runs in the module's folder, and paths are relative to this folder.
//
// The report of this repository is in the folder report. The marked parts of the README are
// generated together with the report, and a test compares them with report/run.json. After a change
// of the templates, report -from report/run.json generates the pages again without measuring. The
// flag -parts measures some parts again and keeps the others.
//
// Flags may have one dash or two. The flag -profile, with the value cpu, mem, mutex or trace,
// writes a profile of any command. With -realtime each frame takes its 50 ms; without it, frames
// run back to back. The exit code is 1 if a check failed, and 2 if the command could not be run.
//
// # Profiles
//
//	   name     simulates                                     shows
//	A  city     5,000 players with 25 long buffs each,        the cost of idle players
//	            15 % of which pulse every 3 to 6 s
//	B  raids    100 raids of 40 players in steady fight:      the cost of a fight
//	            9,000 AddBuff per second, 62 % new, 28 %
//	            refreshes, 10 % stacks; lifetimes from a
//	            public log, dispels, changed periods,
//	            casts from player to player
//	C  siege    2,000 players on one field; every 2 s a hit   that a burst fits into its frame
//	            adds 3 debuffs to 500 of them
//	D  storm    3,000 players log in within a minute with 25  that saved buffs are restored to the
//	            buffs each, others log out; 500 events per    millisecond, and the cost
//	            second on a player who stays
//	E  boss     one creature with 400 buffs of 300 players,   that one owner, which cannot be split,
//	            450 applications and 200 pulses per second    is processed in order
//	F  cascade  a million timers on the wheel, due in 1 s to  that frames at an hour boundary are
//	            12 h and 1 % later, across an hour            not longer
//	G  cancel   200,000 buffs, most of which are removed or   that cancelled buffs cost nothing, and
//	            moved; 10^7 cancels, and 10^8 on the wheel    memory stays constant
//	            alone; -cancels 100000000 does 10^8 on the
//	            engine too, in about 8 minutes
//	H  stall    the raids; every 20 s the server stops for    that order is kept, and the time to
//	            5 s, with a budget of 10 ms per Tick          catch up
//	I  empty    0 to 10 players, 1,000 frames per second      the cost of an empty Tick
//	J  soak     ten raids of 40 for 24 hours                  that there is no drift and no leak
//	K  slow     the raids; the handlers of one player in a    that other players are not affected
//	            hundred sleep for 20 ms
//	L  crowd    the raids, with twice as many spinning        that players do not count as stuck
//	            goroutines as processors                      because the machine is busy
//
// The rates are from four public combat logs, mostly PvP. In these logs a player gets about 1.4 new
// buffs per second, and per 100 new buffs there are 43 to 73 refreshes and 8 to 17 added stacks.
// Half of the buffs last less than 6 s.
//
// # Verification
//
// Package load predicts from the calls alone which pulses and ends must happen, and when. Every
// event is compared with the prediction, to the millisecond. If an event is missing, the run fails.
//
// # Which figures to trust
//
// Absolute times drift by a third within hours on a shared machine. Therefore values to be compared
// are measured alternately (A B A B), and their ratio is given with its spread. The times of the
// rivals are divided by the time of the engine. The commands "gate" and "compare" divide the time
// of each step by the time of an event in a heap, which no change to the engine affects. Each
// sample comes from its own process, because memory layout affects the result. The command "gate"
// fails if a step allocates, or if a ratio is more than 50 % above the recorded ratio. The command
// "compare" alternates between two commits, and so finds smaller changes.
//
// # Checks in CI
//
// CI checks no absolute times. It checks the number of allocations of a step, and the ratio of the
// time of a step to the time of an event in the heap, as the median of five processes and with a
// margin of 50 %. An instruction count would be more stable, but virtual machines usually have no
// counter for it.
//
// # Benchmarks
//
// The benchmarks in this folder measure single calls. Rows that should be compared are in the same
// benchmark. Run the benchmarks with go -C bench test -run '^$' -bench .
//
//	benchmark   measures                                        rows
//	Add         adding a deadline                               wheel, heap, AfterFunc
//	Cancel      removing a deadline                             wheel, heap, AfterFunc
//	Fire        firing a deadline                               wheel, heap, AfterFunc
//	Tick        a frame, per player and event                   one goroutine, ants, a scan of all buffs
//	Due         a frame with 4,096 due pulses                   the engine, in place, one Submit for each; ratios
//	Idle        a frame with no due pulses                      no owners, a million waiting buffs
//	Buffs       one call among 10^5, 10^6 buffs                 new, refresh, remove; the lower bound
//	Hand        passing work to a worker                        mailboxes, one Submit for each message
//	Memory      bytes                                           a player, a buff, at 10^5 and 10^6
//
// The following benchmarks measure the wheel alone, with 10^4 to 10^6 timers (-wheel.most 10000000
// for more). They compare it with container/heap and with a flat wheel of 43,200 slots, which does
// not order timers within a second. The row "floor" only stores the deadline.
//
//	benchmark       measures
//	WheelAdd        adding a tenth more timers; WheelRemove: removing them in random order
//	WheelLater      moving a random timer to a later deadline; WheelEarlier: moving it back
//	WheelFire       firing all timers within 12 h, including all moves between levels
//	WheelPeriodic   one firing, if each timer is moved when it fires, every 3 s
//	WheelMix        one call in the proportions of a game, including frames
//	WheelFrames     the longest frame of a day, relative to its second and to similar frames
//	WheelMemory     bytes per timer after churn, and the duration of a garbage collection
//	WheelAfterFunc  time.AfterFunc instead of WheelAdd
//	WheelFloor      accessing records of the same size, without a data structure
//
// Due, Idle, Buffs and Memory print the goal next to each figure. The unit loop-ns is processor
// time of the loop's thread. Other processes affect it less than they affect elapsed time.
//
// Read the metric whose unit matters to you: ns/timer, ns/player, ns/event, ns/call, ns/message or
// B/buff. The metric ns/op is the cost of a whole batch and means little. Other libraries are
// measured in bench/peers, a separate module.
//
// # Limits of the figures
//
// The handlers do almost nothing, so the figures describe the engine, not a game. The rivals do
// less than the engine: they have no order among equal deadlines, no generations and no events.
// The report lists further limits.
package main
