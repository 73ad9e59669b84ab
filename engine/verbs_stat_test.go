package engine_test

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
)

// attributes are the attributes of a scene. An owner without health dies.
var attributes = []define.Attribute{
	{Attribute: stat.Attribute{Name: "health", Base: 100, Min: stat.At(0), Max: stat.At(150)}, AtMin: define.AtMinKill},
	{Attribute: stat.Attribute{Name: "power", Base: 10}},
}

// statsOf is catalogOf with attributes.
func statsOf(tb testing.TB, specs ...buff.Spec) *buff.Catalog {
	tb.Helper()
	c, err := buff.Build(buff.Definitions{Attributes: attributes, Specs: specs})
	require.NoError(tb, err)
	return c
}

func attrOf(c *buff.Catalog, name string) stat.Attr {
	a, ok := c.Attr(name)
	if !ok {
		panic("no attribute " + name)
	}
	return a
}

var statCases = []verbCase{
	{
		name: "SetBase", byOwner: true, carries: []buff.Spec{poison},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.SetBase(of, x.attr("power"), 12.5)
		},
		want: append([]string{"1: 1000 change power by=2.5 value=12.5"}, untouched...),
	},
	{
		name: "AddBase", byOwner: true, carries: []buff.Spec{poison},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.AddBase(of, x.attr("health"), 70)
		},
		want: append([]string{"1: 1000 change health by=50 value=150"}, untouched...),
	},
	{
		name: "Damage", byOwner: true,
		carries: []buff.Spec{
			with(poison, func(s *buff.Spec) { s.OnDeath = define.FateKeep }),
			// with a pool of 70
			{ID: "q", Kind: define.Infinite, Shield: define.Shield{On: true, Schools: []string{"fire"}}},
		},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.Damage(of, x.attr("health"), 169.5, x.tag("fire"))
		},
		want: append([]string{"1: 1000 change health by=-100 value=0 absorbed=70", "1: 1000 remove q why=broken", "1: 1000 die"}, untouched...),
	},
}

// might adds 5 to the power of its owner, and wrath increases the power by half.
var (
	might = buff.Spec{ID: "might", Duration: 5 * time.Second, Modifiers: []define.Modifier{{Attr: "power", Op: stat.Add, Value: define.Const(5)}}}
	wrath = buff.Spec{ID: "wrath", Duration: 9 * time.Second, Modifiers: []define.Modifier{{Attr: "power", Op: stat.MulAdd, Value: define.Const(0.5)}}}
)

// TestAttributes checks that an attribute includes the modifiers of the owner's buffs while they
// are active, and that a handler reads the same value.
func TestAttributes(t *testing.T) {
	for _, m := range modes {
		c := &verbCase{carries: []buff.Spec{might, wrath}}
		var o engine.Options
		m.set(&o)
		x := newScene(t, c, o)
		power := x.attr("power")
		var seen []float64
		look := func(c *engine.Context) { seen = append(seen, c.Attribute(power), c.Base(power)) }
		for _, at := range []time.Duration{1, 6, 10} {
			_, err := x.AddTimeout(1, at*time.Second, look)
			require.NoError(t, err)
		}
		v, err := x.Attribute(1, power)
		require.NoError(t, err)
		require.Equal(t, 22.5, v)
		views := []stat.View{}
		for v := range must(x.Attributes(1)) {
			views = append(views, v)
		}
		require.Equal(t, []stat.View{{Attr: 1, Name: "health", Base: 100, Value: 100}, {Attr: 2, Name: "power", Base: 10, Value: 22.5, Modifiers: 2}}, views)
		behind := []string{}
		for m := range must(x.Modifiers(1, power)) {
			b, ok := reply(x.Find(buff.Handle(m.Of)))
			require.True(t, ok)
			behind = append(behind, fmt.Sprintf("%v %v %v", b.Spec, m.Op, m.Value))
		}
		require.Equal(t, []string{"might add 5", "wrath mul_add 0.5"}, behind)
		x.Tick(20 * time.Second)
		require.Equal(t, []float64{22.5, 10, 15, 10, 10, 10}, seen, m.name)
		v, err = x.Attribute(1, power)
		require.NoError(t, err)
		require.Equal(t, math.Float64bits(10), math.Float64bits(v))
		for v := range must(x.Attributes(2)) {
			require.Equal(t, v.Base, v.Value)
		}
		shut(t, x.Engine)
	}
}

// TestEngine_Attribute_UnknownOwner checks that the attributes of unknown and busy owners cannot
// be queried.
func TestEngine_Attribute_UnknownOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newScene(t, &verbCase{carries: []buff.Spec{might}}, engine.Options{Workers: 1, Budget: brief})
		power, gate := x.attr("power"), make(chan struct{})
		_, err := x.AddTimeout(1, 0, func(*engine.Context) { <-gate })
		require.NoError(t, err)
		x.Tick(time.Second)
		for id, want := range map[buff.OwnerID]error{99: engine.ErrUnknownOwner, 1: engine.ErrBusy} {
			_, err := x.Attribute(id, power)
			require.ErrorIs(t, err, want)
			_, err = x.Base(id, power)
			require.ErrorIs(t, err, want)
			views, err := x.Attributes(id)
			require.ErrorIs(t, err, want)
			for range views {
				t.Error("an attribute")
			}
			modifiers, err := x.Modifiers(id, power)
			require.ErrorIs(t, err, want)
			for range modifiers {
				t.Error("a modifier")
			}
		}
		close(gate)
		synctest.Wait()
		x.Tick(0)
		v, err := x.Attribute(1, power)
		require.NoError(t, err)
		require.Equal(t, 15.0, v)
		shut(t, x.Engine)
	})
}

// TestForeignAttributes checks that a command with an attribute that the catalog does not have
// panics in each lane, that a query of it fails, and that an invalid value is an error.
func TestForeignAttributes(t *testing.T) {
	x := newScene(t, &verbCase{carries: []buff.Spec{might}}, engine.Options{Synchronous: true})
	defer shut(t, x.Engine)
	in := x.Inbox()
	for _, do := range map[string]struct {
		word        string
		loop, inbox func(a stat.Attr, v float64) error
		handler     func(c *engine.Context, a stat.Attr, v float64)
	}{
		"SetBase": {
			"base",
			func(a stat.Attr, v float64) error { return x.Do(buff.SetBase(1, a, v)).Failure },
			func(a stat.Attr, v float64) error { return in.Do(buff.SetBase(1, a, v)) },
			func(c *engine.Context, a stat.Attr, v float64) { c.Do(buff.SetBase(1, a, v)) },
		},
		"AddBase": {
			"change",
			func(a stat.Attr, v float64) error { return x.Do(buff.AddBase(1, a, v)).Failure },
			func(a stat.Attr, v float64) error { return in.Do(buff.AddBase(1, a, v)) },
			func(c *engine.Context, a stat.Attr, v float64) { c.Do(buff.AddBase(1, a, v)) },
		},
		"Damage": {
			"damage",
			func(a stat.Attr, v float64) error { return x.Do(buff.Damage(1, a, v, 0)).Failure },
			func(a stat.Attr, v float64) error { return in.Do(buff.Damage(1, a, v, 0)) },
			func(c *engine.Context, a stat.Attr, v float64) { c.Do(buff.Damage(1, a, v, 0)) },
		},
	} {
		for _, a := range []stat.Attr{0, 3} { // the zero Attr is not an attribute
			sentence := fmt.Sprintf("engine: Do: buff: the catalog has no such name: %s with the attribute number %d", do.word, a)
			require.PanicsWithValue(t, sentence, func() { _ = do.loop(a, 1) })
			require.PanicsWithValue(t, sentence, func() { _ = do.inbox(a, 1) })
		}
		called := false
		_, err := x.AddTimeout(1, 0, func(c *engine.Context) {
			called = true
			require.Panics(t, func() { do.handler(c, 0, 1) })
			do.handler(c, 1, math.NaN())
		})
		require.NoError(t, err)
		require.ErrorIs(t, do.loop(1, math.Inf(1)), buff.ErrValue)
		before := x.Stats().Undelivered
		require.NoError(t, do.inbox(1, math.Inf(-1)))
		x.Tick(time.Millisecond)
		require.True(t, called)
		require.Equal(t, before+2, x.Stats().Undelivered)
	}
	_, err := x.Attribute(1, 0)
	require.EqualError(t, err, "buff: there is no such attribute in this engine's catalog: number 0")
	_, err = x.Base(1, 3)
	require.ErrorIs(t, err, buff.ErrAttribute)
	_, err = x.Modifiers(1, 0)
	require.ErrorIs(t, err, buff.ErrAttribute)
	v, err := x.Attribute(1, 1)
	require.NoError(t, err)
	require.Equal(t, 100.0, v)
}

// TestStatVerbsDoNotAllocate checks that commands about attributes do not allocate once an owner
// has a sheet, and neither do buffs with modifiers that start and end.
func TestStatVerbsDoNotAllocate(t *testing.T) {
	x := newScene(t, &verbCase{carries: []buff.Spec{might, with(wrath, func(s *buff.Spec) { s.ID = "later" })}}, engine.Options{Synchronous: true})
	defer shut(t, x.Engine)
	power, health := x.attr("power"), x.attr("health")
	later, sum := buff.Application{Spec: x.cat.Spec("later"), Source: 2}, 0.0
	fight := func(c *engine.Context) {
		c.Do(buff.AddBase(1, health, -1))
		c.Damage(1, health, 1, 0)
		c.Do(buff.SetBase(3, health, 100))
		c.Do(buff.AddBase(1, health, 2))
		sum += c.Attribute(power)
	}
	do := func() {
		h := x.AddBuff(1, later).Handle
		v, _ := x.Attribute(1, power)
		sum += v
		x.Remove(h)
		x.Do(buff.AddBase(1, health, -5))
		x.Damage(1, health, 5, 0)
		x.Do(buff.SetBase(1, health, 100))
		_ = x.Inbox().Do(buff.AddBase(1, health, 1))
		_, _ = x.AddTimeout(1, 0, fight)
		x.Tick(time.Millisecond)
	}
	for range 200 {
		do()
	}
	require.Zero(t, testing.AllocsPerRun(100, do))
	require.NotZero(t, sum)
	require.Zero(t, x.Stats().Undelivered)
}
