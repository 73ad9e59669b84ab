// Package rules implements the rules of timed effects for one owner: its buffs, their timing, and
// the order of their events. The documentation of package buff describes the rules; this page
// describes how the engine uses the package.
//
//	                 ┌ the Owner ────────────────────────────┐
//	Command ── Do ─▸ │ poison x2   next pulse 6 s  end 14 s  │ ─▸ Events  what happened
//	                 │ haste       –               end 30 s  │ ─▸ Calls   of Go handlers
//	Time ──── Run ─▸ │ timeout     –               at  20 s  │ ─▸ a deadline  for a timing wheel
//	                 └───────────────────────────────────────┘
//
// An [Owner] has no goroutine, no lock and no clock; a [Memory], which many Owners share, has a
// lock. Time is an argument, in whole milliseconds. The same calls produce the same events, however
// the time is divided into frames.
//
// # Do and Run
//
// Do executes one command at an instant, with the actions of definitions that it triggers. It never
// calls Go handlers: they are deferred to the start of the next Run, which calls them with the At
// of the event that caused the call.
//
// The caller is responsible for the order of time: first Run up to the instant, then Do at the
// instant, then Run again before time advances if [Owner.Pending] is not zero. Do does not process
// due events, and does not check whether the instant is in the past.
//
// One [Turn] serves many Owners, one after the other. Its Events grow until the caller takes them.
//
// # Deadlines and timers
//
// An Owner has at most one valid [Deadline] for each buff and timeout:
//
//	after Do or Run   put the new [Turn].Deadlines on a timing wheel
//	one is reached    RunPlace, or Run if more than one place is due
//
// Run finds the due deadlines itself, so calling it too early or too often does no harm. Therefore
// a deadline need not be removed from the wheel: if the event has moved to a later instant, Run
// finds nothing due and sets a later deadline. So a refresh, which moves the end of a buff, does
// not touch the wheel. If deadlines become invalid faster than they come out of the wheel,
// [Turn].Waiting is the number of valid ones, and [Owner.Waits] reports whether one is valid.
//
// Without a wheel, [Owner.Next] returns the next deadline.
//
// # Concurrency
//
// Only one goroutine at a time may use an Owner and its Turn, but it need not always be the same
// one. Passing them to another goroutine must synchronise the two goroutines, in the sense of the
// Go memory model. Inside a handler only [Turn.Issue] and the methods that read ([Owner.All],
// [Owner.Find], [Owner.Len]) may be called. A [buff.Catalog] and its Specs never change: any
// goroutine may read them.
//
// # Cost
//
// In this table, n is the number of buffs of the owner, and m is the number of buffs that are due
// in the turn. An Owner allocates only when it grows beyond its greatest size so far.
//
//	apply          O(n): compares 16 bits of each instance to find one to join;
//	               O(1) with ByNone, without group, slot and diminishing returns
//	remove, extend O(1) by handle, O(n) by definition
//	pulse, end     O(1) by RunPlace; O(log m) by Run, which reads 8 bytes of each slot; O(n) if the
//	               end changes tags of the owner, or if the buff belongs to a group that hides;
//	               with TimersEach, O(async stacks)
//	whole owner    O(n): kill, source, area, dispel, steal, interrupt, damage, pause of the owner
//	numbers        O(numbers of the definition), plus O(n) to find the instance that is joined;
//	               a curve O(log points); a modifier O(1), an override O(younger buffs)
//	Attribute      O(1) if no modifier has changed
//	Adopt          O(n)
//	timeout        O(1) to add and to cancel, plus the deadline
//	Next           O(n): for an Owner without a wheel
//
// An owner with 20 plain buffs takes 1.8 KB. A buff is not plain if it has async stacks, charges, a
// shield, numbers, a key or its own rate. A buff with numbers takes 80 bytes more, plus 8 for each
// number and each modifier, and 16 for each captured attribute of its source. An owner with an
// attribute that differs from the catalog has a sheet: 24 bytes for each attribute and 32 for each
// modifier. The state for tags, immunity, chance and diminishing returns is allocated when the
// first buff needs it.
//
// # In memory
//
// With many owners, nearly every access to a cache line is a miss. The layout keeps the number of
// such accesses small.
//
//	 an Owner, 88 bytes                           Memory, of all owners
//	┌─────────────────────────────────────┐   ┌ chunk ──────────────────────────────┐
//	│ records: its buffs ─────────────────┼───┼▸ record, 64 bytes     slot 0 ───────┼─▸ number of its Spec
//	│ agenda: empty between two turns     │   │  record, 64 bytes     slot 1 ─┐     │   in the Catalog
//	│ catalog ────────────────────────────┼┐  │  …                            │     │      │
//	│                                     ││  │  keys, 10 bytes each          │     │      │
//	│ rare: nil until needed ───────────┐ │└──┼───────────────────────────────┼─────┼──────┘
//	└───────────────────────────────────┼─┘   └───────────────────────────────┼─────┘
//	                                    └▸ gates, timeouts, …, extra, 200 bytes  ◂─────┘
//
// The records of the buffs are stored by package slots, next to those of other owners, one cache
// line each. The rules use an instance, which is a record with its owner and its slot. Due
// instances, and the instance that an application joins, are found by scanning the keys; then only
// that instance is read. The key of an instance has its deadline and 16 bits of a hash of its Spec
// and source. A record has no pointers, so the garbage collector does not scan it: it names its
// definition by number. State that plain buffs do not need is in an extra, and so is an age, a
// period or a duration above 32 bits. The extras are outside the chunk, with the timeouts and the
// sheet of attributes, and are reused too. The buffers of the agenda belong to the Turn, which lends
// them to one Owner after the other.
//
// # In the code
//
// The rules are functions that take a Turn, since they emit events and issue commands: apply,
// refresh, pulse, end and so on, each in a file with the name of the rule. Most of them concern one
// instance. Methods of Owner and instance only read or change the state; exported methods of Owner
// are what the engine calls.
//
// Each part of the state is a type with its own data: package slots has the records, package clock
// the times of world, owner and buff, package deadline the deadlines to be computed and the due
// events, package gate the tags and the diminishing returns, package sheet the attributes;
// rareState has rarely used fields; evaluator evaluates a number; timeouts has the timeouts; saver
// and restorer write and read the blob of an owner.
//
// # Limits
//
// An owner has at most [buff.MaxPerOwner] instances and the same number of timeouts, or the lower
// limit passed to NewOwner. Above that limit an application is Denied and a timeout Faulted, with
// the reason Full and [buff.ErrFull]. [define.MaxStacks], [define.MaxDuration] and
// [define.MinPeriod] limit a definition. A handle has a generation of 32 bits. A slot that has no
// unused generations is retired. Programmer errors, such as a Command without a Verb, panic.
package rules
