package judge

// §1.7: "Let T be an instant in ms. Per owner, the engine promises this total order."

// owner is the one who carries the buffs, and all that is known of him.
type owner struct {
	all   *world
	defs  map[string]*definition
	log   []line
	bases map[string]float64
	says  bool // pulses that come late say when they were seen

	name  string
	world int64  // ms of the script
	own   int64  // ms of the owner's clock, which stands still while he is paused or away
	clock *clock // that one, of the world's
	mine  *pace  // what he has of his own
	zone  int64
	stamp int64 // the instant that is told of what happens, in the world's ms
	frame int64 // where the frame that runs will end, in the world's ms

	away, dead bool
	left       int64 // when he left, in the world's ms

	sequence int64
	gifts    int64
	buffs    []*instance // older first
	timeouts []timeout   // older first
	tags     map[string]int
	immune   []string // tags, by the game
	dr       map[drKey]*memory
	store    []*instance // of those who are away

	todo      []command
	undecided bool // the law has no answer
	running   int  // the round whose command runs; 0: none
}

// timeout is a name that comes due.
type timeout struct {
	name    string
	due, at int64 // at: its place in the order of ages
}

// command is an action of a list that waits behind the event that asked for it.
type command struct {
	action
	source    string
	magnitude int64
	level     int
	round     int
	parent    *instance // of a link
	uses      *instance // whose stacks a threshold takes, n of them
	n         int
	ends      *instance // whose links go with it
	who       string    // and a space
	x         float64   // of a change
}

// The ranks: "Tick (0), StackExpire (1), Expire (2), Timeout (3)".
const (
	rankPulse = iota
	rankStackEnd
	rankEnd
	rankTimeout
)

// due is an event that will happen if nothing changes.
type due struct {
	at   int64
	rank int
	age  int64
	run  func()
}

// before is the order of the law: by time; "due events at T, sorted by rank, then by age (application sequence, older
// first)".
func (d due) before(other due) bool {
	if d.at != other.at {
		return d.at < other.at
	}
	if d.rank != other.rank {
		return d.rank < other.rank
	}
	return d.age < other.age
}

// next looks at everything the owner has and returns what comes first.
//
// "Each due event is validated just before it runs": nothing is remembered from one event to the next, so there is
// nothing to validate.
func (o *owner) next() (first due, ok bool) {
	consider := func(d due) {
		if !ok || d.before(first) {
			first, ok = d, true
		}
	}
	for _, b := range o.buffs {
		// What comes of one buff comes in the order of its own time: in one ms of its owner several of its own may pass, and
		// a boundary behind an end is no pulse of what has ended.
		var own due
		some := false
		each := func(d due, ok bool) {
			if ok && (!some || d.before(own)) {
				own, some = d, true
			}
		}
		at, ok := b.nextPulse()
		each(due{at, rankPulse, b.age, func() { o.pulseDue(b) }}, ok)
		at, ok = b.nextPartial()
		each(due{at, rankPulse, b.age, func() { o.partial(b) }}, ok)
		end, ok := b.nextEnd()
		end.run = func() { o.endDue(b) }
		each(end, ok)
		last, lingers := b.lingers()
		for _, h := range b.holds {
			switch {
			case lingers && h.ends == last: // with all that it still has
				each(due{last, rankEnd, b.age, func() { o.letsGo(b) }}, true)
			case h.leaving:
				each(due{h.ends, rankStackEnd, b.age, func() { o.lets(b, h) }}, true)
			}
		}
		if some {
			if own.at, some = b.outer(own.at); some {
				consider(own)
			}
		}
	}
	for i, t := range o.timeouts {
		consider(due{t.due, rankTimeout, t.at, func() {
			o.timeouts = append(o.timeouts[:i:i], o.timeouts[i+1:]...)
			o.say("timeout %s", t.name)
		}})
	}
	return first, ok
}

// reach runs a frame: everything due up to it, in the order of deadlines, each at its own time.
//
// "paused owner: no events; both deadlines move by the pause."
func (o *owner) reach(to int64) {
	o.world, o.frame = to, to
	for !o.away && !o.undecided {
		d, ok := o.next()
		if !ok {
			break
		}
		at, ok := o.clock.when(d.at)
		if !ok || at > to {
			break
		}
		o.own, o.stamp = d.at, at
		d.run()
		o.settle()
		o.rounds()
	}
	o.stamp = to
	if !o.away {
		o.own = o.clock.now(to)
	}
}

// share is what of a number an event counts: once for each of n stacks where it says so, in that part of a period, and as
// often as the pulse stands for.
type share struct {
	n             int
	elapsed, part int64
	count         int
}

// of is what comes of a number then.
func (s share) of(c *change, x float64) float64 {
	if c.PerStack {
		x *= float64(s.n)
	}
	if s.part > 0 {
		x = x * float64(s.elapsed) / float64(s.part)
	}
	return x * float64(max(s.count, 1))
}

// issue puts the actions of a buff's list behind what is happening. What they apply has its level and magnitude.
func (o *owner) issue(b *instance, list []action, source string, s share) {
	o.issueFor(b, list, source, "", b.magnitude, s)
}

// issueFor is issue for what has a target and an amount. An action for another owner comes to that one at the frame's end.
func (o *owner) issueFor(b *instance, list []action, source, target string, magnitude int64, s share) {
	for _, a := range list {
		c := command{action: a, source: source, magnitude: magnitude, level: b.level, round: o.running + 1, who: b.def.ID + " "}
		for _, change := range []*change{a.Change, a.Damage} {
			if change != nil {
				c.x = s.of(change, b.numbers[&change.By])
			}
		}
		switch to := map[string]string{"source": source, "target": target}[a.To]; {
		case or(a.To, "owner") == "owner" || to == o.name:
			o.todo = append(o.todo, c)
		case o.all.find(to) != nil:
			other := o.all.find(to)
			c.round = 1
			o.all.post(other, func() { other.act(c) })
		}
	}
}

// rounds runs the commands that the last event has issued: "commands issued inside its callback run after the callback
// returns and before the next due event, in issue order, at logical time T; commands issued by those commands follow
// breadth-first, at most 16 rounds, then Fault{Cascade}."
func (o *owner) rounds() {
	for len(o.todo) > 0 && !o.undecided {
		c := o.todo[0]
		if c.round > 16 {
			o.todo, o.running = nil, 0
			o.say("error cascade")
			return
		}
		o.running = c.round
		o.todo = o.todo[1:]
		o.act(c)
		o.settle()
	}
	o.running = 0
}

func (o *owner) nextGiven() int64 {
	o.gifts++
	return o.gifts
}

func (o *owner) nextAge() int64 {
	o.sequence++
	return o.sequence
}

// act does one action.
func (o *owner) act(c command) {
	switch {
	case c.uses != nil:
		o.take(c.uses, c.n, "consumed")
	case c.ends != nil:
		o.unlink(c.ends, c.Reason)
	case c.Apply != "":
		o.apply(application{id: c.Apply, source: c.source, magnitude: c.magnitude, level: c.level, parent: c.parent, indirect: true})
	case c.Remove != "":
		o.removeOldest(c.Remove, or(c.Reason, "cancelled"))
	case c.Kill:
		o.kill()
	case c.Change != nil:
		o.changes(c.who, c.Change.Attr, c.x)
	case c.Damage != nil:
		o.damages(c.who, c.Damage.Attr, c.x, c.Damage.School)
	}
}

// timeout: "a delay ≤ 0 of a timeout is due at the next ms, never inside the call." (design.md §4)
func (o *owner) timeout(name string, after int64) {
	o.sequence++
	o.timeouts = append(o.timeouts, timeout{name, o.own + max(after, 1), o.sequence})
}
