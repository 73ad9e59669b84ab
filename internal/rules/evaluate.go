package rules

import (
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/stolen"
	"github.com/bufftick/bufftick/wheel"
)

// A number of a definition is a constant, a parameter, a curve, an attribute or a formula. All
// numbers of an application are evaluated before it is checked; one without a value denies it.

// evaluation has the numbers of the application that is being executed.
type evaluation struct {
	values    []float64  // values of Program.Numbers
	reads     []float64  // inputs of a formula
	fresh     []float64  // numbers that are evaluated at a pulse
	behind    magnitudes // the result of actionMagnitudes or numbersAtEnd
	each      magnitudes // the result of numbersAt with TimersEach
	parts     []ownPart  // the parts from which `each` was computed
	strongest []float64  // the numbers of the strongest stack among these parts
	args      []buff.Arg // arguments of an instance that migrates
	coming    []float64  // numbers of an application, saved while other numbers are evaluated
	scale     float64    // factor of the duration
	pool      int64      // pool of the shield
	unmet     bool       // Require.If is zero

	missing string // the missing parameter or attribute, for NoParam
}

// evaluator has the inputs for the evaluation of a number.
type evaluator struct {
	set       *Owner           // the owner, for its attributes
	turn      *Turn            // for scratch space and the name of a missing input
	spec      *compile.Program // the definition of the number
	params    []buff.Arg
	captured  []buff.Captured
	own       bool // the owner is its own source
	level     int
	stacks    int32
	magnitude int64
	amount    float64   // amount of the act, or the number of stacks without room
	view      *buffView // the buff whose action is evaluated; nil for a number of an application
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
func evaluateNumbers(t *Turn, s *Owner, a *buff.Application) reason.Reason {
	spec, taken, w := compile.Of(a.Spec), stolen.Of(a.Origin.Stolen), &t.evaluated
	q := evaluator{set: s, turn: t, spec: spec, params: a.Params, captured: a.Captured, own: a.Source == s.id, level: a.Level, magnitude: a.Magnitude}
	q.stacks = min(stacksOf(spec, a), spec.Limit)
	if spec.Kind == define.Instant {
		q.stacks = instantStacks(&a.Origin.Share) // an instant buff cannot stack: ignore Application.Stacks
	}
	if i := s.joinTarget(a); i.exists() && spec.Stack.Timers != define.TimersQueue {
		q.stacks = min(int32(i.stacks)+q.stacks, spec.Limit)
		if spec.Stack.Level == define.LevelSum {
			q.level = min(int(i.level)+a.Level, define.MaxLevel)
		}
	}
	w.values, w.scale, w.pool, w.unmet = w.values[:0], 1, 0, false
	for k := range spec.Numbers {
		n := &spec.Numbers[k]
		v, why := taken.Find(spec, k)
		switch {
		case why == reason.None:
		case n.Input && taken != nil:
			v, why = 0, reason.None // stolen with a version whose formula did not read the stacks
		case n.Input && n.From != compile.FromLive && w.values[n.Live] == 0:
			v, why = 0, reason.None // the formula uses its default, so its inputs are not read
		default:
			v, why = q.evaluate(n)
		}
		if why != reason.None {
			return why
		}
		w.values = append(w.values, v)
	}
	if spec.Scale != nil && !a.Origin.Steal {
		v, why := q.evaluate(spec.Scale)
		if why != reason.None {
			return why
		}
		w.scale = min(max(v, 0), buff.MaxRatio)
	}
	if spec.If != nil && taken == nil {
		v, why := q.evaluate(spec.If)
		if why != reason.None {
			return why
		}
		w.unmet = v == 0
	}
	if spec.PoolBy != nil && !(taken != nil && taken.Spec.Shield.On) {
		v, why := q.evaluate(spec.PoolBy)
		if why != reason.None {
			return why
		}
		w.pool = wholePool(v)
	}
	if spec.Shield.On && pool(spec, t, a) <= 0 {
		return emptyPoolReason(t, s, a)
	}
	return reason.None
}

// emptyPoolReason returns the reason why a shield with an empty pool is refused. Such a shield
// would break at the next hit.
func emptyPoolReason(t *Turn, s *Owner, a *buff.Application) reason.Reason {
	if stolen.Of(a.Origin.Stolen) != nil || compile.Of(a.Spec).PoolBy != nil {
		return reason.BadValue
	}
	t.evaluated.missing = "magnitude"
	return reason.NoParam
}

// wholePool converts a pool to whole points within its limits.
func wholePool(v float64) int64 { return int64(math.Floor(min(max(v, 0), compile.MostPool))) }

// evaluate evaluates one number. If an input is missing and the number has no default, the
// application is denied with NoParam. A missing input is never taken as zero, because damage of 0
// would hide the error.
//
// Examples: testdata/stat/missing.txt, curves.txt, snapshots.txt, source.txt.
func (q *evaluator) evaluate(n *compile.Number) (float64, reason.Reason) {
	v, ok := n.Value, true
	switch n.From {
	case define.FromConst:
		return v, reason.None
	case define.FromCurve:
		v = n.Curve.At(q.level)
	case define.FromCaller:
		v, ok = argOf(q.params, n.Caller)
	case define.FromAttr:
		if v, ok = q.attribute(n, n.Whom, n.Attr); ok {
			// The conversion prevents the compiler from fusing the product and the sum.
			v = float64((v+n.Pre)*n.Coef) + n.Post
		}
	case define.FromFormula:
		return q.evaluateFormula(n)
	case compile.FromLevel:
		v = float64(q.level)
	case compile.FromMagnitude:
		v = float64(q.magnitude)
	case compile.FromLive:
		return q.inputsKnown(n)
	}
	switch {
	case !ok && n.Known:
		return n.Value, reason.None
	case !ok:
		return 0, q.noteMissing(n.From == define.FromCaller, n.Caller, n.Attr)
	case !compile.Finite(v):
		return 0, reason.BadValue
	}
	return v, reason.None
}

// evaluateFormula evaluates a number with a formula. If an input is missing, the number is missing.
// If an input is NaN or out of range, the number has no valid value either.
//
// Example: testdata/stat/formula.txt.
func (q *evaluator) evaluateFormula(n *compile.Number) (float64, reason.Reason) {
	in, sound := q.turn.evaluated.reads[:0], true
	for k := range n.Reads {
		r := &n.Reads[k]
		v, ok := 0.0, false
		switch {
		case r.Kind == define.ReadAmount:
			v, ok = q.amount, true
		case r.Kind == define.ReadCaller:
			v, ok = argOf(q.params, r.Name)
		case r.Kind != define.ReadAttribute:
			v, ok = q.view.read(r.Kind, r.Var)
		default:
			v, ok = q.attribute(n, r.Whom, r.Attr)
		}
		switch {
		case !ok && n.Known:
			return n.Value, reason.None
		case !ok:
			return 0, q.noteMissing(r.Kind != define.ReadAttribute, r.Name, r.Attr)
		}
		sound = sound && compile.Finite(v)
		in = append(in, v)
	}
	q.turn.evaluated.reads = in
	if !sound {
		return 0, reason.BadValue
	}
	v, err := q.callFormula(n.Formula, define.Inputs{Level: float64(q.level), Stacks: float64(q.stacks), Magnitude: float64(q.magnitude), Reads: in})
	if err != nil || !compile.Finite(v) {
		return 0, reason.BadValue
	}
	return v, reason.None
}

// inputsKnown returns 1 if all inputs of a formula are known. If an input is missing, it returns 0
// if the number has a default, and otherwise the reason to deny the application.
func (q *evaluator) inputsKnown(n *compile.Number) (float64, reason.Reason) {
	for k := range n.Reads {
		r, ok := &n.Reads[k], false
		if r.Kind == define.ReadCaller {
			_, ok = argOf(q.params, r.Name)
		} else {
			_, ok = q.attribute(n, r.Whom, r.Attr)
		}
		switch {
		case ok:
		case n.Known:
			return 0, reason.None
		default:
			return 0, q.noteMissing(r.Kind != define.ReadAttribute, r.Name, r.Attr)
		}
	}
	return 1, reason.None
}

// callFormula evaluates a formula, which may be code of the game. If the formula panics,
// callFormula returns compile.ErrPanic.
func (q *evaluator) callFormula(f define.Formula, in define.Inputs) (v float64, err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		failed := recover()
		err = compile.ErrPanic
		if told := q.turn.FormulaFailed; told != nil {
			told(&buff.Event{At: q.turn.at, Seen: q.turn.Now, Owner: q.set.id, Spec: &q.spec.Spec, End: wheel.Never}, failed)
		}
	}()
	v, err = f.Eval(in)
	returned = true
	return v, err
}

// noteMissing records the name of a missing input and returns NoParam.
func (q *evaluator) noteMissing(caller bool, name string, attr stat.Attr) reason.Reason {
	if !caller {
		name = attributeCatalog(q.turn, q.set).Schema.At(attr).Name
	}
	q.turn.evaluated.missing = name
	return reason.NoParam
}

// attribute returns an attribute of the owner, or the captured value of an attribute of the
// source. If the owner is its own source, only values with SnapshotCast are captured.
func (q *evaluator) attribute(n *compile.Number, whom define.Whose, attr stat.Attr) (float64, bool) {
	if whom == define.OfSource && !(q.own && n.Snapshot == define.SnapshotApply) {
		if v, ok := findCaptured(q.captured, attr, n.Snapshot); ok || !q.own {
			return v, ok
		}
	}
	return q.set.sheet().ValueIn(attributeCatalog(q.turn, q.set).Schema, attr), true
}

func argOf(params []buff.Arg, caller string) (float64, bool) {
	for k := range params {
		if params[k].Caller == caller {
			return params[k].Value, true
		}
	}
	return 0, false
}

// stolenMemory allocates memory for stolen buffs in larger chunks. The memory is not reused,
// because the applications that refer to it may be kept for any length of time.
type stolenMemory struct {
	taken  []stolen.Buff
	values []float64
	rest   []stolen.Part
	parts  []asyncStack // scratch
}

// allocStolen returns a copy of the numbers of a buff for its thief.
func (t *Turn) allocStolen(spec *compile.Program, values []float64) *stolen.Buff {
	l := &t.stolen
	if len(l.taken) == cap(l.taken) {
		l.taken = make([]stolen.Buff, 0, 32)
	}
	if cap(l.values)-len(l.values) < len(values) {
		l.values = make([]float64, 0, max(128, len(values)))
	}
	from := len(l.values)
	l.values = append(l.values, values...)
	l.taken = append(l.taken, stolen.Buff{Spec: spec, Values: l.values[from:len(l.values):len(l.values)]})
	return &l.taken[len(l.taken)-1]
}

// Param returns the value of a parameter of the buff with handle h, and reports whether there is
// one. It costs O(parameters of the definition).
func (s *Owner) Param(h buff.Handle, name string) (float64, bool) {
	i := s.lookup(h)
	if !i.exists() {
		return 0, false
	}
	for k := range i.program().Params {
		if i.program().Params[k].Name == name {
			return i.param(k), true
		}
	}
	return 0, false
}

// param returns the k-th parameter of an instance for its present stacks.
func (i instance) param(k int) float64 {
	e, by := i.effect(), compile.Ref{Place: int32(k)}
	values := e.k.values
	if e.spec.OwnNumber(by) && len(e.async) > 0 {
		var best *asyncStack
		eachCounted(e.async, offBoundary, e.spec.Stack.Effective, func(l *asyncStack, _ int32) { best = l.preferred(best) })
		values = e.k.valuesOf(best)
	}
	v, ok := by.ValueFor(e.spec, values, int32(e.spec.Counted(e.stacks)))
	if !ok {
		return values[k]
	}
	return v
}
