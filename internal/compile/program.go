package compile

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/exact"
)

// ReactionTo returns the actions of the definition for an act.
func (s *Program) ReactionTo(act define.Act) []Op {
	for k := range s.reactions {
		if s.reactions[k].act == act {
			return s.reactions[k].ops
		}
	}
	return nil
}

// AuraCanApply reports whether an aura may apply the definition. An aura cannot apply an instant
// buff, or a buff whose stacks have separate ends.
func (s *Program) AuraCanApply() bool {
	return s.Kind != define.Instant && s.Stack.Timers == define.TimersShared
}

// YieldsTo reports whether a dispel of grade g can remove the buff.
func (s *Program) YieldsTo(g define.Grade) bool {
	return s.Dispel.Grade <= g && s.Dispel.Grade != define.GradeUndispellable
}

// DrSource returns the source under which an application counts for diminishing returns. It is 0 if
// the applications of all sources are counted together.
func (s *Program) DrSource(source define.OwnerID) define.OwnerID {
	if s.DR.Scope == define.ScopeTarget {
		return 0
	}
	return source
}

// DrPerSource reports whether diminishing returns of the definition are counted separately for each
// source.
func (s *Program) DrPerSource() bool { return s.Uses&UsesDR != 0 && s.DR.Scope == define.ScopePair }

// ExpiringStacks returns how many of an instance's stacks expire when its duration ends.
func (s *Program) ExpiringStacks(stacks int) int {
	switch s.Stack.Expire {
	case define.ExpireOne:
		return 1
	case define.ExpireHalf:
		return max(stacks/2, 1)
	case define.ExpireCount:
		return s.Stack.ExpireN
	}
	return stacks
}

// SpanAfterExpiry returns the time until the next end after some stacks have expired, in ms. The
// parameter is the duration of the last application.
func (s *Program) SpanAfterExpiry(duration int64) int64 {
	if s.Decay > 0 {
		return s.Decay
	}
	return duration
}

// ValueFor returns the value for a number of stacks. It reports false if the formula has no value
// for this number of stacks.
func (r Ref) ValueFor(spec *Program, values []float64, stacks int32) (float64, bool) {
	if r.Place < 0 || int(r.Place) >= len(values) {
		return r.value, true
	}
	n := &spec.Numbers[r.Place]
	if n.Live == 0 || int(n.Live) >= len(values) || values[n.Live] == 0 {
		return values[r.Place], true
	}
	in := values[n.Live+1:]
	v, err := evalFormula(n.Formula, define.Inputs{Level: in[0], Stacks: float64(stacks), Magnitude: in[1], Reads: in[2 : 2+len(n.Reads) : 2+len(n.Reads)]})
	return v, err == nil && Finite(v)
}

// evalFormula evaluates a formula outside of an application. A formula that panics has no value.
func evalFormula(f define.Formula, in define.Inputs) (v float64, err error) {
	err = ErrPanic
	defer func() {
		if err == ErrPanic {
			_ = recover()
		}
	}()
	return f.Eval(in)
}

// MostPool is the largest pool of a shield: a whole number that a float64 can represent.
const MostPool = 1 << 62

// ErrPanic is the error of a formula that has panicked.
var ErrPanic = errors.New("buff: a formula panicked")

// OwnNumber reports whether each async stack has its own value of a number. This is only so with
// TimersEach, and not for constants or numbers that are evaluated at each pulse.
func (s *Program) OwnNumber(r Ref) bool {
	return s.Stack.Timers == define.TimersEach && r.Place >= 0 && s.Numbers[r.Place].Snapshot != define.SnapshotPulse
}

// Counted returns how many of the stacks count for a modifier. With TimersEach at most
// Stacking.Effective stacks count, if that is not zero.
func (s *Program) Counted(stacks int16) int16 {
	if st := &s.Stack; st.Timers == define.TimersEach && st.Effective > 0 {
		return int16(min(int(stacks), st.Effective))
	}
	return stacks
}

// Program is the compiled form of one definition. Package rules reads only programs. A program has
// a copy of the Spec with all defaults filled in. In its other fields, the names in the Spec are
// resolved to pointers to other programs or to numbers of the catalog, and its spans are in
// milliseconds.
//
// The programs of a catalog are numbered in the order of its definitions; instances refer to
// their program by number.
type Program struct {
	define.Spec

	Catalog *Catalog
	Uses    uses

	Duration int64 // ms; 0 unless Timed
	Shortest int64 // ms, MinDuration
	Longest  int64 // ms, MaxDuration; math.MaxInt64 if there is none
	Period   int64 // ms
	Carry    int64 // maximum time that a pandemic refresh carries over, in percent of the duration
	Cap      int64 // ms, RefreshCap
	Decay    int64 // ms
	Recharge int64 // ms, Charges.Recharge
	Limit    int32
	Initial  int32

	interval, linger, Reset, IfRemaining int64 // ms, of Aura, DR and Saving

	Is       []define.Tag // Tags and the tags above them, sorted
	Tags     []define.Tag // Tags, Grants and the tags above them, sorted
	Grants   []define.Tag // Grants and the tags above them, sorted
	Immunity match
	Require  struct{ Apply, Ongoing, Remove Condition }

	Group, Slot, Dr uint16 // numbers of the names in the catalog; 0 if not set

	// Acts, one bit each.
	Interrupt, ConsumeOn, ReactsTo uint64
	BySource                       uint64 // of ReactsTo, the acts of Hooks.ActBySource

	Aura       *Program
	Borne      bool       // an action is for the bearers of this definition
	shield     *shielding // nil without a shield
	Thresholds []threshold

	Numbers       []Number // stored in each instance: Params and all other numbers that are not constant
	Scale, PoolBy *Number  // DurationScale and Shield.By, nil if not set
	If            *Number  // Require.If, nil if not set
	Rate          Ref      // HasteBy, with UsesHaste
	Every         Ref      // PeriodFrom, with UsesPeriod
	RateNow       *Number  // HasteBy, read from a running instance; nil if it is only read at an application
	Callers       []string // names of the Application.Params that numbers of this definition use
	Modifiers     []Modifier
	Vars          []Var
	Links         []*Program

	// Captures are the attributes of the source that this definition, or a definition that it can
	// apply, reads. Some of them may be read after the application, by another definition or at an
	// act: see Program.addLateCapture. CapturesLate reports whether such a read has SnapshotCast,
	// and Rereads reports whether such a read has SnapshotApply.
	Captures              []capture
	CapturesLate, Rereads bool

	readsBuff bool // an action has Op.ReadsBuff
	ReadsLive bool // a number reads ReadAge or ReadAbsorbed

	Apply, Refresh, Pulse, Exec, Overflow, Death, Absorb []Op
	Remove                                               [reason.LastRemoval + 1][]Op
	reactions                                            []reaction

	When   *Number // the condition of on.when, nil if not set
	WhenDo []Op
}

// Of returns the program of a definition, or nil if it is nil or not from a catalog.
func Of(s *define.Spec) *Program {
	if s == nil {
		return nil
	}
	p, _ := s.Compiled().Program.(*Program)
	return p
}

// Definition returns the definition, or nil if there is no program.
func (p *Program) Definition() *define.Spec {
	if p == nil {
		return nil
	}
	return &p.Spec
}

// Pulses reports whether the definition has a period.
func (p *Program) Pulses() bool {
	return p.Spec.Period != 0 || p.PeriodBy != nil || p.PeriodFrom != nil
}

// PulseReads reports whether a pulse may read attributes of the owner.
func (p *Program) PulseReads() bool {
	return p.Uses&UsesPulsed != 0 || slices.ContainsFunc(p.Pulse, func(o Op) bool { return o.Late() })
}

// Acts returns the acts that the definition reacts to, one bit each.
func (p *Program) Acts() uint64 { return p.Interrupt | p.ConsumeOn | p.ReactsTo }

// uses are the less common features of a definition, one bit each, so that a plain definition
// skips their rules with one test.
type uses uint32

const (
	UsesRequire    uses = 1 << iota // Require.Apply
	UsesOngoing                     // Require.Ongoing or Require.Remove
	UsesHide                        // GroupHide, or Stack.Effective among instances
	usesGroup                       // Group
	usesSlot                        // Slot
	UsesGrants                      // Grants
	UsesImmunity                    // Immunity
	UsesChance                      // Chance below 1000
	UsesDR                          // DR
	UsesExtra                       // each instance has an extra
	UsesActs                        // Interrupt, Charges.ConsumeOn or Hooks.Act
	UsesCatchup                     // Catchup other than CatchupAll
	usesThresholds                  // Stack.Thresholds
	UsesNumbers                     // numbers to evaluate, or a shield whose pool is the magnitude
	UsesMagnitudes                  // each instance has magnitudes, in its extra
	UsesModifiers                   // Modifiers
	UsesOverride                    // a modifier with stat.Override
	UsesPulsed                      // numbers that are evaluated again at each pulse
	UsesLinks                       // Links
	UsesDead                        // cannot be applied to a dead owner
	UsesShare                       // PerSource
	UsesOnlyCall                    // see Program.onlyCalls
	UsesLive                        // Vars, or numbers that read ReadAge or ReadAbsorbed
	UsesView                        // actions with Op.ReadsBuff
	UsesRecharge                    // Charges.Recharge
	UsesHaste                       // HasteBy
	UsesPeriod                      // PeriodFrom

	// Sets of features. If a definition has no feature of a set, some code can be skipped: the
	// first checks of an application (UsesGates), the code before and after the start of a new
	// instance (UsesRoom and UsesEntry), and the end of the effects of an instance (UsesLeave).
	UsesGates = UsesNumbers | UsesMagnitudes | UsesRequire | UsesChance | UsesDead
	UsesRoom  = usesGroup | usesSlot | UsesShare | UsesModifiers
	UsesEntry = UsesModifiers | usesThresholds | UsesGrants | UsesImmunity | UsesHide | UsesOngoing | UsesActs | UsesRecharge
	UsesLeave = UsesGrants | UsesImmunity | UsesModifiers | UsesHide | UsesDR
)

// shielding selects the damage that a shield absorbs.
type shielding struct {
	schools []define.Tag // the schools, without the tags above them; empty if the shield absorbs all schools
	attrs   []stat.Attr  // empty if the shield protects all attributes
}

// threshold is a compiled define.Threshold.
type threshold struct {
	At, Consume int32
	Apply       *Program
}

// Condition is a compiled define.TagTest.
type Condition struct{ All, Any, None []define.Tag }

func (c *Condition) Empty() bool { return len(c.All)+len(c.Any)+len(c.None) == 0 }

// match is a compiled define.Match.
type match struct {
	tags     []define.Tag
	kind     string
	polarity define.Polarity
}

func (m *match) empty() bool { return len(m.tags) == 0 && m.kind == "" && m.polarity == define.Neutral }

// Op is a compiled Action.
type Op struct {
	Do      define.Do
	To      define.To
	Of      *Program      // the definition that Action.Of names, for a ToBearers; otherwise nil
	Reason  reason.Reason // the reason of a DoRemove
	Handler define.HandlerID
	Spec    *Program // the definition that Action.Name names
	Query   *Query
	Change  *Change     // the number of an action with one number
	With    *[4]*Change // the numbers of a DoApply, in the order of define.ApplyWith; nil if there are none

	OneOf  int32 // number of alternatives that start with this action, or 0
	Weight int32 // of an alternative, from 1

	FromSource bool
	ReadsBuff  bool // a number reads the buff when the action runs: see define.ReadLeft and the following
	Var        int  // index in Program.Vars, for a DoSet or DoAdd
	Stacks     int
	AtMost     time.Duration

	If   *Number   // Action.If, nil if not set
	Tags Condition // Action.IfTags
}

// Query is a compiled define.Query. Its Spec and Tag are in place of the names.
type Query struct {
	define.Query
	Spec *Program
	Tag  define.Tag
}

// Start returns the first value of the variable, from the numbers of an application.
func (v *Var) Start(values []float64) float64 {
	if v.Base.Place < 0 {
		return v.Limited(v.Base.value)
	}
	return v.Limited(values[v.Base.Place])
}

// Limited returns the value within the limits of the variable.
func (v *Var) Limited(x float64) float64 { return max(min(x, v.Max), v.Min) }

// ChangesAttribute reports whether the action changes an attribute.
func (o *Op) ChangesAttribute() bool { return o.Do == define.DoChange || o.Do == define.DoDamage }

// Partial reports whether the number of the action counts in a pulse for the part of a period that the
// pulse covers.
func (o *Op) Partial() bool { return o.ChangesAttribute() || o.Do == define.DoAdd }

// SetsVar reports whether the action changes a variable.
func (o *Op) SetsVar() bool { return o.Do == define.DoSet || o.Do == define.DoAdd }

// Late reports whether the action has something that is evaluated when it runs, or an application
// with numbers of its own.
func (o *Op) Late() bool {
	return o.Conditional() || o.With != nil || o.SetsVar() || o.Change != nil && o.Change.Run != nil
}

// Conditional reports whether the action has a condition.
func (o *Op) Conditional() bool { return o.If != nil || !o.Tags.Empty() }

// reaction is a compiled entry of Hooks.Act.
type reaction struct {
	act define.Act
	ops []Op
}

// Change is a compiled define.Change, or another number of an action.
type Change struct {
	Attr     stat.Attr
	By       Ref
	Run      *Number // if not nil, used instead of By; it is evaluated when the action runs
	Pulsed   bool    // By is evaluated again at each pulse
	PerStack bool
	School   define.Tag
}

// Modifier is a compiled define.Modifier.
type Modifier struct {
	Attr     stat.Attr
	Op       stat.Op
	Channel  uint8
	PerStack bool
	Value    Ref
}

// Ref refers to the value of a number.
type Ref struct {
	value float64 // the value of a constant; Place is then negative
	Place int32   // index in Program.Numbers and in the values of an instance
}

// Number is a compiled define.Number.
type Number struct {
	Name     string // the name under which a blob saves the value
	From     define.From
	Snapshot define.Snapshot
	Whom     define.Whose
	Known    bool // there is a default, which is in Value
	Attr     stat.Attr
	Value    float64 // the constant, or the default

	Pre, Coef, Post float64

	Caller  string
	Curve   *define.Curve
	Formula define.Formula
	Reads   []read

	// The inputs of a formula that reads stacks are numbers too: see checker.inputs. In the formula
	// and in each of its inputs, Live is the place of the first input. In all other numbers, Live
	// is zero. Input is true in the inputs.
	Live  int32
	Input bool
}

// Additional values of define.From for numbers that are inputs of a formula.
const (
	FromLive      define.From = define.FromFormula + 1 + iota // the value is 1 if all inputs are known, otherwise 0
	FromLevel                                                 // the level of the application
	FromMagnitude                                             // the magnitude of the application
)

// read is a compiled define.Read.
type read struct {
	Kind define.ReadKind
	Whom define.Whose
	Attr stat.Attr
	Var  int // index in Program.Vars
	Name string
}

// Var is a compiled define.Var.
type Var struct {
	Name         string
	Base         Ref
	Min, Max     float64
	AtMin, AtMax []Op
}

// capture is an attribute of the source that a definition reads.
type capture struct {
	Attr stat.Attr
	When define.Snapshot
}

// Finite reports whether v is a valid value of an attribute.
func Finite(v float64) bool { return math.Abs(v) <= stat.MaxValue }

// Wants reports whether the definition, or a definition that it applies, captures an attribute of
// its source at the given moment.
func (s *Program) Wants(a stat.Attr, when define.Snapshot) bool {
	for _, c := range s.Captures {
		if c.Attr == a && c.When == when {
			return true
		}
	}
	return false
}

// Varies reports whether the value of a modifier cannot be computed from one number and the number
// of stacks alone, because its formula reads the stacks or each async stack has a separate number.
func (s *Program) Varies(m *Modifier) bool {
	return s.OwnNumber(m.Value) || m.Value.Place >= 0 && s.Numbers[m.Value.Place].Live != 0
}

// Modifies reports whether a modifier depends on exactly the number at a place.
func (s *Program) Modifies(place int) bool {
	return slices.ContainsFunc(s.Modifiers, func(m Modifier) bool { return int(m.Value.Place) == place && !s.Varies(&m) })
}

// Absorbs reports whether a shield absorbs damage of a school to an attribute. If attr is 0, the
// damage is to no attribute in particular.
func (s *Program) Absorbs(school define.Tag, attr stat.Attr) bool {
	is := s.shield
	if attr != 0 && len(is.attrs) > 0 && !slices.Contains(is.attrs, attr) {
		return false
	}
	if len(is.schools) == 0 {
		return true
	}
	for ; school != 0; school = s.Catalog.parents[school-1] {
		if slices.Contains(is.schools, school) {
			return true
		}
	}
	return false
}

// MostAbsorbed returns the most points that a shield can absorb of a hit of an amount.
func (s *Program) MostAbsorbed(amount int64) int64 {
	if share := int64(s.Shield.Share); share > 0 {
		amount = amount/100*share + (amount%100*share+50)/100
	}
	if s.Shield.Cap > 0 {
		amount = min(amount, s.Shield.Cap)
	}
	return amount
}

// Refuses reports whether the overflow rule refuses an application at the stack limit. If `higher`
// is set, the application replaces the instance because of its higher level; OverflowDeny does not
// refuse such an application.
func (s *Program) Refuses(higher bool) bool {
	return s.Stack.Overflow == define.OverflowClear || s.Stack.Overflow == define.OverflowDeny && !higher
}

// Matches reports whether an immunity applies to the definition. It considers the definition's
// Tags, not its Grants. An empty match matches no definition.
func (m *match) Matches(s *Program) bool {
	return !m.empty() && (len(m.tags) == 0 || hasAny(s.Is, m.tags)) &&
		(m.kind == "" || m.kind == s.Dispel.Type) && (m.polarity == define.Neutral || m.polarity == s.Polarity)
}

// DurationAt returns the duration of the definition at a level, in ms.
func (s *Program) DurationAt(level int) int64 {
	if s.DurationBy == nil {
		return s.Duration
	}
	return secondsToMillis(s.DurationBy.At(level))
}

// PeriodFor returns the period of an instance at a level, in ms, for its numbers.
func (s *Program) PeriodFor(level int, values []float64) int64 {
	return s.Hasten(s.basePeriod(level, values), values)
}

// basePeriod returns the period without the rate.
func (s *Program) basePeriod(level int, values []float64) int64 {
	if s.Uses&UsesPeriod == 0 {
		return s.PeriodAt(level)
	}
	return RoundHalfUp(min(max(float64(values[s.Every.Place]*1000), float64(define.MinPeriod.Milliseconds())), float64(define.MaxDuration.Milliseconds())))
}

// PeriodVaries reports whether the period depends on the numbers of the instance.
func (s *Program) PeriodVaries() bool { return s.Uses&(UsesHaste|UsesPeriod) != 0 }

// Hasten divides a span in ms by the rate in the numbers of an instance, rounded half up. Without
// UsesHaste the rate is 1.
func (s *Program) Hasten(ms int64, values []float64) int64 {
	if s.Uses&UsesHaste == 0 || ms == 0 {
		return ms
	}
	return s.HastenBy(ms, values[s.Rate.Place])
}

// HastenBy does the same as Hasten, for a rate.
func (s *Program) HastenBy(ms int64, rate float64) int64 {
	v := float64(ms) / min(max(rate, 0.001), 1000)
	return RoundHalfUp(min(max(v, float64(define.MinPeriod.Milliseconds())), float64(define.MaxDuration.Milliseconds())))
}

// Shorten scales a duration in ms as the rate scales the period, if HasteDuration says so. So the
// duration has as many periods as without the rate. The result is at least 1.
func (s *Program) Shorten(ms int64, level int, values []float64) int64 {
	if s.Uses&UsesHaste == 0 || !s.HasteDuration {
		return ms
	}
	return max(exact.MulDiv(ms, uint64(s.PeriodFor(level, values)), uint64(s.basePeriod(level, values))), 1)
}

// Rescales reports whether an instance follows each change of its rate at once.
func (s *Program) Rescales() bool { return s.Uses&UsesHaste != 0 && s.Haste == define.HasteRescale }

// PeriodAt returns the period of the definition at a level, in ms.
func (s *Program) PeriodAt(level int) int64 {
	if s.PeriodBy == nil {
		return s.Period
	}
	return secondsToMillis(s.PeriodBy.At(level))
}

// secondsToMillis converts seconds to whole milliseconds, rounding half up.
func secondsToMillis(v float64) int64 { return RoundHalfUp(float64(v * 1000)) }

// RoundHalfUp rounds v half up. It does not add 0.5, because the sum could be inexact. v must be
// within the range of int64.
func RoundHalfUp(v float64) int64 {
	whole := math.Floor(v)
	if v-whole >= 0.5 {
		whole++
	}
	return int64(whole)
}
