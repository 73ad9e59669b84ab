package buff

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// compiled is what NewCatalog makes of a Spec: spans in milliseconds, references
// as pointers, names as numbers, defaults filled in.
type compiled struct {
	catalog  *Catalog
	index    uint32
	lineage  uint32 // number of the ID, the same in all versions
	uses     uses
	duration int64 // ms; 0 unless Timed
	shortest int64 // ms, MinDuration
	longest  int64 // ms, MaxDuration; if none is given, the highest int64
	period   int64 // ms
	carry    int64 // of the duration, in percent: the most that a pandemic refresh carries over
	cap      int64 // ms, RefreshCap
	limit    int32
	initial  int32

	interval, linger, reset, ifRemaining int64 // ms, of Aura, DR and Saving

	is       []Tag // Tags, with those above them; sorted
	tags     []Tag // Tags and Grants, with those above them; sorted
	grants   []Tag // with those above them; sorted
	immunity match
	require  struct{ apply, ongoing, remove condition }

	group, slot, dr uint16 // numbers in the catalog, 0 for none
	handsOn         bool   // something reads captures of the cast after the application: see Spec.handOn
	rereads         bool   // the same for captures with SnapshotApply
	interrupt       uint64 // a bit for each act
	consumeOn       uint64
	reactsTo        uint64
	aura            *Spec

	shield     *shielding // nil: it has none
	thresholds []threshold

	numbers       []number // that an instance keeps: those of Params, and what is not the same always
	scale, poolBy *number  // of the duration, of a shield
	callers       []string // names of Application.Params that one of the numbers reads
	modifiers     []modifier
	captures      []capture // of the source, with those of all that it can set off
	links         []*Spec
	revision      uint32 // counts, in its line, how often what it says has changed

	apply, refresh, pulse, exec, overflow, death []op
	remove                                       [lastRemoval + 1][]op
	reactions                                    []reaction
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
	apply       *Spec
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
	spec    *Spec
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

// compile fills in what is not checked elsewhere. Limits are checked first: it runs for
// wrong definitions too.
func (k *checker) compile(s *Spec) {
	s.shortest, s.longest = s.MinDuration.Milliseconds(), int64(math.MaxInt64)
	if s.MaxDuration > 0 {
		s.longest = s.MaxDuration.Milliseconds()
	}
	s.cap = s.Stack.RefreshCap.Milliseconds()
	s.interval, s.linger, s.reset = s.Aura.Interval.Milliseconds(), s.Aura.Linger.Milliseconds(), s.DR.Reset.Milliseconds()
	s.ifRemaining = s.Save.IfRemaining.Milliseconds()
	k.compileTags(s)
	k.compileNames(s)
	s.Params = slices.Clone(s.Params)
	s.DR.Steps = slices.Clone(s.DR.Steps)
	if s.Aura.Apply != "" {
		s.aura = k.ref("aura.apply", s.Aura.Apply)
	}
	s.Stack.Thresholds = slices.Clone(s.Stack.Thresholds)
	for i, t := range s.Stack.Thresholds {
		c := threshold{at: int32(min(max(t.At, 0), define.MaxStacks)), consume: int32(min(max(t.Consume, define.ConsumeAll), define.MaxStacks))}
		if t.Apply != "" {
			c.apply = k.ref(element("stack.thresholds", i)+".apply", t.Apply)
		}
		s.thresholds = append(s.thresholds, c)
	}
}

func (k *checker) compileTags(s *Spec) {
	s.grants = k.catalog.closure(k.tagList("grants", &s.Grants))
	s.is = k.catalog.closure(k.tagList("tags", &s.Tags))
	s.tags = s.is
	if len(s.grants) > 0 {
		s.tags = k.catalog.closure(append(slices.Clone(s.is), s.grants...))
	}
	s.immunity = match{tags: k.tagList("immunity.tags", &s.Immunity.Tags), kind: s.Immunity.Type, polarity: s.Immunity.Polarity}
	s.require.apply = k.condition("require.apply", &s.Require.Apply)
	s.require.ongoing = k.condition("require.ongoing", &s.Require.Ongoing)
	s.require.remove = k.condition("require.remove", &s.Require.Remove)
}

func (k *checker) compileNames(s *Spec) {
	s.group = k.numbered("group.name", &k.catalog.groups, s.Group.Name)
	s.slot = k.numbered("slot.class", &k.catalog.slots, s.Slot.Class)
	s.dr = k.numbered("dr.group", &k.catalog.drs, s.DR.Group)
	s.interrupt = k.actSet("interrupt", &s.Interrupt)
	s.consumeOn = k.actSet("charges.consume_on", &s.Charges.ConsumeOn)
}

// acts returns the acts that the definition does something about.
func (s *Spec) acts() uint64 { return s.interrupt | s.consumeOn | s.reactsTo }

// findUses says once, at load, which of the rules a definition makes use of. The hot paths ask for one bit, and a plain damage
// over time passes none of the code for groups, immunities or numbers.
func (s *Spec) findUses() (u uses) {
	set := func(bit uses, on bool) {
		if on {
			u |= bit
		}
	}
	r := &s.require
	set(usesRequire, !r.apply.empty())
	set(usesOngoing, !r.ongoing.empty() || !r.remove.empty())
	set(usesHide, s.group != 0 && s.Group.Rule == define.GroupHide || s.Stack.Effective > 0 && s.Stack.Timers != define.TimersEach)
	set(usesGroup, s.group != 0)
	set(usesSlot, s.slot != 0)
	set(usesGrants, len(s.grants) > 0)
	set(usesImmunity, !s.immunity.empty())
	set(usesChance, s.Chance != 0 && s.Chance != 1000)
	set(usesDR, s.dr != 0)
	set(usesNumbers, len(s.numbers) > 0 || s.scale != nil || s.poolBy != nil || s.Shield.On && s.Shield.Pool == 0)
	set(usesModifiers, len(s.modifiers) > 0)
	set(usesOverride, slices.ContainsFunc(s.modifiers, func(m modifier) bool { return m.op == stat.Override }))
	set(usesPulsed, slices.ContainsFunc(s.numbers, func(n number) bool { return n.snapshot == define.SnapshotPulse }))
	set(usesLinks, len(s.links) > 0)
	set(usesDead, s.Dead == define.DeadDeny || s.Dead == define.DeadDefault && s.catalog.dead == define.DeadDeny)
	set(usesShare, s.PerSource.Limit > 0)
	set(usesExtra, s.Stack.Timers != define.TimersShared || s.Stack.By == define.ByKey || s.Charges.N > 0 || s.Shield.On ||
		len(s.numbers)+len(s.modifiers)+len(s.captures) > 0)
	set(usesMagnitudes, len(s.numbers)+len(s.modifiers)+len(s.captures) > 0)
	set(usesActs, s.acts() != 0)
	set(usesCatchup, s.Catchup != define.CatchupAll)
	set(usesThresholds, len(s.thresholds) > 0)
	set(usesOnlyCall, s.onlyCalls(u))
	return u
}
