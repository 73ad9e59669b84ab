package buff

import (
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
	// read. handsOn says that some are read after the application with SnapshotCast, rereads that
	// some are with SnapshotApply: see program.handOn.
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

// reaction is a compiled entry of Hooks.Act.
type reaction struct {
	act Act
	ops []op
}

// uses says which of the rarer features a definition has, a bit each: a plain one is
// recognized by one look.
type uses uint32

const (
	usesRequire    uses = 1 << iota // Require.Apply
	usesOngoing                     // Require.Ongoing or Require.Remove
	usesHide                        // GroupHide or Effective among instances
	usesGroup                       // another rule of a group
	usesSlot                        //
	usesGrants                      //
	usesImmunity                    // Immunity
	usesChance                      //
	usesDR                          //
	usesExtra                       // something that stands in an extra
	usesActs                        // Interrupt, Charges.ConsumeOn or Hooks.Act
	usesCatchup                     // not CatchupAll
	usesThresholds                  //
	usesNumbers                     // numbers that are to be worked out, also a pool that is the magnitude
	usesMagnitudes                  // something that stands in a kept
	usesModifiers                   //
	usesOverride                    // one of its modifiers overrides
	usesPulsed                      // numbers that are asked for anew at each pulse
	usesLinks                       //
	usesDead                        // it is refused to the dead
	usesShare                       // PerSource
	usesOnlyCall                    // see Spec.onlyCalls

	// What an application, a new instance and one that ends must look at.
	usesGates = usesNumbers | usesMagnitudes | usesRequire | usesChance | usesDead
	usesRoom  = usesGroup | usesSlot | usesShare | usesModifiers
	usesLeave = usesGrants | usesImmunity | usesModifiers | usesHide | usesDR
	usesEntry = usesModifiers | usesThresholds | usesGrants | usesImmunity | usesHide | usesOngoing | usesActs
)

// shielding is what a shield stands before.
type shielding struct {
	schools []Tag       // not with those above them; none: all
	attrs   []stat.Attr // none: all
}

// threshold is a compiled Threshold.
type threshold struct {
	at, consume int32
	apply       *program
}

// condition is a compiled TagTest.
type condition struct{ all, any, none []Tag }

func (c *condition) empty() bool { return len(c.all)+len(c.any)+len(c.none) == 0 }

// match is a compiled Match.
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
	reason  Reason
	handler HandlerID
	spec    *program
	change  *change
}

// change is a compiled Change.
type change struct {
	attr     stat.Attr
	by       ref
	atAct    *number // evaluated at the act, since it reads the amount; nil: by holds
	pulsed   bool    // by is asked for anew at each pulse
	perStack bool
	school   Tag
}

// modifier is a compiled Modifier.
type modifier struct {
	attr     stat.Attr
	op       stat.Op
	channel  uint8
	perStack bool
	value    ref
}
