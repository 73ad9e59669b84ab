package buff

import (
	"math"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// program is the compiled form of one definition. The rules of a Set read programs only. A program
// has a copy of the Spec with all defaults filled in. In its other fields, the names in the Spec
// are resolved to pointers to other programs or to numbers of the catalog, and its spans are in
// milliseconds.
//
// The programs of a catalog are numbered in the order of its definitions; instances refer to
// their program by number.
type program struct {
	Spec

	catalog *catalog
	uses    uses

	duration int64 // ms; 0 unless Timed
	shortest int64 // ms, MinDuration
	longest  int64 // ms, MaxDuration; math.MaxInt64 if there is none
	period   int64 // ms
	carry    int64 // maximum time that a pandemic refresh carries over, in percent of the duration
	cap      int64 // ms, RefreshCap
	limit    int32
	initial  int32

	interval, linger, reset, ifRemaining int64 // ms, of Aura, DR and Saving

	is       []Tag // Tags and the tags above them, sorted
	tags     []Tag // Tags, Grants and the tags above them, sorted
	grants   []Tag // Grants and the tags above them, sorted
	immunity match
	require  struct{ apply, ongoing, remove condition }

	group, slot, dr uint16 // numbers of the names in the catalog; 0 if not set

	// Acts, one bit each.
	interrupt, consumeOn, reactsTo uint64

	aura       *program
	shield     *shielding // nil without a shield
	thresholds []threshold

	numbers       []number // stored in each instance: Params and all other numbers that are not constant
	scale, poolBy *number  // DurationScale and Shield.By, nil if not set
	callers       []string // names of the Application.Params that numbers of this definition use
	modifiers     []modifier
	links         []*program

	// captures are the attributes of the source that this definition reads, or a definition that it
	// can apply. Some of them may be read after the application, by another definition or at an
	// act: see program.addLateCapture. For such reads, capturesLate reports whether one has
	// SnapshotCast, and rereads whether one has SnapshotApply.
	captures              []capture
	capturesLate, rereads bool

	apply, refresh, pulse, exec, overflow, death []op
	remove                                       [lastRemoval + 1][]op
	reactions                                    []reaction
}

// programFor returns the program of a definition, or nil if it is nil or not from a catalog.
func programFor(s *Spec) *program {
	if s == nil {
		return nil
	}
	p, _ := s.Compiled().Program.(*program)
	return p
}

// spec returns the definition, or nil if there is no program.
func (p *program) spec() *Spec {
	if p == nil {
		return nil
	}
	return &p.Spec
}

// pulses reports whether the definition has a period.
func (p *program) pulses() bool { return p.Period != 0 || p.PeriodBy != nil }

// acts returns the acts that the definition reacts to, one bit each.
func (p *program) acts() uint64 { return p.interrupt | p.consumeOn | p.reactsTo }

// uses are the less common features of a definition, one bit each, so that a plain definition
// skips their rules with one test.
type uses uint32

const (
	usesRequire    uses = 1 << iota // Require.Apply
	usesOngoing                     // Require.Ongoing or Require.Remove
	usesHide                        // GroupHide, or Stack.Effective among instances
	usesGroup                       // Group
	usesSlot                        // Slot
	usesGrants                      // Grants
	usesImmunity                    // Immunity
	usesChance                      // Chance below 1000
	usesDR                          // DR
	usesExtra                       // each instance has an extra
	usesActs                        // Interrupt, Charges.ConsumeOn or Hooks.Act
	usesCatchup                     // Catchup other than CatchupAll
	usesThresholds                  // Stack.Thresholds
	usesNumbers                     // numbers to evaluate, or a shield whose pool is the magnitude
	usesMagnitudes                  // each instance has magnitudes, in its extra
	usesModifiers                   // Modifiers
	usesOverride                    // a modifier with stat.Override
	usesPulsed                      // numbers that are evaluated again at each pulse
	usesLinks                       // Links
	usesDead                        // cannot be applied to a dead owner
	usesShare                       // PerSource
	usesOnlyCall                    // see program.onlyCalls

	// Sets of features. If a definition has no feature of a set, some code can be skipped: the
	// first checks of an application (usesGates), the code before and after the start of a new
	// instance (usesRoom and usesEntry), and the end of the effects of an instance (usesLeave).
	usesGates = usesNumbers | usesMagnitudes | usesRequire | usesChance | usesDead
	usesRoom  = usesGroup | usesSlot | usesShare | usesModifiers
	usesEntry = usesModifiers | usesThresholds | usesGrants | usesImmunity | usesHide | usesOngoing | usesActs
	usesLeave = usesGrants | usesImmunity | usesModifiers | usesHide | usesDR
)

// shielding selects the damage that a shield absorbs.
type shielding struct {
	schools []Tag       // without the tags above them; empty if the shield absorbs all schools
	attrs   []stat.Attr // empty if the shield protects all attributes
}

// threshold is a compiled define.Threshold.
type threshold struct {
	at, consume int32
	apply       *program
}

// condition is a compiled define.TagTest.
type condition struct{ all, any, none []Tag }

func (c *condition) empty() bool { return len(c.all)+len(c.any)+len(c.none) == 0 }

// match is a compiled define.Match.
type match struct {
	tags     []Tag
	kind     string
	polarity define.Polarity
}

func (m *match) empty() bool { return len(m.tags) == 0 && m.kind == "" && m.polarity == define.Neutral }

// op is a compiled Action.
type op struct {
	do      define.Do
	to      define.To
	reason  Reason // the reason of a DoRemove
	handler HandlerID
	spec    *program // the definition of a DoApply or DoRemove
	change  *change
}

// reaction is a compiled entry of Hooks.Act.
type reaction struct {
	act Act
	ops []op
}

// change is a compiled define.Change.
type change struct {
	attr     stat.Attr
	by       ref
	atAct    *number // if not nil, used instead of the field by; it reads the amount, so it is evaluated at the act
	pulsed   bool    // the field by is evaluated again at each pulse
	perStack bool
	school   Tag
}

// modifier is a compiled define.Modifier.
type modifier struct {
	attr     stat.Attr
	op       stat.Op
	channel  uint8
	perStack bool
	value    ref
}

// ref refers to the value of a number.
type ref struct {
	value float64 // the value of a constant, for which place is negative
	place int32   // index in program.numbers and in the values of an instance
}

// number is a compiled define.Number.
type number struct {
	name     string // the name under which a blob saves the value
	from     define.From
	snapshot define.Snapshot
	whom     define.Whose
	known    bool // there is a default, which is in value
	attr     stat.Attr
	value    float64 // the constant, or the default

	pre, coef, post float64

	caller  string
	curve   *define.Curve
	formula define.Formula
	reads   []read

	// The inputs of a formula that reads stacks are numbers too: see checker.inputs. In the formula
	// and in each of its inputs, live is the place of the first input; in all other numbers it is
	// 0. In an input, input is true.
	live  int32
	input bool
}

// Additional values of define.From for numbers that are inputs of a formula.
const (
	fromLive      define.From = define.FromFormula + 1 + iota // the value is 1 if all inputs are known, otherwise 0
	fromLevel                                                 // the level of the application
	fromMagnitude                                             // the magnitude of the application
)

// read is a compiled define.Read.
type read struct {
	caller bool
	amount bool
	whom   define.Whose
	attr   stat.Attr
	name   string
}

// capture is an attribute of the source that a definition reads.
type capture struct {
	attr stat.Attr
	when define.Snapshot
}

// finite reports whether v is a valid value of an attribute.
func finite(v float64) bool { return math.Abs(v) <= stat.MaxValue }
