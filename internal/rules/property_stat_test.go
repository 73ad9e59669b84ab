package rules_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/stretchr/testify/require"
)

// TestAttributes_ReturnToBase checks that when the last buff has ended, every attribute equals its
// base within its limits, bit for bit, and that the base is the result of all changes.
func TestAttributes_ReturnToBase(t *testing.T) {
	eachScript(t, func(s *Script, _ uint64) string {
		for i := range s.defs {
			s.defs[i].On = define.Hooks{} // otherwise removed buffs may be applied again
		}
		if err := s.build(); err != nil {
			return err.Error()
		}
		changed := map[stat.Attr]bool{}
		d := newDrive(s, nil, nil)
		d.seen = func(e *buff.Event) {
			if e.Kind == buff.Changed {
				changed[e.Attr] = true
			}
		}
		replay(s, nil, d)
		for d.set.Len() > 0 {
			for i := range d.set.All() {
				d.do(s.end, Op{verb: verb.Remove, number: d.numbers[i.Handle] - 1})
				break
			}
		}
		for v := range d.set.Attributes(s.catalog) {
			def := s.catalog.Attributes().At(v.Attr)
			lo, hi := math.Inf(-1), math.Inf(1)
			switch v.Name {
			case "most":
				lo = 1
			case "health":
				most, _ := s.catalog.Attr("most")
				lo, hi = 0, d.set.Attribute(s.catalog, most)
			case "mind":
				lo, hi = -16, 16
			}
			switch want := max(min(v.Base, hi), lo); {
			case v.Modifiers != 0 || math.Float64bits(v.Value) != math.Float64bits(want):
				return fmt.Sprintf("%s is %v, and its base %v", v.Name, v.Value, v.Base)
			case v.Name == "health" && v.Base >= 1 && v.Base < def.Base: // the maximum may have fallen below the base
			case !changed[v.Attr] && math.Float64bits(v.Base) != math.Float64bits(def.Base):
				return fmt.Sprintf("the base of %s was %v and is %v, and nothing has changed it", v.Name, def.Base, v.Base)
			}
		}
		return d.fault
	})
}

// TestModifiersInAnyOrder adds and removes modifiers of any size in any order. The value of the
// attribute must depend only on the present modifiers, bit for bit; without modifiers it is the
// base.
func TestModifiersInAnyOrder(t *testing.T) {
	wild := func(rng *rand.Rand) float64 { return rng.NormFloat64() * math.Pow(10, float64(rng.IntN(40)-20)) }
	for n := range uint64(300) {
		rng := rand.New(rand.NewPCG(long.Seed()+n, 8))
		var specs []buff.Spec
		for k := range 8 {
			specs = append(specs, buff.Spec{ID: fmt.Sprint("b", k), Kind: define.Infinite, Modifiers: []define.Modifier{
				{Attr: "a", Op: stat.Op(rng.IntN(4)), Channel: rng.IntN(3), Value: define.Const(wild(rng))},
				{Attr: "a", Op: stat.Op(rng.IntN(4)), Channel: rng.IntN(3), Value: define.Const(wild(rng)), PerStack: true},
			}})
		}
		base := wild(rng)
		c, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "a", Base: base}}}, Specs: specs})
		require.NoError(t, err)
		order := func(list []int) (*rules.Owner, map[int]buff.Handle) {
			s, handles := rules.NewOwner(1, 0, 0, 99), map[int]buff.Handle{}
			for _, k := range list {
				r := s.Do(&rules.Turn{Catalog: c}, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec(fmt.Sprint("b", k))}})
				handles[k] = r.Handle
			}
			return s, handles
		}
		all, handles := order(rng.Perm(8))
		gone := rng.Perm(8)
		for k, id := range gone {
			rest := slices.Clone(gone[k+1:])
			all.Do(&rules.Turn{Catalog: c}, 0, buff.Command{Verb: verb.Remove, Handle: handles[id]})
			rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
			only, _ := order(rest)
			require.Equal(t, math.Float64bits(only.Attribute(c, 1)), math.Float64bits(all.Attribute(c, 1)), "seed %d", long.Seed()+n)
		}
		require.Equal(t, math.Float64bits(base), math.Float64bits(all.Attribute(c, 1)))
	}
}

// TestRoomForModifiers checks that an owner may have as many modifiers as a sheet can hold,
// counting those of hidden buffs, and not one more.
func TestRoomForModifiers(t *testing.T) {
	many := make([]define.Modifier, define.MaxModifiers)
	for i := range many {
		many[i] = define.Modifier{Attr: "a", Value: define.Const(1)}
	}
	c, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{attribute("a")}, Specs: []buff.Spec{
		{ID: "full", Duration: time.Second, Modifiers: many, Require: define.Requirements{Ongoing: define.TagTest{None: []string{"x"}}}},
		{ID: "one", Duration: time.Second, Modifiers: many[:1], Group: define.Group{Name: "g"}},
		{ID: "other", Duration: time.Second, Modifiers: many[:1], Group: define.Group{Name: "g"}},
	}})
	require.NoError(t, err)
	s, turn := rules.NewOwner(1, 0, 0, 4096), &rules.Turn{Catalog: c}
	x, _ := c.Tag("x")
	s.Do(turn, 0, buff.Command{Verb: verb.AddTag, Tag: x})
	apply := func(id string) buff.Result {
		return s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec(id)}})
	}
	for range stat.MaxModifiers/define.MaxModifiers - 1 {
		require.NoError(t, apply("full").Failure)
	}
	require.NoError(t, apply("one").Failure)
	r := apply("full")
	require.Equal(t, []any{buff.Denied, reason.Full}, []any{r.Kind, r.Why})
	require.ErrorIs(t, r.Failure, buff.ErrFull)
	require.EqualError(t, r.Failure, "buff: the owner carries as many as it may: 4096 modifiers on owner 1")
	for range define.MaxModifiers - 1 {
		require.NoError(t, s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("one")}}).Failure, "who replaces another has its room")
	}
	s.Do(turn, 0, buff.Command{Verb: verb.DropTag, Tag: x})
	require.Equal(t, 4033.0, s.Attribute(c, 1))
	require.Empty(t, s.Counters(c))
}

// TestBaseCommands_Errors checks that a command about attributes that fails changes nothing.
func TestBaseCommands_Errors(t *testing.T) {
	c, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{attribute("a")}})
	require.NoError(t, err)
	s, turn := rules.NewOwner(1, 0, 0, 9), &rules.Turn{Catalog: c}
	for _, do := range []verb.Verb{verb.AddBase, verb.SetBase, verb.Damage} {
		require.EqualError(t, s.Do(turn, 0, buff.Command{Verb: do, Attr: 2, Value: 1}).Failure, "buff: there is no such attribute: number 2")
		r := s.Do(turn, 0, buff.Command{Verb: do, Attr: 1, Value: math.Inf(1)})
		require.ErrorIs(t, r.Failure, buff.ErrValue)
		require.EqualError(t, r.Failure, "buff: bad value of an attribute: a: +Inf")
		require.EqualError(t, s.Do(&rules.Turn{}, 0, buff.Command{Verb: do}).Failure, "buff: there is no such attribute: number 0")
	}
	require.Empty(t, turn.Events)
	require.PanicsWithValue(t, "stat: there is no attribute 0 in a schema of 1", func() { s.Attribute(c, 0) })
	none, err := buff.NewCatalog()
	require.NoError(t, err)
	for range s.Attributes(none) {
		require.Fail(t, "there is none")
	}
}

// TestPulse_NumberFails checks that a number that cannot be evaluated at a pulse is reported as a
// fault and changes nothing, and that the rest of the pulse runs.
func TestPulse_NumberFails(t *testing.T) {
	huge := define.Number{From: define.FromAttr, Attr: "a", Coef: 1e200, Snapshot: define.SnapshotPulse}
	change := func(n define.Number) define.Action {
		return define.Action{Do: define.DoChange, Change: &define.Change{Attr: "b", By: n}}
	}
	c, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{attribute("a"), attribute("b")}, Specs: []buff.Spec{{
		ID: "p", Duration: time.Second, Period: 500 * time.Millisecond,
		On:        define.Hooks{Pulse: []define.Action{change(huge), change(define.Const(2))}},
		Modifiers: []define.Modifier{{Attr: "b", Value: huge}},
	}, {
		ID: "many", Duration: time.Second, Stack: define.Stacking{Limit: 2}, On: define.Hooks{Apply: []define.Action{{Do: define.DoChange, Change: &define.Change{Attr: "b", By: define.Const(1e300), PerStack: true}}}},
	}}})
	require.NoError(t, err)
	s, turn := rules.NewOwner(1, 0, 0, 9), &rules.Turn{Catalog: c}
	s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("p")}})
	s.Do(turn, 0, buff.Command{Verb: verb.SetBase, Attr: 1, Value: 1e200})
	turn.Now = 500
	require.True(t, s.Run(turn, 500, 99))
	s.Do(turn, 500, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("many"), Stacks: 2}})
	var log []string
	for _, e := range turn.Events {
		log = append(log, e.String())
	}
	require.Equal(t, []string{
		"0 apply p x1 end=1000", "0 change a by=1e+200 value=1e+200", "500 pulse p x1", "500 error p why=value", "500 change p b by=2 value=2",
		"500 apply many x2 end=1500", "500 error many why=value",
	}, log)
	require.Equal(t, 2.0, s.Attribute(c, 2))
}
