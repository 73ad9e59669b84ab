package judge

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Section 1.7 of the rules: the total order of the events of one owner.

// owner is one owner of buffs, with the complete state of the interpreter for it.
type owner struct {
	all   *world
	defs  map[string]*definition
	log   []line
	bases map[string]float64
	says  bool // if set, the log lines of late pulses have the field "seen"
	life  bool // if set, deaths and revivals are logged

	name  string
	world int64  // the world's time, in ms of the script
	own   int64  // ms of the owner's clock, which is stopped while the owner is paused or away
	clock *clock // converts the world's time to the owner's time
	mine  *pace  // the owner's own rate and pause
	area  int64
	stamp int64 // the time for the lines that are logged, in ms of the world's time
	frame int64 // the end of the running frame, in ms of the world's time

	away, dead bool
	left       int64              // the time when the owner left, in ms of the world's time
	view       map[string]float64 // the attributes as other owners read them in the running frame
	maxima     map[string]float64 // by attribute: the last value of its maximum, if this is an attribute
	minima     map[string]float64 // by attribute: the last value of its minimum, if this is an attribute

	killer string // the source of the change or damage that is being applied
	cause  chain  // the chain of causes of this change or damage

	sequence   int64
	grantCount int64
	buffs      []*instance // the oldest first
	timeouts   []timeout   // the oldest first
	tags       map[string]int
	immune     []string // tags that the game has made the owner immune to
	dr         map[drKey]*memory
	store      []*instance // the saved buffs, while the owner is away

	todo      []command
	undecided bool    // the rules have no answer
	took      []taken // the parts of the present damage that shields with on.absorb have taken
	reaction  bool    // the running command is in the chain of a reaction to damage
	running   int     // the round of the running command, or 0
	by        string  // the owner that issued the running command: who dispels, steals, kills or acts
}

// timeout is a name with a deadline.
type timeout struct {
	name    string
	due, at int64 // "at" is the position in the order in which buffs and timeouts start
}

// command is an action that was issued by an event and runs after this event.
type command struct {
	action
	source    string
	target    string // for an act: the owner at the other end; for a death: the killer
	magnitude int64
	level     int
	round     int
	head      *instance // if the command applies a link: the buff that has the link
	again     bool      // if the command applies a link: the link's head was already running
	uses      *instance // if not nil: a threshold's command to remove n stacks of this buff
	n         int
	ends      *instance // if not nil, the command ends the links of this buff
	who       string    // the ID of the definition that has the action, followed by a space
	values    map[*number]float64
	on        *instance // the buff that has the action, or nil
	// late completes the command when it runs: it evaluates the condition and the numbers that read
	// the present state. It returns false if the command must not run. It may be nil.
	late func(c *command) bool
	chain
}

// chain is the context that an event passes on to all events that it causes at the same instant.
type chain struct {
	share    share
	reaction bool       // the cause is a reaction to the act "damaged" or "dealt"
	known    *knowledge // the known attributes of the source
	ago      int64      // if the cause is a buff that ended while its owner was away: ms since that end
	clock    string     // the field `clock` of the buff that ended
}

// share says which part of a period, or how many pulses, a pulse represents. The zero share is one
// whole pulse.
type share struct {
	elapsed, period int64 // of a partial pulse: the elapsed part of the period, and the period, in ms
	count           int   // number of pulses combined into this pulse; 0 means 1
	stacks          int   // number of stacks for `per_stack` in an instant; 0 means 1
}

// scale converts the amount x of one whole pulse to the amount for the represented part of a period
// or number of pulses.
func (s share) scale(x float64) float64 {
	if s.period > 0 {
		x = x * float64(s.elapsed) / float64(s.period)
	}
	return x * float64(max(s.count, 1))
}

// The ranks of due events at one instant.
const (
	rankPulse = iota
	rankStackEnd
	rankEnd
	rankTimeout
)

// due is an event that will happen at its time unless a change prevents it.
type due struct {
	at   int64
	rank int
	age  int64
	run  func()
}

// before reports whether d runs before other. Due events run in the order of their times. Events of
// the same time run in the order of their ranks, and events of the same rank in the order of their
// ages, the older application first.
func (d due) before(other due) bool {
	if d.at != other.at {
		return d.at < other.at
	}
	if d.rank != other.rank {
		return d.rank < other.rank
	}
	return d.age < other.age
}

// next returns the next due event of the owner. It computes all due events from scratch, so that
// none of them can be outdated.
func (o *owner) next() (first due, ok bool) {
	consider := func(d due) {
		if !ok || d.before(first) {
			first, ok = d, true
		}
	}
	for _, b := range o.buffs {
		if own, some := o.nextOfBuff(b); some {
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

// nextOfBuff returns the next due event of one buff. It compares the events by the buff's own time.
// The owner's time is too coarse: several ms of a fast buff may be in the same ms of the owner, and
// a pulse that is due after the end of the buff must not run.
func (o *owner) nextOfBuff(b *instance) (own due, some bool) {
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
	if b.recharging { // before an end of the same instant
		each(due{b.charged, rankStackEnd, b.age, func() { o.recharge(b) }}, ok || b.endless)
	}
	each(end, ok)
	last, lingers := b.lingers()
	for _, h := range b.holds {
		switch {
		case lingers && h.ends == last: // the whole buff ends
			each(due{last, rankEnd, b.age, func() { o.endLinger(b) }}, true)
		case h.leaving:
			each(due{h.ends, rankStackEnd, b.age, func() { o.lets(b, h) }}, true)
		}
	}
	return own, some
}

// reach runs a frame that ends at the given time. It runs all events that are due by then, in
// order, each at its own time. A paused owner has no due events.
func (o *owner) reach(to int64) {
	o.world, o.frame = to, to
	first := true
	for !o.away && !o.undecided {
		d, ok := o.next()
		if !ok {
			break
		}
		at, ok := o.clock.when(d.at)
		if !ok || at > to {
			break
		}
		if first {
			first = false
			o.reread()
		}
		o.own, o.stamp, o.by = d.at, at, ""
		d.run()
		o.settle()
		o.rounds()
	}
	o.stamp = to
	if !o.away {
		o.own = o.clock.now(to)
	}
}

// event is the cause of a list of actions, with the values that the actions use.
type event struct {
	source    string
	target    string // for an act: the owner at the other end; for a death: the killer
	magnitude int64
	level     int
	n         int       // number of stacks for `per_stack`
	on        *instance // the buff that has the actions, or nil
	amount    *float64  // of an act, or the stacks that did not fit; nil otherwise
	own       int64     // the magnitude of the buff or the application
	value     func(n *number, perStack bool) (x float64, why string)
	chain
}

// eventOf returns an event of a running buff, such as a pulse or the reaction to an act. The given
// stacks take part in the event.
func (b *instance) eventOf(c counted) event {
	return event{
		source: b.source, magnitude: c.magnitude(b), level: b.level, n: c.n, on: b, own: b.magnitude, chain: chain{known: b.known},
		value: func(n *number, perStack bool) (float64, string) { return orWhy(c.value(b, n, perStack)) },
	}
}

// eventBy returns an event that an application has caused. It has the level, magnitude, numbers and
// source of the application, and n stacks. The buff b is nil for an instant.
func eventBy(a application, b *instance, n int) event {
	return event{
		source: a.source, magnitude: a.magnitude, level: a.level, n: n, on: b, own: a.magnitude, chain: a.chain,
		value: func(num *number, perStack bool) (float64, string) { return orWhy(a.numbers[num].of(n, perStack)) },
	}
}

// orWhy returns x or, if ok is false, the reason "value".
func orWhy(x float64, ok bool) (float64, string) {
	if !ok {
		return 0, "value"
	}
	return x, ""
}

// issue queues the actions in a list. An action for another owner is delivered at the end of the
// frame. Its condition and all its numbers are evaluated at once; the numbers of another action that read
// the present state are evaluated when the action runs.
func (o *owner) issue(d *definition, list []action, e event) {
	for _, a := range list {
		if len(a.OneOf) > 0 {
			a = o.alternative(a.OneOf)
		}
		if a.Nothing {
			continue
		}
		c := command{
			action: a, source: e.source, target: e.target, magnitude: e.magnitude, level: e.level, round: o.running + 1, who: d.ID + " ", chain: e.chain, on: e.on, values: map[*number]float64{},
		}
		c.reaction = c.reaction || o.reaction
		to := map[string]string{"source": e.source, "target": e.target}[a.To.word]
		if a.To.Bearers == "" && (or(a.To.word, "owner") == "owner" || to == o.name) {
			if o.evaluates(&c, e, false) {
				c.late = func(c *command) bool { return o.allows(c, e) && o.evaluates(c, e, true) }
				o.todo = append(o.todo, c)
			}
			continue
		}
		if !o.allows(&c, e) {
			continue
		}
		if to == "" && a.To.Bearers == "" {
			o.miss(c)
			continue
		}
		if !o.evaluates(&c, e, false) || !o.evaluates(&c, e, true) {
			continue
		}
		c.round, c.ago = 1, 0
		// Values from the search of an aura do not apply to the other owner, which reads the
		// attributes of the source again.
		if c.known != nil && c.known.look {
			c.known = &knowledge{cast: c.known.cast, last: c.known.last}
		}
		if a.To.Bearers != "" {
			o.postToBearers(a.To.Bearers, c)
			continue
		}
		o.postTo(to, func(other *owner) {
			other.reaction, other.by = c.reaction, c.source
			other.act(c)
		}, func() {
			if !o.away {
				o.miss(c)
			}
		})
	}
}

// alternative returns the alternative that an owner chooses. Which one it is follows from no rule, so the
// log is undecided unless all of them do the same.
func (o *owner) alternative(alternatives []action) action {
	first := alternatives[0]
	first.Weight = 0
	for _, a := range alternatives[1:] {
		a.Weight = 0
		o.undecided = o.undecided || !reflect.DeepEqual(a, first)
	}
	return first
}

// miss logs that the target of an action is missing.
func (o *owner) miss(c command) {
	what := ""
	switch {
	case c.Apply.ID != "":
		what = "apply " + c.Apply.ID
	case c.removes():
		what = strings.TrimSpace("remove " + c.Remove.Buff.ID)
	case c.Revive:
		what = "revive"
	case c.Kill:
		what = "kill"
	case c.Change != nil:
		what = "change " + c.Change.Attr
	case c.Damage != nil:
		what = "damage " + c.Damage.Attr
	case c.Extend != nil:
		what = strings.TrimSpace("extend " + c.Extend.Buff.ID)
	case c.Use != nil:
		what = "use " + c.Use.Buff
	case c.Dispel != nil:
		what = strings.TrimSpace("dispel " + c.Dispel.ID)
	case c.Rate != nil:
		what = "rate " + c.Rate.Buff
	default:
		return
	}
	o.all.mark(markMiss)
	o.say("miss %s%s to %s", c.who, what, c.To.word)
}

// rounds runs the commands that the last event has issued, in the order of issue. They run at the
// instant of this event, before the next due event. Commands that they issue run in the next round.
// After 16 rounds all remaining commands are dropped, with the error "cascade".
func (o *owner) rounds() {
	for len(o.todo) > 0 && !o.undecided {
		c := o.todo[0]
		if c.round > 16 {
			o.drop(o.todo)
			o.todo, o.running, o.reaction = nil, 0, false
			o.all.mark(markCascade)
			o.say("error cascade")
			return
		}
		o.running, o.reaction = c.round, c.reaction
		o.todo = o.todo[1:]
		o.by = c.source
		o.act(c)
		o.settle()
	}
	o.running, o.reaction = 0, false
}

// drop discards commands after too many rounds. Links that these commands would have ended become
// ordinary buffs.
func (o *owner) drop(commands []command) {
	for _, c := range commands {
		for _, b := range o.buffs {
			b.ties = slices.DeleteFunc(b.ties, func(t tie) bool { return c.ends != nil && t.head == c.ends })
		}
	}
}

func (o *owner) nextGiven() int64 {
	o.grantCount++
	return o.grantCount
}

func (o *owner) nextAge() int64 {
	o.sequence++
	return o.sequence
}

// act runs one action.
func (o *owner) act(c command) {
	if c.late != nil && !c.late(&c) {
		return
	}
	switch {
	case c.uses != nil:
		o.take(c.uses, c.n, "consumed")
	case c.ends != nil:
		o.unlink(c.ends, c.Reason)
	case c.head != nil && c.head.hasLink(o, c.Apply.ID):
		o.all.mark(markLinkThere) // the head has this link already
	case c.Apply.ID != "":
		if c.again {
			o.all.mark(markLinkAgain)
		}
		o.applyBy(c)
	case c.removes():
		o.removeBy(c)
	case c.Kill:
		o.kill(c.who, c.source, c.chain)
	case c.Change != nil:
		o.killer, o.cause = c.source, c.chain
		o.changes(c.who, c.Change.Attr, c.values[&c.Change.By])
		o.killer, o.cause = "", chain{}
	case c.Damage != nil:
		o.damages(c.who, c.Damage.Attr, c.values[&c.Damage.By], c.Damage.School, c.source, c.chain)
	default:
		o.verb(c)
	}
}

// timeout adds a timeout. If the delay is 0 or less, the timeout is due at the next ms.
func (o *owner) timeout(name string, after int64) {
	o.sequence++
	o.timeouts = append(o.timeouts, timeout{name, o.own + max(after, 1), o.sequence})
}

// say logs a line: "<ms> <kind> <buff> [x<stacks>] [key=value …]".
func (o *owner) say(format string, args ...any) {
	o.log = append(o.log, line{o.stamp, fmt.Sprintf("%d ", o.stamp) + fmt.Sprintf(format, args...)})
}
