package rules_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
)

// The ID of the Owner, and the seed of its random rolls.
const (
	ownID    buff.OwnerID = 7
	rollSeed uint64       = 42
)

// dice makes the choices of a random script from a seed, or from the bytes of a fuzzer, which are
// followed by zeros.
type dice struct {
	rng   *rand.Rand
	bytes []byte
}

func seeded(seed uint64) *dice { return &dice{rng: rand.New(rand.NewPCG(seed, 1))} }

// n returns a number from 0 to k-1.
func (d *dice) n(k int) int {
	switch {
	case d.rng != nil:
		return d.rng.IntN(k)
	case len(d.bytes) == 0:
		return 0
	}
	b := d.bytes[0]
	d.bytes = d.bytes[1:]
	return int(b) % k
}

// one returns true once in k calls on average.
func (d *dice) one(k int) bool { return d.n(k) == k-1 }

func pick[T any](d *dice, list ...T) T { return list[d.n(len(list))] }

// Op is a command of a script. Definitions, tags and acts are given by name; instances and timeouts
// by their number in the order in which they started, from 1.
type Op struct {
	verb      verb.Verb
	spec      string
	source    buff.OwnerID
	stacks    int
	level     int
	key       uint64
	given     bool // the duration is set
	duration  time.Duration
	scale     buff.Ratio
	magnitude int64
	params    []buff.Arg
	number    int // number of an instance or a timeout, modulo their count; -1 for none
	by        time.Duration
	amount    int64
	rate      buff.Ratio
	whose     define.Whose
	tag, act  string
	ask       *ask
	purge     bool
	reason    reason.Reason
	name      string
	handler   define.HandlerID
	attr      string
	value     float64
	blind     bool // the attributes of the source are unknown

	// Fields of operations that the model issues itself.
	inherits bool     // the known attributes of the source are those that the cause had
	known    *float64 // the attribute mind of the source
	ofBuff   bool     // a buff causes the change of the attribute
	linked   bool     // the operation ends the links of a buff
	portion  portion  // the portion of the pulse that caused the operation
	with     *carried // the head of a link, or the head that has ended
}

// ask is a query with names instead of pointers.
type ask struct {
	spec, tag, kind string
	polarity        define.Polarity
	source          buff.OwnerID
	grade           define.Grade
	most, stacks    int
	newest, neutral bool
	to              buff.OwnerID
}

func (o Op) String() string { return o.verb.String() + nonZero(reflect.ValueOf(o), "verb") }

// step is an operation at an instant. A step with once set is executed in the frame of the previous
// step, with no Run in between.
type step struct {
	at   int64
	once bool
	op   Op
}

// Script is a random test case: definitions and the operations on an owner.
type Script struct {
	defs     []buff.Spec
	steps    []step
	end      int64
	limit    int
	handlers uint64 // seed of what handlers do
	quiet    bool   // handlers do nothing

	catalog *buff.Catalog
	names   []string // names of the handlers
	settles bool     // some definitions have requirements or can be outranked
	late    bool     // the result depends on the frames
	tags    []string // the tags that the definitions use
	acts    []string
}

const handlerNames = 3

var (
	tagNames = []string{"a", "a.x", "a.x.z", "a.y", "b", "b.z"}
	actNames = []string{"move", "hit"}
)

// build makes the catalog.
func (s *Script) build() (err error) {
	if s.catalog, err = buff.Build(buff.Definitions{Attributes: scriptAttributes, Specs: s.defs}); err != nil {
		return err
	}
	s.names, s.tags, s.acts, s.settles, s.late = s.catalog.Handlers(), nil, nil, false, false
	for _, d := range s.defs {
		s.settles = s.settles || says(d.Require.Ongoing) || says(d.Require.Remove) || d.Stack.Effective > 0 || d.Group.Rule == define.GroupHide || d.Immune == define.ImmuneSuppress
		s.late = s.late || d.Catchup != define.CatchupAll
	}
	for _, name := range tagNames {
		if _, ok := s.catalog.Tag(name); ok {
			s.tags = append(s.tags, name)
		}
	}
	for _, name := range actNames {
		if _, ok := s.catalog.Act(name); ok {
			s.acts = append(s.acts, name)
		}
	}
	return nil
}

func randomScript(d *dice) (*Script, error) {
	s := &Script{limit: pick(d, 1, 2, 4, 8, 8, 12, 16), handlers: uint64(d.n(256))<<8 | uint64(d.n(256))}
	for try := 0; ; try++ {
		s.defs = randomSpecs(d)
		err := s.build()
		if err == nil {
			break
		}
		if try > 20 {
			return nil, err
		}
	}
	at := int64(d.n(3)) * 50
	for range 25 + d.n(30) {
		delta := pick[int64](d, 0, 0, 0, 50, 50, 49, 51, 100, 150, 37, 1)
		at += delta
		s.steps = append(s.steps, step{at: at, once: delta == 0 && d.one(3), op: randomOp(d, s)})
	}
	s.end = at + pick[int64](d, 0, 200, 1000)
	return s, nil
}

// randomOp sets op.number to an arbitrary number, which the caller takes modulo the count of
// instances or timeouts.
func randomOp(d *dice, s *Script) Op {
	o := Op{spec: s.defs[d.n(len(s.defs))].ID, source: pick[buff.OwnerID](d, 1, 2, 3, 1, 2, ownID), number: d.n(64)}
	switch k := d.n(40); {
	case k < 19:
		randomApplication(d, &o)
	case k < 21:
		o.verb, o.stacks, o.reason = verb.Remove, d.n(3), pick(d, reason.None, reason.Dispelled, reason.Stolen)
	case k == 21:
		o.verb, o.stacks, o.reason = verb.RemoveSpec, d.n(2), pick(d, reason.None, reason.Dispelled, reason.Replaced)
	case k == 22:
		o.verb = pick(d, verb.Kill, verb.LoseSource, verb.Revive, verb.Revive)
	case k < 25:
		o.verb, o.by = verb.AddTimeout, pick[time.Duration](d, -50, 0, 50, 100, 150)*time.Millisecond
		o.name, o.handler = pick(d, "t0", "t1", "t2", "t3"), 1+define.HandlerID(d.n(handlerNames))
	case k == 25:
		o.verb = verb.Cancel
	case k < 30:
		randomTimeOp(d, &o)
	case k < 35:
		randomGateOp(d, s, &o)
	default:
		randomUseOp(d, s, &o)
	}
	return o
}

func randomApplication(d *dice, o *Op) {
	o.verb, o.magnitude = verb.Apply, int64(d.n(5))
	o.stacks = pick(d, 0, 0, 0, 1, 2, 5)
	o.level, o.key = pick(d, 0, 1, 1, 2, 3), uint64(d.n(2))
	if d.one(5) {
		o.given = true
		o.duration = pick[time.Duration](d, 50, 100, 150, 200, 400, 101, 99, 1) * time.Millisecond
	}
	if d.one(5) {
		o.scale = pick(d, buff.Ratio{Num: 1, Den: 2}, buff.Ratio{Num: 2, Den: 3}, buff.Ratio{Num: 3, Den: 2}, buff.Ratio{Num: 0, Den: 1}, buff.Ratio{Num: 1, Den: 300})
	}
	if d.one(2) {
		o.params = []buff.Arg{{Caller: "power", Value: float64(d.n(3))}}
	}
	o.blind = d.one(6)
	switch d.n(64) {
	case 63:
		o.params = []buff.Arg{{Caller: "power", Value: pick(d, math.NaN(), 1e301)}}
	case 62, 61, 60:
		o.params = []buff.Arg{{Caller: "power", Value: float64(d.n(40)-20) / 8}}
	case 59:
		o.stacks = -1
	case 58:
		o.level = pick(d, -1, define.MaxLevel+1, define.MaxLevel, define.MaxLevel)
	case 57:
		o.given, o.duration = true, pick[time.Duration](d, 0, -5)*time.Millisecond
	case 56:
		o.scale = buff.Ratio{Num: 1}
	}
}

func randomTimeOp(d *dice, o *Op) {
	o.by = time.Duration(d.n(9)-4) * 50 * time.Millisecond
	switch d.n(8) {
	case 0, 1:
		o.verb = verb.Extend
		if d.one(3) {
			o.given, o.duration = true, pick[time.Duration](d, 50, 100, 250)*time.Millisecond
		}
	case 2:
		o.verb = verb.SetRemaining
	case 3, 4:
		o.verb, o.by = verb.SetPeriod, pick[time.Duration](d, 50, 75, 100, 133, 200, 49)*time.Millisecond
	case 5, 6:
		o.verb, o.whose = pick(d, verb.Pause, verb.Resume, verb.SetRate, verb.SetRate), pick(d, define.OfBuff, define.OfBuff, define.OfOwner, define.OfArea)
		o.rate = pick(d, buff.Ratio{Num: 1, Den: 2}, buff.Ratio{Num: 2, Den: 1}, buff.Ratio{Num: 3, Den: 1}, buff.Ratio{Num: 3, Den: 7}, buff.Ratio{Num: 1, Den: 1}, buff.Ratio{Num: 0, Den: 1})
	case 7:
		o.verb = verb.Inhibit
		if d.one(2) {
			o.verb = verb.Release
		}
	}
}

func randomGateOp(d *dice, s *Script, o *Op) {
	o.verb = pick(d, verb.AddTag, verb.DropTag, verb.AddTag, verb.DropTag, verb.Immunize, verb.DropImmunity, verb.Enter, verb.Leave)
	if len(s.tags) > 0 {
		o.tag = s.tags[d.n(len(s.tags))]
	}
	o.purge = d.one(4)
	switch o.verb {
	case verb.Enter:
		number := o.number
		randomApplication(d, o)
		o.verb, o.number, o.given = verb.Enter, number, false
		if spec := s.catalog.Spec(o.spec); spec.Stack.Timers != define.TimersShared || spec.Kind == define.Instant {
			o.verb = verb.Revive // an aura cannot apply an instant buff, or a buff with separate ends
		}
	case verb.Leave:
		o.by = pick[time.Duration](d, 0, 50, 100, -1) * time.Millisecond
	}
}

func randomUseOp(d *dice, s *Script, o *Op) {
	if len(s.acts) > 0 {
		o.act = s.acts[d.n(len(s.acts))]
	}
	switch d.n(11) {
	case 9, 10:
		o.verb, o.amount = verb.Happened, pick[int64](d, 0, 1, 30, -1)
	case 6:
		o.verb = verb.SetArea
	case 7, 8:
		o.verb = pick(d, verb.AddBase, verb.AddBase, verb.SetBase, verb.Damage, verb.Damage)
		o.attr, o.value = pick(d, "health", "health", "mind", "power", "most", ""), pick(d, 1, 8, 20, 30.5, 0.125, 0.375, 0, -10, -40.25, math.NaN())
		if len(s.tags) > 0 && d.one(2) {
			o.tag = s.tags[d.n(len(s.tags))]
		}
	case 0:
		o.verb = verb.Interrupt
	case 1:
		o.verb, o.stacks = verb.Consume, d.n(3)
		if d.one(2) {
			o.number = -1
		}
	case 2:
		o.verb, o.amount = verb.Absorb, pick[int64](d, 0, 1, 2, 3, 10, -1)
		if len(s.tags) > 0 && d.one(2) {
			o.tag = s.tags[d.n(len(s.tags))]
		}
	case 3:
		o.verb, o.ask = verb.Compensate, randomAsk(d, s, o)
		o.ask.grade = 0
		o.by = time.Duration(d.n(5)-2) * 50 * time.Millisecond
	case 4:
		o.verb, o.ask = verb.Dispel, randomAsk(d, s, o)
		o.ask.stacks = pick(d, 0, 0, 1, 2)
	case 5:
		o.verb, o.ask = verb.Steal, randomAsk(d, s, o)
		o.ask.stacks = pick(d, 0, 0, 1, 2)
		o.by = pick[time.Duration](d, 0, 50, 500) * time.Millisecond
	}
}

func randomAsk(d *dice, s *Script, o *Op) *ask {
	q := &ask{grade: define.Grade(d.n(3)), most: pick(d, 0, 1, 1, 2, 3), newest: d.one(3), to: 5}
	if d.one(3) {
		q.spec = o.spec
	}
	if len(s.tags) > 0 && d.one(3) {
		q.tag = s.tags[d.n(len(s.tags))]
	}
	if d.one(4) {
		q.kind = "magic"
	}
	if d.one(4) {
		q.source = o.source
	}
	if d.one(4) {
		q.polarity = define.Negative
	} else if d.one(4) {
		q.neutral = true
	}
	return q
}

// act returns the operations that a handler issues, and sometimes a failure. Both sides of a
// comparison have dice with the same seed.
func act(d *dice, s *Script) ([]Op, reason.Reason) {
	if s.quiet {
		return nil, reason.None
	}
	var ops []Op
	for range pick(d, 0, 0, 0, 1, 1, 2) {
		ops = append(ops, randomOp(d, s))
	}
	why := reason.None
	if d.one(15) {
		why = pick(d, reason.Panic, reason.Goexit)
	}
	return ops, why
}

func (s *Script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  at most %d, end at %d\n", s.limit, s.end)
	for _, def := range s.defs {
		fmt.Fprintf(&b, "  %s:%s\n", def.ID, nonZero(reflect.ValueOf(def), "ID"))
	}
	for i, st := range s.steps {
		once := ""
		if st.once {
			once = " at once"
		}
		fmt.Fprintf(&b, "  step %d at %d%s: %v\n", i+1, st.at, once, st.op)
	}
	return b.String()
}

// nonZero writes the fields of a struct that are not zero.
func nonZero(v reflect.Value, but ...string) (out string) {
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if f.IsZero() || slices.Contains(but, name) || name == "program" {
			continue
		}
		if f.Kind() == reflect.Pointer {
			f = f.Elem()
		}
		if f.Kind() == reflect.Struct {
			out += " " + name + "{" + nonZero(f) + " }"
			continue
		}
		out += fmt.Sprintf(" %s=%v", name, f)
	}
	return out
}
