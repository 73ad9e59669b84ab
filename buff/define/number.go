package define

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/bufftick/bufftick/buff/stat"
)

// Whose says whose attribute a [Number] reads, or whose time a command is about.
type Whose uint8

// Whose it may be. The causes that hold a time or change its rate work together: the time of a
// buff stands still if its own, its owner's or its zone's does, and passes at the product of the
// three rates.
const (
	OfOwner  Whose = iota // of the owner: its attribute, the time of all that it carries
	OfSource              // of the source: its attribute
	OfBuff                // the time of one buff
	OfZone                // the time of all owners of a zone
)

// Number says where a number of a definition comes from, and when it is asked for. The
// zero Number is the constant 0.
type Number struct {
	From From // where it comes from: which of the fields below are read

	// Const is the number of FromConst and, if there is a Default, what stands for a
	// number that is not known.
	Const   float64
	Default bool

	// Caller is the name in buff.Application.Params that FromCaller reads.
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

	// Eval returns the number. NaN and infinities count as errors, and so does a panic; it must not end its goroutine.
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

// Read is one thing that a [Formula] reads: an attribute, a parameter of the application, or the
// amount of an act.
type Read struct {
	Caller bool // Name is of Application.Params, and Of means nothing
	Amount bool // the amount of the act: only in the Change of an action of Hooks.Act; all else is unused
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

// ErrCurve is matched by every error of [NewCurve].
var ErrCurve = errors.New("buff: bad curve")

// MaxPoints is the greatest number of points of a [Curve].
const MaxPoints = 1024

// Curve is a number for each level: straight lines between points. It never changes, so
// that any goroutine may read it.
type Curve struct {
	name   string
	points []Point // by level, at least one
}

// Point is the value of a [Curve] at one level.
type Point struct {
	Level int // 0 to MaxLevel
	Value float64
}

// NewCurve returns the curve through the points, which may stand in any order. It fails
// without a point, with two of one level, with a level that is out of range, or with a value
// that is no number of at most stat.MaxValue.
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

// Points returns the curve's points by level.
func (c *Curve) Points() []Point { return slices.Clone(c.points) }

// At returns the value at a level. Before the first point it is the first one's, after the
// last one the last one's. O(log points).
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
	// Each product by itself, so that no processor fuses it with the sum.
	return float64(a.Value*(1-part)) + float64(b.Value*part)
}
