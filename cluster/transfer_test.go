package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/postgres"
)

// TestNode_Transfer checks that a hero moves to a zone of another node and back, and that commands
// reach it from either zone.
func TestNode_Transfer(t *testing.T) {
	s := newServers(t)
	refused := errors.New("it is in a fight")
	arrivals := make(chan buff.OwnerID, 16)
	join := func(name string) *Node {
		o := s.options(name, 2)
		o.New = func(zone string) (Zone, error) {
			z, err := play(zone)
			z.Arrive = func(_ *store.Saver, id buff.OwnerID, _ buff.Restoration) { arrivals <- id }
			z.Depart = func(_ *store.Saver, id buff.OwnerID, to string) error {
				if id == hero(0, 3) {
					return refused
				}
				return nil
			}
			return z, err
		}
		node, err := Join(t.Context(), o)
		require.NoError(t, err)
		t.Cleanup(node.Close)
		return node
	}
	a, b := join("a"), join("b")
	c := s.client()
	pay := func(zone, in string) Reply {
		t.Helper()
		r, err := c.Ask(t.Context(), zone, coin(hero(0, 0)), Durable)
		require.NoError(t, err)
		require.Equal(t, in, r.Zone)
		return r
	}
	pay("z0", "z0")
	pay("z1", "z0")
	require.NoError(t, a.Transfer(t.Context(), hero(0, 0), "z1"))
	pay("z0", "z1")
	require.Equal(t, hero(0, 0), <-arrivals)
	places, err := a.Where(t.Context(), hero(0, 0), hero(1, 0), 999)
	require.NoError(t, err)
	require.ElementsMatch(t, []store.Place{{Owner: hero(0, 0), Zone: "z1"}, {Owner: hero(1, 0), Zone: "z1"}}, places)
	require.NoError(t, b.Transfer(t.Context(), hero(0, 0), "z1"), "it is already there")
	pay("z1", "z1")
	// z0 is the last zone known to this client.
	r, err := c.Transfer(t.Context(), hero(0, 0), "z0", "z0")
	require.NoError(t, err)
	require.Equal(t, "z1", r.Zone)
	pay("z1", "z0")
	require.Equal(t, hero(0, 0), <-arrivals)

	require.ErrorIs(t, a.Transfer(t.Context(), hero(0, 0), "z9"), ErrZone)
	require.ErrorIs(t, a.Transfer(t.Context(), 999, "z1"), ErrOwner)
	err = a.Transfer(t.Context(), hero(0, 3), "z1")
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, refused.Error())
	_, err = c.Transfer(t.Context(), hero(0, 1), "z0", "z9")
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "z9")
	_, err = c.Ask(t.Context(), "z0", coin(999), Durable)
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "unknown owner")
	x, y := a.Stats(), b.Stats()
	require.EqualValues(t, 2, x.Departed+y.Departed)
	require.EqualValues(t, 2, x.Arrived+y.Arrived)
	require.NotZero(t, x.Elsewhere+y.Elsewhere)
	require.NoError(t, a.Drain(t.Context()))
	require.NoError(t, b.Drain(t.Context()))
	require.EqualValues(t, 5, s.stacks(2)[hero(0, 0)])
}

// TestNode_Transfer_LostNotice checks that a zone polls for arrivals when the notice is lost.
func TestNode_Transfer_LostNotice(t *testing.T) {
	s := newServers(t)
	node, err := Join(t.Context(), s.options("a", 2))
	require.NoError(t, err)
	defer node.Close()
	require.NoError(t, node.subs[len(node.subs)-1].Unsubscribe())
	c := s.client()
	_, err = c.Ask(t.Context(), "z0", coin(hero(0, 0)), Durable)
	require.NoError(t, err)
	require.NoError(t, node.Transfer(t.Context(), hero(0, 0), "z1"))
	for node.Stats().Arrived == 0 { // each command is a round trip, so time passes
		require.NoError(t, c.Do(t.Context(), "z1", coin(hero(1, 0))))
	}
	r, err := c.Ask(t.Context(), "z1", coin(hero(0, 0)), Durable)
	require.NoError(t, err)
	require.Equal(t, "z1", r.Zone)
}

// effect identifies one coin of a hero. Its number comes from the blob, so it is the same in all
// zones and after a crash.
type effect struct {
	owner buff.OwnerID
	n     int32
}

// effects records the effects that the game has issued.
type effects struct {
	mu            sync.Mutex
	atOnce, after map[effect]int // number of times issued in the frame itself, and after its commit
	byID          map[buff.EventID]int
	waits         sync.WaitGroup
}

// ofCoin selects the events that give a coin: their effect is saved in the same cut.
func ofCoin(e *buff.Event, b []byte) ([]byte, bool) {
	return b, e.Kind == buff.Applied || e.Kind == buff.Stacked
}

// issueSaved issues the saved effects and confirms two thirds of them. The next owner of the zone
// issues the others again.
func (x *effects) issueSaved(z *store.Saver) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range z.Effects() {
		if x.byID[e.ID]++; e.ID.Seq%3 > 0 {
			z.Given(e.ID)
		}
	}
}

// issueRest issues the effects that the last owners of the zones have not confirmed.
func (x *effects) issueRest(s *servers, zones int) {
	disk, err := postgres.Open(s.t.Context(), s.postgres, postgres.Options{Schema: s.schema})
	require.NoError(s.t, err)
	for zone := range zones {
		z, err := store.Open(s.t.Context(), disk, fmt.Sprintf("z%d", zone), engine.Options{Catalog: coins, Synchronous: true}, store.Options{})
		require.NoError(s.t, err)
		x.issueSaved(z)
		z.Close()
		require.NoError(s.t, z.Engine().Close(s.t.Context()))
	}
	require.NoError(s.t, disk.Close())
}

// tick is a Zone.Tick that issues the saved effects, and records the effect of each coin in the
// frame itself and again after its commit.
func (x *effects) tick(z *store.Saver, f *engine.Frame) {
	x.issueSaved(z)
	var list []effect
	for e := range f.Events() {
		if e.Kind == buff.Applied || e.Kind == buff.Stacked {
			list = append(list, effect{e.Owner, e.Stacks})
		}
	}
	if len(list) == 0 {
		return
	}
	note := func(given map[effect]int) {
		x.mu.Lock()
		defer x.mu.Unlock()
		for _, e := range list {
			given[e]++
		}
	}
	note(x.atOnce)
	frame := f.Number
	x.waits.Go(func() {
		if z.Committed(context.Background(), frame) == nil {
			note(x.after)
		}
	})
}

// check checks that no effect was issued twice after a commit, and that every issued effect belongs
// to a coin of a hero. It returns the number of effects that were issued twice in the frame itself,
// without waiting for the commit.
func (x *effects) check(t *testing.T, stacks map[buff.OwnerID]int64) (twice int) {
	x.waits.Wait()
	for e, times := range x.after {
		require.Equal(t, 1, times, "coin %d of hero %d", e.n, e.owner)
		require.LessOrEqual(t, int64(e.n), stacks[e.owner])
	}
	x.checkIDs(t, stacks)
	for _, times := range x.atOnce {
		if times > 1 {
			twice++
		}
	}
	return twice
}

// checkIDs checks that each coin has a unique ID. It logs how many effects were issued again: a
// receiver that ignores IDs would pay those twice.
func (x *effects) checkIDs(t *testing.T, stacks map[buff.OwnerID]int64) {
	coins, twice := map[buff.OwnerID]int64{}, 0
	for id, times := range x.byID {
		coins[id.Owner]++
		twice += times - 1
	}
	for id, n := range stacks {
		require.Equal(t, n, coins[id], "hero %d", id)
	}
	t.Logf("%d effects with unique IDs, one for each coin; a receiver that ignores IDs pays %d more", len(x.byID), twice)
	require.Positive(t, twice)
}

// TestNode_Transfer_Kill moves heroes between zones, pays them with outdated knowledge of their
// zones, and kills nodes at random times. At the end each hero is in one zone, with all
// acknowledged coins and no more than were sent. An effect that is issued after the commit is
// issued once, and a saved effect has one ID for each coin, however often it is issued.
func TestNode_Transfer_Kill(t *testing.T) {
	const zones = 4
	s := newServers(t)
	dice := rand.New(rand.NewPCG(long.Seed(), 5))
	names := 0
	given := &effects{atOnce: map[effect]int{}, after: map[effect]int{}, byID: map[buff.EventID]int{}}
	start := func() *Node {
		o := s.options(fmt.Sprintf("node-%d", names), zones)
		names++
		o.TTL = time.Second
		o.New = func(zone string) (Zone, error) {
			z, err := play(zone)
			z.Tick, z.Store.Effect = given.tick, ofCoin
			return z, err
		}
		node, err := Join(t.Context(), o)
		require.NoError(t, err)
		return node
	}
	nodes := []*Node{start(), start(), start()}
	c := s.client()
	for zone := range zones { // the database knows the heroes of a zone after its first commit
		_, err := c.Ask(t.Context(), fmt.Sprintf("z%d", zone), coin(hero(zone, 0)), Durable)
		require.NoError(t, err)
	}
	l := s.load(zones, 32, 100)
	l.mu.Lock()
	for zone := range zones {
		l.sent[hero(zone, 0)]++
		l.durable[hero(zone, 0)]++
	}
	l.mu.Unlock()
	n := long.Times(40)
	var all sync.WaitGroup
	var mu sync.Mutex
	var took []time.Duration
	unknown, followed := 0, 0
	for k := range n {
		id := hero(dice.IntN(zones), dice.IntN(heroes))
		from, to := fmt.Sprintf("z%d", dice.IntN(zones)), fmt.Sprintf("z%d", dice.IntN(zones))
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			begun := time.Now()
			r, err := c.Transfer(ctx, id, from, to)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case errors.Is(err, ErrUnknown):
				unknown++
			case err != nil:
				t.Errorf("hero %d to %s: %v", id, to, err)
			case r.Zone != from:
				followed++
			}
			took = append(took, time.Since(begun))
		})
		if k%10 != 9 {
			continue
		}
		for range dice.IntN(3) {
			<-l.marks
		}
		victim := dice.IntN(len(nodes))
		nodes[victim].Close()
		nodes[victim] = start()
		all.Wait()
	}
	all.Wait()
	l.end()
	for zone := range zones { // a hero that still moves has arrived when it is paid
		for k := range heroes {
			_, err := c.Ask(t.Context(), "z0", coin(hero(zone, k)), Durable)
			require.NoError(t, err)
			l.sent[hero(zone, k)]++
			l.durable[hero(zone, k)]++
		}
	}
	for _, node := range nodes {
		require.NoError(t, node.Drain(t.Context()))
	}
	t.Logf("%d transfers, %d of them redirected, %d with an unknown outcome", n, followed, unknown)
	l.compare(s)
	s.requireOneZone(zones)
	given.issueRest(s, zones)
	twice := given.check(t, s.stacks(zones))
	t.Logf("%d effects after their commits, each once; %d without waiting, %d of them twice", len(given.after), len(given.atOnce), twice)
	if long.On() {
		require.NotZero(t, twice, "without waiting for the commit, effects are issued twice")
	}
}

// requireOneZone checks that each hero is in exactly one zone.
func (s *servers) requireOneZone(zones int) {
	disk, err := postgres.Open(s.t.Context(), s.postgres, postgres.Options{Schema: s.schema, ReadOnly: true})
	require.NoError(s.t, err)
	var ids []buff.OwnerID
	for zone := range zones {
		for k := range heroes {
			ids = append(ids, hero(zone, k))
		}
	}
	places, err := disk.Where(s.t.Context(), ids)
	require.NoError(s.t, err)
	require.NoError(s.t, disk.Close())
	in := map[buff.OwnerID]bool{}
	for _, p := range places {
		require.False(s.t, in[p.Owner], "hero %d is in two places: %v", p.Owner, places)
		require.False(s.t, p.Arriving, "hero %d has not arrived in %s", p.Owner, p.Zone)
		in[p.Owner] = true
	}
	require.Len(s.t, in, len(ids))
}
