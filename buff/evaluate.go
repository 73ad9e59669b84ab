package buff

import (
	"errors"
	"math"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/wheel"
)

// valueFor returns the value for a number of stacks. It reports false if the formula has no value
// for this number of stacks.
func (r ref) valueFor(spec *program, values []float64, stacks int32) (float64, bool) {
	if r.place < 0 || int(r.place) >= len(values) {
		return r.value, true
	}
	n := &spec.numbers[r.place]
	if n.live == 0 || int(n.live) >= len(values) || values[n.live] == 0 {
		return values[r.place], true
	}
	in := values[n.live+1:]
	v, err := evalFormula(n.formula, define.Inputs{Level: in[0], Stacks: float64(stacks), Magnitude: in[1], Reads: in[2 : 2+len(n.reads) : 2+len(n.reads)]})
	return v, err == nil && finite(v)
}

// evalFormula evaluates a formula outside of an application. A formula that panics has no value.
func evalFormula(f define.Formula, in define.Inputs) (v float64, err error) {
	err = errPanic
	defer func() {
		if err == errPanic {
			_ = recover()
		}
	}()
	return f.Eval(in)
}

// evaluation has the numbers of the application that is being executed.
type evaluation struct {
	values    []float64 // of program.numbers
	reads     []float64 // inputs of a formula
	fresh     []float64 // numbers that are evaluated at a pulse
	behind    magnitudes
	each      magnitudes // the result of Set.numbersOf with TimersEach, and its parts:
	parts     []ownPart
	strongest []float64
	args      []Arg     // of an instance that migrates
	coming    []float64 // of an application, saved while other numbers are evaluated
	scale     float64   // factor of the duration
	pool      int64     // pool of the shield

	missing string // the missing parameter or attribute, for NoParam
}

// evaluator has the inputs for the evaluation of a number.
type evaluator struct {
	set       *Set     // the owner, for its attributes
	turn      *Turn    // for scratch space and the name of a missing input
	spec      *program // the definition of the number
	params    []Arg
	captured  []Captured
	own       bool // the owner is its own source
	level     int
	stacks    int32
	magnitude int64
	amount    int64 // amount of the act
}

// evaluateNumbers evaluates all numbers of an application and stores them in the Turn until the
// next application. If the application must be denied, it returns the reason.
//
// It runs before all other checks, so that a missing number is found at the first application,
// regardless of chance and immunity. Stacks and level are the values that the instance will have
// if the application joins it. A stolen buff keeps its remaining time and shield, and so needs no
// numbers for them.
//
// Examples: testdata/params.txt, handed_on.txt.
func (s *Set) evaluateNumbers(t *Turn, a *Application) Reason {
	spec, stolen, w := programFor(a.Spec), stolenOf(a), &t.evaluated
	q := evaluator{set: s, turn: t, spec: spec, params: a.Params, captured: a.Captured, own: a.Source == s.owner, level: a.Level, magnitude: a.Magnitude}
	q.stacks = min(spec.stacksOf(a), spec.limit)
	if spec.Kind == define.Instant {
		q.stacks = a.Origin.Share.instantStacks() // an instant buff cannot stack: ignore Application.Stacks
	}
	if at := s.joinTarget(a); at != noSlot && spec.Stack.Timers != define.TimersQueue {
		i := s.slot(at)
		q.stacks = min(int32(i.stacks)+q.stacks, spec.limit)
		if spec.Stack.Level == define.LevelSum {
			q.level = min(int(i.level)+a.Level, define.MaxLevel)
		}
	}
	w.values, w.scale, w.pool = w.values[:0], 1, 0
	for k := range spec.numbers {
		n := &spec.numbers[k]
		v, why := stolen.find(spec, k)
		switch {
		case why == NoReason:
		case n.input && stolen != nil:
			v, why = 0, NoReason // stolen with a version whose formula did not read the stacks
		case n.input && n.from != fromLive && w.values[n.live] == 0:
			v, why = 0, NoReason // the formula uses its default, so its inputs are not read
		default:
			v, why = q.evaluate(n)
		}
		if why != NoReason {
			return why
		}
		w.values = append(w.values, v)
	}
	if spec.scale != nil && !a.Origin.Steal {
		v, why := q.evaluate(spec.scale)
		if why != NoReason {
			return why
		}
		w.scale = min(max(v, 0), MaxRatio)
	}
	if spec.poolBy != nil && !(stolen != nil && stolen.spec.Shield.On) {
		v, why := q.evaluate(spec.poolBy)
		if why != NoReason {
			return why
		}
		w.pool = wholePool(v)
	}
	if spec.Shield.On && spec.pool(t, a) <= 0 {
		return s.emptyPoolReason(t, a)
	}
	return NoReason
}

// emptyPoolReason returns the reason to refuse a shield with an empty pool, which would break at the next
// hit.
func (s *Set) emptyPoolReason(t *Turn, a *Application) Reason {
	if stolenOf(a) != nil || programFor(a.Spec).poolBy != nil {
		return BadValue
	}
	t.evaluated.missing = "magnitude"
	return NoParam
}

// wholePool converts a pool to whole points within its limits.
func wholePool(v float64) int64 { return int64(math.Floor(min(max(v, 0), mostPool))) }

// mostPool is the largest pool of a shield: a whole number that a float64 can represent.
const mostPool = 1 << 62

// evaluate evaluates one number. If an input is missing and the number has no default, the
// application is denied with NoParam. A missing input is never taken as zero, because damage of 0
// would hide the error.
//
// Examples: testdata/stat/missing.txt, curves.txt, snapshots.txt, source.txt.
func (q *evaluator) evaluate(n *number) (float64, Reason) {
	v, ok := n.value, true
	switch n.from {
	case define.FromConst:
		return v, NoReason
	case define.FromCurve:
		v = n.curve.At(q.level)
	case define.FromCaller:
		v, ok = argOf(q.params, n.caller)
	case define.FromAttr:
		if v, ok = q.attribute(n, n.whom, n.attr); ok {
			// The conversion prevents the compiler from fusing the product and the sum.
			v = float64((v+n.pre)*n.coef) + n.post
		}
	case define.FromFormula:
		return q.evaluateFormula(n)
	case fromLevel:
		v = float64(q.level)
	case fromMagnitude:
		v = float64(q.magnitude)
	case fromLive:
		return q.inputsKnown(n)
	}
	switch {
	case !ok && n.known:
		return n.value, NoReason
	case !ok:
		return 0, q.noteMissing(n.from == define.FromCaller, n.caller, n.attr)
	case !finite(v):
		return 0, BadValue
	}
	return v, NoReason
}

// evaluateFormula evaluates a number with a formula. If an input is missing, the number is missing.
// If an input is NaN or out of range, the number has no valid value either.
//
// Example: testdata/stat/formula.txt.
func (q *evaluator) evaluateFormula(n *number) (float64, Reason) {
	in, sound := q.turn.evaluated.reads[:0], true
	for k := range n.reads {
		r := &n.reads[k]
		v, ok := 0.0, false
		switch {
		case r.amount:
			v, ok = float64(q.amount), true
		case r.caller:
			v, ok = argOf(q.params, r.name)
		default:
			v, ok = q.attribute(n, r.whom, r.attr)
		}
		switch {
		case !ok && n.known:
			return n.value, NoReason
		case !ok:
			return 0, q.noteMissing(r.caller, r.name, r.attr)
		}
		sound = sound && finite(v)
		in = append(in, v)
	}
	q.turn.evaluated.reads = in
	if !sound {
		return 0, BadValue
	}
	v, err := q.callFormula(n.formula, define.Inputs{Level: float64(q.level), Stacks: float64(q.stacks), Magnitude: float64(q.magnitude), Reads: in})
	if err != nil || !finite(v) {
		return 0, BadValue
	}
	return v, NoReason
}

// inputsKnown returns 1 if all inputs of a formula are known, or 0 if its default replaces it.
func (q *evaluator) inputsKnown(n *number) (float64, Reason) {
	for k := range n.reads {
		r, ok := &n.reads[k], false
		if r.caller {
			_, ok = argOf(q.params, r.name)
		} else {
			_, ok = q.attribute(n, r.whom, r.attr)
		}
		switch {
		case ok:
		case n.known:
			return 0, NoReason
		default:
			return 0, q.noteMissing(r.caller, r.name, r.attr)
		}
	}
	return 1, NoReason
}

// errPanic is the error of a formula that has panicked.
var errPanic = errors.New("buff: a formula panicked")

// callFormula evaluates a formula, which may be code of the game. If the formula panics,
// callFormula returns errPanic.
func (q *evaluator) callFormula(f define.Formula, in define.Inputs) (v float64, err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		failed := recover()
		err = errPanic
		if told := q.turn.FormulaFailed; told != nil {
			told(&Event{At: q.turn.at, Seen: q.turn.Now, Owner: q.set.owner, Spec: &q.spec.Spec, End: wheel.Never}, failed)
		}
	}()
	v, err = f.Eval(in)
	returned = true
	return v, err
}

// noteMissing records the name of a missing input and returns NoParam.
func (q *evaluator) noteMissing(caller bool, name string, attr stat.Attr) Reason {
	if !caller {
		name = q.set.attributeCatalog(q.turn).schema.At(attr).Name
	}
	q.turn.evaluated.missing = name
	return NoParam
}

// attribute returns an attribute of the owner, or the captured value of an attribute of the
// source. If the owner is its own source, only values with SnapshotCast are captured.
func (q *evaluator) attribute(n *number, whom define.Whose, attr stat.Attr) (float64, bool) {
	if whom == define.OfSource && !(q.own && n.snapshot == define.SnapshotApply) {
		if v, ok := findCaptured(q.captured, attr, n.snapshot); ok || !q.own {
			return v, ok
		}
	}
	return q.set.attributeValue(q.set.attributeCatalog(q.turn), attr), true
}

func argOf(params []Arg, caller string) (float64, bool) {
	for k := range params {
		if params[k].Caller == caller {
			return params[k].Value, true
		}
	}
	return 0, false
}

// stolenState is the rest of a stolen buff: its numbers, shield and charges, and its further
// applications with separate timers.
type stolenState struct {
	spec    *program
	values  []float64
	shield  int64
	charges int32
	rest    []stolenPart // further parts, in the order of their application
	waiting []float64    // numbers of the waiting applications of a queue: see stolenState.valuesOf
}

// stolenOf returns the remaining state of a stolen buff that an application has, or nil.
func stolenOf(a *Application) *stolenState {
	n, _ := a.Origin.Stolen.(*stolenState)
	return n
}

// stolenPart is a part of a stolen buff, with a separate timer.
type stolenPart struct {
	left      int64 // remaining ms
	magnitude int64
	shield    int64 // remaining pool
	charges   int32 // remaining charges
	stacks    int16
	level     int16
	numbers   uint16 // index of separate numbers in stolenState.waiting, from 1; 0: none
}

// stolenMemory allocates memory for stolen buffs in larger chunks. The memory is not reused,
// because the applications that refer to it may be kept for any time.
type stolenMemory struct {
	taken  []stolenState
	values []float64
	rest   []stolenPart
	parts  []asyncStack // scratch
}

// allocStolen returns a copy of the numbers of a buff for its thief.
func (t *Turn) allocStolen(spec *program, values []float64) *stolenState {
	l := &t.stolen
	if len(l.taken) == cap(l.taken) {
		l.taken = make([]stolenState, 0, 32)
	}
	if cap(l.values)-len(l.values) < len(values) {
		l.values = make([]float64, 0, max(128, len(values)))
	}
	from := len(l.values)
	l.values = append(l.values, values...)
	l.taken = append(l.taken, stolenState{spec: spec, values: l.values[from:len(l.values):len(l.values)]})
	return &l.taken[len(l.taken)-1]
}

// find returns the former value of the k-th number of a definition, or NoParam if the stolen
// version did not have it. It compares names, not positions, because a reload may have inserted
// other numbers.
func (n *stolenState) find(spec *program, k int) (float64, Reason) {
	switch {
	case n == nil:
		return 0, NoParam
	case n.spec == spec:
		return n.values[k], NoReason
	}
	for j := range n.spec.numbers {
		if n.spec.numbers[j].name == spec.numbers[k].name {
			return n.values[j], NoReason
		}
	}
	return 0, NoParam
}

// Param returns the value of a parameter of the buff with handle h, and reports whether there is
// one. It costs O(parameters of the definition).
func (s *Set) Param(h Handle, name string) (float64, bool) {
	i := s.lookup(h)
	if i == nil {
		return 0, false
	}
	for k := range s.programOf(i).Params {
		if s.programOf(i).Params[k].Name == name {
			return s.param(i, k), true
		}
	}
	return 0, false
}

// param returns the k-th parameter of an instance for its present stacks.
func (s *Set) param(i *instance, k int) float64 {
	e, by := s.effectOf(i), ref{place: int32(k)}
	values := e.k.values
	if e.spec.ownNumber(by) && len(e.async) > 0 {
		var best *asyncStack
		eachCounted(e.async, offBoundary, e.spec.Stack.Effective, func(l *asyncStack, _ int32) { best = l.preferred(best) })
		values = e.k.valuesOf(best)
	}
	v, ok := by.valueFor(e.spec, values, int32(e.spec.counted(e.stacks)))
	if !ok {
		return values[k]
	}
	return v
}
