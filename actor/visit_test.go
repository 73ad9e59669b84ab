package actor_test

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/actor"
)

// visitors returns a group whose visits call their argument, a func(*box), or write down
// their argument, an int. Messages are written down too.
func visitors(pool actor.Pool, pumps int) *group {
	return actor.NewGroup(actor.Options[*note, int]{
		Pool: pool, Pumps: pumps, Limit: 1000, Handle: takeAll,
		Visit: func(_ int, b *box, arg any) {
			if act, ok := arg.(func(*box)); ok {
				act(b)
				return
			}
			b.Owner.got = append(b.Owner.got, arg.(int))
		},
	})
}

// A visit leaves nothing behind: the mailbox has never left home.
func TestVisit(t *testing.T) {
	for _, pumps := range []int{1, 3} {
		g := visitors(goroutines{}, pumps)
		boxes := newBoxes("a", "b", "c", "d", "e")
		for round := range 20 {
			require.True(t, g.Quiet())
			for k, b := range boxes {
				g.Visit(b, 10*round+k)
			}
			require.False(t, g.Quiet())
			g.Start()
			finishAll(g)
			begun, whole := g.EndVisits()
			require.Equal(t, len(boxes), begun)
			require.True(t, whole)
			require.Empty(t, g.Collect(nil))
		}
		for k, b := range boxes {
			require.True(t, b.Home())
			require.Zero(t, b.Len())
			require.Len(t, b.Owner.got, 20)
			require.Equal(t, 190+k, b.Owner.got[19])
		}
		requireQuiet(t, g)
	}
}

// What a visit keeps is handled behind the other visits, and comes home with the others'
// order of hand-over; what rests comes home staged.
func TestVisitKeeps(t *testing.T) {
	g := visitors(inline{}, 1)
	b := newBoxes("a", "b", "c")
	g.Visit(b[0], func(b *box) {
		b.Keep(7, false)
		require.Panics(t, func() { b.Keep(8, false) }, "twice")
	})
	g.Visit(b[1], func(b *box) { b.Keep(9, true) })
	g.Visit(b[2], 3)
	require.Panics(t, func() { b[2].Keep(1, false) }, "outside")
	g.Start()
	require.True(t, g.Wait(nil))
	begun, whole := g.EndVisits()
	require.Equal(t, 3, begun)
	require.False(t, whole)
	require.False(t, b[0].Home())
	require.False(t, b[1].Home())
	require.True(t, b[2].Home())
	require.Equal(t, []int{7}, b[0].Owner.got)
	require.Empty(t, b[1].Owner.got)
	requireBoxes(t, b[:2], g.Collect(nil))
	require.Equal(t, 1, b[1].Len())
	require.Equal(t, 1, g.Stats().Staged)
	g.Start()
	require.True(t, g.Wait(nil))
	requireBoxes(t, b[1:2], g.Collect(nil))
	require.Equal(t, []int{9}, b[1].Owner.got)
	requireQuiet(t, g)
}

// Who hangs is away from the end of the round on, like somebody with a message; the loop
// does not wait for him again, and of those behind him nobody is visited later.
func TestVisitHeld(t *testing.T) {
	for _, keeps := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := visitors(goroutines{}, 1)
			b := newBoxes("a", "b", "c", "d")
			gate := make(chan struct{})
			g.Visit(b[0], 1)
			g.Visit(b[1], func(b *box) {
				<-gate
				if keeps {
					b.Keep(5, false)
				}
			})
			g.Visit(b[2], 2)
			g.Start()
			require.False(t, g.WaitOthers(time.After(time.Second)))
			begun, whole := g.EndVisits()
			require.Equal(t, 2, begun)
			require.False(t, whole)
			require.Empty(t, g.Collect(nil))
			require.True(t, b[0].Home())
			require.False(t, b[1].Home())
			require.True(t, b[2].Home())
			requireHeld(t, g, b[1])
			require.Equal(t, 1, b[1].Len())
			require.Equal(t, 1, g.Stats().Pending)
			require.Panics(t, func() { g.Visit(b[0], 1) }, "somebody is away")

			send(t, g, b[1], 6)
			send(t, g, b[3], 8)
			require.Equal(t, 2, b[1].Len())
			g.Start()
			require.False(t, g.WaitOthers(time.After(time.Second)), "the only pump hangs")
			close(gate)
			require.True(t, g.Wait(nil))
			requireBoxes(t, []*box{b[1], b[3]}, g.Collect(nil))
			require.Equal(t, 1, g.Stats().Staged, "b has another message")
			g.Start()
			require.True(t, g.Wait(nil))
			requireBoxes(t, b[1:2], g.Collect(nil))
			want := []int{6}
			if keeps {
				want = []int{5, 6}
			}
			require.Equal(t, want, b[1].Owner.got)
			require.Equal(t, []int{8}, b[3].Owner.got)
			require.Empty(t, b[2].Owner.got)
			requireQuiet(t, g)
		})
	}
}

// Who hangs in a visit costs the loop the time of one round.
func TestVisitWaitsForTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := visitors(goroutines{}, 2)
		b := newBoxes("a", "b")
		gate := make(chan struct{})
		g.Visit(b[0], func(*box) { <-gate })
		g.Visit(b[1], 1)
		g.Start()
		require.False(t, g.WaitOthers(time.After(time.Second)))
		g.EndVisits()
		began := time.Now()
		for m := range 3 {
			send(t, g, b[1], m)
			g.Start()
			require.True(t, g.WaitOthers(time.After(time.Second)))
			requireBoxes(t, b[1:], g.Collect(nil))
		}
		require.Zero(t, time.Since(began))
		close(gate)
		require.True(t, g.Wait(nil))
		requireBoxes(t, b[:1], g.Collect(nil))
		requireQuiet(t, g)
	})
}

// Who hangs and then fails is home after that, and his pump is replaced.
func TestVisitFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := visitors(goroutines{}, 2)
		b := newBoxes("a", "b", "c", "d", "e")
		gate := make(chan struct{})
		g.Visit(b[0], func(*box) { panic("at once") })
		g.Visit(b[1], func(*box) { runtime.Goexit() })
		g.Visit(b[2], func(*box) { <-gate; runtime.Goexit() })
		g.Visit(b[3], func(b *box) { b.Keep(4, false); runtime.Goexit() })
		g.Visit(b[4], 5)
		g.Start()
		require.False(t, g.WaitOthers(time.After(time.Second)))
		begun, whole := g.EndVisits()
		require.Equal(t, 5, begun)
		require.False(t, whole)
		requireBoxes(t, b[3:4], g.Collect(nil))
		require.Equal(t, []int{4}, b[3].Owner.got)
		require.Equal(t, []int{5}, b[4].Owner.got)
		requireHeld(t, g, b[2])
		close(gate)
		require.True(t, g.Wait(nil))
		requireBoxes(t, b[2:3], g.Collect(nil))
		s := g.Stats()
		require.EqualValues(t, 1, s.Panics)
		require.EqualValues(t, 3, s.Exits)
		synctest.Wait()
		require.Zero(t, g.Stats().Pumps)
		requireQuiet(t, g)
	})
}

// Where the pool refuses, no visit is begun, and the loop is not kept.
func TestVisitRefused(t *testing.T) {
	room := false
	g := visitors(&moody{accept: func() bool { return room }, submit: inline{}.Submit}, 2)
	b := newBoxes("a", "b")
	visit := func() (begun int, whole bool) {
		g.Visit(b[0], 1)
		g.Visit(b[1], 2)
		g.Start()
		require.Equal(t, room, g.Wait(nil))
		return g.EndVisits()
	}
	begun, whole := visit()
	require.Zero(t, begun)
	require.False(t, whole)
	room = true
	begun, whole = visit()
	require.Equal(t, 2, begun)
	require.True(t, whole)
	require.Equal(t, []int{1}, b[0].Owner.got)
	require.EqualValues(t, 2, g.Stats().Refused, "by Start and by Wait")
	requireQuiet(t, g)
}

// A round that follows at once on another finds its pump, even if that was about to end.
func TestVisitNoLostWakeUp(t *testing.T) {
	g := visitors(goroutines{}, 1)
	b := newBoxes("a")[0]
	for round := range 20_000 {
		g.Visit(b, round)
		g.Start()
		for look := 0; !g.Wait(passed()); look++ { // does not sleep: so the next round comes early
			if look == 100 {
				finishAll(g)
			}
		}
		_, whole := g.EndVisits()
		require.True(t, whole)
	}
	require.Len(t, b.Owner.got, 20_000)
}

// However many pumps there are, each visit is claimed by one.
func TestVisitOnce(t *testing.T) {
	var claimed [2000]atomic.Int32
	g := actor.NewGroup(actor.Options[int, int]{
		Pool: goroutines{}, Pumps: 8, Limit: 1, Handle: func(int, *actor.Mailbox[int, int]) {},
		Visit: func(_ int, b *actor.Mailbox[int, int], _ any) { claimed[b.Owner].Add(1) },
	})
	boxes := make([]actor.Mailbox[int, int], len(claimed))
	for round := range int32(200) {
		for i := range boxes {
			boxes[i].Owner = i
			g.Visit(&boxes[i], nil)
		}
		g.Start()
		finishAll(g)
		begun, whole := g.EndVisits()
		require.Equal(t, len(boxes), begun)
		require.True(t, whole)
		for i := range claimed {
			require.Equal(t, round+1, claimed[i].Load(), "visit %d of round %d", i, round)
		}
	}
}

func TestVisitDoesNotAllocate(t *testing.T) {
	g := visitors(inline{}, 1)
	boxes := newBoxes("a", "b", "c")
	arg := any(func(*box) {})
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, b := range boxes {
			g.Visit(b, arg)
		}
		g.Start()
		g.Wait(nil)
		g.EndVisits()
	}))
}

// Many rounds against the clock: each visit that was begun is done once, whoever hangs, fails
// or keeps something, and no owner is in two hands.
func TestVisitStress(t *testing.T) {
	type owner struct {
		busy            atomic.Bool
		done            atomic.Int64
		begun, messages int64
	}
	enter := func(b *actor.Mailbox[*owner, int]) (leave func()) {
		require.True(t, b.Owner.busy.CompareAndSwap(false, true))
		return func() { b.Owner.busy.Store(false) }
	}
	g := actor.NewGroup(actor.Options[*owner, int]{
		Pool: goroutines{}, Pumps: 3, Limit: 1 << 20,
		Handle: func(_ int, b *actor.Mailbox[*owner, int]) {
			defer enter(b)()
			for _, ok := b.Next(); ok; _, ok = b.Next() {
				b.Owner.done.Add(1)
			}
		},
		Visit: func(_ int, b *actor.Mailbox[*owner, int], arg any) {
			defer enter(b)()
			b.Owner.done.Add(1)
			switch arg.(int) % 16 {
			case 0:
				panic("a fault")
			case 1:
				runtime.Goexit()
			case 2:
				b.Keep(1, false)
			case 3:
				b.Keep(1, true)
			case 4:
				for range 2000 { // takes a while
					b.Owner.busy.Load()
				}
			}
		},
	})
	boxes := make([]*actor.Mailbox[*owner, int], 40)
	for i := range boxes {
		boxes[i] = &actor.Mailbox[*owner, int]{Owner: &owner{}}
	}
	dice := rand.New(rand.NewPCG(1, 2))
	rounds := 20_000
	if testing.Short() {
		rounds = 2000
	}
	split := 0
	for range rounds {
		args := make([]int, len(boxes))
		if !g.Quiet() {
			g.Start()
			g.WaitOthers(passed())
			g.Collect(nil)
			continue
		}
		for i, b := range boxes {
			args[i] = dice.IntN(200) // most do nothing unusual
			g.Visit(b, args[i])
		}
		g.Start()
		if dice.IntN(2) == 0 {
			g.WaitOthers(passed())
		} else {
			g.WaitOthers(nil)
		}
		begun, whole := g.EndVisits()
		if !whole {
			split++
		}
		for i, b := range boxes[:begun] {
			b.Owner.begun++
			if k := args[i] % 16; k == 2 || k == 3 {
				b.Owner.messages++
			}
		}
		g.Collect(nil)
	}
	for !g.Quiet() {
		g.Start()
		finishAll(g)
		g.Collect(nil)
	}
	for i, b := range boxes {
		require.Equal(t, b.Owner.begun+b.Owner.messages, b.Owner.done.Load(), "owner %d", i)
	}
	require.NotZero(t, split)
	requireQuiet(t, g)
}
