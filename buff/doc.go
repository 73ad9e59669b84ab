// Package buff defines the vocabulary of timed effects: the types that a game programmer uses. A
// [Spec] defines a buff and a [Catalog] is a set of checked definitions. An [Application] or
// another [Command] asks for a change; an [Event] reports what happened; an [Instance] is a running
// buff. The package has no state and no algorithms: package engine runs buffs.
//
// This page describes the rules. docs/rules.md lists them with their transcripts, and compares them
// with those of other systems.
//
// # Words
//
//	here        Spec            Instance              owner               Event
//	meaning     the definition  a running buff        carries the buffs   something that
//	                                                                      has happened
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
// [NewCatalog] checks the definitions; a Catalog never changes. A command of [Apply]
// creates an instance or joins an existing one, depending on [define.Stacking]. With a period of 3
// s and a duration of 10 s the instance pulses 3, 6 and 9 s after its start and ends after 10 s:
// the n-th pulse is due at start + n × period, so delays never add up. There is a pulse at every
// multiple of the period up to and including the end. Pulses are not counted in advance: a buff
// that is extended continues to pulse. A refresh that keeps the phase keeps it even if the old end
// has passed.
//
// The partial pulse of [define.TailPartial] is due at the end of the whole buff. The end of a
// single stack, or of one application of a queue, does not change the phase. If the last pulse
// refreshes the buff, a new period starts at that pulse. An [Extend] is reported as Refreshed, but
// only a further application runs [define.Hooks].Refresh. An instant buff never becomes an
// instance: it is Executed once, with one stack.
//
// Whatever a buff applies has the level and magnitude of that buff. The applications of an overflow
// have the level and magnitude of the application that exceeded the limit. The effects of a pulse
// are scaled like the pulse itself: by the elapsed part of the period, by its Count and, for
// instant buffs, by its stacks.
//
// The log lines in this text are in the format of [Event.AppendLog]. Here the poison is applied
// again after 4 s (refresh_restart.txt):
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
// An owner cannot access other owners, so the engine copies the attributes of the source into the
// application; if the source is the owner itself, its own attributes are read when the command
// executes. Applications that a buff causes, directly or indirectly, inherit its captured values
// for SnapshotCast. For SnapshotApply they use the present attributes of the source, as the engine
// last read them. If a number evaluates to NaN, or to more than stat.MaxValue, the application is
// refused; at a pulse, the old value is kept and a Faulted reports the failure.
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
// SetBase and Damage. A Changed reports the difference. The actions of a list run in order, with
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
// A buff with links ([Spec].Links) is the head of the buffs that its links apply. A head has each
// of its links once: it applies all of them when it starts, and the missing ones when it is applied
// again. A link that several heads have applied or joined ends when the last of these heads ends,
// for the same reason. When one of the other heads ends, the stacks that it applied are removed,
// but never the last stack of the link. Applications that no head has made do not keep a link
// alive. A link is saved if its own definition says so and at least one of its heads is saved. It
// cannot be stolen without its head.
//
// # After a reload
//
// [Catalog.Rebuild] makes the next version of a catalog, and [Catalog.Changes] returns the
// differences. A running instance keeps its version until the engine adopts the new version for its
// owner, which applies [Spec].Reload and releases older versions. A buff continues until its end
// even if its definition was removed.
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
// 16 times. If the result is still not stable, a Faulted with the reason Cascade is emitted.
//
// Immunity denies new applications. It suppresses, removes or ignores running buffs, as the Immune
// rule of their definition says.
//
// # Time
//
//	world time  the time of the engine, and of all events
//	owner time  can be paused or have its own rate (Pause, SetRate), for an owner or for its
//	            area; all deadlines of the owner are in this time
//	buff time   the same for one instance
//
// The three are combined: their rates are multiplied, and a pause of any of them pauses the buff.
// Rates are fractions, and remainders below a millisecond are kept exactly, so that deadlines do
// not drift however often a rate changes. An instant of owner time or buff time is reached in the
// first millisecond of world time at or after that instant, never earlier.
//
// A paused buff has no events, not even at the instant of the pause. For example, if a pulse kills
// the owner of a buff with on_death: pause, an end that is due at the same instant waits for the
// revival. With [define.AlignOwner] pulses are due at multiples of the period in owner time, whose
// zero does not change while the owner is away. After a pause of the buff alone, or a change of its
// own rate, the next pulse keeps its phase; the later ones are due at multiples of the period
// divided by the rate.
//
// The [define.Clock] of a buff determines which time passes for it while its owner is away: see
// [define.Saving].
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
// has removed or refreshed the buff, it is dropped and counted. So a pulse at the end of a buff
// runs before that end, and a pulse that refreshes its own buff prevents the end.
//
// A command that an event causes, from a list of the definition or from a handler, runs after the
// handler has returned and before the owner's next due event, at the same instant, in the order of
// issue. The commands that it causes in turn are appended to the queue (breadth first). After 16
// rounds, the first of which are the commands of the event itself, or after 10,000 commands, the
// rest is dropped, and a Faulted with the reason Cascade ends the chain. A deadline that a command
// adds is always later than the command's own instant.
//
// Every instance has one Applied and one Removed. After the removal no handler of the buff starts
// any more, not even a queued one, except the one for the removal itself. So a deferred handler of
// Applied (see below) may be skipped; the handler of Removed is always called.
package buff
