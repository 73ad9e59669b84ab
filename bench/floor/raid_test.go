package floor_test

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/bench/floor"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
)

const frame = 50 // ms

// The definitions of a raid, by number.
const (
	dot uint16 = iota
	hot
	bless
	weak
	ward
	slow
	beat
)

// player is what the handlers touch.
type player struct{ health int64 }

// raidSpecs are the definitions as the floor has them.
func raidSpecs() []floor.Spec {
	return []floor.Spec{
		dot: {Duration: 12_000, Period: 3000, Stacks: 5, BySource: true, Pulse: func(c *floor.Context, e *floor.Event) {
			p := c.Data().(*player)
			if p.health -= int64(e.Stacks) * e.Magnitude; p.health%7 == 0 {
				c.Do(floor.Command{Spec: weak, Owner: e.Owner, Source: e.Source, Magnitude: 3})
			}
		}},
		hot: {Duration: 9000, Period: 1000, Pulse: func(c *floor.Context, e *floor.Event) {
			p := c.Data().(*player)
			if p.health += e.Magnitude; p.health%5 == 0 && e.Source != e.Owner {
				c.Do(floor.Command{Spec: ward, Owner: e.Source, Source: e.Owner, Magnitude: 5})
			}
		}},
		bless: {Duration: 60_000, BySource: true},
		weak:  {Duration: 5000},
		ward: {Duration: 4000, BySource: true, End: func(c *floor.Context, e *floor.Event) {
			c.Data().(*player).health++
		}},
		slow: {Period: 2500, BySource: true, Pulse: func(c *floor.Context, e *floor.Event) {
			p := c.Data().(*player)
			if p.health++; p.health%3 == 0 {
				c.Do(floor.Command{Verb: floor.Remove, Handle: e.Handle})
			}
		}},
		beat: {Period: 2500, BySource: true, Pulse: func(c *floor.Context, e *floor.Event) { c.Data().(*player).health-- }},
	}
}

// raidCatalog are the same as the engine has them.
func raidCatalog(tb testing.TB) *buff.Catalog {
	call := func(name string) []buff.Action { return []buff.Action{{Do: define.DoCall, Name: name}} }
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "dot", Duration: 12 * time.Second, Period: 3 * time.Second, Stack: define.Stacking{By: define.BySource, Limit: 5}, On: buff.Hooks{Pulse: call("dot")}},
		buff.Spec{ID: "hot", Duration: 9 * time.Second, Period: time.Second, Stack: define.Stacking{By: define.ByTarget}, On: buff.Hooks{Pulse: call("hot")}},
		buff.Spec{ID: "bless", Duration: time.Minute, Stack: define.Stacking{By: define.BySource}},
		buff.Spec{ID: "weak", Duration: 5 * time.Second, Stack: define.Stacking{By: define.ByTarget}},
		buff.Spec{ID: "ward", Duration: 4 * time.Second, Stack: define.Stacking{By: define.BySource}, On: buff.Hooks{Remove: map[buff.Reason][]buff.Action{buff.Expired: call("ward")}}},
		buff.Spec{ID: "slow", Kind: define.Infinite, Period: 2500 * time.Millisecond, Stack: define.Stacking{By: define.BySource}, On: buff.Hooks{Pulse: call("slow")}},
		buff.Spec{ID: "beat", Kind: define.Infinite, Period: 2500 * time.Millisecond, Stack: define.Stacking{By: define.BySource}, On: buff.Hooks{Pulse: call("beat")}},
	)
	require.NoError(tb, err)
	return cat
}

// side is one of the two that do the same.
type side interface {
	// do carries out calls, one after the other, or all at once; the handle of the n-th is kept as the
	// n-th in all.
	do(calls []floor.Command, names []int)
	tick()
	// events calls f with what happened in the last tick, in words that both have.
	events(f func(owner uint64, fact [7]int64))
}

// ours is the engine.
type ours struct {
	*engine.Engine
	frame   *engine.Frame
	specs   []*buff.Spec
	number  map[*buff.Spec]uint16
	handles []buff.Handle
	players []player

	commands []buff.Command
	results  []buff.Result
}

func newOurs(tb testing.TB, players, workers int) *ours {
	cat := raidCatalog(tb)
	o := &ours{players: make([]player, players), number: map[*buff.Spec]uint16{}}
	for _, id := range []string{"dot", "hot", "bless", "weak", "ward", "slow", "beat"} {
		o.number[cat.Spec(id)] = uint16(len(o.specs))
		o.specs = append(o.specs, cat.Spec(id))
	}
	eng, err := engine.New(engine.Options{
		Catalog: cat, Synchronous: workers == 0, Workers: workers, Budget: -1, History: -1,
		Handlers: engine.Handlers{
			"dot": func(c *engine.Context, e buff.Event) {
				p := c.Data().(*player)
				if p.health -= int64(e.Stacks) * e.Magnitude; p.health%7 == 0 {
					c.AddBuff(e.Owner, buff.Application{Spec: o.specs[weak], Source: e.Source, Magnitude: 3})
				}
			},
			"hot": func(c *engine.Context, e buff.Event) {
				p := c.Data().(*player)
				if p.health += e.Magnitude; p.health%5 == 0 && e.Source != e.Owner {
					c.AddBuff(e.Source, buff.Application{Spec: o.specs[ward], Source: e.Owner, Magnitude: 5})
				}
			},
			"beat": func(c *engine.Context, _ buff.Event) { c.Data().(*player).health-- },
			"ward": func(c *engine.Context, _ buff.Event) { c.Data().(*player).health++ },
			"slow": func(c *engine.Context, e buff.Event) {
				p := c.Data().(*player)
				if p.health++; p.health%3 == 0 {
					c.Remove(e.Handle)
				}
			},
		},
	})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, eng.Close(context.Background())) })
	o.Engine = eng
	for p := range players {
		require.NoError(tb, eng.Spawn(buff.OwnerID(p+1), &o.players[p]))
	}
	return o
}

func (o *ours) do(calls []floor.Command, names []int) {
	for k := range calls {
		if c := &calls[k]; c.Verb == floor.Apply {
			a := buff.Application{Spec: o.specs[c.Spec], Source: buff.OwnerID(c.Source), Magnitude: c.Magnitude}
			if c.Duration > 0 {
				a.Duration = buff.Lasting(time.Duration(c.Duration) * time.Millisecond)
			}
			h, _ := o.AddBuff(buff.OwnerID(c.Owner), a)
			o.handles = kept(o.handles, names[k], h)
		} else {
			o.Remove(o.handles[names[k]])
		}
	}
}

// prepare makes the commands that doAll does.
func (o *ours) prepare(calls []floor.Command, names []int) {
	o.commands = o.commands[:0]
	for k := range calls {
		c := &calls[k]
		if c.Verb == floor.Remove {
			o.commands = append(o.commands, buff.Remove(o.handles[names[k]]))
			continue
		}
		a := buff.Application{Spec: o.specs[c.Spec], Source: buff.OwnerID(c.Source), Magnitude: c.Magnitude}
		if c.Duration > 0 {
			a.Duration = buff.Lasting(time.Duration(c.Duration) * time.Millisecond)
		}
		o.commands = append(o.commands, buff.Apply(buff.OwnerID(c.Owner), a))
	}
}

// doAll is do, with what prepare has made.
func (o *ours) doAll(names []int) {
	o.results = o.DoAll(o.results[:0], o.commands)
	for k := range o.results {
		if o.commands[k].Verb == verb.Apply {
			o.handles = kept(o.handles, names[k], o.results[k].Handle)
		}
	}
}

func (o *ours) tick() { o.frame = o.Tick(frame * time.Millisecond) }

func (o *ours) events(f func(owner uint64, fact [7]int64)) {
	kinds := map[buff.EventKind]floor.Kind{buff.Applied: floor.Applied, buff.Refreshed: floor.Refreshed, buff.Stacked: floor.Stacked, buff.Pulsed: floor.Pulsed, buff.Removed: floor.Removed}
	whys := map[buff.Reason]floor.Why{buff.NoReason: floor.None, buff.Expired: floor.Expired, buff.Cancelled: floor.Cancelled}
	for e := range o.frame.Events() {
		end := int64(e.End)
		if e.End == wheel.Never {
			end = -1
		}
		f(uint64(e.Owner), [7]int64{int64(e.At), int64(e.Source), end, e.Magnitude, int64(e.Stacks), int64(o.number[e.Spec]), int64(kinds[e.Kind])<<8 | int64(whys[e.Why])})
	}
}

// theirs is the floor.
type theirs struct {
	*floor.World
	frame   []floor.Event
	handles []floor.Handle
	results []floor.Result
	players []player
}

func newTheirs(players int) *theirs {
	t := &theirs{World: floor.New(raidSpecs()), players: make([]player, players)}
	for p := range players {
		t.Spawn(uint64(p+1), &t.players[p])
	}
	return t
}

// single is do without a look ahead.
func (t *theirs) single(calls []floor.Command, names []int) {
	for k := range calls {
		c := &calls[k]
		if c.Verb == floor.Remove {
			c.Handle = t.handles[names[k]]
		}
		if r := t.Do(c); c.Verb == floor.Apply {
			t.handles = kept(t.handles, names[k], r.Handle)
		}
	}
}

func (t *theirs) do(calls []floor.Command, names []int) {
	for k := range calls {
		if calls[k].Verb == floor.Remove {
			calls[k].Handle = t.handles[names[k]]
		}
	}
	t.results = slices.Grow(t.results[:0], len(calls))[:len(calls)]
	t.DoAll(calls, t.results)
	for k := range calls {
		if calls[k].Verb == floor.Apply {
			t.handles = kept(t.handles, names[k], t.results[k].Handle)
		}
	}
}

func (t *theirs) tick() { t.frame = t.Tick(frame) }

func (t *theirs) events(f func(owner uint64, fact [7]int64)) {
	for k := range t.frame {
		e := &t.frame[k]
		end := e.End
		if end >= 1<<61 {
			end = -1
		}
		f(e.Owner, [7]int64{e.At, int64(e.Source), end, e.Magnitude, int64(e.Stacks), int64(e.Spec), int64(e.Kind)<<8 | int64(e.Why)})
	}
}

// kept is handles with h under a name.
func kept[H any](handles []H, name int, h H) []H {
	for name >= len(handles) {
		handles = append(handles, make([]H, max(64, name+1-len(handles)))...)
	}
	handles[name] = h
	return handles
}

// script draws the calls of a raid's frames, the same for both.
type script struct {
	rng     *rand.Rand
	players int
	names   int
	calls   []floor.Command
	of      []int
}

func newScript(players int) *script {
	return &script{rng: rand.New(rand.NewPCG(1, uint64(players))), players: players}
}

// next draws the calls of a frame: as many as one player in ten makes, a tenth of them removals.
func (s *script) next() ([]floor.Command, []int) {
	s.calls, s.of = s.calls[:0], s.of[:0]
	before := s.names // those of this frame have no handle yet
	for range max(1, s.players/10) {
		if s.rng.IntN(10) == 0 && before > 0 {
			s.calls = append(s.calls, floor.Command{Verb: floor.Remove})
			s.of = append(s.of, (before-1-s.rng.IntN(min(before, 4*s.players)))%s.kept())
			continue
		}
		spec := [...]uint16{dot, dot, dot, hot, bless, bless, slow}[s.rng.IntN(7)]
		target := 1 + s.rng.IntN(s.players)
		s.calls = append(s.calls, floor.Command{
			Spec: spec, Owner: uint64(target), Source: uint64(1 + (target+s.rng.IntN(5))%s.players), Magnitude: int64(1 + s.rng.IntN(9)),
		})
		s.of = append(s.of, s.names%s.kept())
		s.names++
	}
	return s.calls, s.of
}

// kept is how many handles are kept at most: older ones have no name any more, and their list does not grow while it is measured.
func (s *script) kept() int { return 8 * s.players }

// TestSameEvents: what happens to each owner in a minute of a raid is the same in the engine and on the
// floor, event by event, and so is what the handlers have made of it.
func TestSameEvents(t *testing.T) {
	const players = 500
	all := []side{newOurs(t, players, 0), newTheirs(players), newOurs(t, players, 2)}
	var digests [3][players + 1]uint64
	n := [3]int{}
	for k, s := range all {
		script := newScript(players)
		for range 60_000 / frame {
			s.do(script.next())
			s.tick()
			s.events(func(owner uint64, fact [7]int64) {
				d := fnv.New64a()
				for _, v := range append(fact[:], int64(digests[k][owner])) {
					for b := range 8 {
						_, _ = d.Write([]byte{byte(v >> (8 * b))})
					}
				}
				digests[k][owner] = d.Sum64()
				n[k]++
			})
		}
	}
	require.Greater(t, n[0], 100_000)
	require.Equal(t, n[0], n[1])
	require.Equal(t, digests[0], digests[1])
	require.Equal(t, digests[0], digests[2])
	require.Equal(t, all[0].(*ours).players, all[1].(*theirs).players)
}

// TestNoAllocations: once it has been as large, a frame of the floor allocates nothing.
func TestNoAllocations(t *testing.T) {
	s, script := newTheirs(200), newScript(200)
	for range 4000 {
		s.do(script.next())
		s.tick()
	}
	require.Zero(t, testing.AllocsPerRun(5000, s.tick))
}
