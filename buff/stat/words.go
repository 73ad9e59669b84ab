package stat

import "github.com/bufftick/bufftick/internal/wordlist"

// Op is the operation of a [Modifier] on the value that has been computed so far. The package
// documentation gives the order of the operations.
type Op uint8

// Operations of a modifier.
const (
	Add Op = iota // adds a number
	// MulAdd adds a fraction of the value so far: 0.5 means +50 %. The fractions of a channel are
	// added up first and then applied as one factor.
	MulAdd
	MulCompound // like MulAdd, but each fraction is applied as a separate factor
	FinalAdd    // adds a number after the multiplications
	Override    // sets the result of the channel; the newest modifier wins
)

// Aggregate selects which of the modifiers with the same channel and op count. It applies to the
// ops that add modifiers together: [Add], [MulAdd] and [FinalAdd].
type Aggregate uint8

// Aggregates.
const (
	Sum       Aggregate = iota // all modifiers count
	Max                        // only the greatest modifier counts: -10 % rather than -50 %
	Min                        // only the least modifier counts: -50 % rather than -10 %
	Strongest                  // only the Attribute.N modifiers farthest from 0 count; +5 beats -5
)

var (
	opWords        = []string{"add", "mul_add", "mul_compound", "final_add", "override"}
	aggregateWords = []string{"sum", "max", "min", "strongest"}
)

// String returns the word used in files and logs.
func (o Op) String() string { return wordlist.Word(opWords, o) }

// String returns the word used in files and logs.
func (a Aggregate) String() string { return wordlist.Word(aggregateWords, a) }

// UnmarshalText sets o to the value that text names.
func (o *Op) UnmarshalText(text []byte) error { return wordlist.Parse(o, opWords, text) }

// UnmarshalText sets a to the value that text names.
func (a *Aggregate) UnmarshalText(text []byte) error { return wordlist.Parse(a, aggregateWords, text) }
