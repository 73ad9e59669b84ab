package buff

import (
	"math"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// program is the compiled form of one definition. The rules of a Set read programs only. A
// program holds a copy of the Spec, whose pointers, names and spans it adds as pointers to other
// programs, numbers of the catalog and milliseconds, with all defaults filled in.
//
// The programs of a catalog are numbered in the order of its definitions; instances refer to
// their program by number.
type program struct {
	Spec

	catalog  *Catalog
	index    uint32 // in Catalog.programs
	lineage  uint32 // number of the ID in Catalog.lineages, the same for all versions
	revision uint32 // number of changes of this lineage so far

	uses uses

	duration int64 // ms; 0 unless Timed
	shortest int64 // ms, MinDuration
	longest  int64 // ms, MaxDuration; math.MaxInt64 if there is none
	period   int64 // ms
	carry    int64 // maximum carried over by a pandemic refresh, in percent of the duration
	cap      int64 // ms, RefreshCap
	limit    int32
	initial  int32

	interval, linger, reset, ifRemaining int64 // ms, of Aura, DR and Saving

	is       []Tag // Tags and the tags above them, sorted
	tags     []Tag // Tags, Grants and the tags above them, sorted
	grants   []Tag // Grants and the tags above them, sorted
	immunity match
	require  struct{ apply, ongoing, remove condition }

	group, slot, dr uint16 // numbers in the catalog; 0 for none

	// Acts, one bit each.
	interrupt, consumeOn, reactsTo uint64

	aura       *program
	shield     *shielding // nil without a shield
	thresholds []threshold

	numbers       []number // kept by each instance: Params, and all values that are not constant
	scale, poolBy *number  // of the duration and of the shield
	callers       []string // names of Application.Params that some number reads
	modifiers     []modifier
	links         []*program

	// captures are the attributes of the source that the definition and all that it can set off
	// read. capturesLate says that some are read after the application with SnapshotCast, rereads that
	// some are with SnapshotApply: see program.addLateCapture.
	captures              []capture
	capturesLate, rereads bool

	apply, refresh, pulse, exec, overflow, death []op
	remove                                       [lastRemoval + 1][]op
	reactions                                    []reaction
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
	usesExtra                       // state in an extra
	usesActs                        // Interrupt, Charges.ConsumeOn or Hooks.Act
	usesCatchup                     // Catchup other than CatchupAll
	usesThresholds                  // Stack.Thresholds
	usesNumbers                     // numbers to evaluate, or a shield whose pool is the magnitude
	usesMagnitudes                  // state in magnitudes
	usesModifiers                   // Modifiers
	usesOverride                    // a modifier with stat.Override
	usesPulsed                      // numbers evaluated again at each pulse
	usesLinks                       // Links
	usesDead                        // cannot be applied to a dead owner
	usesShare                       // PerSource
	usesOnlyCall                    // see program.onlyCalls

	// The features that matter to an application, before and after a new instance starts, and when
	// an instance ends.
	usesGates = usesNumbers | usesMagnitudes | usesRequire | usesChance | usesDead
	usesRoom  = usesGroup | usesSlot | usesShare | usesModifiers
	usesEntry = usesModifiers | usesThresholds | usesGrants | usesImmunity | usesHide | usesOngoing | usesActs
	usesLeave = usesGrants | usesImmunity | usesModifiers | usesHide | usesDR
)

// shielding selects the damage that a shield absorbs.
type shielding struct {
	schools []Tag       // without the tags above them; empty for all
	attrs   []stat.Attr // empty for all
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
	reason  Reason // of a DoRemove
	handler HandlerID
	spec    *program // of a DoApply or DoRemove
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
	atAct    *number // if not nil, replaces by: evaluated at the act, because it reads the amount
	pulsed   bool    // by is evaluated again at each pulse
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
	value float64 // a constant, if place is negative
	place int32   // index in program.numbers and in the values of an instance
}

// number is a compiled define.Number.
type number struct {
	name     string // in a blob
	from     define.From
	snapshot define.Snapshot
	whom     define.Whose
	known    bool // there is a default
	attr     stat.Attr
	value    float64 // the constant, or the default

	pre, coef, post float64

	caller  string
	curve   *define.Curve
	formula define.Formula
	reads   []read

	// The inputs of a formula that reads stacks are numbers too: see checker.inputs. live is the
	// place of the first of them, in the formula and in each input; 0 if there are none.
	live  int32
	input bool
}

// Sources of the numbers that are inputs of a formula, in addition to those of define.From.
const (
	fromLive      define.From = define.FromFormula + 1 + iota // 1 if all inputs are known, otherwise 0
	fromLevel                                                 // of the application
	fromMagnitude                                             // of the application
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
