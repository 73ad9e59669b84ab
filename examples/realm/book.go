package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cluster"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/postgres"
)

// bot earns one coin after the other, and knows what became of each.
type bot struct {
	zone    string
	id      buff.OwnerID
	acked   int64   // on disk, it was told
	unknown int64   // nobody knows
	had     int64   // coins when the database went back last
	phase   float64 // of an interval, between 0 and 1: the bots of a zone are paid one after the other
	dice    *rand.Rand
}

// book is what the bots know.
type book struct {
	bots   []*bot
	zones  []string
	want   cluster.Certainty
	until  string  // that word
	travel float64 // how likely a bot goes to another zone after a payment

	mu     sync.Mutex
	in     map[string]int // bots in each zone, as they know
	moves  int64          // that were acknowledged
	sent   int64          // payments that were sent on to another zone
	trips  []time.Duration
	took   []time.Duration      // of acknowledged payments
	last   map[string]time.Time // of each zone, the last acknowledgement
	gaps   []time.Duration      // of a zone without any, above 500 ms
	worst  time.Duration
	where  string // the worst one was
	again  int64  // done before: an answer was lost
	backs  uint64 // how often the database has gone back
	gone   int64  // payments that were acknowledged, and are gone with the moment that a standby had missed
	tries  int64
	wrong  []error                    // what no fault explains
	widest time.Duration              // of all gaps since the last fault began
	after  map[string][]time.Duration // the widest one of each fault, by its kind
}

func newBook(zones, bots int, travel float64) *book {
	b := &book{zones: zoneNames(zones), want: cluster.Durable, until: "on disk", travel: travel, in: map[string]int{}, last: map[string]time.Time{}, after: map[string][]time.Duration{}}
	for z, zone := range b.zones {
		b.in[zone] = bots
		for k := range bots {
			id := botID(z, k)
			b.bots = append(b.bots, &bot{zone: zone, id: id, phase: float64(k) / float64(bots), dice: rand.New(rand.NewPCG(uint64(id), 20))})
		}
	}
	return b
}

// run has a bot earn until ctx ends: a coin at most each interval, at moments of its own, which stay apart
// from those of others after all have waited for the same. What is under way then is waited for.
func (b *book) run(ctx context.Context, c *cluster.Client, one *bot, interval time.Duration) {
	pay := buff.Apply(one.id, buff.Application{Spec: catalog.Spec("coin")})
	next := time.Now().Add(time.Duration(one.phase * float64(interval)))
	for one.acked+one.unknown < mostCoins && pause(ctx, time.Until(next)) {
		begun := time.Now()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		r, err := c.Ask(end, one.zone, pay, b.want)
		cancel()
		b.note(one, r, err, begun)
		if one.dice.Float64() < b.travel {
			b.move(ctx, c, one)
		}
		next = next.Add(time.Since(next).Truncate(interval) + interval) // those that were missed are not made up for
	}
}

// move has a bot go to another zone. It does not write down where it is: the next payment is sent to where it was, and finds it.
func (b *book) move(ctx context.Context, c *cluster.Client, one *bot) {
	to := b.zones[one.dice.IntN(len(b.zones))]
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	begun := time.Now()
	_, err := c.Transfer(end, one.id, one.zone, to)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == nil:
		b.moves++
		b.trips = append(b.trips, time.Since(begun))
	case errors.Is(err, cluster.ErrUnknown), errors.Is(err, cluster.ErrNoOwner): // the next payment finds it, wherever it is
	default:
		b.wrong = append(b.wrong, fmt.Errorf("%s, bot %d, which goes to %s: %w", one.zone, one.id, to, err))
	}
}

// at notes in which zone a bot was paid. One without any bots pays nobody.
func (b *book) at(one *bot, zone string) {
	if zone == one.zone {
		return
	}
	b.sent++
	if b.in[one.zone]--; b.in[one.zone] == 0 {
		delete(b.last, one.zone)
	}
	b.in[zone]++
	one.zone = zone
}

func (b *book) note(one *bot, r cluster.Reply, err error, begun time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.tries += int64(r.Tries)
	switch {
	case err == nil && r.Epoch/historyEpochs < b.backs && one.acked >= one.had: // a late answer, of before the database went back
		b.gone++
	case err == nil:
		one.acked++
		b.took = append(b.took, now.Sub(begun))
		if r.Again {
			b.again++
		}
		b.at(one, r.Zone)
		b.gap(one.zone, now)
	case errors.Is(err, cluster.ErrUnknown):
		one.unknown++
	case errors.Is(err, cluster.ErrNoOwner), errors.Is(err, cluster.ErrOverloaded): // it was not sent
	default:
		b.wrong = append(b.wrong, fmt.Errorf("%s, bot %d: %w", one.zone, one.id, err))
	}
}

// gap notes how long a zone has paid nobody.
func (b *book) gap(zone string, now time.Time) {
	last, known := b.last[zone]
	b.last[zone] = now
	if !known {
		return
	}
	gap := now.Sub(last)
	b.widest = max(b.widest, gap)
	if gap > 500*time.Millisecond {
		b.gaps = append(b.gaps, gap)
	}
	if gap > b.worst {
		b.worst, b.where = gap, zone
	}
}

// begin has the gaps of a fault begin. Those that are open go on.
func (b *book) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.widest = 0
}

// end waits until each zone has paid somebody after that moment, and returns the widest gap that a zone had
// since begin: false if ctx ends before.
func (b *book) end(ctx context.Context, kind string, since time.Time) (widest time.Duration, ok bool) {
	for pause(ctx, 20*time.Millisecond) {
		b.mu.Lock()
		all := true
		for _, last := range b.last {
			all = all && last.After(since)
		}
		if all {
			widest = b.widest
			b.after[kind] = append(b.after[kind], widest)
			b.mu.Unlock()
			return widest, true
		}
		b.mu.Unlock()
	}
	return 0, false
}

// acknowledged is how many payments are on disk.
func (b *book) acknowledged() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.took)
}

// historyEpochs is how many epochs a zone skips when a standby takes over: see cluster/world.sql.
const historyEpochs = 1000

// quiet returns when no zone can answer any more whose node has lost the database: after a lease, and when no answer has come for a while.
func (b *book) quiet(ctx context.Context) {
	pause(ctx, 2200*time.Millisecond)
	for had := -1; had != b.acknowledged(); {
		had = b.acknowledged()
		pause(ctx, 300*time.Millisecond)
	}
}

// goBack takes out of the book what the database has not, which has gone back and is not played on yet. It returns how many payments that are.
func (b *book) goBack(ctx context.Context, address, schema string) (gone int64, err error) {
	purses, _, _, err := b.purses(ctx, address, schema)
	if err != nil {
		return 0, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.backs++
	for _, one := range b.bots {
		one.had = purses[one.id]
		if one.acked > one.had {
			gone += one.acked - one.had
			one.acked = one.had
		}
	}
	b.gone += gone
	return gone, nil
}

// verdict is the book against what the database has.
type verdict struct {
	acked, unknown, lost, doubled, inDoubt int64
	nowhere, twice, onTheWay               int64 // bots
}

// purses reads the coins of all bots, in how many places each is, and how many are on their way.
func (b *book) purses(ctx context.Context, address, schema string) (purses map[buff.OwnerID]int64, places map[buff.OwnerID]int, onTheWay int64, err error) {
	s, err := postgres.Open(ctx, address, postgres.Options{Schema: schema, ReadOnly: true})
	if err != nil {
		return nil, nil, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	purses, places = map[buff.OwnerID]int64{}, map[buff.OwnerID]int{}
	for _, zone := range b.zones {
		cut, err := s.Load(ctx, zone)
		if errors.Is(err, store.ErrEmpty) { // a database that has gone back to before the first cut
			cut, err = &store.Cut{}, nil
		}
		if err != nil {
			return nil, nil, 0, err
		}
		list, err := s.Arrivals(ctx, []string{zone})
		if err != nil {
			return nil, nil, 0, err
		}
		onTheWay += int64(len(list))
		for _, a := range list {
			cut.Owners = append(cut.Owners, a.Owner)
		}
		for _, o := range cut.Owners {
			places[o.ID]++
		}
		if err := count(ctx, purses, cut.Owners); err != nil {
			return nil, nil, 0, err
		}
	}
	return purses, places, onTheWay, nil
}

// audit compares the book with what the database has. The nodes have ended.
func (b *book) audit(ctx context.Context, address, schema string) (v verdict, err error) {
	purses, places, onTheWay, err := b.purses(ctx, address, schema)
	if err != nil {
		return v, err
	}
	v.onTheWay = onTheWay
	for _, one := range b.bots {
		v.acked += one.acked
		v.unknown += one.unknown
		switch n := places[one.id]; {
		case n == 0:
			v.nowhere++
		case n > 1:
			v.twice++
		}
		has := purses[one.id]
		v.lost += max(0, one.acked-has)
		v.doubled += max(0, has-one.acked-one.unknown)
		v.inDoubt += min(max(0, has-one.acked), one.unknown)
	}
	return v, nil
}

// report prints the book.
func (b *book) report(w io.Writer, v verdict, took time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.Sort(b.took)
	slices.Sort(b.gaps)
	slices.Sort(b.trips)
	of := func(list []time.Duration, q float64) time.Duration {
		if len(list) == 0 {
			return 0
		}
		return list[min(len(list)-1, int(q*float64(len(list))))]
	}
	fmt.Fprintf(w, "\nbook of %v\n", took.Round(time.Second))
	fmt.Fprintf(w, "  acknowledged %-8s %d, %.0f a second\n", b.until, v.acked, float64(v.acked)/took.Seconds())
	fmt.Fprintf(w, "  lost                  %d\n", v.lost)
	if b.backs > 0 {
		fmt.Fprintf(w, "  gone with a standby   %d acknowledged payments, in %d moments that a standby had missed when it took over\n", b.gone, b.backs)
	}
	fmt.Fprintf(w, "  doubled               %d\n", v.doubled)
	fmt.Fprintf(w, "  nobody knows          %d, of which %d were done\n", v.unknown, v.inDoubt)
	fmt.Fprintf(w, "  moves of bots         %d: p50 %v, p99 %v; %d payments found their bot in another zone\n", b.moves,
		of(b.trips, 0.5).Round(time.Millisecond), of(b.trips, 0.99).Round(time.Millisecond), b.sent)
	fmt.Fprintf(w, "  bots                  %d nowhere, %d in two zones, %d on their way\n", v.nowhere, v.twice, v.onTheWay)
	fmt.Fprintf(w, "  answered again        %d: the first answer was lost; sent %d times in all\n", b.again, b.tries)
	fmt.Fprintf(w, "  until %-15s p50 %v, p99 %v\n", b.until, of(b.took, 0.5).Round(time.Millisecond), of(b.took, 0.99).Round(time.Millisecond))
	fmt.Fprintf(w, "  gaps of a zone        %d above 500 ms: p50 %v, p99 %v; the worst %v, of %s\n", len(b.gaps),
		of(b.gaps, 0.5).Round(time.Millisecond), of(b.gaps, 0.99).Round(time.Millisecond), b.worst.Round(time.Millisecond), b.where)
	for _, kind := range slices.Sorted(maps.Keys(b.after)) {
		list := b.after[kind]
		slices.Sort(list)
		fmt.Fprintf(w, "  gap of a %-12s p50 %v, p99 %v, the worst %v: the widest of all zones, of %d\n", kind, of(list, 0.5).Round(time.Millisecond),
			of(list, 0.99).Round(time.Millisecond), list[len(list)-1].Round(time.Millisecond), len(list))
	}
	for _, err := range b.wrong[:min(len(b.wrong), 10)] {
		fmt.Fprintf(w, "  not explained         %v\n", err)
	}
}

// count adds up the coins of owners as they are on disk.
func count(ctx context.Context, purses map[buff.OwnerID]int64, owners []store.Owner) (err error) {
	eng, err := engine.New(engine.Options{Catalog: catalog, Synchronous: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eng.Close(ctx)) }()
	for _, o := range owners {
		if _, err := eng.Restore(o.ID, nil, o.Blob); err != nil {
			return err
		}
		list, err := eng.Buffs(o.ID)
		if err != nil {
			return err
		}
		for b := range list.All() {
			if b.Spec.ID == "coin" {
				purses[o.ID] += int64(b.Stacks)
			}
		}
	}
	return nil
}
