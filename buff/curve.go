package buff

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/bufftick/bufftick/buff/stat"
)

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
		case !finite(p.Value):
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

// finite reports whether v is a number that an attribute may have.
func finite(v float64) bool { return math.Abs(v) <= stat.MaxValue }
