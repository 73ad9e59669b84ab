// Bench weighs the engine, and proves while it does so that nothing is lost, early or
// doubled. It is one command with a report at its end:
//
//	go -C bench run . run -quick            all profiles, short, within a minute
//	go -C bench run . run siege -targets 80 one of them, with other numbers; run siege -help lists them
//	go -C bench run . scale                 cost of an event from 1,000 to 1,000,000 players
//	go -C bench run . rivals                the engine against what one would write without it
//	go -C bench run . wheel                 the wheel alone against a heap, a flat wheel, AfterFunc
//	go -C bench run . cuts                  what frames pay for a store, and how long a zone takes to come back
//	go -C bench run . viewers               what it costs to show buffs to 4,000 players, beside JSON and Colyseus
//	go -C bench run . report                all of it: tables, charts, run.json, bench.txt, ticks.csv,
//	                                        and the figures of the README
//	go -C bench run . compare main .        did my change make it slower? A B A B, by benchstat
//	go -C bench run . gate                  what CI asks
//	go -C bench run ./yardstick             the engine next to simpler designs: events, small Ticks, calls, memory
//
// It is a module of its own, so that a program which requires the engine does not require what
// draws charts; the command runs in the module's folder, and paths are relative to that.
//
// The report of this repository is in the folder report, and the marked parts of the repository's
// README are written with it; a test holds them to report/run.json. After a change to how they are
// written, -from report/run.json writes them anew and measures nothing. -parts measures a
// part of it anew and keeps the rest.
//
// Flags may have one dash or two. -profile cpu, mem, mutex or trace writes a profile of any of
// these; -realtime lets a frame take its 50 ms, where it else takes as little as it needs. The
// exit code is 1 if something did not hold that must, and 2 if the command could not be done.
//
// # Profiles
//
//	   name     simulates                                     proves
//	A  city     5,000 players with 25 long buffs each,        that standing around is cheap
//	            15 % of which pulse every 3 to 6 s
//	B  raids    100 raids of 40 players in steady fight:      what a fight costs
//	            9,000 AddBuff a second, 62 % new, 28 %
//	            refreshes, 10 % stacks; lifetimes of a
//	            public log, dispels, changed periods,
//	            casts from player to player
//	C  siege    2,000 players on one field; every 2 s a blow  that a burst fits into its frame
//	            puts 3 debuffs on 500 of them
//	D  storm    3,000 players log in within a minute with 25  that what is saved comes back to the
//	            buffs each, others out; 500 events a second   millisecond, and at what price
//	            on one who stays
//	E  boss     one creature with 400 buffs of 300 players,   that one owner, who cannot be shared
//	            450 applications and 200 pulses a second      out, is worked off in order
//	F  cascade  a million timers on the wheel, due in 1 s to  that no frame pays for the hands of
//	            12 h and 1 % beyond, across an hour           the clock
//	G  cancel   200,000 buffs of which most are removed or    that what is cancelled is gone, and
//	            moved; 10^7 cancels, and 10^8 on the wheel    memory stays flat
//	            alone; -cancels 100000000 does 10^8 on the
//	            engine too, in some 8 minutes
//	H  stall    the raids; every 20 s the server stops for    that order is kept, and how long it
//	            5 s, with 10 ms of budget for a Tick          takes to be on time again
//	I  empty    0 to 10 players, 1,000 frames a second        that nothing costs nothing
//	J  soak     ten raids of 40 for 24 hours                  that nothing drifts and nothing leaks
//	K  slow     the raids, and one player in a hundred whose  that the others do not notice
//	            handlers sleep for 20 ms
//	L  crowd    the raids, while twice as many goroutines as  that nobody is taken for stuck because
//	            processors do nothing but spin                the machine is full
//
// The rates are those of four public combat logs, PvP for the most part: per player and second
// some 1.4 new buffs, 43 to 73 refreshes and 8 to 17 stacks for 100 new ones, half of which
// last less than 6 s.
//
// # Its own count
//
// Package load keeps books: what must pulse and end, and when, by the arithmetic of the calls
// alone. Every event is held against them, to the millisecond, and what is due and does not
// come fails the run. See there.
//
// # Which figure to trust
//
// Absolute times drift by a third from hour to hour on a shared machine. What is to be compared
// is measured in turn, A B A B, and given as a ratio with its spread: rivals against the engine,
// and for gate and compare each step against a heap of our own that no change touches. Each
// sample of those comes from a process of its own, for where a process lies in memory has a say
// too. Gate fails on allocations, and on ratios half above what was measured; compare, with two
// commits in turn, finds what is less.
//
// # The same verdict each time
//
// Two things decide in CI, and neither is an absolute time: how much a step allocates, which
// is a count, and how many times the heap's event a step takes, as the middle of five
// processes, with half of it as margin. A count of instructions would be steadier, but the
// virtual machine that this is built on, like most, has no counter for them.
//
// # Benchmarks
//
// The benchmarks in this folder ask about single calls; the rows to compare stand in the same
// one. They are run by go -C bench test -run '^$' -bench .
//
//	benchmark   question                                        rows
//	Add         what does it cost to keep a deadline            wheel, heap, AfterFunc
//	Cancel      … to take it back                               wheel, heap, AfterFunc
//	Fire        … when it comes due                             wheel, heap, AfterFunc
//	Tick        what does a frame cost, per player and event    one goroutine, ants, a scan of all buffs
//	Due         … a frame in which 4,096 pulses are due         the engine, in place, one Submit for each; ratios
//	Idle        … one in which nothing is                       nobody, a million buffs that wait
//	Buffs       what does one call cost among 10^5, 10^6 buffs  new, refresh, remove; the least there can be
//	Hand        what does it cost to bring work to a worker     mailboxes, one Submit for each message
//	Memory      what does it weigh                              a player, a buff, at 10^5 and 10^6
//
// The wheel by itself, at 10^4 to 10^6 timers (-wheel.most 10000000 for more), against
// container/heap and a flat wheel of 43,200 slots, which keeps no order within a second;
// floor writes down the deadline and does nothing else.
//
//	benchmark       question
//	WheelAdd        … to add a tenth more; WheelRemove: to take them out at random
//	WheelLater      … to move a random timer to a later deadline; WheelEarlier: back
//	WheelFire       … to let all fire within 12 h, all that leads there included
//	WheelPeriodic   … of one firing, when each timer fires every 3 s and is moved on
//	WheelMix        … of one call in the proportions of a game, frames included
//	WheelFrames     how long is the longest frame of a day, against its second and its kind
//	WheelMemory     what a timer weighs after churn, and how long a collection takes
//	WheelAfterFunc  what time.AfterFunc takes for WheelAdd
//	WheelFloor      what records as long as its timers cost, with nothing around them
//
// Due, Idle, Buffs and Memory print the goal next to each figure. loop-ns is processor time of the loop's thread, which neighbours on the machine
// disturb less than the clock on the wall.
//
// The figure to read is the one with the unit of the question: ns/timer, ns/player, ns/event,
// ns/call, ns/message, B/buff. ns/op is the cost of a batch and says nothing by itself. Other
// libraries are in bench/peers, a module of its own.
//
// # What the figures do not show
//
// The handlers do next to nothing, so that the figures are the engine's and not the game's. The
// rivals keep no order among equals, no generations and no events; they do less than what they
// are compared with. Everything else is said at the end of the report.
package main
