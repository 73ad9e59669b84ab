// Package buff implements the rules of timed effects: the buffs of an owner, their
// timing, and the order of their events.
//
//	                 ┌ the Set of one owner ─────────────────┐
//	Command ── Do ─▸ │ poison x2   next pulse 6 s  end 14 s  │ ─▸ Events  what happened
//	                 │ haste       –               end 30 s  │ ─▸ Calls   of Go handlers
//	Time ──── Run ─▸ │ timeout     –               at  20 s  │ ─▸ a deadline  for a timing wheel
//	                 └───────────────────────────────────────┘
//
// A Set has no goroutine, no lock and no clock; a [Memory], which many Sets share, has a lock.
// Time is an argument, in whole milliseconds. The same calls produce the same events, however
// the time is divided into frames.
//
// # Words
//
//	here        Spec            Instance              Set                 Event
//	that is     the definition  one of it, running    all of one owner    a fact, past tense
//
//	Unreal GAS  GameplayEffect  ActiveGameplayEffect  part of a component calls of delegates
//
// Caution: in GAS, Unreal's Gameplay Ability System, a "Spec" is a prepared
// application, which is here an [Application].
//
// A pulse is the periodic effect of a buff, what players call a tick of damage
// over time. The word tick is left to the game loop. The owner carries the buff,
// the source applied it.
//
// # Life of a buff
//
//	              Applied ─▸ Pulsed, Pulsed, … ─▸ Removed, for a Reason
//	                 ▴ a new instance
//	applied again ───┼ a live one joined: Stacked, Refreshed
//	                 ▾ refused: Denied
//
// [NewCatalog] checks the definitions; a Catalog never changes. A command made by [Apply], done
// by [Set.Do], creates an instance, or joins a live one as [define.Stacking] says. With a period of
// 3 s and a duration of 10 s the instance pulses 3, 6 and 9 s after its start and ends after
// 10: the n-th pulse is due at start + n × period, so that delays never add up. Every boundary
// of the period up to and including the end pulses. Pulses are not counted in advance: a buff
// that is extended goes on pulsing. The phase is kept beyond the end as well, for a refresh
// that keeps the phase.
//
// The partial pulse of [define.TailPartial] comes at the end of the whole buff. A stack that ends
// before, or an application that ends in a queue, does not disturb the phase of the rest. If
// that last pulse refreshes the buff, a new period begins with it. An [Extend] is reported as
// Refreshed, but only a further application carries out [Hooks].Refresh. An instant buff is
// never carried: it is Executed once, with one stack.
//
// Whatever a buff applies, by any word of its definition, gets the level and magnitude of that
// buff; what an overflow applies gets those of the application that was one too many. What a pulse
// sets off counts as much as the pulse: its part of a period, the pulses that it stands for, and,
// in instants, its stacks.
//
// The log lines here are those of [Event.AppendLog]: the poison applied again after
// 4 s, from testdata/refresh_restart.txt.
//
//	0 apply poison x1 end=10000
//	3000 pulse poison x1
//	4000 refresh poison x1 end=14000
//	6000 pulse poison x1
//
// # What decides on an application
//
// In this order, and the first that refuses ends it with a Denied; nothing has changed
// then. The files are named after their rule.
//
//	numbers       one that it must bring is missing, or none,
//	              or one that it brings is not read             NoParam, BadValue
//	death         the owner is dead, and DeadDeny is the rule   Dead
//	require       Require.Apply fails on the owner's tags       Requirement
//	immunity      the owner is immune                           Immune
//	chance        it misses its chance                          Chance
//	duration      Scale, DurationScale, diminishing returns,
//	              MinDuration and MaxDuration, then TailFit     Resisted, Diminished
//	stack         a live instance is joined: level, overflow    LowerLevel, Limit
//	group, slot   a new one must stand beside what is there     Exclusive, NoSlot, Full
//
// Instances that must give way are removed before the new one is Applied; those that it hides
// are hidden afterwards, before its first pulse.
//
// # Numbers
//
// A number of a definition may be a [define.Number] that is evaluated: by level, from an attribute of
// the owner or of the source, from the caller, or by a formula. All numbers are evaluated
// when the definition is applied, before any other check, and stored with the instance. The
// evaluation sees the level and the number of stacks that the instance will have afterwards.
// A further application that refreshes the instance evaluates them again; with timers each
// every accepted application does: the newest numbers count. With timers queue each application
// has its own, which count while it runs. So a pulse evaluates nothing, except an attribute of
// the owner with [define.SnapshotPulse].
//
//	what is asked for    without it            when
//	level                is never missing      at each application
//	owner                is never missing      when it comes to the owner; at a pulse
//	source               default, or NoParam   cast: when it is made; apply: when it comes
//	caller               default, or NoParam   when it is made
//
// A Set does not know other Sets. The caller that makes an application reads the attributes of the
// source into it, by [Application.Capture]; if the source is the owner itself, its own
// attributes are read when the command is carried out. Whatever a buff causes, directly or
// indirectly, uses with SnapshotCast what was captured for that buff. With SnapshotApply it uses
// the present attributes of the source, as of the last [Set.Reread]. A number that evaluates to NaN, or to more
// than stat.MaxValue, refuses the application; at a pulse the old value stays, and a Faulted
// tells of it.
//
// Arithmetic is that of float64 without fused operations: the same on every processor.
//
// # Attributes
//
// A catalog made by [Build] may have attributes; package stat says how bases and modifiers
// make their values. As long as an owner's attributes are those of the catalog, they take no
// memory.
//
// A [define.Modifier] acts on its attribute while its buff is present and not hidden; with PerStack
// it is multiplied by the stacks. Of several overrides that of the youngest buff counts, also
// if an older one is shown again later. Room for all modifiers of an owner, hidden ones
// included, is reserved when a buff begins; without room the application is Denied with the
// reason Full. When all buffs are gone, every attribute equals its base, bit for bit.
//
// [define.DoChange] and [define.DoDamage] change the base permanently, as AddBase, SetBase and Damage of the
// game do; a Changed tells by how much. They are carried out in the order of their list, with
// the numbers of the event that caused them. Damage is multiplied by stacks and share, rounded
// to whole points, half up, and meets the shields of its school first. A change that brings an
// attribute with [define.AtMinKill] down to its minimum kills the owner, after the commands that
// already wait; a dead owner at the minimum is not killed again. A maximum that is an attribute and falls
// below a base cuts it down for good: see package stat. From testdata/stat:
//
//	2000 pulse burn x1
//	2000 change burn health by=0 value=100 absorbed=16
//	2000 remove skin why=broken
//
// A buff with links is the head of what they apply. A head has each of its links once: it applies them when it
// begins, and when it is applied again those that are not there. A link that several heads have brought or joined ends with
// the last of them, for the same reason; when another one ends, the stacks that it has brought are removed, but one stays.
// Applications that no head has made keep no link alive. A link is saved as its own definition says, unless none
// of its heads is saved. It is not stolen by itself.
//
// # After a reload
//
// [Catalog.Rebuild] makes the next version of a catalog, and [Catalog.Changes] tells the
// difference. A running instance keeps its version until [Set.Adopt] is called for its Set,
// which does what [Spec].Reload says and releases older catalogs that are the same. A buff whose
// definition was removed runs on until its end.
//
// # Effect
//
// A hidden buff is carried and its time passes, but it has no effect: its pulses are
// Suppressed, and its modifiers, shield, aura, granted tags and immunities are off. It is
// hidden while one of these holds: its ongoing requirement fails; it is inhibited; a stronger
// buff of its group is present; enough stronger instances of its definition are present; or its
// owner is immune to it, with [define.ImmuneSuppress]. There is one Hidden for the first cause and one
// Shown when the last cause ends; Hidden gives a Why only if immunity is the cause. A buff that
// has nothing but pulses has no Hidden for immunity; each of its pulses is Suppressed instead.
// Damage that passes the shields of its owner is reported as the acts define.ActDamaged and ActDealt: see [Damage].
//
// A hidden buff is not used: an act uses none of its charges and sets off none of its actions. An act
// in Interrupt still ends it, and the hooks of its end are carried out. Requirements are checked at the end of each command and each due event, the oldest
// buff first, until nothing changes: at most MaxRounds times, then a Faulted says Cascade.
//
// Immunity denies new applications, and suppresses, removes or ignores running buffs.
//
// # Time
//
//	of the world  what Do and Run are told, and what all events show
//	of an owner   can be paused, or have a rate of its own (Pause, SetRate), by the owner or by
//	              its zone; all deadlines of the owner are in this time
//	of a buff     the same again, for one instance
//
// The three combine: rates are multiplied, and a pause of one stops the buff. Rates are
// fractions, and remainders below a millisecond are kept as fractions, so that deadlines do not
// drift however often a rate changes. An instant of a slower time is reached at the first
// millisecond of the world at or after it: never early.
//
// Nothing happens to a buff whose time is paused, not even what is due in the very instant of
// the pause: if a pulse kills the owner of a buff with on_death: pause, an end that is due at the
// same instant waits for the revival. With [define.AlignOwner] pulses are at the multiples of the period
// in the owner's time, whose zero does not move while the owner is away. After a pause of the
// buff alone, or at a rate of its own, the next pulse keeps its phase; the ones after it are at
// the multiples again, of the period divided by the rate.
//
// The [define.Clock] of a buff says which time passes for it while its owner is away: see [Set.Save].
//
// # Order
//
// What is due at one instant runs by rank, and within a rank the older application
// first. A refresh does not make a buff younger.
//
//	rank  0      1            2       3
//	      pulse  a stack ends a buff ends  timeout
//
// Each is checked again just before it runs. If it is no longer due, because an earlier
// event has removed or refreshed the buff, it is dropped and counted in [Turn].Dropped. So the
// pulse at the end comes before the end, and a pulse that refreshes its own buff saves it.
//
// A command that an event causes, from a list of the definition or from a handler by
// [Turn.Issue], runs after the handler has returned and before the owner's next due event, at
// the same instant, in the order of issue; the commands that it causes in turn are queued
// behind (breadth first). After [MaxRounds] rounds, of which the first is what the event itself has
// caused, or [MaxCommands] commands, the rest is dropped; a Faulted with the reason Cascade then ends the chain. What a command adds is always due
// later than the command's own instant.
//
// Every instance has one Applied and one Removed. After the removal nothing of the buff starts
// any more, not even a handler that was queued, except what the removal itself calls. So a
// deferred handler of Applied (see below) may be skipped; that of Removed is always called.
//
// # Do and Run
//
// Do carries out one command at an instant, and the actions of definitions that follow from it.
// Go handlers are never called inside Do: they are deferred to the head of the next Run, which
// calls them with the At of their cause.
//
// The caller is responsible for the order of time: first Run up to the instant, then Do at the
// instant, then Run again before time advances if [Set.Pending] is not zero. Do does not work
// off what is due, and does not check whether the instant is in the past.
//
// One [Turn] serves many Sets, one after the other. Its Events grow until the caller takes
// them.
//
// # Deadlines and timers
//
// A Set needs one timer, for the earliest of all its deadlines:
//
//	after Do or Run   TakeDeadline says whether the earliest deadline has moved, and to when
//	a timer fires     Run
//
// Run finds the due deadlines itself, so calling it too early or too often does no harm. The timer
// may be lazy: if the deadline moves to a later instant, the timer can keep its old one and be
// re-armed when it fires. A refresh, which moves the end of a buff, therefore touches no timer.
// Ten buffs need one timer, and no order is lost: the value that TakeDeadline returns includes
// the order of Sets that are due at the same instant.
//
// Without a wheel, [Set.Next] returns the next deadline.
//
// # Who may call
//
// One goroutine at a time. Any goroutine may use a Set and its Turn, but never two at once;
// passing them to another goroutine must synchronise the two, in the sense of the Go memory
// model. Inside a handler only [Turn.Issue] and the methods that read ([Set.All], [Set.Find],
// [Set.Len]) may be called. A [Catalog] and its Specs never change: any goroutine may read them.
//
// # Cost
//
// n is the number of buffs on that owner, m of those that are due in the turn.
// Nothing allocates once the Set has been as large before.
//
//	apply          O(n): looks at 16 bits of each instance for one to join;
//	               O(1) with ByNone, without group, slot and DR
//	deadline       O(n) where the earliest one has moved to a later instant, as each pulse does:
//	               looks at 8 bytes of each slot
//	remove, extend O(1) by handle, O(n) by definition
//	pulse, end     O(log m), beside the deadline; O(n) if the end changes tags of the owner, or if the buff is
//	               of a group that hides; with TimersEach, O(async stacks)
//	of all         O(n): kill, source, zone, dispel, steal, interrupt, damage, pause of the owner
//	numbers        O(numbers of the definition), and O(n) to find the instance that is joined;
//	               a curve O(log points); a modifier O(1), an override O(younger buffs)
//	Attribute      O(1) while nothing has changed
//	Adopt          O(n)
//	timeout        O(1) to add and to cancel, beside the deadline
//	Next           O(n): for a Set without a wheel
//
// What it takes in memory is under In memory; an owner with 20 plain buffs 1.8 KB. What is not plain
// is async stacks, charges, a shield, numbers, a key and a time of its own; one
// with numbers takes 80 bytes besides, 8 for each of them and each modifier, and 16 for each attribute
// that is known of its source. An owner with an attribute that is not as in the catalog has
// a sheet: 24 bytes for each attribute, 32 for each modifier. What an owner knows of tags,
// immunity, chance and diminishing returns is made when the first buff needs it.
//
// # In memory
//
// With many owners nothing is in the cache, and each place that must be looked at is waited for.
//
//	 a Set, 104 bytes                          Memory, of all owners
//	┌─────────────────────────────────────┐   ┌ chunk, up to 128 KiB ───────────────┐
//	│ next: when something is due         │ ┌─┼▸ instance, 64 bytes   slot 0 ───────┼─▸ number of its Spec
//	│ piece: its slots, and how many ─────┼─┘ │  instance, 64 bytes   slot 1 ─┐     │   in the Catalog
//	│ catalog ────────────────────────────┼┐  │  …                            │     │      │
//	│                                     ││  │  keys, 14 bytes each          │     │      │
//	│ beside: nil until it is needed ───┐ │└──┼───────────────────────────────┼─────┼──────┘
//	└───────────────────────────────────┼─┘   └───────────────────────────────┼─────┘
//	                                    └▸ gates, timeouts, …, extra, 184 bytes  ◂─────┘
//
// What is due, and the instance that an application joins, is looked for in the keys, and then that
// instance only is looked at, which is a cache line of its own. A key says when its instance is due, and has 16 bits of its Spec and its source. The keys are rows, for each thing that is looked for: eight deadlines, or 32 hashes of Spec and source, lie in a cache line. The
// instances of an owner, and their keys behind them, are one piece of a chunk without a pointer, into which the
// collector does not look: an instance names its definition by number. An owner who is out of slots moves to a longer piece, and the next
// one has the one that he leaves: see [Memory]. A slot is used again; from eight on slots become more by four, and never fewer. What is not
// plain about an instance is in an extra, and so is an age, a period or a duration above 32 bits; that lies beside, with the timeouts and the sheet of attributes, and is used again too. What a turn
// needs between a change and its new deadline is the Turn's, and lent to one Set after the other.
//
// In the code each part has a type with its own data, and the Set is what needs several of them: scheduler, when it is due, and what has changed
// and not found its place; gates, what bears on what may be applied; timeouts; timeScale, the time of the owner and of a
// buff; generations, those of handles; beside, what few have; asked, a number that is evaluated; saver and restorer.
//
// # Limits
//
// [MaxPerOwner] instances and as many timeouts on one owner, or fewer as NewSet says:
// beyond, an application is Denied and a timeout Faulted, with the reason Full and
// [ErrFull]. [define.MaxStacks], [define.MaxDuration] and [define.MinPeriod] bound a definition. Handles
// carry a generation of 32 bits that never wraps: a slot that has used them up is
// retired. Programmer's errors, such as a Command without a Verb, panic.
//
// # What it does not have
//
// No text of formulas: package catalog compiles it. No targets: an owner is a number; an
// aura's members and a source's share are the engine's to find. No files: see package catalog.
// No order between owners: that is the engine's. A table of all rules, beside those of other
// systems, and with the transcript of each, is docs/rules.md.
package buff
