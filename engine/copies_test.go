package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/snapshot"
	"github.com/stretchr/testify/require"
)

// copied is the result of the rounds so far: the data that a store would have on disk.
type copied struct {
	owners  map[buff.OwnerID]snapshot.Copy
	waiting []buff.Command
	moment  buff.Moment
}

// take ends a round.
func (d *copied) take(c snapshot.Maker, r *snapshot.Round) {
	for id := range r.Gone {
		delete(d.owners, id)
	}
	x := c.Take()
	for o := range x.All() {
		if o.Err == nil {
			o.Blob, o.Data = append([]byte(nil), o.Blob...), append([]byte(nil), o.Data...)
			d.owners[o.Owner] = *o
		}
	}
	x.Free()
	d.waiting, d.moment = r.Waiting, r.Moment
}

// revive makes an engine from the copies.
func (d *copied) revive(t testing.TB, o engine.Options) *engine.Engine {
	t.Helper()
	o.Synchronous, o.Workers = true, 0
	o.Uptime = time.Duration(d.moment.Uptime) * time.Millisecond
	o.Epoch = time.UnixMilli(d.moment.Wall)
	e := open(t, o)
	for id, x := range d.owners {
		_, err := e.Readmit(id, nil, x.Blob, x.Area, d.moment.Uptime)
		require.NoError(t, err)
	}
	for _, c := range d.waiting {
		require.NoError(t, e.Do(c).Failure)
	}
	return e
}

// wealth counts the coins of all owners.
func wealth(t testing.TB, e *engine.Engine, owners int) (sum int) {
	t.Helper()
	for id := range buff.OwnerID(owners) {
		buffs, err := e.Buffs(id)
		if errors.Is(err, engine.ErrUnknownOwner) {
			continue
		}
		require.NoError(t, err)
		for b := range buffs.All() {
			if b.Spec.ID == "coin" {
				sum += b.Stacks
			}
		}
	}
	return sum
}

var robbery = []buff.Spec{
	{ID: "coin", Kind: define.Infinite, Stack: define.Stacking{Limit: 1000}},
	{ID: "greed", Kind: define.Infinite, Period: 150 * time.Millisecond, On: define.Hooks{Pulse: call("rob")}},
	{ID: "itch", Kind: define.Infinite, Period: 70 * time.Millisecond},
	{ID: "rage", Duration: 900 * time.Millisecond, Period: 100 * time.Millisecond},
}

// robbers is a game in which all owners steal coins from others: on the loop, in handlers, by the
// Inbox.
type robbers struct {
	e   *engine.Engine
	cat *buff.Catalog
	rng *rand.Rand
	o   engine.Options

	edits int // number of Reloads
}

const robberCount, coinsEach = 40, 5

func newRobbers(t *testing.T, m mode, seed uint64) *robbers {
	return newRobbersOf(t, m, seed, engine.Options{})
}

func newRobbersOf(t *testing.T, m mode, seed uint64, o engine.Options) *robbers {
	r := &robbers{cat: catalogOf(t, robbery...), rng: rand.New(rand.NewPCG(seed, 1)), o: o}
	coin := r.cat.Spec("coin")
	r.o.Catalog, r.o.Number, r.o.Handlers = r.cat, 1, engine.Handlers{"rob": func(c *engine.Context, e buff.Event) {
		if victim := buff.OwnerID((uint64(e.At)*7 + uint64(e.Owner)*3) % robberCount); victim != e.Owner {
			c.Do(buff.Steal(victim, e.Owner, buff.Query{Spec: coin}, 0))
		}
	}}
	m.set(&r.o)
	r.e = open(t, r.o)
	for id := range buff.OwnerID(robberCount) {
		spawn(t, r.e, id)
		res := r.e.AddBuff(id, buff.Application{Spec: r.cat.Spec("coin"), Stacks: coinsEach})
		require.NoError(t, res.Failure)
		add(t, r.e, id, r.cat.Spec("itch"))
		if id%3 == 0 {
			add(t, r.e, id, r.cat.Spec("greed"))
		}
	}
	return r
}

// play makes the loop's calls between two Ticks.
func (r *robbers) play(t *testing.T) {
	for range 3 {
		a, b := buff.OwnerID(r.rng.IntN(robberCount)), buff.OwnerID(r.rng.IntN(robberCount))
		if a != b {
			require.NoError(t, r.e.Do(buff.Steal(a, b, buff.Query{Spec: r.cat.Spec("coin")}, 0)).Failure)
			res := r.e.AddBuff(b, buff.Application{Spec: r.cat.Spec("rage")})
			require.NoError(t, res.Failure)
			require.NoError(t, r.e.Inbox().Do(buff.Steal(b, a, buff.Query{Spec: r.cat.Spec("coin")}, 0)))
		}
	}
}

// TestCopiesOneInstant checks that each copy is what Save returned when the round started, byte
// for byte, whatever happens to owners during the round, and that no coin is on two owners or on
// none. An owner that is not copied again has not changed.
func TestCopiesOneInstant(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		r := newRobbers(t, m, 3)
		c := engine.Copies(r.e, nil)
		disk := &copied{owners: map[buff.OwnerID]snapshot.Copy{}}
		early := 0
		for round := range 25 {
			m.pass(r.e, 50*time.Millisecond)
			began := c.Begin(false)
			require.Empty(t, began.Older)
			want := map[buff.OwnerID][]byte{}
			for id := range buff.OwnerID(robberCount) {
				blob, err := r.e.Save(id)
				require.NoError(t, err)
				want[id] = blob
			}
			of := c.Left()
			for stepped, done := 0, false; !done; {
				var n int
				n, done = c.Step(4)
				stepped += n
				if !done {
					r.play(t)
					m.pass(r.e, 50*time.Millisecond)
				} else {
					early += of - stepped
				}
			}
			x := c.Take()
			require.Equal(t, of, x.Len())
			for o := range x.All() {
				require.Equal(t, want[o.Owner], o.Blob, "round %d, owner %d", round, o.Owner)
				disk.owners[o.Owner] = snapshot.Copy{Owner: o.Owner, Blob: append([]byte(nil), o.Blob...)}
			}
			disk.waiting, disk.moment = began.Waiting, began.Moment
			x.Free()
			if round%8 == 7 {
				require.Equal(t, robberCount*coinsEach, wealth(t, disk.revive(t, r.o), robberCount))
			}
		}
		require.Positive(t, early, "some were copied by whoever changed them")
	})
}

// TestCopiesControl checks that TestCopiesOneInstant can fail: without copy on update, the same
// game has rounds in which coins are on two owners or on none.
func TestCopiesControl(t *testing.T) {
	m := modes[0]
	r := newRobbers(t, m, 3)
	torn := 0
	for range 10 {
		disk := &copied{owners: map[buff.OwnerID]snapshot.Copy{}}
		for id := range buff.OwnerID(robberCount) {
			blob, err := r.e.Save(id)
			require.NoError(t, err)
			disk.owners[id] = snapshot.Copy{Owner: id, Blob: blob}
			if id%4 == 3 {
				r.play(t)
				m.pass(r.e, 50*time.Millisecond)
			}
		}
		disk.moment = r.e.Moment()
		if wealth(t, disk.revive(t, r.o), robberCount) != robberCount*coinsEach {
			torn++
		}
	}
	require.Positive(t, torn)
}

// TestCopiesAreas checks that a round has exactly the areas whose time is changed, sorted by
// number.
func TestCopiesAreas(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	want := []snapshot.AreaTime{}
	for area := range uint32(40) {
		rate := buff.Ratio{Num: 2, Den: area + 3}
		switch area % 4 {
		case 0:
			require.NoError(t, e.Do(buff.SetAreaRate(area, rate)).Failure)
			want = append(want, snapshot.AreaTime{Area: area, Rate: rate})
		case 1:
			require.NoError(t, e.Do(buff.PauseArea(area)).Failure)
			want = append(want, snapshot.AreaTime{Area: area, Paused: true})
		case 2:
			require.NoError(t, e.Do(buff.PauseArea(area)).Failure)
			require.NoError(t, e.Do(buff.ResumeArea(area)).Failure)
		}
	}
	c := engine.Copies(e, nil)
	require.Equal(t, want, c.Begin(true).Areas)
}

// TestCopiesClean checks that an owner that does not change is copied only once, and that an
// engine made from the copies nevertheless has the same events as the old one at the same
// instants.
func TestCopiesClean(t *testing.T) {
	cat := catalogOf(t, keepSpecs...)
	noon := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	o := engine.Options{Catalog: cat, Synchronous: true, Epoch: noon, Uptime: time.Hour}
	e := open(t, o)
	spawn(t, e, 1, 2)
	require.NoError(t, e.Do(buff.SetArea(1, 5)).Failure)
	require.NoError(t, e.Do(buff.SetAreaRate(5, buff.Ratio{Num: 1, Den: 2})).Failure)
	for s := range cat.All() {
		add(t, e, 1, s)
	}
	c := engine.Copies(e, nil)
	disk := &copied{owners: map[buff.OwnerID]snapshot.Copy{}}
	round := func() (copies int) {
		r := c.Begin(false)
		copies = c.Left()
		_, done := c.Step(100)
		require.True(t, done)
		disk.take(c, &r)
		return copies
	}
	require.Equal(t, 2, round())
	e.Tick(4 * time.Second) // 2 s in the time of owner 1, which is before its first pulse
	require.Equal(t, 0, round())

	o.Epoch, o.Uptime = noon.Add(4*time.Second), time.Hour+4*time.Second
	e2 := open(t, o)
	require.NoError(t, e2.Do(buff.SetAreaRate(5, buff.Ratio{Num: 1, Den: 2})).Failure)
	for id, x := range disk.owners {
		_, err := e2.Readmit(id, nil, x.Blob, x.Area, disk.moment.Uptime)
		require.NoError(t, err)
	}
	e2.Tick(0)
	shift := func(f *engine.Frame, by int64) (out []string) {
		for e := range f.Events() {
			out = append(out, fmt.Sprint(int64(e.At)-by, " ", e.Kind, " ", e.Spec.ID, " ", e.Stacks))
		}
		return out
	}
	for range 40 {
		require.Equal(t, shift(e.Tick(time.Second), 4000), shift(e2.Tick(time.Second), 0))
	}
}

// TestCopiesBusy checks that a round has the last complete state of a busy owner, with the
// commands for it in Waiting: no coin is lost or duplicated, whichever owner is the thief.
func TestCopiesBusy(t *testing.T) {
	for _, thief := range []buff.OwnerID{1, 2} {
		synctest.Test(t, func(t *testing.T) { stealBusy(t, thief) })
	}
}

func stealBusy(t *testing.T, thief buff.OwnerID) {
	r := newBusy(t)
	coin := buff.Query{Spec: r.cat.Spec("coin")}
	c := engine.Copies(r.e, nil)
	disk := &copied{owners: map[buff.OwnerID]snapshot.Copy{}}
	r.round(t, c, disk)
	require.NoError(t, r.e.Do(buff.Steal(3, 1, coin, 0)).Failure) // before the owner is busy
	r.e.Tick(time.Second)
	require.True(t, r.e.Busy(1))
	require.True(t, c.Busy())
	require.NoError(t, r.e.Do(buff.Steal(3-thief, thief, coin, 0)).Failure)
	began := r.round(t, c, disk)
	require.Equal(t, []buff.OwnerID{1}, began.Older)
	require.Equal(t, 30, wealth(t, disk.revive(t, r.o), 4))

	close(r.gate)
	synctest.Wait()
	r.e.Tick(0)
	require.Zero(t, r.e.Stats().Busy)
	require.Equal(t, 30, wealth(t, r.e, 4))
	r.round(t, c, disk)
	require.Empty(t, disk.waiting)
	require.Equal(t, 30, wealth(t, disk.revive(t, r.o), 4))
}

// TestCopiesBusyWhole checks that the last complete state of a busy owner has all parts of a copy.
// If the marshal function has failed for that state, there is no copy, and not an older one.
func TestCopiesBusyWhole(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { keepBusy(t, refuses) })
	}
}

func keepBusy(t *testing.T, refuses bool) {
	r := newBusy(t)
	defer close(r.gate)
	require.NoError(t, r.e.Do(buff.SetArea(1, 5)).Failure)
	_, err := r.e.AddTimeout(1, time.Hour, func(*engine.Context) {})
	require.NoError(t, err)
	said := "before"
	c := engine.Copies(r.e, func(_ buff.OwnerID, _ any, b []byte) ([]byte, error) {
		if said == "" {
			return b, errors.New("no")
		}
		return append(b, said...), nil
	})
	disk := &copied{owners: map[buff.OwnerID]snapshot.Copy{}}
	r.round(t, c, disk)
	change := func(now string, span time.Duration) {
		said = now
		require.NoError(t, r.e.Do(buff.AddTimeout(1, 100*time.Millisecond, "rob")).Failure)
		r.e.Tick(span)
	}
	change("on the way", 200*time.Millisecond) // it has had a turn and is idle
	last := "as it was"
	if refuses {
		last = ""
	}
	change(last, 400*time.Millisecond)
	require.True(t, r.e.Busy(1))
	said = "too late"
	require.Equal(t, []buff.OwnerID{1}, c.Begin(false).Older)
	_, done := c.Step(100)
	require.True(t, done)
	x := c.Take()
	for o := range x.All() {
		require.Equal(t, snapshot.Copy{Owner: 1, Area: 5, Blob: o.Blob, Data: []byte("as it was"), Lost: 1}, *o)
		require.NotEmpty(t, o.Blob)
	}
	require.Equal(t, !refuses, x.Len() == 1)
	x.Free()
}

// busy is a game of three owners, of which the first has a handler that blocks.
type busy struct {
	e    *engine.Engine
	cat  *buff.Catalog
	o    engine.Options
	gate chan struct{}
}

func newBusy(t *testing.T) *busy {
	r := &busy{gate: make(chan struct{}), cat: catalogOf(t, robbery...)}
	r.o = engine.Options{Catalog: r.cat, Workers: 2, Budget: time.Hour, Handlers: engine.Handlers{
		"rob": func(*engine.Context, buff.Event) {}, "wait": func(*engine.Context, buff.Event) { <-r.gate },
	}}
	r.e = open(t, r.o)
	spawn(t, r.e, 1, 2, 3)
	for id := range buff.OwnerID(3) {
		res := r.e.AddBuff(id+1, buff.Application{Spec: r.cat.Spec("coin"), Stacks: 10})
		require.NoError(t, res.Failure)
	}
	require.NoError(t, r.e.Do(buff.AddTimeout(1, 500*time.Millisecond, "wait")).Failure)
	return r
}

func (r *busy) round(t *testing.T, c snapshot.Maker, disk *copied) snapshot.Round {
	began := c.Begin(false)
	_, done := c.Step(100)
	require.True(t, done)
	disk.take(c, &began)
	return began
}

// TestCopyFails checks that an owner has no copy if its marshal function fails, panics or returns
// an invalid result, and is tried again in the next round. The other owners are copied.
func TestCopyFails(t *testing.T) {
	for name, fail := range map[string]func([]byte) ([]byte, error){
		"error": func(b []byte) ([]byte, error) { return b, errors.New("no") },
		"panic": func([]byte) ([]byte, error) { panic("no") },
		"short": func([]byte) ([]byte, error) { return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, engine.Options{Synchronous: true})
			spawn(t, e, 1, 2)
			fails := true
			c := engine.Copies(e, func(id buff.OwnerID, _ any, b []byte) ([]byte, error) {
				if id == 1 && fails {
					return fail(b)
				}
				return append(b, "data"...), nil
			})
			for range 2 {
				c.Begin(false)
				_, done := c.Step(2)
				require.True(t, done)
				x := c.Take()
				for o := range x.All() {
					require.Equal(t, o.Owner == 1 && fails, o.Err != nil)
				}
				fails = false
			}
			require.Zero(t, c.Changed())
		})
	}
}

// TestCopiesMarshalGone checks that no due event is lost if the marshal function ends a worker's
// goroutine.
func TestCopiesMarshalGone(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "itch", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("scratch")}})
	e, err := engine.New(engine.Options{
		Catalog: cat, Workers: 2, Budget: patient, Handlers: engine.Handlers{"scratch": func(*engine.Context, buff.Event) {}},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close(context.Background())) }()
	spawn(t, e, 1)
	add(t, e, 1, cat.Spec("itch"))
	ends := true
	engine.Copies(e, func(_ buff.OwnerID, _ any, b []byte) ([]byte, error) {
		if ends {
			ends = false
			runtime.Goexit()
		}
		return b, nil
	})
	e.Tick(0)
	first := lines(e.Tick(time.Second))
	require.Equal(t, []string{"1: 1000 pulse itch x1"}, append(first, lines(e.Tick(0))...))
}

// TestCopies_OwnerTouchedDuringRound checks that an owner that is touched, or changes its area,
// during a round is copied in its earlier state, and belongs to the next round.
func TestCopies_OwnerTouchedDuringRound(t *testing.T) {
	e := open(t, engine.Options{Workers: 2, Budget: patient})
	spawn(t, e, 1, 2)
	c := engine.Copies(e, nil)
	for _, change := range []func() error{
		func() error { return c.Touch(1) }, func() error { return e.Do(buff.SetArea(1, 5)).Failure },
	} {
		c.Begin(true)
		require.NoError(t, change())
		require.Equal(t, 1, c.Left())
		require.Equal(t, 1, c.Changed())
		n, done := c.Step(10)
		require.Equal(t, 1, n)
		require.True(t, done)
		for x := range c.Take().All() {
			require.Zero(t, x.Area)
		}
	}
	require.ErrorIs(t, c.Touch(3), engine.ErrUnknownOwner)
}
