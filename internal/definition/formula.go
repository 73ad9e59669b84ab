package definition

import (
	"fmt"
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// Limits of a formula.
const (
	maxFormula      = 1000 // characters
	maxFormulaNodes = 200  // names, numbers and operators
	maxFormulaStack = 64   // values on the stack of the stack machine
)

// formula is a formula compiled to steps for a stack machine. The language is the numeric subset
// of package expr. It has its own interpreter, whose evaluation takes nanoseconds, allocates
// nothing, and is safe for concurrent use. The interpreter also rounds after each step, so that
// the result has the same bits on every processor.
type formula struct {
	text   string
	reads  []define.Read
	curves []*define.Curve
	steps  []step
}

// step is one instruction. On the stack, true is 1 and false is 0.
type step struct {
	op opcode
	n  int32   // index of a read, a curve or a stack slot, or the target of a jump
	v  float64 // the constant, for pushConst
}

type opcode uint8

const (
	pushConst opcode = iota
	pushLevel
	pushStacks
	pushMagnitude
	pushRead
	pushCurve
	pushLocal // pushes a copy of stack slot n
	slide     // removes the value below the top
	jump
	jumpIfNot // removes the top, and jumps if it is false
	negate
	floor
	ceil
	abs
	round
	invert
	add
	sub
	mul
	div
	mod
	least
	greatest
	equal
	unequal
	less
	lessEqual
	greater
	greaterEqual
)

// errNotFinite is the error of a formula whose result is not a number, or is too large.
var errNotFinite = fmt.Errorf("catalog: a formula gives no number within ±%v", float64(stat.MaxValue))

func (f *formula) String() string       { return f.text }
func (f *formula) Reads() []define.Read { return f.reads }

// ReadsStacks reports whether the formula reads the number of stacks.
func (f *formula) ReadsStacks() bool {
	return slices.ContainsFunc(f.steps, func(s step) bool { return s.op == pushStacks })
}

// Same reports whether the other formula has the same text and equal curves.
func (f *formula) Same(other define.Formula) bool {
	o, ok := other.(*formula)
	return ok && o.text == f.text && slices.EqualFunc(f.curves, o.curves, func(a, b *define.Curve) bool {
		return slices.Equal(a.Points(), b.Points())
	})
}

// Eval runs the formula. Inputs.Reads must have one entry for each element of f.Reads. Eval is safe
// for concurrent use.
func (f *formula) Eval(in define.Inputs) (float64, error) {
	v := f.run(&in)
	if !(math.Abs(v) <= stat.MaxValue) { // NaN is an error, too
		return 0, errNotFinite
	}
	return v, nil
}

// run returns the result. It relies on two properties of compiled steps: all slots are within the
// stack, and all jumps are forward.
func (f *formula) run(in *define.Inputs) float64 {
	var stack [maxFormulaStack]float64
	top := -1
	for at := 0; at < len(f.steps); at++ {
		s := &f.steps[at]
		switch s.op {
		case jump:
			at = int(s.n) - 1
		case jumpIfNot:
			if stack[top] == 0 {
				at = int(s.n) - 1
			}
			top--
		case slide:
			top--
			stack[top] = stack[top+1]
		case negate, floor, ceil, abs, round, invert:
			stack[top] = unary(s.op, stack[top])
		default:
			if s.op >= add {
				top--
				stack[top] = binary(s.op, stack[top], stack[top+1])
				continue
			}
			top++
			if s.op == pushLocal {
				stack[top] = stack[s.n]
				continue
			}
			stack[top] = f.push(s, in)
		}
	}
	return stack[0]
}

// push returns the value that a step pushes.
func (f *formula) push(s *step, in *define.Inputs) float64 {
	switch s.op {
	case pushLevel:
		return in.Level
	case pushStacks:
		return in.Stacks
	case pushMagnitude:
		return in.Magnitude
	case pushRead:
		return in.Reads[s.n]
	case pushCurve:
		return f.curves[s.n].At(int(min(max(in.Level, 0), define.MaxLevel)))
	}
	return s.v
}

func unary(op opcode, v float64) float64 {
	switch op {
	case negate:
		return -v
	case floor:
		return math.Floor(v)
	case ceil:
		return math.Ceil(v)
	case abs:
		return math.Abs(v)
	case round:
		return math.Round(v)
	}
	return 1 - v // invert
}

func binary(op opcode, a, b float64) float64 {
	switch op {
	case add:
		return a + b
	case sub:
		return a - b
	case mul:
		return a * b
	case div:
		return a / b
	case mod:
		return math.Mod(a, b)
	case least:
		return min(a, b)
	case greatest:
		return max(a, b)
	}
	return truth(compare(op, a, b))
}

func compare(op opcode, a, b float64) bool {
	switch op {
	case equal:
		return a == b
	case unequal:
		return a != b
	case less:
		return a < b
	case lessEqual:
		return a <= b
	case greater:
		return a > b
	}
	return a >= b // greaterEqual
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
