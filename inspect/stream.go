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

// client is one stream.
type client struct {
	players map[buff.OwnerID]*uint64 // that it follows; the last message that it has seen of each, under the hub's lock
	catalog bool
	known   bool // has brought the token

	bell    chan struct{} // has room for one
	leave   context.CancelFunc
	writing atomic.Int64 // since when it has been taking an event, Unix time in ns; 0: it is not

	// Under the hub's lock.
	place                 uint64 // in the order in which they came
	seenView, seenCatalog uint64
	skipped               uint64 // views, in all
}

// wake tells the client that there is news; one that is at work will see it afterwards.
func (c *client) wake() {
	select {
	case c.bell <- struct{}{}:
	default:
	}
}

// event returns a server-sent event. JSON has no line ends in it, so that nothing in a
// name can begin another event.
func event(kind string, v any) []byte {
	out := append([]byte("event: "+kind+"\ndata: "), fitting(v, maxEvent)...)
	return append(out, "\n\n"...)
}

// cutter is what can leave a part of itself out, and reports whether it has.
type cutter interface{ cut() bool }

// fitting returns v as JSON, of at most so many bytes if it can leave enough out.
func fitting(v any, most int) []byte {
	for {
		data, err := json.Marshal(v)
		if err != nil {
			panic("inspect: " + err.Error()) // there is nothing in our own types that JSON cannot say
		}
		c, ok := v.(cutter)
		if len(data) <= most || !ok || !c.cut() {
			return data
		}
	}
}

// hello is what a client is told first.
type hello struct {
	Title   string `json:"title"`
	Actions bool   `json:"actions"`
	Reload  bool   `json:"reload"`
	Unsafe  bool   `json:"unsafe"`
	History bool   `json:"history"` // there is a flight recorder
	Every   int    `json:"every"`   // ms
}

// maxFollowed is how many players one stream follows: a browser has one stream for all its tabs.
const maxFollowed = 32

// parsePlayers returns the players that a stream is to follow.
func parsePlayers(ids []string) (map[buff.OwnerID]*uint64, *refusal) {
	players := make(map[buff.OwnerID]*uint64, len(ids))
	for _, text := range ids {
		id, ok := parseID(text)
		if !ok {
			return nil, &refusal{http.StatusBadRequest, "a player's id has up to 20 digits"}
		}
		players[id] = new(uint64)
	}
	if len(players) > maxFollowed {
		return nil, &refusal{http.StatusBadRequest, fmt.Sprintf("a stream follows up to %d players", maxFollowed)}
	}
	return players, nil
}

// stream sends events until the client leaves or does not take them.
func (in *Inspector) stream(w http.ResponseWriter, r *http.Request, query url.Values) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	c := &client{bell: make(chan struct{}, 1), leave: cancel, catalog: query.Has("catalog"), known: in.trusts(r)}
	var no *refusal
	if c.players, no = parsePlayers(query["player"]); no != nil {
		refuse(w, *no)
		return
	}
	head := w.Header()
	head.Set("Content-Type", "text/event-stream")
	head.Set("Cache-Control", "no-store, no-transform")
	head.Set("X-Accel-Buffering", "no") // nginx would keep the events back
	if r.Method == http.MethodHead {
		return
	}
	for id := range c.players {
		leave, err := in.follow(id, c.known, cancel)
		if err != nil {
			refuse(w, refusal{http.StatusServiceUnavailable, err.Error()})
			return
		}
		defer leave()
	}
	if !in.hub.join(c) {
		w.Header().Set("Retry-After", "1")
		refuse(w, refusal{http.StatusServiceUnavailable, "there are too many streams"})
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

// write sends events and reports whether the client has taken them in time. They belong to
// all clients: nothing is kept for one that is slow.
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

// serveJSON answers with v, if it is not too much.
func serveJSON(w http.ResponseWriter, v any) {
	data := fitting(v, maxAnswer)
	if len(data) > maxAnswer {
		refuse(w, refusal{http.StatusInternalServerError, "the answer is too large"})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data)
}
