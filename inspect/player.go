package inspect

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// maxBuffs is the maximum number of buffs shown for a player.
const maxBuffs = 200

// playerJSON is a player for the page. Times are in ms.
type playerJSON struct {
	pick
	Now      int64           `json:"now"`
	Present  bool            `json:"present"`
	Busy     bool            `json:"busy"`
	Unseen   bool            `json:"unseen,omitempty"` // the player has been busy since the first client connected, so its buffs are unknown
	Paused   bool            `json:"paused"`
	Area     uint32          `json:"area"`
	Mail     int             `json:"mail"`
	Carried  int             `json:"carried"`
	Timeouts int             `json:"timeouts"`
	Pulses   string          `json:"pulses"`
	Buffs    []buffJSON      `json:"buffs"`
	Events   []eventJSON     `json:"events"` // newest first
	Fault    string          `json:"fault,omitempty"`
	Numbers  []attributeJSON `json:"attributes"`
	From     int             `json:"from,omitempty"` // number of older buffs before Buffs
	Next     int             `json:"next,omitempty"` // position of the first buff of the next part; 0 if there is none
	Cut      bool            `json:"cut,omitempty"`  // something was omitted
}

type buffJSON struct {
	Handle    string `json:"handle"`
	Spec      string `json:"spec"`
	Name      string `json:"name,omitempty"`
	Side      string `json:"side"` // polarity
	Source    pick   `json:"source"`
	Stacks    int    `json:"stacks"`
	Level     int    `json:"level,omitempty"`
	Magnitude string `json:"magnitude"`
	Left      *int64 `json:"left"` // time until the buff ends; null if it has no end or is paused
	Whole     int64  `json:"whole"`
	Next      *int64 `json:"next"` // time until the next pulse
	Period    int64  `json:"period"`
	Charges   int    `json:"charges,omitempty"`
	Shield    string `json:"shield,omitempty"`
	Waiting   int    `json:"waiting,omitempty"`
	Hidden    bool   `json:"hidden,omitempty"`
	Paused    bool   `json:"paused,omitempty"`
	Infinite  bool   `json:"infinite,omitempty"`
}

type eventJSON struct {
	At     int64  `json:"at"`
	Clock  string `json:"clock"`
	Kind   string `json:"kind"`
	Spec   string `json:"spec"`
	Source *pick  `json:"source,omitempty"`
	Stacks int32  `json:"stacks,omitempty"`
	Why    string `json:"why,omitempty"`
	Change string `json:"change,omitempty"` // change of an attribute and its new value
	Late   int64  `json:"late,omitempty"`
}

// playerOf returns the data of a player. Its list of buffs starts at the given position.
func (in *Inspector) playerOf(o *view.Owner, from int) playerJSON {
	from = min(from, len(o.Buffs))
	end := min(from+maxBuffs, len(o.Buffs))
	out := playerJSON{
		pick: in.pick(o.Owner), Now: int64(o.Now), Present: o.Present, Busy: o.Busy, Unseen: o.Unseen, Paused: o.Paused, Area: o.Area, Mail: o.Mail,
		Carried: o.Carried, Timeouts: o.Timeouts, Pulses: strconv.FormatUint(o.Pulses, 10),
		Buffs: []buffJSON{}, Events: []eventJSON{}, Fault: line(o.Fault), Numbers: in.attributesOf(o), From: from,
	}
	if end < len(o.Buffs) {
		out.Next = end
	}
	for _, b := range o.Buffs[from:end] {
		out.Buffs = append(out.Buffs, in.buffOf(b, o.Now))
	}
	for i := len(o.Events) - 1; i >= 0; i-- {
		out.Events = append(out.Events, in.eventOf(&o.Events[i]))
	}
	return out
}

// cut removes half of the longest list. It reports whether it has removed anything.
func (p *playerJSON) cut() bool {
	p.Cut = true
	switch n := max(len(p.Buffs), len(p.Events), len(p.Numbers)); {
	case n == 0:
		return false
	case n == len(p.Buffs):
		p.Buffs = p.Buffs[:n/2]
		p.Next = p.From + n/2
	case n == len(p.Events):
		p.Events = p.Events[:n/2]
	default:
		p.Numbers = p.Numbers[:n/2]
	}
	return true
}

func (in *Inspector) buffOf(b buff.Instance, now wheel.Time) buffJSON {
	out := buffJSON{
		Handle: strconv.FormatUint(uint64(b.Handle), 10), Spec: line(b.Spec.ID), Name: line(b.Spec.Name), Side: b.Spec.Polarity.String(),
		Source: in.pick(b.Source), Stacks: b.Stacks, Level: b.Level, Magnitude: strconv.FormatInt(b.Magnitude, 10),
		Left: leftOf(b, now), Whole: b.Spec.Duration.Milliseconds(), Next: until(b.NextPulse, now), Period: b.Spec.Period.Milliseconds(),
		Charges: b.Charges, Waiting: b.Waiting, Hidden: b.Hidden, Paused: b.Paused, Infinite: b.Spec.Kind == define.Infinite,
	}
	if b.Shield != 0 {
		out.Shield = strconv.FormatInt(b.Shield, 10)
	}
	return out
}

// leftOf returns the ms until a buff ends, or nil if it has no end. If the buff is paused, it
// returns the remaining ms of the buff's own time.
func leftOf(b buff.Instance, now wheel.Time) *int64 {
	left := b.Left(now)
	if left == math.MaxInt64 {
		return nil
	}
	ms := max(left.Milliseconds(), 0)
	return &ms
}

// until returns the ms from now to t, or nil for Never.
func until(t, now wheel.Time) *int64 {
	if t == wheel.Never {
		return nil
	}
	ms := max(int64(t-now), 0)
	return &ms
}

func (in *Inspector) eventOf(e *buff.Event) eventJSON {
	out := eventJSON{At: int64(e.At), Clock: e.At.String(), Kind: e.Kind.String(), Spec: line(e.Name), Stacks: e.Stacks, Late: int64(e.Seen - e.At)}
	if e.Spec != nil {
		source := in.pick(e.Source)
		out.Spec, out.Source = line(e.Spec.ID), &source
	}
	if e.Why != reason.None {
		out.Why = e.Why.String()
	}
	if e.Kind == buff.Changed {
		out.Change = changeOf(e)
	}
	return out
}

// find requests one player from the engine. If many players are followed, the next View perhaps
// does not contain the player, so find may request several Views.
func (in *Inspector) find(r *http.Request, id buff.OwnerID) (*view.Owner, error) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	leave, err := in.follow(id, in.trusts(r), cancel)
	if err != nil {
		return nil, err
	}
	defer leave()
	for {
		v, err := in.watch.Next(ctx)
		if err != nil {
			return nil, err
		}
		if o := v.Owners[id]; o != nil {
			return o, nil
		}
	}
}

// servePlayer responds with a player. The list of buffs starts at the position in the query.
func (in *Inspector) servePlayer(w http.ResponseWriter, r *http.Request, query url.Values) {
	id, ok := parseID(query.Get("player"))
	if !ok {
		refuse(w, refusal{http.StatusBadRequest, "a player id has up to 20 digits"})
		return
	}
	from, err := strconv.Atoi(cmp.Or(query.Get("from"), "0"))
	if err != nil || from < 0 {
		refuse(w, refusal{http.StatusBadRequest, "from must be a position among the buffs"})
		return
	}
	o, err := in.find(r, id)
	if err != nil {
		refuse(w, refusal{http.StatusServiceUnavailable, line(err.Error())})
		return
	}
	p := in.playerOf(o, from)
	serveJSON(w, &p)
}

const (
	maxFound = 20 // maximum number of search results in addition to exact matches
	// maximum number of concurrent searches, which the loop serves one after another
	maxSearches = 8
)

// searchFor is the time limit for searching names in one request.
const searchFor = time.Second

type foundJSON struct {
	Same    []pick `json:"same"` // players whose name or id is exactly the text
	Players []pick `json:"players"`
	More    bool   `json:"more"`           // there are more matches
	Next    int    `json:"next,omitempty"` // position of the next player to search
}

// admitSearch admits an expensive request, which is a search or a request for the history. At
// most maxSearches such requests run at a time, but clients with the token are always admitted.
// If admitSearch returns false, it has sent the response.
func (in *Inspector) admitSearch(w http.ResponseWriter, r *http.Request) (leave func(), ok bool) {
	if in.trusts(r) {
		return func() {}, true
	}
	select {
	case in.looking <- struct{}{}:
		return func() { <-in.looking }, true
	default:
		refuse(w, refusal{http.StatusServiceUnavailable, "too many searches"})
		return nil, false
	}
}

// serveSearch responds with the players that match a text, which is a name, an id, or a #
// followed by an id, as shown on the page. Searching very many names takes several requests.
func (in *Inspector) serveSearch(w http.ResponseWriter, r *http.Request, query url.Values) {
	text := strings.TrimSpace(query.Get("search"))
	if text == "" || len(text) > maxSearch {
		refuse(w, refusal{http.StatusBadRequest, "a search text has from 1 to 256 bytes"})
		return
	}
	from, err := strconv.Atoi(cmp.Or(query.Get("from"), "0"))
	if err != nil || from < 0 {
		refuse(w, refusal{http.StatusBadRequest, "from must be a position among the players"})
		return
	}
	leave, ok := in.admitSearch(w, r)
	if !ok {
		return
	}
	defer leave()
	out := foundJSON{Same: []pick{}, Players: []pick{}}
	id, numbered, alone := numberIn(text)
	if numbered && from == 0 {
		o, err := in.find(r, id)
		if err != nil {
			refuse(w, refusal{http.StatusServiceUnavailable, line(err.Error())})
			return
		}
		if o.Present {
			out.Same = append(out.Same, in.pick(id))
		}
	}
	switch {
	case alone && numbered:
	case in.opts.Search != nil:
		ids, err := in.search(text)
		if err != nil {
			refuse(w, refusal{http.StatusInternalServerError, err.Error()})
			return
		}
		for _, id := range ids {
			out.Players = append(out.Players, in.pick(id))
		}
	case in.opts.Name != nil:
		if err := in.searchNames(r, text, from, &out); err != nil {
			refuse(w, refusal{http.StatusServiceUnavailable, line(err.Error())})
			return
		}
	}
	if len(out.Players) > maxFound {
		out.Players, out.More = out.Players[:maxFound], true
	}
	serveJSON(w, out)
}

// search calls Options.Search. It keeps at most one player more than the page shows, so that the
// caller knows whether to report more matches.
func (in *Inspector) search(text string) (ids []buff.OwnerID, err error) {
	err = in.searching.call(func() { ids = in.opts.Search(text, maxFound) })
	return ids[:min(len(ids), maxFound+1)], err
}

// numberIn parses the id in a search text. The text is either digits only, or ends with a # and
// digits, as the page writes players. For the second form, the result "alone" is true, and names
// need not be searched.
func numberIn(text string) (id buff.OwnerID, ok, alone bool) {
	at := strings.LastIndexByte(text, '#')
	id, ok = parseID(text[at+1:])
	return id, ok, at >= 0
}

// searchNames searches the names of players, starting at a position, until the time limit. It
// sets out.Next to the position at which the next request must continue. It finds an exact match
// even if there are many other matches.
func (in *Inspector) searchNames(r *http.Request, text string, from int, out *foundJSON) error {
	ctx, cancel := context.WithTimeout(r.Context(), 5*patience)
	defer cancel()
	text = strings.ToLower(text)
	for began := time.Now(); ; {
		ids, next, err := in.watch.Owners(ctx, from)
		if err != nil {
			return err // the search is incomplete, so the answer must not be "no match"
		}
		for _, id := range ids {
			switch name := strings.ToLower(in.ownName(id)); {
			case name == text && len(out.Same) <= maxFound:
				out.Same = append(out.Same, in.pick(id))
			case !strings.Contains(name, text):
			case len(out.Players) <= maxFound:
				out.Players = append(out.Players, in.pick(id))
			}
		}
		if from = next; from == 0 {
			return nil
		}
		if time.Since(began) >= in.searchFor {
			out.Next = from
			return nil
		}
	}
}
