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
	every      = 100 * time.Millisecond // between two views
	patience   = 2 * time.Second        // until a loop that does not tick is called stalled: above the Budget that a stuck handler costs
)

// hub asks the engine for Views while there are clients, and turns each into JSON once for
// all of them.
type hub struct {
	in    *Inspector
	start time.Time

	mu      sync.Mutex
	clients map[*client]bool
	places  uint64             // that have been given to clients
	stop    context.CancelFunc // ends the goroutine; nil while there is none
	seq     uint64             // of the messages
	view    message            // for those who have seen the one before
	whole   []byte             // for all others, made when somebody wants it
	latest  viewJSON           // what that is made of
	frame   uint64             // the first whose time the next view tells
	seen    time.Duration      // when the last View came, or somebody began to look
	catalog message
	specs   []view.SpecStats // the last that were asked for; of the goroutine
	counted time.Duration    // when
	fresh   bool             // nobody was told of them yet
	players map[buff.OwnerID]message
}

// message is the latest state of one topic, ready to be sent.
type message struct {
	seq  uint64
	data []byte
	from any // what it was made of, if it was made of something that does not change
}

func (h *hub) init(in *Inspector) {
	h.in, h.start = in, time.Now()
	h.clients = make(map[*client]bool)
	h.players = make(map[buff.OwnerID]message)
}

// since is the clock that measures the engine.
func (h *hub) since() time.Duration { return time.Since(h.start) }

// join lets a client in. With as many as there may be, the one that has not taken its
// last event for the longest time has to go; if all have, then for one who has brought the
// token the oldest of those who have not. Else the new one is refused.
func (h *hub) join(c *client) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.clients) >= maxClients {
		slowest := h.slowest()
		if slowest == nil && c.known {
			slowest = h.oldest()
		}
		if slowest == nil {
			return false
		}
		slowest.leave()
		delete(h.clients, slowest)
	}
	h.places++
	c.place = h.places
	h.clients[c] = true
	if h.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		h.stop = stop
		go h.run(ctx)
	}
	return true
}

// slowest returns the client whose write has waited longest, if that is long.
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

// oldest returns the client that is there longest, of those who have not brought the token.
func (h *hub) oldest() (oldest *client) {
	for c := range h.clients {
		if !c.known && (oldest == nil || c.place < oldest.place) {
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
	h.view, h.catalog, h.whole, h.latest, h.frame = message{}, message{}, nil, viewJSON{}, 0 // the next one is not to see them
	h.specs = nil
	clear(h.players)
}

// run asks and sends until there is nobody left.
func (h *hub) run(ctx context.Context) {
	defer h.in.watch.Open(h.since)()
	h.mu.Lock()
	h.seen = h.since()
	h.mu.Unlock()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for ctx.Err() == nil {
		h.round(ctx)
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// round asks and sends once, on a goroutine of its own: should a function of the game end that,
// the next round comes all the same.
func (h *hub) round(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		v, err := h.next(ctx)
		h.countSpecs(ctx)
		h.send(ctx, v, err)
	}()
	<-done
}

func (h *hub) next(ctx context.Context) (*view.View, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return h.in.watch.Next(ctx)
}

// specsEvery is how long it is between two looks at what each definition has led to.
const specsEvery = time.Second

// countSpecs asks for that, if somebody looks at the definitions.
func (h *hub) countSpecs(ctx context.Context) {
	if !h.wanted().catalog || h.specs != nil && h.since()-h.counted < specsEvery {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if specs, err := h.in.watch.Specs(ctx); err == nil {
		h.specs, h.counted = specs, h.since()
		h.fresh = true
	}
}

// wanted is what the clients look at.
type wanted struct {
	catalog bool
	players map[buff.OwnerID]any // what the last message was made of
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

// send makes the messages and wakes the clients. The JSON is made without the lock.
func (h *hub) send(ctx context.Context, v *view.View, err error) {
	want := h.wanted()
	var catalog []byte
	var latest viewJSON
	players := make(map[buff.OwnerID]message)
	if err == nil {
		latest = h.in.viewOf(v, h.since())
		if want.catalog && h.fresh {
			h.fresh = false
			counts := h.in.countsOf(v, h.specs, h.counted)
			catalog = event("catalog", &counts)
		}
		for id, from := range want.players {
			if o := v.Owners[id]; o != nil && o != from {
				p := h.in.playerOf(o, 0)
				players[id] = message{data: event("player", &p), from: o}
			}
		}
	}

	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil {
		return // these clients have gone; another run may serve others
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
		// Not the frames that everybody has: they would be most of it.
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

// news returns what a client has not seen yet. Of a topic that is the latest state alone;
// one who has missed views is told how many.
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

// gapJSON tells a client how many views it has missed: since the last one that it took, and
// in all.
type gapJSON struct {
	Skipped string `json:"skipped"`
	Sum     string `json:"sum"`
}

// all returns the latest view for one who has not seen the one before it.
func (h *hub) all() []byte {
	if h.whole == nil {
		h.whole = event("view", h.latest)
	}
	return h.whole
}
