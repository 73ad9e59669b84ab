// Bench measures the engine, and at the same time checks that no event is lost, early or
// duplicated. One command runs everything and writes a report:
//
//	go -C bench run . run -quick            all profiles, short, within a minute
//	go -C bench run . run siege -targets 80 one of them, with other numbers; run siege -help lists them
//	go -C bench run . scale                 cost of an event from 1,000 to 1,000,000 players
//	go -C bench run . rivals                the engine and hand-written alternatives
//	go -C bench run . wheel                 the wheel alone, a heap, a flat wheel, and AfterFunc
//	go -C bench run . cuts                  cost of saving for frames, and time to restore a zone
//	go -C bench run . viewers               cost of showing buffs to 4,000 players; also JSON and Colyseus
//	go -C bench run . report                everything: tables, charts, run.json, bench.txt, ticks.csv,
//	                                        and the figures of the README
//	go -C bench run . compare main .        compare the speed of two commits: A B A B, with benchstat
//	go -C bench run . gate                  the checks of CI
//	go -C bench run ./yardstick             the engine next to simpler designs: events, small Ticks, calls, memory
//
// It is a separate module, so that programs that require the engine do not require a chart
// library. The command runs in the module's folder, and paths are relative to that folder.
//
// The report of this repository is in the folder report, and the marked parts of the README are
// generated with it. A test compares the README with report/run.json. After a change of the
// templates, -from report/run.json generates the pages again without measuring. -parts measures
// some parts again and keeps the others.
//
// Flags may have one dash or two. -profile cpu, mem, mutex or trace writes a profile of any
// command; -realtime gives each frame its 50 ms instead of running frames back to back. The
// exit code is 1 if a check failed, and 2 if the command could not be run.
//
// # Profiles
//
//	   name     simulates                                     shows
//	A  city     5,000 players with 25 long buffs each,        the cost of idle players
//	            15 % of which pulse every 3 to 6 s
//	B  raids    100 raids of 40 players in steady fight:      the cost of a fight
//	            9,000 AddBuff per second, 62 % new, 28 %
//	            refreshes, 10 % stacks; lifetimes of a
//	            public log, dispels, changed periods,
//	            casts from player to player
//	C  siege    2,000 players on one field; every 2 s a hit   that a burst fits into its frame
//	            adds 3 debuffs to 500 of them
//	D  storm    3,000 players log in within a minute with 25  that saved buffs are restored to the
//	            buffs each, others log out; 500 events per    millisecond, and the cost
//	            second on one that stays
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
// The rates are from four public combat logs, mostly PvP: per player and second about 1.4 new
// buffs, and per 100 new buffs 43 to 73 refreshes and 8 to 17 stacks. Half of the buffs last
// less than 6 s.
//
// # Verification
//
// Package load predicts from the calls alone which pulses and ends must happen, and when. Every
// event is compared with the predictions, to the millisecond. A missing event fails the run.
//
// # Which figures to trust
//
// Absolute times drift by a third within hours on a shared machine. Therefore values to be
// compared are measured alternately (A B A B), and their ratio is given with its spread. The times
// of the rivals are divided by the engine's. For gate and compare, the time of each step is
// divided by the time of an event of a heap, which no change to the engine affects. Each sample
// comes from its own process, because memory layout affects the result. Gate fails on allocations,
// and on ratios 50 % above the recorded ones. Compare, which alternates between two commits, finds
// smaller changes.
//
// # Checks in CI
//
// CI uses two kinds of values, and no absolute times: the number of allocations of a step, and
// the ratio of a step to the heap's event, as the median of five processes with a margin of 50
// %. An instruction count would be more stable, but virtual machines usually have no counter
// for it.
//
// # Benchmarks
//
// The benchmarks in this folder measure single calls. Rows to be compared are in the same
// benchmark. Run them with go -C bench test -run '^$' -bench .
//
//	benchmark   measures                                        rows
//	Add         adding a deadline                               wheel, heap, AfterFunc
//	Cancel      removing it                                     wheel, heap, AfterFunc
//	Fire        firing it                                       wheel, heap, AfterFunc
//	Tick        a frame, per player and event                   one goroutine, ants, a scan of all buffs
//	Due         a frame with 4,096 due pulses                   the engine, in place, one Submit for each; ratios
//	Idle        a frame with no due pulses                      no owners, a million waiting buffs
//	Buffs       one call among 10^5, 10^6 buffs                 new, refresh, remove; the lower bound
//	Hand        passing work to a worker                        mailboxes, one Submit for each message
//	Memory      bytes                                           a player, a buff, at 10^5 and 10^6
//
// The wheel alone, with 10^4 to 10^6 timers (-wheel.most 10000000 for more), is compared with
// container/heap and a flat wheel of 43,200 slots, which does not order timers within a second.
// The row floor only stores the deadline.
//
//	benchmark       measures
//	WheelAdd        adding a tenth more timers; WheelRemove: removing them in random order
//	WheelLater      moving a random timer to a later deadline; WheelEarlier: and back
//	WheelFire       firing all within 12 h, including all moves between levels
//	WheelPeriodic   one firing, when each timer fires every 3 s and is moved
//	WheelMix        one call in the proportions of a game, including frames
//	WheelFrames     the longest frame of a day, relative to its second and to similar frames
//	WheelMemory     bytes per timer after churn, and the duration of a garbage collection
//	WheelAfterFunc  time.AfterFunc instead of WheelAdd
//	WheelFloor      accessing records of the same size, without a data structure
//
// Due, Idle, Buffs and Memory print the goal next to each figure. The unit loop-ns is processor
// time of the loop's thread, which other processes affect less than elapsed time.
//
// Read the metric in the unit that matters to you: ns/timer, ns/player, ns/event, ns/call,
// ns/message or B/buff. ns/op is the cost of a whole batch and means little. Other libraries are
// measured in bench/peers, a separate module.
//
// # Limits of the figures
//
// The handlers do almost nothing, so the figures describe the engine, not a game. The rivals do
// less than the engine: they have no order among equal deadlines, no generations and no events.
// The report lists further limits.
package main
