package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cluster"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/replicate/client"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/postgres"
	"github.com/bufftick/bufftick/wheel"
)

// shownBots is the number of bots of each zone that screens show. These bots are also shown after
// they have moved to another zone.
const shownBots = 2

// showing returns the replication options with which a zone sends only the shown bots.
func showing(zones int) *replicate.Options {
	return &replicate.Options{Interest: func(_ buff.OwnerID, sight *replicate.Sight) {
		for zone := range zones {
			for k := range shownBots {
				sight.See(botID(zone, k))
			}
		}
	}}
}

// screens simulates the clients of players. One client subscribes to each zone. The clients run
// until the nodes have ended.
type screens struct {
	conn   *nats.Conn
	client *cluster.Client
	all    []*screen
	filter *filter

	mu    sync.Mutex // guards the fields of all screens
	wrong []error
}

type screen struct {
	zone    string
	picture *client.Client
	sub     *cluster.Subscription
	ready   chan struct{} // closed when sub is set
	epoch   uint64
	packets int
	fresh   int
	back    int       // packets with ErrLost, which are sent after a lagging standby has taken over
	missed  int       // detected gaps, each caused by a lost packet
	last    time.Time // time of the last packet
	// gaps has the lengths of all gaps of more than 1.5 s between packets. A running zone sends
	// at least one packet per second.
	gaps []time.Duration
}

// openScreens subscribes a screen to each zone.
func openScreens(port int, prefix string, zones []string) (s *screens, err error) {
	s = &screens{}
	if s.filter, err = newFilter(fmt.Sprintf("127.0.0.1:%d", port)); err != nil {
		return nil, err
	}
	if s.conn, err = connect(s.filter.port()); err != nil {
		s.filter.close()
		return nil, err
	}
	if s.client, err = cluster.NewClient(cluster.ClientOptions{NATS: s.conn, Prefix: prefix, Catalog: catalog}); err != nil {
		s.conn.Close()
		return nil, err
	}
	for k, zone := range zones {
		x := &screen{zone: zone, picture: client.New(client.Options{}), ready: make(chan struct{})}
		if x.sub, err = s.client.Subscribe(zone, botID(k, 0), func(p cluster.Packet) { s.take(x, p) }); err != nil {
			s.client.Close()
			s.conn.Close()
			return nil, err
		}
		close(x.ready)
		s.all = append(s.all, x)
	}
	return s, nil
}

// take applies a packet to the screen.
func (s *screens) take(x *screen, p cluster.Packet) {
	<-x.ready
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(p.Err, cluster.ErrLost) {
		x.back++
		return
	}
	if p.Err != nil {
		if !errors.Is(p.Err, cluster.ErrClosed) {
			s.wrong = append(s.wrong, fmt.Errorf("screen of %s: %w", x.zone, p.Err))
		}
		return
	}
	now := time.Now()
	if gap := now.Sub(x.last); !x.last.IsZero() && gap > 1500*time.Millisecond {
		x.gaps = append(x.gaps, gap)
	}
	x.last, x.epoch = now, p.Epoch
	x.packets++
	if p.Fresh {
		x.fresh++
		x.picture.Reset()
	}
	switch err := x.picture.Receive(p.Bytes); {
	case errors.Is(err, client.ErrGap):
		x.missed++
		x.sub.Receive(x.picture.Missed())
	case err != nil:
		s.wrong = append(s.wrong, fmt.Errorf("screen of %s: %w", x.zone, err))
	}
}

// mostSettle is the maximum time that screens.settle waits.
const mostSettle = 30 * time.Second

// settle waits, after the last payment, until each shown bot is on exactly one screen. A bot
// appears on a screen a few frames after it has arrived in the zone. If some bots are still missing
// after mostSettle, audit reports them.
func (s *screens) settle(ctx context.Context, bots []*bot) {
	ctx, cancel := context.WithTimeout(ctx, mostSettle)
	defer cancel()
	for !s.complete(bots) && pause(ctx, 20*time.Millisecond) {
	}
}

func (s *screens) complete(bots []*bot) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	on := map[buff.OwnerID]int{}
	for _, x := range s.all {
		for id := range x.rings() {
			on[id]++
		}
	}
	for _, one := range bots {
		if one.id%botsOfZone < shownBots && on[one.id] != 1 {
			return false
		}
	}
	return true
}

// close receives the remaining packets and closes the connection.
func (s *screens) close() {
	_ = s.conn.Drain() // closes the connection when all packets have been received
	for wait := 0; !s.conn.IsClosed() && wait < 500; wait++ {
		_ = pause(context.Background(), 10*time.Millisecond)
	}
	s.client.Close()
	s.conn.Close()
	s.filter.close()
}

// sight is the result of comparing the screens with the database.
type sight struct {
	bots  int // number of bots compared
	stale int // number of bots skipped because their zone changed nodes after the last packet
	wrong []error
}

// ring is the state of a bot on a screen: its coins, and the end of its buff "day".
type ring struct {
	coins int
	end   wheel.Time
}

// audit compares each screen with the last cut of its zone. All nodes must have ended.
func (s *screens) audit(ctx context.Context, address, schema string) (v sight, err error) {
	disk, err := postgres.Open(ctx, address, postgres.Options{Schema: schema, ReadOnly: true})
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, disk.Close()) }()
	s.mu.Lock()
	defer s.mu.Unlock()
	v.wrong = s.wrong
	for _, x := range s.all {
		cut, err := disk.Load(ctx, x.zone)
		if err != nil {
			return v, err
		}
		is, err := ringsOf(ctx, cut)
		if err != nil {
			return v, err
		}
		if cut.Epoch != x.epoch {
			v.stale += len(is)
			continue
		}
		shows := x.rings()
		v.bots += len(is)
		for id, want := range is {
			if got := shows[id]; got != want {
				v.wrong = append(v.wrong, fmt.Errorf("screen of %s: bot %d is %+v, want %+v", x.zone, id, got, want))
			}
		}
		if len(shows) != len(is) {
			v.wrong = append(v.wrong, fmt.Errorf("screen of %s: %d bots, want %d", x.zone, len(shows), len(is)))
		}
	}
	return v, nil
}

// rings returns the bots on the screen.
func (x *screen) rings() map[buff.OwnerID]ring {
	all := map[buff.OwnerID]ring{}
	for o := range x.picture.Owners() {
		var r ring
		for _, b := range o.Buffs() {
			switch spec := x.picture.Spec(b.Spec); {
			case spec == nil:
			case spec.ID == "coin":
				r.coins = b.Stacks
			case spec.ID == "day":
				r.end = b.End
			}
		}
		all[o.ID()] = r
	}
	return all
}

// ringsOf returns the states of the shown bots in a cut.
func ringsOf(ctx context.Context, cut *store.Cut) (all map[buff.OwnerID]ring, err error) {
	uptime := cut.Clocks.Moment.Uptime
	eng, err := engine.New(engine.Options{Catalog: catalog, Synchronous: true, Uptime: time.Duration(uptime) * time.Millisecond})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, eng.Close(ctx)) }()
	all = map[buff.OwnerID]ring{}
	for _, o := range cut.Owners {
		if o.ID%botsOfZone >= shownBots {
			continue
		}
		if _, err := eng.Readmit(o.ID, nil, o.Blob, 0, uptime); err != nil {
			return nil, err
		}
		list, err := eng.Buffs(o.ID)
		if err != nil {
			return nil, err
		}
		var r ring
		for b := range list.All() {
			switch b.Spec.ID {
			case "coin":
				r.coins = b.Stacks
			case "day": // the end is relative to this engine, whose time is 0
				r.end = b.End + cut.Clocks.Moment.Now
			}
		}
		all[o.ID] = r
	}
	return all, nil
}

// report prints the statistics of the screens.
func (s *screens) report(w io.Writer, v sight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gaps []time.Duration
	packets, fresh, missed, back := 0, 0, 0, 0
	for _, x := range s.all {
		packets, fresh, missed = packets+x.packets, fresh+x.fresh, missed+x.missed
		gaps, back = append(gaps, x.gaps...), back+x.back
	}
	slices.Sort(gaps)
	fmt.Fprintf(w, "  screens               %d packets; restarted %d times, on another node or after a silence; requested lost packets %d times\n",
		packets, fresh, missed)
	fmt.Fprintf(w, "  screens were notified %d times of a lagging standby; %d definitions were dropped\n", back, s.filter.total.Load())
	fmt.Fprintf(w, "  screens paused        %d times for more than 1.5 s: p50 %v, p99 %v, maximum %v\n", len(gaps),
		quantile(gaps, 0.5), quantile(gaps, 0.99), quantile(gaps, 1))
	fmt.Fprintf(w, "  screen contents       coins and rings of %d bots match the database, %d differ; %d not compared: their zone has changed nodes\n",
		v.bots-min(v.bots, len(v.wrong)), len(v.wrong), v.stale)
	for _, err := range v.wrong[:min(len(v.wrong), 10)] {
		fmt.Fprintf(w, "  unexplained           %v\n", err)
	}
}

// quantile returns a quantile of a sorted list, rounded to 1 ms.
func quantile(list []time.Duration, q float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	return list[min(len(list)-1, int(q*float64(len(list))))].Round(time.Millisecond)
}
