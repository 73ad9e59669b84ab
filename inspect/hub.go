package inspect

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
)

// Limits of the streams.
const (
	maxClients = 64
	every      = 100 * time.Millisecond // interval between views
	// Time without a Tick after which the loop is reported as stalled. It is longer than
	// engine.DefaultBudget, the time by which a stuck handler may delay a Tick.
	patience = 2 * time.Second
)

// hub requests Views from the engine while there are clients, and encodes each View once for all
// clients.
type hub struct {
	in    *Inspector
	start time.Time

	mu       sync.Mutex
	clients  map[*client]bool
	arrivals uint64             // last assigned client.arrival
	stop     context.CancelFunc // ends the goroutine that executes h.run; nil if there is none
	seq      uint64             // number of messages so far
	view     message            // latest view, for clients that have seen the previous view
	whole    []byte             // latest view for all other clients, encoded on demand
	latest   viewJSON           // data from which the field "whole" is encoded
	frame    uint64             // number of the first frame that the next view reports
	// time when the last View arrived or, if no View has arrived, when run started
	seen    time.Duration
	catalog message
	players map[buff.OwnerID]message
}

// specCounts holds the last counts by definition. Each call to run has its own specCounts, because
// the last round of one call may overlap with the first round of the next call.
type specCounts struct {
	list    []view.SpecStats
	counted time.Duration // time when the engine was asked for the counts
	fresh   bool          // the counts have not been sent yet
}

// message is the encoded latest state of one topic.
type message struct {
	seq  uint64
	data []byte
	from any // the immutable value that data was encoded from; nil if that value may change
}

func (h *hub) init(in *Inspector) {
	h.in, h.start = in, time.Now()
	h.clients = make(map[*client]bool)
	h.players = make(map[buff.OwnerID]message)
}

// since returns the time on the inspector's clock, which the engine also uses to measure times
// for the page.
func (h *hub) since() time.Duration { return time.Since(h.start) }

// join adds a client, and reports whether there was room. If the hub is full, the new client
// replaces the client with the longest pending write. If no write has been pending for too long, a
// new client with the token replaces the oldest client without it. Otherwise the new client is
// refused.
func (h *hub) join(c *client) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.clients) >= maxClients {
		slowest := h.slowest()
		if slowest == nil && c.trusted {
			slowest = h.oldest()
		}
		if slowest == nil {
			return false
		}
		slowest.leave()
		delete(h.clients, slowest)
	}
	h.arrivals++
	c.arrival = h.arrivals
	h.clients[c] = true
	if h.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		h.stop = stop
		go h.run(ctx)
	}
	return true
}

// slowest returns the client with the longest pending write, or nil if no write has been pending
// for too long.
func (h *hub) slowest() *client {
	var slowest *client
	least := time.Now().Add(-every).UnixNano()
	for c := range h.clients {
		if at := c.writing.Load(); at != 0 && at < least {
			least, slowest = at, c
		}
	}
	return slowest
}

// oldest returns the client without the token that has been connected longest, or nil.
func (h *hub) oldest() (oldest *client) {
	for c := range h.clients {
		if !c.trusted && (oldest == nil || c.arrival < oldest.arrival) {
			oldest = c
		}
	}
	return oldest
}

func (h *hub) quit(c *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.clients, c)
	if len(h.clients) > 0 || h.stop == nil {
		return
	}
	h.stop()
	h.stop = nil
	// Drop the old messages, so that the next client does not get them.
	h.view, h.catalog, h.whole, h.latest, h.frame = message{}, message{}, nil, viewJSON{}, 0
	clear(h.players)
}

// run requests and sends views until there are no clients.
func (h *hub) run(ctx context.Context) {
	defer h.in.watch.Open(h.since)()
	h.mu.Lock()
	h.seen = h.since()
	h.mu.Unlock()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var specs specCounts
	for ctx.Err() == nil {
		h.round(ctx, &specs)
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// round requests and sends one view. It uses a separate goroutine, because a callback of the game
// may end the goroutine that calls it.
func (h *hub) round(ctx context.Context, specs *specCounts) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		v, err := h.next(ctx)
		h.countSpecs(ctx, specs)
		h.send(ctx, v, err, specs)
	}()
	<-done
}

func (h *hub) next(ctx context.Context) (*view.View, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return h.in.watch.Next(ctx)
}

// specsEvery is the interval between two requests for the counts of each definition.
const specsEvery = time.Second

// countSpecs requests the counts of each definition from the engine if a client shows definitions.
func (h *hub) countSpecs(ctx context.Context, specs *specCounts) {
	if !h.wanted().catalog || specs.list != nil && h.since()-specs.counted < specsEvery {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if list, err := h.in.watch.Specs(ctx); err == nil {
		*specs = specCounts{list: list, counted: h.since(), fresh: true}
	}
}

// wanted is the set of topics that clients show.
type wanted struct {
	catalog bool
	players map[buff.OwnerID]any // for each player, the value that its last message was encoded from
}

func (h *hub) wanted() wanted {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := wanted{players: make(map[buff.OwnerID]any)}
	for c := range h.clients {
		w.catalog = w.catalog || c.catalog
		for id := range c.players {
			w.players[id] = h.players[id].from
		}
	}
	return w
}

// send encodes the messages, without holding the lock, and wakes the clients.
func (h *hub) send(ctx context.Context, v *view.View, err error, specs *specCounts) {
	want := h.wanted()
	var catalog []byte
	var latest viewJSON
	players := make(map[buff.OwnerID]message)
	if err == nil {
		latest = h.in.viewOf(v, h.since())
		if want.catalog && specs.fresh {
			specs.fresh = false
			counts := h.in.countsOf(v, specs.list, specs.counted)
			catalog = event("catalog", &counts)
		}
		for id, from := range want.players {
			if ctx.Err() != nil {
				return // all clients have left
			}
			if o := v.Owners[id]; o != nil && o != from {
				p := h.in.playerOf(o, 0)
				players[id] = message{data: event("player", &p), from: o}
			}
		}
	}

	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil {
		return // all clients of this run have left; a new run may be serving other clients
	}
	h.seq++
	h.view.seq = h.seq
	if err != nil {
		say := stalled(err, h.since()-h.seen)
		h.in.log.stalled(time.Now(), say.Say, errors.Is(err, engine.ErrClosed))
		h.view.data = event("stalled", say)
		h.whole = h.view.data
	} else {
		h.seen = h.since()
		// Frames are most of the data, so omit the frames that all clients already have.
		var news viewJSON
		news, h.frame = latest.since(h.frame)
		h.view.data, h.whole, h.latest = event("view", news), nil, latest
	}
	if catalog != nil {
		h.catalog = message{seq: h.seq, data: catalog}
	}
	for id, m := range players {
		m.seq = h.seq
		h.players[id] = m
	}
	for id := range h.players {
		if _, ok := want.players[id]; !ok {
			delete(h.players, id)
		}
	}
	for c := range h.clients {
		c.wake()
	}
}

// news returns the messages that a client has not seen. Only the latest message of each topic is
// kept. If the client has skipped views, the first message gives their number.
func (h *hub) news(c *client) (out [][]byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	add := func(m message, seen *uint64) {
		if m.seq > *seen {
			*seen = m.seq
			out = append(out, m.data)
		}
	}
	if missed := h.view.seq - c.seenView; h.view.seq > 0 && missed > 0 {
		view := h.view.data
		if missed > 1 {
			view = h.all()
			if c.seenView > 0 {
				c.skipped += missed - 1
				out = append(out, event("gap", gapJSON{strconv.FormatUint(missed-1, 10), strconv.FormatUint(c.skipped, 10)}))
			}
		}
		c.seenView = h.view.seq
		out = append(out, view)
	}
	for id, seen := range c.players {
		add(h.players[id], seen)
	}
	if c.catalog {
		add(h.catalog, &c.seenCatalog)
	}
	return out
}

// gapJSON reports how many views a client has skipped since the last view that it accepted, and in
// total.
type gapJSON struct {
	Skipped string `json:"skipped"`
	Sum     string `json:"sum"`
}

// all returns the latest view for a client that has not seen the previous view.
func (h *hub) all() []byte {
	if h.whole == nil {
		h.whole = event("view", h.latest)
	}
	return h.whole
}
