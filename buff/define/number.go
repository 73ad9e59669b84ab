package define

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/bufftick/bufftick/buff/stat"
)

// Whose selects whose attribute a [Number] reads, or whose time a command pauses or scales.
type Whose uint8

// For an attribute, Whose is OfOwner or OfSource. In a command that pauses or scales time, it is
// OfOwner, OfBuff or OfArea. Such commands combine: a buff is paused if the buff itself, its owner
// or the owner's area is paused, and the buff's rate is the product of its own rate, its owner's
// rate and the area's rate.
const (
	OfOwner  Whose = iota // an attribute of the buff's owner; in a command, the time of all buffs of the owner
	OfSource              // an attribute of the buff's source
	OfBuff                // the time of one buff
	OfArea                // the time of all owners in an area
)

// Number is the origin of a number in a definition and the time at which it is evaluated. The
// zero Number is the constant 0.
type Number struct {
	From From // the origin, which decides which of the fields below are read

	// Const is the value for FromConst. If Default is true, Const is also the fallback for a
	// missing value.
	Const   float64
	Default bool

	// Caller is the name in buff.Application.Params that FromCaller reads.
	Caller string

	// Attr is the attribute that FromAttr reads, and Of selects its owner. The number is
	// (attribute + Pre) × Coef + Post; a Coef of zero means 1.
	Attr            string
	Of              Whose
	Pre, Coef, Post float64

	Curve   *Curve  // the curve for FromCurve, which is evaluated at the level of the application
	Formula Formula // the formula for FromFormula

	// Snapshot says when the number is evaluated.
	Snapshot Snapshot
}

// From is the origin of a [Number].
type From uint8

// Origins of a Number.
const (
	FromConst   From = iota // a constant of the definition
	FromCurve               // the value of a curve at the level of the application
	FromAttr                // an attribute of the owner or of the source
	FromCaller              // a parameter of the application
	FromFormula             // a formula
)

// Snapshot says when a number is evaluated.
type Snapshot uint8

// Evaluation times.
const (
	SnapshotCast  Snapshot = iota // when an application is made, and again for each further one
	SnapshotApply                 // when the application reaches the owner
	SnapshotPulse                 // like SnapshotApply, and again at each pulse

	// SnapshotRun is for numbers of actions: when the action runs, after the earlier actions of its
	// list; for an action on another owner, when the list starts. Attributes of the source are
	// read as with SnapshotApply. Such a number cannot read parameters of the application.
	SnapshotRun
)

// Formula computes a number. Implementations must be pure functions of their inputs, with the
// same result on every machine, and safe for concurrent use.
//
// A Formula that does not read Inputs.Stacks can say so with a method ReadsStacks() bool that
// returns false. The formula is then evaluated once for each application. Any other formula is
// evaluated again each time the number is used, with the current number of stacks and with all
// other inputs as they were at the application.
type Formula interface {
	// String returns the text of the formula. A reload treats formulas with equal text as the
	// same, unless they have a method Same(Formula) bool that returns false, for example because
	// a curve that they name has changed.
	String() string

	// Reads returns the inputs that the formula reads in addition to the fields of [Inputs], in the
	// order of Inputs.Reads.
	Reads() []Read

	// Eval returns the number. NaN, infinities and panics count as errors. Eval must not end its
	// goroutine.
	Eval(in Inputs) (float64, error)
}

// Const returns a Number that is always v.
func Const(v float64) Number { return Number{Const: v} }

// Caller returns a Number that is read from the application's parameter with the given name. An
// application without the parameter is denied.
func Caller(name string) Number { return Number{From: FromCaller, Caller: name} }

// Or returns a copy of n with v as its default.
func (n Number) Or(v float64) Number {
	n.Const, n.Default = v, true
	return n
}

// Read is one input of a [Formula].
type Read struct {
	Kind ReadKind
	Of   Whose  // for ReadAttribute
	Name string // of the attribute, the parameter or the variable
}

// ReadKind is the kind of a [Read]. The kinds from ReadAmount on have a value only when an action
// runs. A number that reads one of them is evaluated then, as with SnapshotRun.
type ReadKind uint8

// Kinds of a Read.
const (
	ReadAttribute ReadKind = iota // an attribute
	ReadCaller                    // a parameter of the application

	ReadAmount   // in Hooks.Act, the amount of the act; in Hooks.Overflow, the number of stacks without room
	ReadLeft     // remaining time of the buff in seconds; missing if the buff has no end
	ReadAge      // time since the buff started, in seconds
	ReadAbsorbed // damage that the shield of the buff has absorbed so far
	ReadVar      // a variable of the buff
)

// Inputs are the arguments of a [Formula].
type Inputs struct {
	// Level and Magnitude describe the application. If levels add up, Level is their sum. Stacks
	// is the number of stacks that count when the number is used; at an application it includes
	// the new stacks.
	Level, Stacks, Magnitude float64

	// Reads holds the values of the inputs named by [Formula].Reads, in the same order. The slice
	// is reused after the call.
	Reads []float64
}

// ErrCurve is matched by every error of [NewCurve].
var ErrCurve = errors.New("buff: bad curve")

// MaxPoints is the maximum number of points of a [Curve].
const MaxPoints = 1024

// Curve is a piecewise linear function of the level. It is immutable and safe for concurrent use.
type Curve struct {
	name   string
	points []Point // by level, at least one
}

// Point is the value of a [Curve] at one level.
type Point struct {
	Level int // 0 to MaxLevel
	Value float64
}

// NewCurve returns the curve through the points, which may be given in any order. It fails if
// there are no points or more than [MaxPoints], if two points have the same level, if a level is
// out of range, or if a value is NaN or beyond ±stat.MaxValue.
func NewCurve(name string, points ...Point) (*Curve, error) {
	if len(points) == 0 || len(points) > MaxPoints {
		return nil, fmt.Errorf("%w: %q has %d points, want 1 to %d", ErrCurve, name, len(points), MaxPoints)
	}
	c := &Curve{name: name, points: slices.Clone(points)}
	slices.SortStableFunc(c.points, func(a, b Point) int { return a.Level - b.Level })
	for i, p := range c.points {
		switch {
		case p.Level < 0 || p.Level > MaxLevel:
			return nil, fmt.Errorf("%w: %q: level %d, want 0 to %d", ErrCurve, name, p.Level, MaxLevel)
		case i > 0 && p.Level == c.points[i-1].Level:
			return nil, fmt.Errorf("%w: %q: level %d stands twice", ErrCurve, name, p.Level)
		case math.IsNaN(p.Value) || math.Abs(p.Value) > stat.MaxValue:
			return nil, fmt.Errorf("%w: %q: level %d: %v is not a number within the limits", ErrCurve, name, p.Level, p.Value)
		}
	}
	return c, nil
}

// Name returns the curve's name.
func (c *Curve) Name() string { return c.name }

// Points returns a copy of the curve's points, sorted by level.
func (c *Curve) Points() []Point { return slices.Clone(c.points) }

// At returns the value at a level. For a level below the first point it is the value of the first
// point, and for a level above the last point the value of the last point. At costs O(log points).
func (c *Curve) At(level int) float64 {
	k := sort.Search(len(c.points), func(k int) bool { return c.points[k].Level >= level })
	switch {
	case k == len(c.points):
		return c.points[k-1].Value
	case k == 0 || c.points[k].Level == level:
		return c.points[k].Value
	}
	a, b := c.points[k-1], c.points[k]
	part := float64(level-a.Level) / float64(b.Level-a.Level)
	// Round each product separately, so that no processor fuses it with the sum.
	return float64(a.Value*(1-part)) + float64(b.Value*part)
}
