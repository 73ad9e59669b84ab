// Package buff is the rules of timed effects: what an owner carries, what happens
// to it when, and what happens first.
//
//	                 ┌ the Set of one owner ─────────────────┐
//	Command ── Do ─▸ │ poison x2   next pulse 6 s  end 14 s  │ ─▸ Events  what happened
//	                 │ haste       –               end 30 s  │ ─▸ Calls   of Go handlers
//	Time ──── Run ─▸ │ timeout     –               at  20 s  │ ─▸ Orders  to a timing wheel
//	                 └───────────────────────────────────────┘
//
// A Set has no goroutine, no lock and no clock. Time is an argument, in whole
// milliseconds; the same calls give the same events, however the time is cut into
// frames.
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
// [NewCatalog] checks the definitions; what it returns never changes. [Set.Do] with
// the [Verb] Apply makes an instance, or joins a live one as [Stacking] says. With
// a period of 3 s and a duration of 10 s it pulses 3, 6 and 9 s after the start and
// ends after 10; the n-th pulse is due at start + n × period, never later. Every
// boundary of the period up to and including the end pulses: nothing counts pulses
// ahead, so that an extended buff does not fall silent. The beat runs on beyond the
// end, and a refresh that keeps the phase finds it there.
//
// A pulse of [TailPartial] begins a period, for the case that the buff lives on. An
// [Extend] reports Refreshed, but does not do what [Hooks].Refresh says: only a
// further application does. An instant buff is never carried: it is Executed, and
// that is all.
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
//	numbers       one that it must bring is missing, or none    NoParam, BadValue
//	require       Require.Apply fails on the owner's tags       Requirement
//	immunity      the owner is immune                           Immune
//	chance        it misses its chance                          Chance
//	duration      Scale, DurationScale, diminishing returns,
//	              MinDuration and MaxDuration, then TailFit     Resisted, Diminished
//	stack         a live instance is joined: level, overflow    LowerLevel, Limit
//	group, slot   a new one must stand beside what is there     Exclusive, NoSlot, Full
//
// What gives way to a new instance is removed before it is Applied, what it hides is hidden
// after, and before its first pulse.
//
// # Numbers
//
// Where a definition has a number, a [Number] may stand that is asked for: by the level, of an
// attribute of the owner or of the source, of the caller, by a formula. All numbers of a
// definition are worked out when it is applied, before anything else is asked, and kept with
// the instance; its level is then, where levels add up, the sum, and its stacks those that
// there will be. A further application that refreshes the instance works them out anew, and
// with a timer for each stack or a queue every one that is accepted: the numbers are those of
// the newest. So nothing is asked in a pulse but an attribute of the owner with
// [SnapshotPulse].
//
//	what is asked for    without it            when
//	level                is never missing      at each application
//	owner                is never missing      when it comes to the owner; at a pulse
//	source               default, or NoParam   cast: when it is made; apply: when it comes
//	caller               default, or NoParam   when it is made
//
// A Set does not know the Sets of others: whoever makes an application asks the source by
// [Application.Capture]. Where the source is the owner its own attributes are read when the
// command is carried out. What a buff sets off by itself, directly or through others, reads
// what was captured for the buff. A number that comes out as none, or as more than
// stat.MaxValue, is refused, and at a pulse left as it is, with a Faulted.
//
// Arithmetic is that of float64, each product rounded by itself: the same on every processor.
//
// # Attributes
//
// A catalog made by [Build] may have attributes; package stat says how bases and modifiers
// make their values. Until something is different an owner has those of the catalog, and no
// memory for them.
//
// A [Modifier] lies on its attribute as long as its buff is there and not hidden, and follows
// the stacks with PerStack. Of overrides the youngest buff's counts, also if an older one was
// shown again later. Room for all modifiers that an owner carries, hidden ones too, is
// reserved when a buff begins; without it the application is Denied for Full. When all buffs
// are gone every attribute is its base, bit for bit.
//
// [DoChange] and [DoDamage] change the base for good, and so do AddBase, SetBase and Damage of
// the game; a Changed tells by how much. They are carried out in their turn among the other
// commands of their list, with the numbers that the event had. Damage is rounded to whole
// points, half up, after it was multiplied by stacks and share, and meets the shields of its
// school first. A change that brings an attribute with [AtMinKill] down to its least kills,
// behind what waits already; who is down already is not killed again. From testdata/stat:
//
//	2000 pulse burn x1
//	2000 change burn health by=0 value=100 absorbed=16
//	2000 remove skin why=broken
//
// Links come with their buff, again with each application that refreshes it, and go with it,
// for the same reason: of the same source, the oldest instance. A link is saved, and ends,
// as its own definition says.
//
// # After a reload
//
// [Catalog.Rebuild] makes the next version of a catalog, and [Catalog.Changes] tells in what
// it differs. What runs keeps the version that it has. [Set.Adopt] is for whoever goes through
// the owners then: it does what [Spec].Reload says, and lets go of older catalogs where
// nothing has changed. A buff whose definition is no more goes on until it ends.
//
// # Effect
//
// A hidden buff is there, its time goes on, and it has no effect: its pulses are Suppressed,
// its modifiers and what it grants and makes immune to are off. It is hidden while its ongoing
// requirement fails, an Inhibit holds, a stronger one of its group is there, or enough
// stronger ones of its definition are. One Hidden tells of the first cause, one Shown of the
// end of the last. Requirements are looked at once at the end of each command and of each due
// event, the oldest buff first, until nothing changes: at most MaxRounds times, then a Faulted
// says Cascade.
//
// Immunity refuses what is new, and suppresses, removes or leaves what runs.
//
// # Time
//
//	of the world  is what Do and Run are told, and all that events tell
//	of an owner   stands still or passes at a rate of its own (Hold, SetRate), for the owner
//	              or its zone; everything that the owner has waits in it
//	of a buff     the same once more, for one instance
//
// The three work together: rates are multiplied, and one that stands still stops it all.
// Rates are fractions, and what is below a millisecond is kept as one, so that no number of
// changes makes a deadline drift. An instant of a slower time is reached at the first
// millisecond of the world at or after it: never early.
//
// What a buff lives by while its owner is away is its [Clock]: see [Set.Save].
//
// # Order
//
// What is due at one instant runs by rank, and within a rank the older application
// first. A refresh does not make a buff younger.
//
//	rank  0      1            2       3
//	      pulse  a stack ends a buff ends  timeout
//
// Each is looked at once more just before it runs. If it is no longer due then,
// because something before it has removed or refreshed the buff, it is dropped and
// counted in [Turn].Dropped. So a pulse at the end comes before the end, and one
// that refreshes its own buff then saves it.
//
// A command that an event causes, from a definition's list or from a handler by
// [Turn.Issue], runs after the handler has returned and before the owner's next due
// event, at the same instant, in the order in which commands were issued; what
// those cause comes behind them. The first commands and [MaxRounds] rounds after them
// are carried out, [MaxCommands] commands at most; the rest is dropped and a Faulted
// with the reason Cascade says so. What a command adds is due later than its own
// instant, always.
//
// Once a buff has been removed nothing of it starts, not even a handler that was
// queued, but what its own removal calls. Every instance has one Applied and one
// Removed. A handler of the Applied that had to wait (see below) may be skipped
// that way; that of the Removed is called all the same.
//
// # Do and Run
//
// Do carries out one command at an instant. The definitions' own actions follow at
// once. Go handlers are never called inside Do: they are put off to the head of the
// next Run, which calls them with the At of their cause.
//
// Whoever holds the Set keeps time straight: first Run up to the instant, then Do at
// the instant, and Run again before time goes on if [Set.Pending] is not zero. Do
// does not look for what is due, and does not guard against an instant in the past.
//
// One [Turn] serves many Sets, one after the other. Its Events grow until the caller
// takes them.
//
// # What a Set wants of a wheel
//
// A Set does not look through its buffs to find what is due. It keeps, for each
// instance and each timeout, at most one deadline outstanding with somebody who
// has a timing wheel:
//
//	after Do or Run   for each of Orders: set, move or remove a timer; then ClearOrders
//	a timer fires     Wake(its Ref), for all that are due; then Run
//
// A timer that has fired is kept: a later [Order] moves it, and one that says
// [wheel.Never] takes it away for good. To Wake too early or too often does no harm,
// and a Set may let it happen: a timer set for a buff that has become endless in the
// same turn is left to fire for nothing.
//
// Without a wheel leave Orders alone: Run takes the wishes back and finds what is
// due by itself. [Set.Next] tells when that will be.
//
// # Who may call
//
// Nobody twice at once. A Set and its Turn belong to whoever holds them, any
// goroutine, one call at a time; a hand-over must be an event in the sense of the
// Go memory model. Inside a handler only [Turn.Issue] and the methods that read
// ([Set.All], [Set.Find], [Set.Len]) may be called. A [Catalog] and its Specs never
// change: any goroutine may read them.
//
// # Cost
//
// n is the number of buffs on that owner, m of those that are due in the turn.
// Nothing allocates once the Set has been as large before.
//
//	apply          O(n): looks at 16 bits of each instance for one to join;
//	               O(1) with ByNone, without group, slot and DR
//	remove, extend O(1) by handle, O(n) by definition
//	pulse, end     O(log m); O(n) if the end changes tags of the owner, or if the buff is
//	               of a group that hides; with TimersEach, O(layers)
//	of all         O(n): kill, source, zone, dispel, steal, interrupt, damage, pause of the owner
//	numbers        O(numbers of the definition), and O(n) to find the instance that is joined;
//	               a curve O(log points); a modifier O(1), an override O(younger buffs)
//	Attribute      O(1) while nothing has changed; see stat.Sheet
//	Adopt          O(n)
//	timeout        O(1) to add and to cancel
//	Next           O(n): for a Set without a wheel
//
// An instance takes 96 bytes, an owner with 20 plain buffs 2.3 KB. What is not plain
// (layers, charges, a shield, numbers, a key, a time of its own) takes 176 bytes more; one
// with numbers 72 besides, 8 for each of them and each modifier, and 16 for each attribute
// that is known of its source. An owner with an attribute that is not as in the catalog has
// a sheet: 24 bytes for each attribute, 32 for each modifier. What an owner knows of tags,
// immunity, chance and diminishing returns is made when the first buff needs it.
//
// # Limits
//
// [MaxPerOwner] instances and as many timeouts on one owner, or fewer as NewSet says:
// beyond, an application is Denied and a timeout Faulted, with the reason Full and
// [ErrFull]. [MaxStacks], [MaxDuration] and [MinPeriod] bound a definition. Handles
// carry a generation of 32 bits that never wraps: a slot that has used them up is
// retired. Programmer's errors, such as a Command without a Verb, panic.
//
// # What it does not have
//
// No text of formulas: package catalog compiles it. No targets: an owner is a number; an
// aura's members and a source's share are the engine's to find. No files: see package catalog.
// No order between owners: that is the engine's. A table of all rules, beside those of other
// systems, and with the transcript of each, is in the README.
package buff
