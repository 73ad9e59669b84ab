package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/buff"
)

// client is the client of one stream.
type client struct {
	// players maps each followed player to the number of the last message that the client has
	// seen about that player. The numbers are guarded by the hub's lock.
	players map[buff.OwnerID]*uint64
	catalog bool
	trusted bool // the client has sent the token

	bell    chan struct{} // receives a value when there are new messages; capacity 1
	leave   context.CancelFunc
	writing atomic.Int64 // start of a pending write, Unix time in ns; 0 if none

	// The following fields are guarded by the hub's lock.
	arrival               uint64 // number of the client, in the order of arrival
	seenView, seenCatalog uint64
	skipped               uint64 // total number of skipped views
}

// wake signals to the client that there are new messages. A client that is writing notices the
// signal when the write is done.
func (c *client) wake() {
	select {
	case c.bell <- struct{}{}:
	default:
	}
}

// event returns a server-sent event. JSON contains no line breaks, so names cannot inject
// events.
func event(kind string, v any) []byte {
	out := append([]byte("event: "+kind+"\ndata: "), fitting(v, maxEvent)...)
	return append(out, "\n\n"...)
}

// cutter is a value that can drop a part of itself. cut reports whether it has dropped anything.
type cutter interface{ cut() bool }

// fitting returns v as JSON of at most the given length. If v is a cutter, fitting cuts it until
// it is short enough. If v cannot be cut further, the result is longer.
func fitting(v any, most int) []byte {
	for {
		data, err := json.Marshal(v)
		if err != nil {
			panic("inspect: " + err.Error()) // the types of this package can always be encoded
		}
		c, ok := v.(cutter)
		if len(data) <= most || !ok || !c.cut() {
			return data
		}
	}
}

// hello is the first message to a client.
type hello struct {
	Title   string `json:"title"`
	Actions bool   `json:"actions"`
	Reload  bool   `json:"reload"`
	Unsafe  bool   `json:"unsafe"`
	History bool   `json:"history"` // the engine has a flight recorder
	Every   int    `json:"every"`   // interval between views, ms
}

// maxFollowed is the maximum number of players in one stream. A browser has one stream for all
// its tabs.
const maxFollowed = 32

// parsePlayers returns the players that a stream requests.
func parsePlayers(ids []string) (map[buff.OwnerID]*uint64, *refusal) {
	players := make(map[buff.OwnerID]*uint64, len(ids))
	for _, text := range ids {
		id, ok := parseID(text)
		if !ok {
			return nil, &refusal{http.StatusBadRequest, "a player id has up to 20 digits"}
		}
		players[id] = new(uint64)
	}
	if len(players) > maxFollowed {
		return nil, &refusal{http.StatusBadRequest, fmt.Sprintf("a stream follows up to %d players", maxFollowed)}
	}
	return players, nil
}

// stream sends events until the client disconnects or stops reading.
func (in *Inspector) stream(w http.ResponseWriter, r *http.Request, query url.Values) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	c := &client{bell: make(chan struct{}, 1), leave: cancel, catalog: query.Has("catalog"), trusted: in.trusts(r)}
	var no *refusal
	if c.players, no = parsePlayers(query["player"]); no != nil {
		refuse(w, *no)
		return
	}
	head := w.Header()
	head.Set("Content-Type", "text/event-stream")
	head.Set("Cache-Control", "no-store, no-transform")
	head.Set("X-Accel-Buffering", "no") // prevents buffering in nginx
	if r.Method == http.MethodHead {
		return
	}
	for id := range c.players {
		leave, err := in.follow(id, c.trusted, cancel)
		if err != nil {
			refuse(w, refusal{http.StatusServiceUnavailable, err.Error()})
			return
		}
		defer leave()
	}
	if !in.hub.join(c) {
		w.Header().Set("Retry-After", "1")
		refuse(w, refusal{http.StatusServiceUnavailable, "too many streams"})
		return
	}
	defer in.hub.quit(c)
	out := http.NewResponseController(w)
	list := [][]byte{event("hello", hello{line(in.opts.Title), in.opts.Token != "", in.opts.Reload != nil, in.opts.Unsafe, in.eng.History() != nil, int(every / time.Millisecond)})}
	for c.write(w, out, list) {
		select {
		case <-ctx.Done():
			return
		case <-c.bell:
		}
		list = in.hub.news(c)
	}
}

// write sends events, and reports whether the client has accepted them in time. All clients share
// the data in the parameter "list".
func (c *client) write(w http.ResponseWriter, out *http.ResponseController, list [][]byte) bool {
	c.writing.Store(time.Now().UnixNano())
	defer c.writing.Store(0)
	for _, data := range list {
		if _, err := w.Write(data); err != nil {
			return false
		}
	}
	return out.Flush() == nil
}

// serveJSON responds with v. If v is too large, even after cutting, it responds with an error.
func serveJSON(w http.ResponseWriter, v any) {
	data := fitting(v, maxAnswer)
	if len(data) > maxAnswer {
		refuse(w, refusal{http.StatusInternalServerError, "the answer is too large"})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data)
}
