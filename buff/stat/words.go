package stat

import "github.com/bufftick/bufftick/internal/wordlist"

// Op says what a [Modifier] does to the running number. The package comment has the order
// in which they act.
type Op uint8

// The ops.
const (
	Add         Op = iota // a number, added
	MulAdd                // a share, 0.5 for +50 %; those of a channel are added, then multiplied by once
	MulCompound           // a share; each multiplies by itself
	FinalAdd              // a number, added after the multiplications
	Override              // a number, the channel's result; the newest wins
)

// Aggregate says which of the modifiers of one channel and one op count, where they are
// added together: [Add], [MulAdd], [FinalAdd]. It has no say over the others.
type Aggregate uint8

// The aggregates.
const (
	Sum       Aggregate = iota // all
	Max                        // the greatest alone: of -10 % and -50 %, -10 %
	Min                        // the least alone: of -10 % and -50 %, -50 %
	Strongest                  // the Attribute.N farthest from zero; of +5 and -5, +5 is the stronger
)

var (
	opWords        = []string{"add", "mul_add", "mul_compound", "final_add", "override"}
	aggregateWords = []string{"sum", "max", "min", "strongest"}
)

// String returns the word of files and logs.
func (o Op) String() string { return wordlist.Word(opWords, o) }

// String returns the word of files and logs.
func (a Aggregate) String() string { return wordlist.Word(aggregateWords, a) }

// UnmarshalText sets o from its word.
func (o *Op) UnmarshalText(text []byte) error { return wordlist.Parse(o, opWords, text) }

// UnmarshalText sets a from its word.
func (a *Aggregate) UnmarshalText(text []byte) error { return wordlist.Parse(a, aggregateWords, text) }
