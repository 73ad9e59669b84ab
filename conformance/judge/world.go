package judge

import "encoding/json"

// §1.7, 5: "owners are independent: no order is promised across owners inside a frame. A command for another owner goes to
// that owner's inbox; inboxes are delivered at the frame boundary in a fixed order (cause time, causing owner, issue number).
// It carries Cause = T; its own logical time is the target's current instant (≥ T)."

// world are all owners, in the order in which the script names them.
type world struct {
	defs       map[string]*definition
	attributes map[string]*attribute
	curves     map[string]curve
	owners     []*owner
	posted     []func()
	evicted    []func()
	near       map[[2]string]bool // who is in the area of whose auras: bearer and member
	zones      map[int64]*pace
	left       []departure
	births     int64
	number     int64
	back       int64 // below that of all that is there
}

// line is a line of the log, and its instant.
type line struct {
	at   int64
	text string
}

// owner returns the one of a name. Of a scenario he is made if he is not there.
func (w *world) owner(name string, of *Scenario) *owner {
	if o := w.find(name); o != nil {
		return o
	}
	o := &owner{name: name, all: w, defs: w.defs, says: of.seen, tags: map[string]int{}, dr: map[drKey]*memory{}, clock: newClock(0), mine: newPace(), bases: map[string]float64{}}
	w.owners = append(w.owners, o)
	return o
}

// find returns the one of a name, nil if there is none.
func (w *world) find(name string) *owner {
	for _, o := range w.owners {
		if o.name == name {
			return o
		}
	}
	return nil
}

// post is a command for another owner, which comes at the frame's end.
func (w *world) post(to *owner, do func()) { w.posted = append(w.posted, w.of(to, do)) }

// evict is what a source has too much of, on another owner: it goes before what else comes to others.
func (w *world) evict(to *owner, do func()) { w.evicted = append(w.evicted, w.of(to, do)) }

func (w *world) of(to *owner, do func()) func() {
	return func() {
		if to.away {
			return
		}
		do()
		to.settle()
		to.rounds()
	}
}

func (w *world) deliver() {
	for len(w.evicted)+len(w.posted) > 0 {
		from := &w.evicted
		if len(*from) == 0 {
			from = &w.posted
		}
		do := (*from)[0]
		*from = (*from)[1:]
		do()
	}
}

// merged is one log of all: by time, and at one instant by owner; nobody's own lines change their order.
func (w *world) merged() (log []string, decided bool) {
	decided = true
	rest := make([][]line, len(w.owners))
	for i, o := range w.owners {
		rest[i], decided = o.log, decided && !o.undecided
	}
	for {
		first := -1
		for i := range rest {
			if len(rest[i]) > 0 && (first < 0 || rest[i][0].at < rest[first][0].at) {
				first = i
			}
		}
		if first < 0 {
			return log, decided
		}
		log = append(log, rest[first][0].text)
		rest[first] = rest[first][1:]
	}
}

// compensate: "Compensate(filter, Δ)": the ends of all that are meant, on all owners.
func (w *world) compensate(q query, by int64) {
	for _, o := range w.owners {
		if o.away {
			continue
		}
		for _, b := range o.carried() {
			if !b.gone && b.ends() && (q.one == "" && q.matches(b) || q.one == b.def.ID) {
				o.moveEnds(b, func(end int64) int64 { return end + by })
			}
		}
		o.settle()
		o.rounds()
	}
}

func spanOf(text json.RawMessage) int64 {
	var s span
	if err := s.UnmarshalJSON(text); err != nil {
		panic("judge: " + err.Error())
	}
	return int64(s)
}

func textOf(text json.RawMessage) (s string) {
	if err := json.Unmarshal(text, &s); err != nil {
		panic("judge: " + err.Error())
	}
	return s
}

func numberOf(text json.RawMessage) (x float64) {
	if err := json.Unmarshal(text, &x); err != nil {
		panic("judge: " + err.Error())
	}
	return x
}
