package judge

import (
	"cmp"
	"encoding/json"
	"slices"
)

// Section 1.7 of the rules, paragraph 5: owners are independent, and the order of events of
// different owners in one frame is undefined. A command for another owner waits until the end of
// the frame. The waiting commands are then sorted by the time of the event that caused them, then
// by the owner that issued them, and then by the order of issue. Each command runs at the current
// instant of its target.

// world holds all owners, in the order in which the script first names them.
type world struct {
	defs       map[string]*definition
	attributes map[string]*attribute
	acts       []string // the acts that the file declares
	bounded    []string // the attributes whose minimum or maximum is another attribute
	curves     map[string]curve
	owners     []*owner
	posted     []posted           // commands for other owners
	evicted    []posted           // removals of buffs on other owners that exceed `per_source`
	near       map[[2]string]bool // key: bearer and member; true if the member is in range of the bearer's auras
	areas      map[int64]*pace
	members    map[member]bool
	left       []departure
	births     int64
	marks      marks
	views      bool      // each owner records its attributes at the start of a frame for other owners
	inFrame    bool      // a frame is running: owners process their due events
	bySource   []sourced // the buffs with `per_source`, the oldest first
	resourced  []resourced
}

// line is a line of the log with its time.
type line struct {
	at   int64
	text string
}

// owner returns the owner with the given name. If there is no such owner, it is created with the
// settings of the scenario.
func (w *world) owner(name string, of *Scenario) *owner {
	if o := w.find(name); o != nil {
		return o
	}
	o := &owner{
		name: name, all: w, defs: w.defs, says: of.seen && of.frame == 0, life: of.life, tags: map[string]int{}, dr: map[drKey]*memory{}, clock: newClock(0), mine: newPace(),
		bases: map[string]float64{}, maxima: map[string]float64{}, minima: map[string]float64{},
	}
	w.owners = append(w.owners, o)
	o.limits()
	return o
}

// find returns the owner with the given name, or nil.
func (w *world) find(name string) *owner {
	for _, o := range w.owners {
		if o.name == name {
			return o
		}
	}
	return nil
}

// posted is a command for another owner.
type posted struct {
	at   int64 // the time of the event that caused the command
	from int   // the number of the owner that issued the command
	do   func()
	each func() []posted // if not nil, the command is for several owners: it becomes one for each
}

// post queues a command for another owner until the end of the frame.
func (o *owner) post(to *owner, do func()) {
	o.all.posted = append(o.all.posted, posted{at: o.stamp, from: o.number(), do: o.all.of(to, do)})
}

// postTo queues a command for the owner with the given name. At delivery, the function "do" is
// called with the owner. If the owner is missing or away, the function "missed" is called instead.
func (o *owner) postTo(name string, do func(*owner), missed func()) {
	o.all.posted = append(o.all.posted, posted{at: o.stamp, from: o.number(), do: func() {
		to := o.all.find(name)
		if to == nil || to.away {
			missed()
			return
		}
		o.all.of(to, func() { do(to) })()
	}})
}

// postToBearers queues an action for all owners that have a buff of the definition from the source of
// the action when it is delivered, in the order of owners. One whose buff has ended before its turn
// is left out.
func (o *owner) postToBearers(id string, c command) {
	bears := func(other *owner) bool {
		return !other.away && slices.ContainsFunc(other.buffs, func(b *instance) bool { return b.def.ID == id && b.source == c.source })
	}
	o.all.posted = append(o.all.posted, posted{at: o.stamp, from: o.number(), each: func() (all []posted) {
		for _, other := range o.all.owners {
			if bears(other) {
				all = append(all, posted{do: o.all.of(other, func() {
					if !bears(other) {
						return
					}
					o.all.mark(markBearer)
					other.reaction, other.by = c.reaction, c.source
					other.act(c)
				})})
			}
		}
		return all
	}})
}

// number returns the owner's place in the order of owners.
func (o *owner) number() int { return slices.Index(o.all.owners, o) }

// of returns a function that executes a command on an owner, or drops the command if the owner is
// away.
func (w *world) of(to *owner, do func()) func() {
	return func() {
		if to.away {
			return
		}
		to.reread()
		do()
		to.settle()
		to.rounds()
	}
}

// deliverFrame runs the commands that a frame has queued, in the order defined at the top of this
// file. Evictions follow the commands of the same time and owner. All effects of a command,
// including the commands that it queues, are complete before the next command runs.
func (w *world) deliverFrame() {
	w.share()
	all := slices.Concat(w.posted, w.evicted)
	w.evicted, w.posted = nil, nil
	slices.SortStableFunc(all, func(a, b posted) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.from, b.from)) })
	for len(all) > 0 {
		c := all[0]
		all = all[1:]
		if c.each != nil {
			all = append(c.each(), all...)
			continue
		}
		c.do()
		w.deliver()
	}
}

// mostCommands is the number of commands after which a chain has no end that a test could wait for.
const mostCommands = 2000

// deliver runs the evictions and commands that a command has queued, until none is left.
func (w *world) deliver() {
	n := 0
	for w.share(); len(w.evicted)+len(w.posted) > 0; w.share() {
		if n++; n > mostCommands {
			w.evicted, w.posted = nil, nil
			for _, o := range w.owners {
				o.undecided = true
			}
			return
		}
		from := &w.evicted
		if len(*from) == 0 {
			from = &w.posted
		}
		c := (*from)[0]
		*from = (*from)[1:]
		if c.each != nil {
			*from = append(c.each(), *from...)
			continue
		}
		c.do()
	}
}

// merged returns the log of all owners, sorted by time and then by owner. The lines of each owner
// keep their order.
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

// compensate moves the ends of all matching buffs on all owners by the given number of ms.
func (w *world) compensate(q query, by int64) {
	for _, o := range w.owners {
		if o.away {
			continue
		}
		o.reread()
		found := o.found(q, func(b *instance) bool { return b.ends() && (q.one == "" || q.one == b.def.ID) })
		if q.Most > 0 {
			if q.Most < len(found) {
				w.mark(markCompensateMost)
			}
			found = found[:min(q.Most, len(found))]
		}
		for _, b := range found {
			if !b.gone {
				o.moveEnds(b, func(end int64) int64 { return end + by })
			}
		}
		o.settle()
		o.rounds()
		w.deliver()
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
