package buff

import "github.com/bufftick/bufftick/buff/define"

// The vocabulary of definitions.
type (
	// Spec is the definition of a buff, as written by a designer: see [define.Spec].
	Spec = define.Spec
	// OwnerID identifies an owner or source of buffs, such as a player or a creature. The game
	// chooses the numbers.
	OwnerID = define.OwnerID
	// Tag is the number of a tag in its [Catalog], or 0 for none.
	Tag = define.Tag
	// Act is the number of an act in its [Catalog], or 0 for none: see [define.Act].
	Act = define.Act
	// Definitions is the content of a [Catalog].
	Definitions = define.Definitions
	// Reason says why something was removed, denied or reported as a fault.
	Reason = define.Reason
	// SpecError is one error in one definition.
	SpecError = define.SpecError
	// SpecErrors lists all errors in a set of definitions.
	SpecErrors = define.SpecErrors
)

// Errors of catalogs. Every error of [NewCatalog] matches ErrSpec. [Catalog.Rebuild] fails with
// ErrAttributes if an attribute was changed or removed.
var (
	ErrSpec       = define.ErrSpec
	ErrAttributes = define.ErrAttributes
)

// The reasons, in three groups: reasons for the end of a buff, reasons to deny an application or to
// suppress a pulse, and faults.
const (
	NoReason = define.NoReason

	Expired     = define.Expired     // its duration ran out
	Cancelled   = define.Cancelled   // a command or an action removed the buff
	Dispelled   = define.Dispelled   // removed by a dispel
	Stolen      = define.Stolen      // stolen by another owner
	Replaced    = define.Replaced    // replaced by another buff of its group or of its source
	Overflowed  = define.Overflowed  // removed because its stack limit or the limit of its slot class was exceeded
	Consumed    = define.Consumed    // its last charge was used, or a threshold used up its stacks
	Broken      = define.Broken      // its shield was spent
	Death       = define.Death       // the owner died
	SourceGone  = define.SourceGone  // the source left
	Immunity    = define.Immunity    // the owner became immune
	Condition   = define.Condition   // its requirement for being removed was met
	OutOfAura   = define.OutOfAura   // the owner left the aura
	Interrupted = define.Interrupted // the owner did an act that interrupts the buff; Event.Name is the act
	Unload      = define.Unload      // the owner left
	Reload      = define.Reload      // the definition was changed; for an application, it no longer exists
	Fault       = define.Fault       // the handler of the buff failed

	Limit       = define.Limit       // the stack limit is reached, and the definition has "overflow: deny"
	Full        = define.Full        // the owner has the maximum number of buffs, modifiers or timeouts
	Exclusive   = define.Exclusive   // the owner already has a buff of the group
	NoSlot      = define.NoSlot      // all slots of the class are taken
	Immune      = define.Immune      // the owner is immune
	Requirement = define.Requirement // the requirement for an application is not met
	Chance      = define.Chance      // the roll of its chance failed
	Diminished  = define.Diminished  // diminishing returns reduced the duration to zero

	// Resisted means that the duration was scaled to zero, because of a resistance or because a
	// condition in the formula of DurationScale, such as a cost, is not met. It also means that a
	// dispel or a steal was resisted.
	Resisted = define.Resisted

	LowerLevel = define.LowerLevel // the owner has an instance of a higher level
	Dead       = define.Dead       // the owner is dead

	// NoParam means that a number without a default is missing, that the magnitude of a shield
	// without a pool is missing, or that the application provides a number that the definition
	// does not read.
	NoParam = define.NoParam

	BadDuration = define.BadDuration // a duration below one millisecond
	BadStacks   = define.BadStacks   // a negative number of stacks
	BadLevel    = define.BadLevel    // a level below 0 or above define.MaxLevel
	BadValue    = define.BadValue    // a number evaluates to NaN or is out of range, or a shield's pool is below one point
	Cascade     = define.Cascade     // commands triggered further commands for more rounds than allowed
	Panic       = define.Panic       // a handler panicked
	Goexit      = define.Goexit      // a handler ended its goroutine
)
