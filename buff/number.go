package buff

// Number says where a number of a definition comes from, and when it is asked for. The
// zero Number is the constant 0.
type Number struct {
	From From // where it comes from: which of the fields below are read

	// Const is the number of FromConst and, if there is a Default, what stands for a
	// number that is not known.
	Const   float64
	Default bool

	// Caller is the name in [Application.Params] that FromCaller reads.
	Caller string

	// Attr is the attribute that FromAttr reads, Of whose it is. The number is
	// (attribute + Pre) × Coef + Post; a Coef of zero stands for 1.
	Attr            string
	Of              Whose
	Pre, Coef, Post float64

	Curve   *Curve  // of FromCurve: its value at the level of the application
	Formula Formula // of FromFormula

	// Snapshot says when it is asked for.
	Snapshot Snapshot
}

// From is where a [Number] comes from.
type From uint8

// Where a Number comes from.
const (
	FromConst   From = iota // it stands in the definition
	FromCurve               // by the level
	FromAttr                // an attribute of the owner or of the source
	FromCaller              // the application brings it
	FromFormula             // worked out
)

// Snapshot says when a number is asked for.
type Snapshot uint8

// The snapshots.
const (
	SnapshotCast  Snapshot = iota // when somebody applies the buff, and anew when it is applied again
	SnapshotApply                 // when the application comes to the owner
	SnapshotPulse                 // and anew at each pulse
)

// Formula works out a number. It is a pure function of its inputs: the same everywhere,
// from any goroutine.
type Formula interface {
	// String returns its text. Formulas of one text are the same for a reload, unless they
	// have a method Same(Formula) bool that denies it: what they name may have changed.
	String() string

	// Reads returns what it reads beside the fields of [Inputs], in the order of
	// Inputs.Reads.
	Reads() []Read

	// Eval returns the number. NaN and infinities count as errors.
	Eval(in Inputs) (float64, error)
}

// Const returns the Number that is always v.
func Const(v float64) Number { return Number{Const: v} }

// Caller returns the Number that the application brings under that name; an application
// without it is refused.
func Caller(name string) Number { return Number{From: FromCaller, Caller: name} }

// Or returns n with a default.
func (n Number) Or(v float64) Number {
	n.Const, n.Default = v, true
	return n
}

// Read is one thing that a [Formula] reads: an attribute, or what the application brings.
type Read struct {
	Caller bool // Name is of Application.Params, and Of means nothing
	Of     Whose
	Name   string
}

// Inputs are what a [Formula] works with.
type Inputs struct {
	// Level, Stacks and Magnitude are those of the application: the stacks that there will
	// be, and where levels add up, their sum.
	Level, Stacks, Magnitude float64

	// Reads are the values of what [Formula].Reads names, in its order. The slice is used
	// again after the call.
	Reads []float64
}
