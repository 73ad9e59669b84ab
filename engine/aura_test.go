package engine_test

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// field is a world in which all owners are on a line.
type field struct {
	at       map[buff.OwnerID]float64
	searches []wheel.Time // Due of every query
}

func (f *field) members(q engine.AuraQuery, found func(buff.OwnerID)) {
	f.searches = append(f.searches, q.Due)
	for id, x := range f.at {
		if math.Abs(x-f.at[q.Bearer]) <= q.Buff.Spec.Aura.Radius {
			found(id)
			found(id) // a duplicate makes no difference
		}
	}
	found(1 << 50) // an unknown owner makes no difference either
}

// beacon returns an aura of 10 yards that applies light, searches every 500 ms and lingers for 700
// ms.
func beacon() define.Aura {
	return define.Aura{Apply: "light", Radius: 10, Interval: 500 * time.Millisecond, Linger: 700 * time.Millisecond}
}

// auraWorld returns an engine with the definitions beacon, light and more, with its field.
func auraWorld(t *testing.T, m mode, more ...buff.Spec) (*engine.Engine, *field, *buff.Catalog) {
	t.Helper()
	f := &field{at: map[buff.OwnerID]float64{}}
	cat := catalogOf(t, append(more,
		buff.Spec{ID: "beacon", Kind: define.Infinite, Aura: beacon()},
		buff.Spec{ID: "light", Kind: define.Infinite},
	)...)
	o := engine.Options{Catalog: cat, Members: f.members}
	m.set(&o)
	return open(t, o), f, cat
}

// TestW05_Aura checks that a member that is outside at a search loses the aura's buff after the
// linger time, unless it is inside again before.
func TestW05_Aura(t *testing.T) {
	for _, back := range []bool{false, true} {
		for _, frame := range []time.Duration{50, 100, 500, 250} {
			inModes(t, func(t *testing.T, m mode) {
				e, f, cat := auraWorld(t, m)
				f.at = map[buff.OwnerID]float64{1: 0, 2: 5}
				spawn(t, e, 1, 2)
				add(t, e, 1, cat.Spec("beacon"))
				var got []string
				for now := time.Duration(0); now < 13*time.Second; now += frame * time.Millisecond {
					// Owner 2 is outside from just after the search at 10.0 on.
					outside := now >= 10*time.Second && !(back && now+frame*time.Millisecond >= 11*time.Second)
					f.at[2] = 5
					if outside {
						f.at[2] = 11
					}
					for ev := range e.Tick(frame * time.Millisecond).Events() {
						if ev.Owner == 2 {
							got = append(got, line(ev))
						}
					}
				}
				want := []string{line(buff.Event{Owner: 2, At: wheel.Time(frame), Kind: buff.Applied, Spec: cat.Spec("light"), Stacks: 1, End: wheel.Never})}
				if !back {
					want = append(want, "2: 11200 remove light why=out_of_aura")
				}
				require.Equal(t, want, got, "frame %v", frame)
			})
		}
	}
}

// TestAura_SearchInstants checks that searches are at the start and at every interval after it,
// whatever the length of the frames, and that several searches due in one frame are combined.
func TestAura_SearchInstants(t *testing.T) {
	e, f, cat := auraWorld(t, modes[0])
	spawn(t, e, 1)
	e.Tick(130 * time.Millisecond)
	h := add(t, e, 1, cat.Spec("beacon"))
	for _, dt := range []time.Duration{0, 499, 1, 2000, 100, 3} {
		e.Tick(dt * time.Millisecond)
	}
	require.Equal(t, []wheel.Time{130, 630, 2630}, f.searches)
	require.Equal(t, 1, e.Stats().Timers)
	e.Remove(h)
	e.Tick(0)
	require.Zero(t, e.Stats().Timers)
}

// TestAuraLateFrame checks that the linger time counts from the instant of the search, not from
// the end of the frame, and that a buff whose linger time is already over ends at once.
func TestAuraLateFrame(t *testing.T) {
	e, f, cat := auraWorld(t, modes[0])
	f.at = map[buff.OwnerID]float64{2: 1, 3: 1}
	spawn(t, e, 1, 2, 3)
	h := add(t, e, 1, cat.Spec("beacon"))
	e.Tick(0)
	f.at[2] = 20
	require.Empty(t, lines(e.Tick(600*time.Millisecond))) // the search at 500
	require.Equal(t, []string{"2: 1200 remove light why=out_of_aura"}, lines(e.Tick(600*time.Millisecond)))
	_, err := e.AddTimeout(1, 100*time.Millisecond, func(c *engine.Context) { c.Remove(h) })
	require.NoError(t, err)
	require.Equal(t, []string{
		"1: 1300 timeout", "1: 1300 remove beacon why=cancelled", "3: 3200 remove light why=out_of_aura",
	}, lines(e.Tick(2*time.Second)))
	require.Zero(t, e.Stats().Timers)
	require.Zero(t, engine.Owed(e))
}

// TestAuraMembers checks several rules. The bearer is a member if Options.Members lists it.
// Members get the buff in the order of their ids. The buff has the bearer as its source, and the
// aura's magnitude and level. A member that has lost the buff gets it again at the next search.
func TestAuraMembers(t *testing.T) {
	e, f, cat := auraWorld(t, modes[0])
	for id := range buff.OwnerID(20) {
		f.at[id+1] = float64(id % 2 * 100)
		spawn(t, e, 20-id)
	}
	r := e.AddBuff(3, buff.Application{Spec: cat.Spec("beacon"), Source: 99, Magnitude: 42, Level: 3})
	require.NoError(t, r.Failure)
	ids := []buff.OwnerID{}
	var fifth buff.Handle
	for ev := range e.Tick(0).Events() {
		if ev.Kind == buff.Applied && ev.Spec.ID == "light" {
			ids = append(ids, ev.Owner)
			require.EqualValues(t, 3, ev.Source)
			require.EqualValues(t, 42, ev.Magnitude)
			require.EqualValues(t, 3, ev.Level)
			if ev.Owner == 5 {
				fifth = ev.Handle
			}
		}
	}
	require.Equal(t, []buff.OwnerID{1, 3, 5, 7, 9, 11, 13, 15, 17, 19}, ids)
	e.Remove(fifth)
	require.Equal(t, []string{"5: 0 remove light why=cancelled", "5: 500 apply light x1"}, lines(e.Tick(500*time.Millisecond)))
}

// TestAuraOfNoEffect checks that an aura finds no members while it is hidden, or while it or its
// owner is paused, and that it finds all members again afterwards.
func TestAuraOfNoEffect(t *testing.T) {
	buffs := func(e *engine.Engine, h buff.Handle, v verb.Verb) {
		e.Do(buff.Command{Verb: v, Whose: define.OfBuff, Handle: h})
	}
	for name, stop := range map[string]struct {
		off, on func(e *engine.Engine, h buff.Handle)
	}{
		"hidden": {
			func(e *engine.Engine, h buff.Handle) { buffs(e, h, verb.Inhibit) },
			func(e *engine.Engine, h buff.Handle) { buffs(e, h, verb.Release) },
		},
		"paused": {
			func(e *engine.Engine, h buff.Handle) { buffs(e, h, verb.Pause) },
			func(e *engine.Engine, h buff.Handle) { buffs(e, h, verb.Resume) },
		},
		"area": {
			func(e *engine.Engine, _ buff.Handle) {
				_ = e.Do(buff.SetArea(1, 5)).Failure
				_ = e.Do(buff.PauseArea(5)).Failure
			},
			func(e *engine.Engine, _ buff.Handle) { _ = e.Do(buff.ResumeArea(5)).Failure },
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, f, cat := auraWorld(t, modes[0])
			f.at = map[buff.OwnerID]float64{2: 1}
			spawn(t, e, 1, 2)
			h := add(t, e, 1, cat.Spec("beacon"))
			e.Tick(0)
			stop.off(e, h)
			var got []string
			step := func(d time.Duration) {
				for ev := range e.Tick(d * time.Millisecond).Events() {
					if ev.Owner == 2 {
						got = append(got, line(ev))
					}
				}
			}
			step(500)
			step(800)
			stop.on(e, h)
			step(200)
			require.Equal(t, []string{"2: 1200 remove light why=out_of_aura", "2: 1500 apply light x1"}, got)
		})
	}
}

// TestAurasOfOneBearer checks that two auras of one bearer that apply the same definition share
// one instance on a member. The instance ends when neither aura finds the member or both auras
// have ended.
func TestAurasOfOneBearer(t *testing.T) {
	wide := beacon()
	wide.Radius, wide.Linger = 20, 0
	e, f, cat := auraWorld(t, modes[0], buff.Spec{ID: "wide", Kind: define.Infinite, Aura: wide})
	f.at = map[buff.OwnerID]float64{2: 1}
	spawn(t, e, 1, 2)
	a := add(t, e, 1, cat.Spec("beacon"))
	b := add(t, e, 1, cat.Spec("wide"))
	require.Len(t, lines(e.Tick(0)), 3)
	f.at[2] = 15
	require.Empty(t, lines(e.Tick(2*time.Second)))
	f.at[2] = 25
	require.Equal(t, []string{"2: 2500 remove light why=out_of_aura"}, lines(e.Tick(500*time.Millisecond)))
	f.at[2] = 5
	require.Equal(t, []string{"2: 3000 apply light x1"}, lines(e.Tick(500*time.Millisecond)))
	e.Remove(b)
	require.Equal(t, []string{"1: 3000 remove wide why=cancelled"}, lines(e.Tick(200*time.Millisecond)))
	e.Remove(a)
	require.Equal(t, []string{"1: 3200 remove beacon why=cancelled", "2: 3900 remove light why=out_of_aura"},
		append(lines(e.Tick(0)), lines(e.Tick(time.Second))...))
	require.Empty(t, engine.CheckCrossIndex(e))
}

// TestAuraAndDespawn checks that members and bearers may come and leave, and that nothing is left
// over.
func TestAuraAndDespawn(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		e, f, cat := auraWorld(t, m)
		for id := range buff.OwnerID(5) {
			f.at[id] = 0
		}
		for range 20 {
			spawn(t, e, 1, 2, 3)
			add(t, e, 1, cat.Spec("beacon"))
			add(t, e, 2, cat.Spec("beacon"))
			m.pass(e, time.Second)
			require.NoError(t, e.Drop(2))
			m.pass(e, time.Second)
			require.Equal(t, 1, carries(e, 3, cat.Spec("light")), "that of 2 has ended with it")
			spawn(t, e, 2)
			m.pass(e, time.Second)
			require.Equal(t, 1, carries(e, 2, cat.Spec("light")))
			require.NoError(t, e.Drop(1))
			m.pass(e, time.Second)
			require.Zero(t, carries(e, 2, cat.Spec("light")))
			require.NoError(t, e.Drop(2))
			require.NoError(t, e.Drop(3))
			e.Tick(0)
			require.Zero(t, e.Stats().Timers+engine.Owed(e))
			require.Empty(t, engine.CheckCrossIndex(e))
		}
		_, auras, _ := engine.Room(e)
		require.LessOrEqual(t, auras, 2)
	})
}

func carries(e *engine.Engine, id buff.OwnerID, s *buff.Spec) (n int) {
	for b := range there(e.Buffs(id)).All() {
		if b.Spec == s {
			n++
		}
	}
	return n
}

// TestAura_AppliesAura checks that an aura may apply another aura. The applied aura searches from
// the next frame on.
func TestAura_AppliesAura(t *testing.T) {
	second := beacon()
	second.Apply = "plague"
	e, f, cat := auraWorld(t, modes[0],
		buff.Spec{ID: "plague", Kind: define.Infinite, Aura: beacon(), Stack: define.Stacking{By: define.ByTarget}},
		buff.Spec{ID: "carrier", Duration: time.Second, Aura: second},
	)
	f.at = map[buff.OwnerID]float64{1: 0, 2: 8, 3: 16}
	spawn(t, e, 1, 2, 3)
	add(t, e, 1, cat.Spec("carrier"))
	require.Equal(t, []string{"1: 0 apply carrier x1 end=1000", "1: 0 apply plague x1", "2: 0 apply plague x1"}, lines(e.Tick(0)))
	require.Equal(t, []string{
		"1: 0 apply light x1", "2: 0 apply light x1", // of owner 1
		"1: 0 apply light x1", "2: 0 apply light x1", "3: 0 apply light x1", // of owner 2
	}, lines(e.Tick(0)))
	for range 20 {
		e.Tick(500 * time.Millisecond)
	}
	for id := range buff.OwnerID(4) {
		require.Zero(t, carries(e, id, cat.Spec("light"))+carries(e, id, cat.Spec("plague")), "owner %d", id)
	}
	require.Zero(t, e.Stats().Timers)
}

// TestAuraBusy checks three cases. While the bearer is busy, its members do not change. A busy
// member is notified once, not at every search. A member whose mailbox is full is notified when
// there is room.
func TestAuraBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gates{}
		f := &field{at: map[buff.OwnerID]float64{1: 0, 2: 5}}
		cat := catalogOf(t,
			buff.Spec{ID: "beacon", Kind: define.Infinite, Aura: beacon()},
			buff.Spec{ID: "light", Kind: define.Infinite},
			buff.Spec{ID: "hang", Kind: define.Instant, On: define.Hooks{Exec: call("wait")}},
		)
		const limit = 3
		e := open(t, engine.Options{
			Catalog: cat, Workers: 2, Budget: brief, Limits: engine.Limits{Mailbox: limit}, Members: f.members, Handlers: engine.Handlers{"wait": g.wait},
		})
		spawn(t, e, 1, 2)
		h := add(t, e, 1, cat.Spec("beacon"))
		e.Tick(0)
		require.Equal(t, 1, carries(e, 2, cat.Spec("light")))

		add(t, e, 1, cat.Spec("hang"))
		g.hold(1)
		f.at[2] = 50
		looks := len(f.searches)
		for range 5 {
			require.Empty(t, at(e.Tick(time.Second), 2, buff.Removed, cat.Spec("light")))
		}
		require.Len(t, f.searches, looks)
		g.free()
		f.at[2] = 5
		e.Tick(time.Second)
		require.Len(t, f.searches, looks+1)
		require.Equal(t, 1, carries(e, 2, cat.Spec("light")))

		add(t, e, 2, cat.Spec("hang"))
		g.hold(2)
		for range 20 {
			e.Tick(500 * time.Millisecond)
		}
		for range limit {
			require.True(t, e.Do(buff.Kill(2)).Queued, "the aura has used up the mailbox")
		}
		e.Remove(h)
		for range 3 {
			e.Tick(time.Second)
			require.Equal(t, 1, engine.Owed(e))
		}
		g.free()
		e.Tick(0)
		synctest.Wait()
		e.Tick(time.Second)
		require.Zero(t, carries(e, 2, cat.Spec("light")))
		require.Zero(t, engine.Owed(e)+e.Stats().Timers)
		shut(t, e)
	})
}

// TestMembersMisuse checks that an aura without Options.Members is refused, and that a call of the
// Engine in Options.Members panics.
func TestMembersMisuse(t *testing.T) {
	specs := []buff.Spec{{ID: "beacon", Kind: define.Infinite, Aura: beacon()}, {ID: "light", Kind: define.Infinite}}
	cat := catalogOf(t, specs...)
	_, err := engine.New(engine.Options{Catalog: cat})
	require.EqualError(t, err, `engine: Options.Members is missing, but "beacon" is an aura`)
	var e *engine.Engine
	var said []any
	e = open(t, engine.Options{
		Catalog: cat, Synchronous: true, Members: func(engine.AuraQuery, func(buff.OwnerID)) { e.Do(buff.Kill(1)) },
		OnFault: func(f view.Fault) { said = append(said, f.Value); e.Do(buff.Kill(1)) },
	})
	require.NoError(t, e.Spawn(1, "data"))
	add(t, e, 1, cat.Spec("beacon"))
	require.Equal(t, []string{"1: 0 apply beacon x1", "1: 0 error beacon why=panic"}, lines(e.Tick(0)))
	require.Equal(t, []any{"engine: Do called from Options.Members"}, said)
	e.Do(buff.Kill(1))
}

// TestAuraQuery checks the AuraQuery that Members gets.
func TestAuraQuery(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "beacon", Kind: define.Infinite, Aura: beacon()}, buff.Spec{ID: "light", Kind: define.Infinite})
	var asked []engine.AuraQuery
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Members: func(q engine.AuraQuery, _ func(buff.OwnerID)) {
		asked = append(asked, q)
	}})
	for _, id := range []buff.OwnerID{9, 4} {
		require.NoError(t, e.Spawn(id, id*10))
	}
	e.Tick(time.Second)
	second, first := add(t, e, 9, cat.Spec("beacon")), add(t, e, 4, cat.Spec("beacon"))
	third := add(t, e, 9, cat.Spec("beacon"))
	e.Tick(5 * time.Millisecond)
	got := []buff.Handle{}
	for _, q := range asked {
		got = append(got, q.Buff.Handle)
		require.Equal(t, q.Bearer*10, q.Data)
		require.EqualValues(t, 1000, q.Due)
		require.EqualValues(t, 10, q.Buff.Spec.Aura.Radius)
	}
	require.Equal(t, []buff.Handle{first, second, third}, got, "by bearer, then by age")
	require.True(t, slices.IsSorted([]buff.OwnerID{asked[0].Bearer, asked[1].Bearer}))
}

// TestAuraOfBusyMembers checks that a busy member that was notified of an aura is not notified
// again at each search, even if another owner is still a member only because its notification
// failed.
func TestAuraOfBusyMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const mailbox = 4
		g, f := gates{}, &field{at: map[buff.OwnerID]float64{1: 0, 2: 1, 3: 1, 5: 1}}
		cat := catalogOf(t,
			buff.Spec{ID: "beacon", Kind: define.Infinite, Aura: beacon()},
			buff.Spec{ID: "light", Kind: define.Infinite},
			buff.Spec{ID: "hang", Kind: define.Instant, On: define.Hooks{Exec: call("wait")}},
		)
		e := open(t, engine.Options{
			Catalog: cat, Workers: 4, Budget: brief, Limits: engine.Limits{Mailbox: mailbox}, Members: f.members, Handlers: engine.Handlers{"wait": g.wait},
		})
		spawn(t, e, 1, 2, 3, 5)
		add(t, e, 1, cat.Spec("beacon"))
		e.Tick(0)
		require.Equal(t, 1, carries(e, 5, cat.Spec("light")))
		for _, id := range []buff.OwnerID{2, 3, 5} {
			g.hold(id)
			add(t, e, id, cat.Spec("hang"))
		}
		e.Tick(0)
		for _, id := range []buff.OwnerID{2, 3} {
			for range mailbox {
				require.NoError(t, e.Do(buff.Revive(id)).Failure)
			}
			f.at[id] = 100
		}
		mail := []int{engine.Mail(e, 3)} // messages for owner 5
		// owners 2 and 3 have no room for a message, so they stay members
		for range 4 {
			e.Tick(500 * time.Millisecond)
			mail = append(mail, engine.Mail(e, 3))
		}
		g.free()
		got := lines(e.Tick(0))
		synctest.Wait()
		for range 4 {
			got = append(got, lines(e.Tick(500*time.Millisecond))...)
			synctest.Wait()
		}
		require.Equal(t, []string{"2: 3200 remove light why=out_of_aura", "3: 3200 remove light why=out_of_aura"}, got)
		require.Equal(t, 1, carries(e, 5, cat.Spec("light")))
		require.Len(t, slices.Compact(mail), 1)

		g.hold(2) // owner 2 is no longer a member, and learns that when its message is processed
		add(t, e, 2, cat.Spec("hang"))
		e.Tick(0)
		f.at[2] = 1
		e.Tick(500 * time.Millisecond)
		f.at[2] = 100
		g.free()
		synctest.Wait()
		require.Equal(t, []string{"2: 4500 apply light x1"}, lines(e.Tick(0)))
		shut(t, e)
	})
}

// TestAura_OrderAfterRestore checks that auras of one bearer that search at one instant do so in
// the order of their age, even after the bearer was saved and restored.
func TestAura_OrderAfterRestore(t *testing.T) {
	e, f, cat := auraWorld(t, modes[0],
		buff.Spec{ID: "torch", Kind: define.Infinite, Aura: define.Aura{Apply: "glow", Radius: 10, Interval: time.Second}},
		buff.Spec{ID: "glow", Kind: define.Infinite},
	)
	f.at = map[buff.OwnerID]float64{1: 0}
	spawn(t, e, 1)
	add(t, e, 1, cat.Spec("torch"))
	add(t, e, 1, cat.Spec("beacon"))
	require.Equal(t, []string{"1: 0 apply glow x1", "1: 0 apply light x1"}, lines(e.Tick(0))[2:])
	blob, err := e.Despawn(1)
	require.NoError(t, err)
	_, err = e.Restore(1, nil, blob)
	require.NoError(t, err)
	got := lines(e.Tick(0))
	require.Equal(t, []string{"1: 0 apply glow x1", "1: 0 apply light x1"}, got[len(got)-2:])
	require.Empty(t, engine.CheckCrossIndex(e))
}
