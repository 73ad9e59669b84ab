package reason

import "github.com/bufftick/bufftick/internal/wordlist"

// Reason says why something was removed, denied or reported as a fault.
type Reason uint8

// The reasons, in three groups: reasons for the end of a buff, reasons to deny an application or to
// suppress a pulse, and faults.
const (
	None Reason = iota

	Expired     // its duration ran out
	Cancelled   // a command or an action removed the buff
	Dispelled   // removed by a dispel
	Stolen      // stolen by another owner
	Replaced    // replaced by another buff of its group or of its source
	Overflowed  // removed because its stack limit or the limit of its slot class was exceeded
	Consumed    // its last charge was used, or a threshold used up its stacks
	Broken      // its shield was spent
	Death       // the owner died
	SourceGone  // the source left
	Immunity    // the owner became immune
	Condition   // the condition Require.Remove of its definition was met
	OutOfAura   // the owner left the aura
	Interrupted // the owner did an act that interrupts the buff; Event.Name is the act
	Unload      // the owner left
	Reload      // for a removal: the definition was changed; for a denial: the definition was removed
	Fault       // the handler of the buff failed

	Limit       // the stack limit is reached, and the definition has "overflow: deny"
	Full        // the owner has the maximum number of buffs, modifiers or timeouts
	Exclusive   // the owner already has a buff of the group
	NoSlot      // all slots of the class are taken
	Immune      // the owner is immune
	Requirement // the requirement for an application is not met
	Chance      // the roll of its chance failed
	Diminished  // diminishing returns reduced the duration to zero

	// Resisted means that the duration was scaled to zero, because of a resistance or because a
	// condition in the formula of DurationScale is not met. It also means that a dispel or a steal
	// was resisted.
	Resisted

	LowerLevel // the owner has an instance of a higher level
	Dead       // the owner is dead

	// NoParam means that a number without a default is missing, that the magnitude of a shield
	// without a pool is missing, or that the application provides a number that the definition
	// does not read.
	NoParam

	BadDuration // a duration below one millisecond
	BadStacks   // a negative number of stacks
	BadLevel    // a level below 0 or above define.MaxLevel
	BadValue    // a number evaluates to NaN or is out of range, or a shield's pool is below one point
	Cascade     // commands triggered further commands for more rounds than allowed
	Panic       // a handler panicked
	Goexit      // a handler ended its goroutine

	Cost // the owner cannot pay: Require.If of the definition is not met, and Require.Why is Cost
)

// Last is the last Reason.
const Last = Cost

// LastRemoval is the last Reason of the group that ends a buff.
const LastRemoval = Fault

var reasonWords = []string{
	"none",
	"expired", "cancelled", "dispelled", "stolen", "replaced", "overflow", "consumed", "broken", "death",
	"source_gone", "immunity", "condition", "out_of_aura", "interrupt", "unload", "reload", "fault",
	"limit", "full", "exclusive", "slot", "immune", "requirement", "chance", "dr", "resist", "level", "dead", "param",
	"duration", "stacks", "badlevel", "value", "cascade", "panic", "goexit", "cost",
}

// Removes reports whether r is a reason that ends a buff.
func (r Reason) Removes() bool { return r != None && r <= LastRemoval }

// String returns the word used in files and logs.
func (r Reason) String() string { return wordlist.Word(reasonWords, r) }

// UnmarshalText sets r to the value that text names. It accepts only the reasons that end a buff.
func (r *Reason) UnmarshalText(text []byte) error {
	if err := wordlist.Parse(r, reasonWords[1:LastRemoval+1], text); err != nil {
		return err
	}
	*r++
	return nil
}
