package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/engine"
)

// deadGame has players 1 and 2, and a handler that records whether its owner is dead.
func deadGame(t *testing.T, o engine.Options) (e *engine.Engine, seen *[]bool) {
	cat, err := catalog.Parse("a.yaml", []byte(`
attributes: {health: {base: 20, min: 0, max: 20, at_min: kill}}
buffs:
  venom: {duration: 9s, period: 1s, on: {pulse: [{damage: {attr: health, by: 15}}]}}
  soul: {duration: infinite, on_death: keep, on: {death: [{call: look}, {apply: blow, to: target}], apply: [{call: look}]}}
  blow: {duration: instant, on: {exec: [{damage: {attr: health, by: 5}}]}}
`))
	require.NoError(t, err)
	seen = new([]bool)
	o.Catalog, o.Handlers = cat, engine.Handlers{"look": func(c *engine.Context, ev buff.Event) {
		require.Equal(t, ev.Kind == buff.Died, c.Dead())
		*seen = append(*seen, c.Dead())
	}}
	e, err = engine.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close(context.Background())) })
	require.NoError(t, e.Spawn(1, nil))
	require.NoError(t, e.Spawn(2, nil))
	return e, seen
}

// TestEngine_Dead checks that a death and a revival are events with the killer and the cause, and
// that the loop and a handler can query whether an owner is dead.
func TestEngine_Dead(t *testing.T) {
	e, seen := deadGame(t, engine.Options{Workers: 1, Budget: -1})
	dead := func(id buff.OwnerID) bool {
		t.Helper()
		is, err := e.Dead(id)
		require.NoError(t, err)
		return is
	}
	_, err := e.Dead(9)
	require.ErrorIs(t, err, engine.ErrUnknownOwner)
	require.False(t, dead(1))
	e.AddBuff(1, buff.Application{Spec: e.Catalog().Spec("soul")})
	e.AddBuff(1, buff.Application{Spec: e.Catalog().Spec("venom"), Source: 2})
	var log []string
	var died buff.Event
	for range 3 {
		for ev := range e.Tick(time.Second).Events() {
			log = append(log, ev.String())
			if ev.Kind == buff.Died {
				died = ev
			}
		}
	}
	require.Equal(t, []string{
		"0 apply soul x1", "0 apply venom x1 end=9000", "1000 pulse venom x1", "1000 change venom health by=-15 value=5",
		"2000 pulse venom x1", "2000 change venom health by=-5 value=0", "2000 die venom", "2000 remove venom why=death",
		"2000 exec blow x1", "2000 change blow health by=-5 value=15",
	}, log)
	require.EqualValues(t, 2, died.Source)
	require.Equal(t, []bool{false, true}, *seen)
	require.True(t, dead(1))
	require.False(t, dead(2))
	require.Zero(t, e.Do(buff.Kill(1)).Kind, "it is dead, and nothing has come since")
	require.Equal(t, "revive", e.Do(buff.Revive(1)).String())
	require.Equal(t, "nothing changed", e.Do(buff.Revive(1)).String())
	require.False(t, dead(1))
	require.Equal(t, "die", e.Do(buff.Kill(1).From(2)).String())
	require.True(t, dead(1))
}

// TestResult_KindOfEachCommand checks that a Result says what a command did, even if no event
// does.
func TestResult_KindOfEachCommand(t *testing.T) {
	cat, err := catalog.Parse("a.yaml", []byte(`
tags: [calm]
buffs:
  form: {duration: infinite, on_area: remove, on_source_gone: remove, stack: {by: source}}
  gift: {duration: infinite, on_source_gone: adopt, stack: {by: source}}
  ward: {duration: infinite, charges: {n: 2, consume_on: [hit]}, interrupt: [move], shield: {pool: 5}}
`))
	require.NoError(t, err)
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true})
	require.NoError(t, err)
	require.NoError(t, e.Spawn(1, nil))
	calm, _ := cat.Tag("calm")
	hit, _ := cat.Act("hit")
	move, _ := cat.Act("move")
	add := func(id string, source buff.OwnerID) buff.Handle {
		r := e.AddBuff(1, buff.Application{Spec: cat.Spec(id), Source: source})
		h := r.Handle
		require.NoError(t, r.Failure)
		return h
	}
	add("form", 7)
	add("gift", 8)
	add("ward", 0)
	for _, c := range []struct {
		do   buff.Command
		want string
	}{
		{buff.Kill(1), "die amount=3"},
		{buff.Kill(1), "nothing changed"},
		{buff.Revive(1), "revive"},
		{buff.SetArea(1, 4), "done"},
		{buff.SetArea(1, 4), "nothing changed"},
		{buff.PauseArea(4), "done"},
		{buff.PauseArea(4), "nothing changed"},
		{buff.ResumeArea(4), "done"},
		{buff.Pause(1), "done"},
		{buff.Pause(1), "nothing changed"},
		{buff.Resume(1), "done"},
		{buff.SetRate(1, buff.Ratio{Num: 2, Den: 1}), "done"},
		{buff.AddTag(1, calm), "done"},
		{buff.DropTag(1, calm), "done"},
		{buff.DropTag(1, calm), "nothing changed"},
		{buff.Immunize(1, calm, false), "done"},
		{buff.DropImmunity(1, calm), "done"},
		{buff.DropImmunity(1, calm), "nothing changed"},
		{buff.LoseSource(7), "nothing changed"},
	} {
		require.Equal(t, c.want, e.Do(c.do).String(), "%v", c.do)
	}
	form := add("form", 7)
	add("gift", 8)
	ward := add("ward", 0)
	for _, c := range []struct {
		do   buff.Command
		want string
	}{
		{buff.PauseBuff(form), "done " + form.String()},
		{buff.PauseBuff(form), "nothing changed " + form.String()},
		{buff.Inhibit(form), "done " + form.String()},
		{buff.Inhibit(form), "nothing changed " + form.String()},
		{buff.Release(form), "done " + form.String()},
		{buff.LoseSource(8), "done amount=1"},
		{buff.LoseSource(7), "remove source_gone amount=1"},
		{buff.Consume(1, hit), "done amount=1"},
		{buff.Absorb(1, 3, 0), "done"},
		{buff.Happened(1, hit, 0, 0), "remove consumed"},
		{buff.Interrupt(1, move), "nothing changed"},
	} {
		require.Equal(t, c.want, e.Do(c.do).String(), "%v", c.do)
	}
	require.Error(t, e.Do(buff.Remove(ward)).Failure, "its last charge is used")
	add("form", 7)
	add("ward", 0)
	require.Equal(t, "remove interrupt amount=1", e.Do(buff.Interrupt(1, move)).String())
	require.Equal(t, "remove interrupt amount=1", e.Do(buff.SetArea(1, 5)).String())
	require.NoError(t, e.Close(t.Context()))
}
