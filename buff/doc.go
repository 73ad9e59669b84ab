// Package buff implements the rules of timed effects: the buffs of an owner, their timing, and the
// order of their events.
//
//	                 ┌ the Set of one owner ─────────────────┐
//	Command ── Do ─▸ │ poison x2   next pulse 6 s  end 14 s  │ ─▸ Events  what happened
//	                 │ haste       –               end 30 s  │ ─▸ Calls   of Go handlers
//	Time ──── Run ─▸ │ timeout     –               at  20 s  │ ─▸ a deadline  for a timing wheel
//	                 └───────────────────────────────────────┘
//
// A Set has no goroutine, no lock and no clock; a [Memory], which many Sets share, has a lock. Time
// is an argument, in whole milliseconds. The same calls produce the same events, however the time
// is divided into frames.
//
// # Words
//
//	here        Spec            Instance              Set                 Event
//	meaning     the definition  a running buff        the state of one    something that
//	                                                  owner               has happened
//	Unreal GAS  GameplayEffect  ActiveGameplayEffect  part of a component a delegate call
//
// In GAS, Unreal's Gameplay Ability System, a "Spec" is a prepared application. Here that is an
// [Application].
//
// A pulse is the periodic effect of a buff: players call it a tick of damage over time. The word
// tick is used for the game loop only. The owner has the buff; the source applied it.
//
// # Life of a buff
//
//	              Applied ─▸ Pulsed, Pulsed, … ─▸ Removed, for a Reason
//	                 ▴ a new instance
//	applied again ───┼ a live one joined: Stacked, Refreshed
//	                 ▾ refused: Denied
//
// [NewCatalog] checks the definitions; a Catalog never changes. [Set.Do] with a command of [Apply]
// creates an instance or joins an existing one, depending on [define.Stacking]. With a period of 3
// s and a duration of 10 s the instance pulses 3, 6 and 9 s after its start and ends after 10 s:
// the n-th pulse is due at start + n × period, so delays never add up. There is a pulse at every
// multiple of the period up to and including the end. Pulses are not counted in advance: a buff
// that is extended continues to pulse. A refresh that keeps the phase keeps it even if the old end
// has passed.
//
// The partial pulse of [define.TailPartial] is due at the end of the whole buff. The end of a
// single stack, or of one application of a queue, does not change the phase. If the last pulse
// refreshes the buff, a new period starts there. An [Extend] is reported as Refreshed, but only a
// further application runs [Hooks].Refresh. An instant buff never becomes an instance: it is
// Executed once, with one stack.
//
// Whatever a buff applies has the level and magnitude of that buff. The applications of an overflow
// have the level and magnitude of the application that exceeded the limit. The effects of a pulse
// are scaled like the pulse itself: by the elapsed part of the period, by its Count and, for
// instant buffs, by its stacks.
//
// The log lines in this text are in the format of [Event.AppendLog]. Here the poison is applied
// again after 4 s (testdata/refresh_restart.txt):
//
//	0 apply poison x1 end=10000
//	3000 pulse poison x1
//	4000 refresh poison x1 end=14000
//	6000 pulse poison x1
//
// # Checks of an application
//
// The checks run in this order. The first one that fails refuses the application: it is Denied and
// has no effect.
//
//	numbers       one is missing or NaN, or the caller
//	              passed one that is not used                   NoParam, BadValue
//	death         the owner is dead, and DeadDeny is the rule   Dead
//	require       Require.Apply fails on the owner's tags       Requirement
//	immunity      the owner is immune                           Immune
//	chance        the roll fails                                Chance
//	duration      Scale, DurationScale, diminishing returns,
//	              MinDuration and MaxDuration, then TailFit     Resisted, Diminished
//	stack         an instance is joined: level, overflow        LowerLevel, Limit
//	group, slot   a new instance needs room                     Exclusive, NoSlot, Full
//
// Instances that the new one displaces are removed before it is Applied. Instances that it hides
// are hidden afterwards, but before its first pulse.
//
// # Numbers
//
// A number of a definition may be a [define.Number] that is evaluated: by level, from an attribute
// of the owner or of the source, from the caller, or by a formula. All numbers are evaluated when
// the definition is applied, before any other check, and stored with the instance. The evaluation
// uses the level and the number of stacks that the instance has afterwards. A further application
// that refreshes the instance evaluates them again. With [define.TimersEach] and
// [define.TimersQueue], each accepted application has its own numbers; in a queue, the numbers of
// the running application are used. A pulse therefore evaluates only `stacks` in a formula and
// attributes of the owner with [define.SnapshotPulse].
//
//	input     if missing            read
//	level     is never missing      at each application
//	owner     is never missing      when the command executes; at a pulse
//	source    default, or NoParam   cast: when the application is made; apply: when it executes
//	caller    default, or NoParam   when the application is made
//
// A Set cannot access other Sets. The caller that makes an application copies the attributes of the
// source into it with [Application.Capture]; if the source is the owner itself, its own attributes
// are read when the command executes. Applications that a buff causes, directly or indirectly,
// inherit its captured values for SnapshotCast. For SnapshotApply they use the present attributes
// of the source, as of the last [Set.Reread]. A number that evaluates to NaN, or to more than
// stat.MaxValue, refuses the application; at a pulse the old value is kept, and a Faulted reports
// the failure.
//
// All arithmetic uses float64 without fused operations, so results are the same on every processor.
//
// # Attributes
//
// A catalog made by [Build] may have attributes. Package stat describes how a value is computed
// from its base and modifiers. Attributes of an owner that still have the catalog's values take no
// memory.
//
// A [define.Modifier] acts on its attribute while its buff is present and not hidden; with PerStack
// it is multiplied by the stacks. If an attribute has several overrides, the one of the youngest
// visible buff is used. Room for all modifiers of an owner, hidden ones included, is reserved when
// a buff starts; without room the application is Denied with the reason Full. When all buffs are
// gone, every attribute equals its base, bit for bit.
//
// [define.DoChange] and [define.DoDamage] change the base permanently, like the commands AddBase,
// SetBase and Damage. A Changed reports the difference. They run in the order of their list, with
// the numbers of the event that caused them. Damage is multiplied by the stacks, scaled like the
// pulse that causes it, rounded to whole points (half up), and then reduced by the shields of its
// school first. A change that lowers an attribute with [define.AtMinKill] to its minimum kills the
// owner, after the commands that are already queued; a dead owner at the minimum is not killed
// again. If a maximum that is an attribute falls below a base, the base is reduced permanently: see
// package stat. From testdata/stat:
//
//	2000 pulse burn x1
//	2000 change burn health by=0 value=100 absorbed=16
//	2000 remove skin why=broken
//
// A buff with links is the head of the buffs that they apply. A head has each of its links once: it
// applies all of them when it starts, and the missing ones when it is applied again. A link that
// several heads have applied or joined ends with the last of them, for the same reason. When
// another head ends, the stacks that it applied are removed, except the last one. Applications that
// no head has made do not keep a link alive. A link is saved if its own definition says so and at
// least one of its heads is saved. It cannot be stolen without its head.
//
// # After a reload
//
// [Catalog.Rebuild] makes the next version of a catalog, and [Catalog.Changes] returns the
// differences. A running instance keeps its version until [Set.Adopt] is called for its Set. Adopt
// applies [Spec].Reload and releases older versions. A buff continues until its end even if its
// definition was removed.
//
// # Hidden buffs
//
// The time of a hidden buff passes, but the buff has no effect: its pulses are Suppressed, and its
// modifiers, shield, aura, granted tags and immunities are off. It is hidden while one of these
// holds: its ongoing requirement fails; it is inhibited; a stronger buff of its group is present;
// enough stronger instances of its definition are present; or its owner is immune to it, with
// [define.ImmuneSuppress]. There is one Hidden for the first cause and one Shown when the last
// cause ends; Hidden gives a Why only if immunity is the cause. A buff with no effect other than
// pulses has no Hidden for immunity; each of its pulses is Suppressed instead. Damage that passes
// the shields of its owner is reported as the acts define.ActDamaged and ActDealt: see [Damage].
//
// An act uses none of the charges of a hidden buff and triggers none of its actions. An act in
// Interrupt still ends it, and the hooks of its end run. Requirements are checked at the end of
// each command and each due event, oldest buff first, until the result is stable, but at most
// MaxRounds times. If the result is still not stable, a Faulted with the reason Cascade is emitted.
//
// Immunity denies new applications, and suppresses, removes or ignores running buffs.
//
// # Time
//
//	world time  the argument of Do and Run, and the time of all events
//	owner time  can be paused or have its own rate (Pause, SetRate), for an owner or for its
//	            zone; all deadlines of the owner are in this time
//	buff time   the same for one instance
//
// The three are combined: their rates are multiplied, and a pause of any of them pauses the buff.
// Rates are fractions, and remainders below a millisecond are kept exactly, so that deadlines do
// not drift however often a rate changes. An instant of owner time or buff time is reached in the
// first millisecond of world time at or after it, never earlier.
//
// A paused buff has no events, not even at the instant of the pause. For example, if a pulse kills
// the owner of a buff with on_death: pause, an end that is due at the same instant waits for the
// revival. With [define.AlignOwner] pulses are due at multiples of the period in owner time, which
// keeps its zero while the owner is away. After a pause of the buff alone, or a change of its own
// rate, the next pulse keeps its phase; the later ones are due at multiples of the period divided
// by the rate.
//
// The [define.Clock] of a buff determines which time passes for it while its owner is away: see
// [Set.Save].
//
// # Order
//
// Events that are due at one instant run by rank, and within a rank the older application first. A
// refresh does not change the age of a buff.
//
//	rank  0      1             2          3
//	      pulse  end of stack  end of buff  timeout
//
// Each event is checked again just before it runs. If it is no longer due, because an earlier event
// has removed or refreshed the buff, it is dropped and counted in [Turn].Dropped. So a pulse at the
// end of a buff runs before that end, and a pulse that refreshes its own buff prevents the end.
//
// A command that an event causes, from a list of the definition or from a handler with
// [Turn.Issue], runs after the handler has returned and before the owner's next due event, at the
// same instant, in the order of issue. The commands that it causes in turn are appended to the
// queue (breadth first). After [MaxRounds] rounds, the first of which are the commands of the event
// itself, or after [MaxCommands] commands, the rest is dropped, and a Faulted with the reason
// Cascade ends the chain. A deadline that a command adds is always later than the command's own
// instant.
//
// Every instance has one Applied and one Removed. After the removal no handler of the buff starts
// any more, not even a queued one, except the one for the removal itself. So a deferred handler of
// Applied (see below) may be skipped; the handler of Removed is always called.
//
// # Do and Run
//
// Do executes one command at an instant, with the actions of definitions that it triggers. It never
// calls Go handlers: they are deferred to the start of the next Run, which calls them with the At
// of their cause.
//
// The caller is responsible for the order of time: first Run up to the instant, then Do at the
// instant, then Run again before time advances if [Set.Pending] is not zero. Do does not process
// due events, and does not check whether the instant is in the past.
//
// One [Turn] serves many Sets, one after the other. Its Events grow until the caller takes them.
//
// # Deadlines and timers
//
// A Set needs one timer, for the earliest of all its deadlines:
//
//	after Do or Run   TakeDeadline reports whether the earliest deadline has moved, and to when
//	a timer fires     Run
//
// Run finds the due deadlines itself, so calling it too early or too often does no harm. The timer
// may be lazy: if the deadline moves to a later instant, the timer can keep its old one and be
// re-armed when it fires. A refresh, which moves the end of a buff, therefore touches no timer. Ten
// buffs need one timer, and no order is lost: TakeDeadline also returns the order in which Sets
// that are due at the same instant must run.
//
// Without a wheel, [Set.Next] returns the next deadline.
//
// # Concurrency
//
// One goroutine at a time. Any goroutine may use a Set and its Turn, but never two at once; passing
// them to another goroutine must synchronise the two, in the sense of the Go memory model. Inside a
// handler only [Turn.Issue] and the methods that read ([Set.All], [Set.Find], [Set.Len]) may be
// called. A [Catalog] and its Specs never change: any goroutine may read them.
//
// # Cost
//
// n is the number of buffs of the owner, m the number of due ones in the turn. A Set allocates only
// when it grows beyond its greatest size so far.
//
//	apply          O(n): compares 16 bits of each instance to find one to join;
//	               O(1) with ByNone, without group, slot and diminishing returns
//	deadline       O(n) if the earliest one moves to a later instant, as after each pulse:
//	               reads 8 bytes of each slot
//	remove, extend O(1) by handle, O(n) by definition
//	pulse, end     O(log m), plus the deadline; O(n) if the end changes tags of the owner, or if
//	               the buff belongs to a group that hides; with TimersEach, O(async stacks)
//	whole owner    O(n): kill, source, zone, dispel, steal, interrupt, damage, pause of the owner
//	numbers        O(numbers of the definition), plus O(n) to find the instance that is joined;
//	               a curve O(log points); a modifier O(1), an override O(younger buffs)
//	Attribute      O(1) if no modifier has changed
//	Adopt          O(n)
//	timeout        O(1) to add and to cancel, plus the deadline
//	Next           O(n): for a Set without a wheel
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
//	 a Set, 104 bytes                          Memory, of all owners
//	┌─────────────────────────────────────┐   ┌ chunk, up to 128 KiB ───────────────┐
//	│ next: the earliest deadline         │ ┌─┼▸ instance, 64 bytes   slot 0 ───────┼─▸ number of its Spec
//	│ piece: its slots, and their number ─┼─┘ │  instance, 64 bytes   slot 1 ─┐     │   in the Catalog
//	│ catalog ────────────────────────────┼┐  │  …                            │     │      │
//	│                                     ││  │  keys, 14 bytes each          │     │      │
//	│ rare: nil until needed ───────────┐ │└──┼───────────────────────────────┼─────┼──────┘
//	└───────────────────────────────────┼─┘   └───────────────────────────────┼─────┘
//	                                    └▸ gates, timeouts, …, extra, 184 bytes  ◂─────┘
//
// Due instances, and the instance that an application joins, are found by scanning the keys; then
// only that instance is read, which is one cache line. The key of an instance has its deadline and
// 16 bits of a hash of its Spec and source. The keys are stored as rows, one for each field, so
// that a cache line has eight deadlines or 32 hashes. The instances of an owner, followed by their
// keys, are one piece of a chunk. A chunk has no pointers, so the garbage collector does not scan
// it: an instance names its definition by number. An owner that needs more slots moves to a longer
// piece, and its old piece is reused: see [Memory]. Free slots are reused. From eight slots on, the
// number of slots grows in steps of four; it never shrinks. State that plain buffs do not need is
// in an extra, and so is an age, a period or a duration above 32 bits. The extras are outside the
// chunk, with the timeouts and the sheet of attributes, and are reused too. The scratch buffers of
// a turn belong to the Turn, which lends them to one Set after the other.
//
// In the code each part is a type with its own data, and the methods of Set combine them: scheduler
// has the earliest deadline and the slots to be rescheduled; gates decides what may be applied;
// timeScale converts between the times of world, owner and buff; generations determines the
// generations of handles; rareState has rarely used fields; evaluator evaluates a number; timeouts has
// the timeouts; saver and restorer write and read the blob of an owner.
//
// # Limits
//
// An owner has at most [MaxPerOwner] instances and the same number of timeouts, or the lower limit
// passed to NewSet. Above it an application is Denied and a timeout Faulted, with the reason Full
// and [ErrFull]. [define.MaxStacks], [define.MaxDuration] and [define.MinPeriod] limit a
// definition. Handles have a generation of 32 bits that never wraps: a slot without unused
// generations is retired. Programmer errors, such as a Command without a Verb, panic.
//
// # Not in this package
//
// Package catalog reads files and compiles the text of formulas. The engine finds the members of
// auras, limits the instances of a source, and orders the events of different owners. docs/rules.md
// lists all rules with their transcripts, and compares them with those of other systems.
package buff
