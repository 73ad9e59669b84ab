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

// bot receives payments of one coin each, and counts their outcomes.
type bot struct {
	zone    string
	id      buff.OwnerID
	acked   int64   // number of acknowledged payments
	unknown int64   // number of payments with an unknown outcome
	had     int64   // number of coins in the database after the last failover to a lagging standby
	phase   float64 // time of the bot's payment within the interval, as a fraction from 0 to 1
	dice    *rand.Rand
}

// book records the outcome of every payment.
type book struct {
	bots   []*bot
	zones  []string
	want   cluster.Certainty
	until  string  // description of the field "want", for the report
	travel float64 // probability that a bot changes zones after a payment

	mu     sync.Mutex
	in     map[string]int // number of bots, by the zone that made the bot's last payment
	moves  int64          // number of acknowledged moves
	sent   int64          // number of payments by a zone that did not make the bot's previous payment
	trips  []time.Duration
	took   []time.Duration      // latencies of acknowledged payments
	last   map[string]time.Time // time of the last acknowledgement by each zone
	gaps   []time.Duration      // all periods of more than 500 ms in which a zone made no payment
	worst  time.Duration
	where  string // zone with the worst gap
	again  int64  // number of payments that were applied but whose first answer was lost
	backs  uint64 // number of failovers to a lagging standby
	gone   int64  // number of acknowledged payments that a lagging standby had not received
	tries  int64
	wrong  []error                    // errors that no injected fault explains
	widest time.Duration              // longest gap since the start of the last fault
	after  map[string][]time.Duration // the longest gap of each fault, by kind of fault
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

// run pays a bot at most one coin per interval until ctx ends, and then waits for the payment in
// progress. During a fault, the payments of all bots may have to wait. Because each bot keeps its
// phase, the payments are spread over the interval again after the fault.
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
		next = next.Add(time.Since(next).Truncate(interval) + interval) // skip the missed intervals
	}
}

// move transfers a bot to another zone. The next payments are still sent to the old zone, until a
// reply names the new zone.
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
	case errors.Is(err, cluster.ErrUnknown), errors.Is(err, cluster.ErrNoOwner): // the next payment finds the bot
	default:
		b.wrong = append(b.wrong, fmt.Errorf("%s, bot %d, moving to %s: %w", one.zone, one.id, to, err))
	}
}

// at records the zone that has paid a bot. If a zone now has no bots, "at" ends the measurement of
// gaps for the zone, because a zone without bots makes no payments.
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
	case err == nil && r.Epoch/historyEpochs < b.backs && one.acked >= one.had: // a late answer, sent before the failover
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
	case errors.Is(err, cluster.ErrNoOwner), errors.Is(err, cluster.ErrOverloaded): // not sent
	default:
		b.wrong = append(b.wrong, fmt.Errorf("%s, bot %d: %w", one.zone, one.id, err))
	}
}

// gap records a payment by a zone, and the time since the zone's previous payment.
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

// begin starts the measurement of the gaps that a fault causes. A gap that started before the call
// of "begin" counts in full.
func (b *book) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.widest = 0
}

// end waits until each zone has made a payment after the given time. It returns the longest gap of
// any zone since the call to "begin". The result "ok" is false if ctx ends first.
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

// acknowledged returns the number of acknowledged payments.
func (b *book) acknowledged() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.took)
}

// historyEpochs is the number of epochs that a zone skips when a standby takes over. See
// cluster/world.sql.
const historyEpochs = 1000

// quiet waits for the duration of a lease, so that all nodes that have lost the database have
// stopped their zones. It then waits until no more answers arrive.
func (b *book) quiet(ctx context.Context) {
	pause(ctx, 2200*time.Millisecond)
	for had := -1; had != b.acknowledged(); {
		had = b.acknowledged()
		pause(ctx, 300*time.Millisecond)
	}
}

// goBack removes from the book the payments that the promoted standby does not have, and returns
// their number. It must be called before zones use the promoted standby.
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

// verdict is the result of comparing the book with the database.
type verdict struct {
	acked, unknown, lost, doubled, inDoubt int64
	nowhere, twice, onTheWay               int64 // number of bots in no zone, in two zones, in transit
}

// purses returns the number of coins of each bot, the number of places that contain each bot, and
// the number of bots that are in transit between zones. A place is a zone, or the arrivals of a
// zone.
func (b *book) purses(ctx context.Context, address, schema string) (purses map[buff.OwnerID]int64, places map[buff.OwnerID]int, onTheWay int64, err error) {
	s, err := postgres.Open(ctx, address, postgres.Options{Schema: schema, ReadOnly: true})
	if err != nil {
		return nil, nil, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	purses, places = map[buff.OwnerID]int64{}, map[buff.OwnerID]int{}
	for _, zone := range b.zones {
		cut, err := s.Load(ctx, zone)
		if errors.Is(err, store.ErrEmpty) { // the promoted standby had not received the first cut of the zone
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

// audit compares the book with the database. All nodes must have ended.
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

// report prints the figures in the book and the verdict.
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
		fmt.Fprintf(w, "  lost with a standby   %d acknowledged payments, in %d failovers to a standby that lagged\n", b.gone, b.backs)
	}
	fmt.Fprintf(w, "  doubled               %d\n", v.doubled)
	fmt.Fprintf(w, "  unknown outcome       %d, of which %d were applied\n", v.unknown, v.inDoubt)
	fmt.Fprintf(w, "  moves of bots         %d: p50 %v, p99 %v; %d payments forwarded to another zone\n", b.moves,
		of(b.trips, 0.5).Round(time.Millisecond), of(b.trips, 0.99).Round(time.Millisecond), b.sent)
	fmt.Fprintf(w, "  bots                  %d in no zone, %d in two zones, %d in transit\n", v.nowhere, v.twice, v.onTheWay)
	fmt.Fprintf(w, "  retried after reply   %d: the first reply was lost; %d requests sent in total\n", b.again, b.tries)
	fmt.Fprintf(w, "  latency until %-7s p50 %v, p99 %v\n", b.until, of(b.took, 0.5).Round(time.Millisecond), of(b.took, 0.99).Round(time.Millisecond))
	fmt.Fprintf(w, "  gaps of zones         %d above 500 ms: p50 %v, p99 %v; maximum %v, in %s\n", len(b.gaps),
		of(b.gaps, 0.5).Round(time.Millisecond), of(b.gaps, 0.99).Round(time.Millisecond), b.worst.Round(time.Millisecond), b.where)
	for _, kind := range slices.Sorted(maps.Keys(b.after)) {
		list := b.after[kind]
		slices.Sort(list)
		fmt.Fprintf(w, "  gap: %-16s p50 %v, p99 %v, maximum %v: the widest gap of any zone per fault, %d faults\n", kind, of(list, 0.5).Round(time.Millisecond),
			of(list, 0.99).Round(time.Millisecond), list[len(list)-1].Round(time.Millisecond), len(list))
	}
	for _, err := range b.wrong[:min(len(b.wrong), 10)] {
		fmt.Fprintf(w, "  unexplained           %v\n", err)
	}
}

// count adds the coins of stored owners to purses.
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
