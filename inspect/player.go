package inspect

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
)

// maxBuffs is how many buffs of a player are shown.
const maxBuffs = 200

// playerJSON is a player as the page gets it. Times are in ms.
type playerJSON struct {
	pick
	Now      int64           `json:"now"`
	Present  bool            `json:"present"`
	Busy     bool            `json:"busy"`
	Paused   bool            `json:"paused"`
	Zone     uint32          `json:"zone"`
	Mail     int             `json:"mail"`
	Carried  int             `json:"carried"`
	Timeouts int             `json:"timeouts"`
	Pulses   string          `json:"pulses"`
	Buffs    []buffJSON      `json:"buffs"`
	Events   []eventJSON     `json:"events"` // the newest first
	Fault    string          `json:"fault,omitempty"`
	Numbers  []attributeJSON `json:"attributes"`
}

type buffJSON struct {
	Handle    string `json:"handle"`
	Spec      string `json:"spec"`
	Name      string `json:"name,omitempty"`
	Side      string `json:"side"` // its polarity
	Source    pick   `json:"source"`
	Stacks    int    `json:"stacks"`
	Level     int    `json:"level,omitempty"`
	Magnitude string `json:"magnitude"`
	Left      *int64 `json:"left"` // until its end; null: it has none, or its time stands still
	Whole     int64  `json:"whole"`
	Next      *int64 `json:"next"` // until its next pulse
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
	Change string `json:"change,omitempty"` // of an attribute: by how much, and what it is now
	Late   int64  `json:"late,omitempty"`
}

type attributeJSON struct {
	Name      string         `json:"name"`
	Base      number         `json:"base"`
	Value     number         `json:"value"`
	Modifiers []modifierJSON `json:"modifiers"`
}

type modifierJSON struct {
	From string `json:"from"`
	Text string `json:"text"`
}

func (in *Inspector) playerOf(o *engine.OwnerView) playerJSON {
	out := playerJSON{
		pick: in.pick(o.Owner), Now: int64(o.Now), Present: o.Present, Busy: o.Busy, Paused: o.Paused, Zone: o.Zone, Mail: o.Mail,
		Carried: o.Carried, Timeouts: o.Timeouts, Pulses: strconv.FormatUint(o.Pulses, 10),
		Buffs: []buffJSON{}, Events: []eventJSON{}, Fault: line(o.Fault), Numbers: []attributeJSON{},
	}
	for _, b := range o.Buffs[:min(len(o.Buffs), maxBuffs)] {
		out.Buffs = append(out.Buffs, in.buffOf(b, o.Now))
	}
	for i := len(o.Events) - 1; i >= 0; i-- {
		out.Events = append(out.Events, in.eventOf(&o.Events[i]))
	}
	if list, ok := o.Data.([]attributeJSON); ok {
		out.Numbers = list
	}
	return out
}

func (in *Inspector) buffOf(b buff.Instance, now wheel.Time) buffJSON {
	out := buffJSON{
		Handle: strconv.FormatUint(uint64(b.Handle), 10), Spec: line(b.Spec.ID), Name: line(b.Spec.Name), Side: b.Spec.Polarity.String(),
		Source: in.pick(b.Source), Stacks: b.Stacks, Level: b.Level, Magnitude: strconv.FormatInt(b.Magnitude, 10),
		Left: until(b.End, now), Whole: b.Spec.Duration.Milliseconds(), Next: until(b.NextPulse, now), Period: b.Spec.Period.Milliseconds(),
		Charges: b.Charges, Waiting: b.Waiting, Hidden: b.Hidden, Paused: b.Paused, Infinite: b.Spec.Kind == buff.Infinite,
	}
	if b.Shield != 0 {
		out.Shield = strconv.FormatInt(b.Shield, 10)
	}
	return out
}

// until returns the ms from now to an instant, nil for Never.
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
	if e.Why != buff.NoReason {
		out.Why = e.Why.String()
	}
	if e.Kind == buff.Changed {
		out.Change = changeOf(e)
	}
	return out
}

// look returns what the loop is to call for a player that is shown.
func (in *Inspector) look() func(any) any {
	if in.opts.Attributes == nil {
		return nil
	}
	return func(data any) any {
		out := []attributeJSON{}
		for _, a := range in.opts.Attributes(data) {
			j := attributeJSON{line(a.Name), number(a.Base), number(a.Value), []modifierJSON{}}
			for _, m := range a.Modifiers {
				j.Modifiers = append(j.Modifiers, modifierJSON{line(m.From), line(m.Text)})
			}
			out = append(out, j)
		}
		return out
	}
}

// find asks for one player. It takes more than one View if many others are followed.
func (in *Inspector) find(r *http.Request, id buff.OwnerID) (*engine.OwnerView, error) {
	leave, err := in.watch.Follow(id, in.look())
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
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

func (in *Inspector) servePlayer(w http.ResponseWriter, r *http.Request, text string) {
	id, ok := parseID(text)
	if !ok {
		refuse(w, refusal{http.StatusBadRequest, "a player's id has up to 20 digits"})
		return
	}
	o, err := in.find(r, id)
	if err != nil {
		refuse(w, refusal{http.StatusServiceUnavailable, line(err.Error())})
		return
	}
	serveJSON(w, in.playerOf(o))
}

// maxFound is how many players a search names.
const maxFound = 20

type foundJSON struct {
	Players []pick `json:"players"`
	More    bool   `json:"more"` // there may be others
}

func (in *Inspector) serveSearch(w http.ResponseWriter, r *http.Request, text string) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxSearch {
		refuse(w, refusal{http.StatusBadRequest, "a search text has from 1 to 256 bytes"})
		return
	}
	out := foundJSON{Players: []pick{}}
	if id, ok := parseID(text); ok {
		if o, err := in.find(r, id); err == nil && o.Present {
			out.Players = append(out.Players, in.pick(id))
		}
	}
	switch {
	case in.opts.Search != nil:
		for _, id := range in.opts.Search(text, maxFound) {
			out.Players = append(out.Players, in.pick(id))
		}
	case in.opts.Name != nil:
		in.tryNames(r, text, &out)
	}
	if len(out.Players) > maxFound {
		out.Players, out.More = out.Players[:maxFound], true
	}
	serveJSON(w, out)
}

// tryNames looks through the names of all players, as long as there is time.
func (in *Inspector) tryNames(r *http.Request, text string, out *foundJSON) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*patience)
	defer cancel()
	text = strings.ToLower(text)
	for from := 0; ; {
		ids, next, err := in.watch.Owners(ctx, from)
		if err != nil {
			out.More = true
			return
		}
		for _, id := range ids {
			if len(out.Players) > maxFound {
				return
			}
			if strings.Contains(strings.ToLower(in.opts.Name(id)), text) {
				out.Players = append(out.Players, in.pick(id))
			}
		}
		if from = next; from == 0 {
			return
		}
	}
}
