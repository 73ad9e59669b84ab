package rules_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// Drive runs a script on an Owner and writes the same log as the model. It also checks the
// invariants that do not depend on the rules; fault describes the first violation.
type Drive struct {
	*Script
	fault string
	set   *rules.Owner
	turn  rules.Turn
	dice  *dice      // decides what handlers do
	how   *rand.Rand // how frames are divided into turns; if nil, each frame is one turn
	wheel *tinyWheel // if nil, Run is called in each frame

	direct   bool                          // whether the last command used the method of its verb: see obeyed
	casters  map[buff.OwnerID]*rules.Owner // the sources whose attributes are known
	log      []byte
	numbers  map[buff.Handle]int
	handles  []buff.Handle
	timeouts []buff.TimeoutHandle
	ended    map[buff.Handle]bool
	last     wheel.Time        // the instant of the last event
	seen     func(*buff.Event) // called for each event, if not nil
}

func newDrive(s *Script, how *rand.Rand, w *tinyWheel) *Drive {
	d := &Drive{
		Script: s, set: rules.NewOwner(ownID, 3, 0, s.limit), dice: seeded(s.handlers), how: how, wheel: w,
		numbers: map[buff.Handle]int{}, ended: map[buff.Handle]bool{},
	}
	d.castersOf()
	d.turn.Call, d.turn.Catalog, d.turn.Seed, d.turn.Memory = d.call, s.catalog, rollSeed, &rules.Memory{}
	if w != nil {
		w.fail = d.fail
	}
	return d
}

// castersOf makes the Owners of the sources whose attributes are known.
func (d *Drive) castersOf() {
	d.casters = map[buff.OwnerID]*rules.Owner{}
	attr, _ := d.catalog.Attr("mind")
	for id, mind := range minds {
		d.casters[id] = rules.NewOwner(id, uint32(id), 0, 1)
		d.casters[id].Do(&rules.Turn{Catalog: d.catalog}, 0, buff.Command{Verb: verb.SetBase, Attr: attr, Value: mind})
	}
}

func (d *Drive) fail(format string, args ...any) {
	if d.fault == "" {
		d.fault = fmt.Sprintf(format, args...)
	}
}

// flush appends the new events to the log.
func (d *Drive) flush() {
	for i := range d.turn.Events {
		e := &d.turn.Events[i]
		if e.Kind == buff.Applied {
			d.handles = append(d.handles, e.Handle)
			d.numbers[e.Handle] = len(d.handles)
		}
		switch {
		case d.ended[e.Handle] && e.Kind != buff.Faulted:
			d.fail("after its end: %v", e)
		case e.Handle != 0 && d.numbers[e.Handle] == 0:
			d.fail("before its start: %v", e)
		case e.Seen != d.turn.Now || e.At > e.Seen:
			d.fail("early: %v seen %v in the frame %v", e, e.Seen, d.turn.Now)
		case e.At < d.last:
			d.fail("out of order: %v", e)
		case e.Owner != ownID:
			d.fail("whose is it? %v of %d", e, e.Owner)
		}
		if e.Kind == buff.Removed {
			d.ended[e.Handle] = true
		}
		if d.seen != nil {
			d.seen(e)
		}
		d.last = e.At
		d.log = e.AppendLog(d.log, false)
		if e.Kind == buff.Removed && e.Name != "" {
			d.log = append(append(d.log, " name="...), e.Name...)
		}
		d.log = appendMore(d.log, e.Source, e.Magnitude, int(e.Level), d.numbers[e.Handle])
	}
	d.turn.Events = d.turn.Events[:0]
}

func (d *Drive) call(t *rules.Turn, c *rules.Call) reason.Reason {
	d.flush()
	switch {
	case c.Event.Handle != 0 && d.ended[c.Event.Handle] && c.Event.Kind != buff.Removed && c.Event.Kind != buff.Reacted && c.Event.Kind != buff.Died:
		d.fail("a handler of a buff that has gone: %v", c.Event)
	case t.At() != c.Event.At:
		d.fail("a handler at %v of an event at %v", t.At(), c.Event.At)
	}
	d.log = append(append(strconv.AppendInt(append(d.log, "call "...), int64(c.Handler), 10), " of "+c.Event.Kind.String()...), '\n')
	ops, why := act(d.dice, d.Script)
	for _, o := range ops {
		c := d.command(o)
		t.Issue(d.set, &c)
	}
	return why
}

// command converts an operation of a script to a command: it replaces numbers by handles, and names
// by pointers and numbers.
func (d *Drive) command(o Op) buff.Command {
	c := buff.Command{
		Verb: o.verb, By: o.by, Name: o.name, Stacks: o.stacks, Handler: o.handler, Reason: o.reason, Amount: o.amount, Rate: o.rate, Whose: o.whose,
		Purge: o.purge,
		Application: buff.Application{
			Spec: d.catalog.Spec(o.spec), Source: o.source, Stacks: o.stacks, Magnitude: o.magnitude, Level: o.level, Key: o.key, Scale: o.scale,
			Params: o.params,
		},
	}
	if a := &c.Application; a.Spec != nil && (o.verb == verb.Apply || o.verb == verb.Enter) && !o.blind {
		rules.Capture(a, nil, d.casters[o.source], d.catalog, define.SnapshotCast)
		rules.Capture(a, nil, d.casters[o.source], d.catalog, define.SnapshotApply)
	}
	c.Value, c.Attr = o.value, 99
	if attr, ok := d.catalog.Attr(o.attr); ok {
		c.Attr = attr
	}
	c.Tag, _ = d.catalog.Tag(o.tag)
	c.Act, _ = d.catalog.Act(o.act)
	switch o.verb {
	case verb.AddBase, verb.SetBase, verb.Damage, verb.Kill:
		c.Application = buff.Application{} // no buff causes the change
	}
	if o.given {
		c.Application.Duration = buff.Lasting(o.duration)
	}
	if o.number >= 0 && len(d.handles) > 0 {
		c.Handle = d.handles[o.number%len(d.handles)]
	} else if o.number >= 0 {
		c.Handle = 1 // a handle that identifies no buff
	}
	if o.verb == verb.Consume && c.Handle != 0 {
		c.Verb = verb.ConsumeCharges
	}
	if len(d.timeouts) > 0 {
		c.Timeout = d.timeouts[max(o.number, 0)%len(d.timeouts)]
	}
	if q := o.ask; q != nil {
		c.Query = buff.Query{
			Spec: d.catalog.Spec(q.spec), Type: q.kind, Polarity: q.polarity, Neutral: q.neutral, Source: q.source, Grade: q.grade,
			Most: q.most, Stacks: q.stacks, Newest: q.newest, To: q.to,
		}
		c.Query.Tag, _ = d.catalog.Tag(q.tag)
	}
	return c
}

var errorWords = []struct {
	err  error
	word string
}{
	{buff.ErrDuration, "duration"},
	{buff.ErrStacks, "stacks"},
	{buff.ErrFull, "full"},
	{buff.ErrStale, "stale"},
	{buff.ErrInfinite, "infinite"},
	{buff.ErrLevel, "level"},
	{buff.ErrScale, "scale"},
	{buff.ErrRate, "rate"},
	{buff.ErrPeriod, "period"},
	{buff.ErrTag, "tag"},
	{buff.ErrAmount, "amount"},
	{buff.ErrAttribute, "attribute"},
	{buff.ErrValue, "value"},
}

// do executes a command from outside and returns its Result in the format of the model.
func (d *Drive) do(at int64, o Op) string {
	d.turn.Now = wheel.Time(at)
	c := d.command(o)
	before := len(d.turn.Events)
	r := d.obeyed(wheel.Time(at), c)
	if r.Failure != nil && r.Kind == 0 && len(d.turn.Events) != before {
		d.fail("a command that failed did something: %v", o)
	}
	d.flush()
	d.obey()
	if r.Timeout != 0 {
		d.timeouts = append(d.timeouts, r.Timeout)
		return "waits"
	}
	words := []string{}
	switch o.verb {
	case verb.Dispel, verb.Steal, verb.SetPeriod, verb.Inhibit, verb.Release: // the Kind of these verbs is not documented
	default:
		if r.Kind != 0 && r.Kind != buff.Done {
			words = append(words, r.Kind.String())
		}
		if r.Why != reason.None {
			words = append(words, r.Why.String())
		}
	}
	for _, e := range errorWords {
		if r.Failure != nil && errors.Is(r.Failure, e.err) {
			words = append(words, e.word)
		}
	}
	if r.Amount != 0 {
		words = append(words, amount(int(r.Amount)))
	}
	return strings.Join(words, " ")
}

// obeyed executes a command. If the verb has a method of its own, every second command uses that
// method.
func (d *Drive) obeyed(at wheel.Time, c buff.Command) buff.Result {
	d.direct = !d.direct
	switch {
	case d.direct && c.Verb == verb.Apply:
		h, kind, why, err := d.set.Apply(&d.turn, at, &c.Application)
		return buff.Result{Handle: h, Kind: kind, Why: why, Failure: err}
	case d.direct && c.Verb == verb.Remove:
		h, kind, why, err := d.set.Remove(&d.turn, at, c.Handle, c.Stacks, c.Reason)
		return buff.Result{Handle: h, Kind: kind, Why: why, Failure: err}
	}
	return d.set.Do(&d.turn, at, c)
}

// run runs one frame, in one or several turns.
func (d *Drive) run(until int64) {
	now := wheel.Time(until)
	d.turn.Now = now
	limit := 1 << 30
	for d.wheel == nil || d.wheel.fires(now) || d.set.Pending() > 0 {
		if d.how != nil {
			limit = d.how.IntN(4) // 0 does nothing
		}
		if d.runOnce(now, limit) {
			break
		}
	}
	d.flush()
	d.obey()
	if next := d.set.Next(); next <= now {
		d.fail("something due at %v has not run at %v", next, now)
	}
	if d.set.Pending() != 0 {
		d.fail("handlers wait after a frame")
	}
	d.balance()
}

// runOnce runs one turn. If only one place has a due deadline, it runs the turn for this place.
func (d *Drive) runOnce(now wheel.Time, limit int) bool {
	if d.wheel != nil && d.wheel.only != rules.NoPlace {
		return d.set.RunPlace(&d.turn, d.wheel.only, now, limit)
	}
	return d.set.Run(&d.turn, now, limit)
}

// obey puts the new deadlines of the Owner on the wheel.
func (d *Drive) obey() {
	if d.wheel != nil {
		d.wheel.obey(d.set, &d.turn)
	}
}

// balance compares the Owner with its events.
func (d *Drive) balance() {
	if len(d.handles)-len(d.ended) != d.set.Len() {
		d.fail("applied %d - removed %d, but %d are carried", len(d.handles), len(d.ended), d.set.Len())
	}
	n, last := 0, 0
	next := wheel.Never
	for i := range d.set.All() {
		n++
		if d.numbers[i.Handle] <= last {
			d.fail("All is not the oldest first")
		}
		last = d.numbers[i.Handle]
		if found, ok := d.set.Find(i.Handle); !ok || found != i {
			d.fail("Find differs from All: %v and %v", found, i)
		}
		next = min(next, d.set.Due(i.Handle))
	}
	if d.set.Len() != n {
		d.fail("All has %d, Len %d", n, d.set.Len())
	}
	if d.set.Timeouts() == 0 && next != d.set.Next() {
		d.fail("something is due at %v, but Next says %v", next, d.set.Next())
	}
	if late := d.set.Owed(); late != 0 {
		d.fail("%d pulses have waited beyond their frame", late)
	}
	if wrong := d.set.Counters(d.catalog); wrong != "" {
		d.fail("%s", wrong)
	}
}

// state writes the visible state of each buff, oldest first.
func (d *Drive) state() {
	for i := range d.set.All() {
		looked := look{
			stacks: i.Stacks, level: i.Level, source: i.Source, magnitude: i.Magnitude, charges: i.Charges, shield: i.Shield,
			end: int64(i.End), next: int64(i.NextPulse), hidden: i.Hidden, paused: i.Paused, waiting: i.Waiting, left: never,
		}
		if left := i.Left(d.last); i.Paused && left < math.MaxInt64 {
			looked.left = left.Milliseconds()
		}
		for _, p := range i.Spec.Params {
			value, ok := d.set.Param(i.Handle, p.Name)
			if !ok {
				d.fail("%v has no parameter %q", i.Spec, p.Name)
			}
			looked.params = append(looked.params, value)
		}
		d.log = looked.append(d.log, d.numbers[i.Handle])
	}
	for i, name := range tagNames {
		if tag, ok := d.catalog.Tag(name); ok && d.set.Has(tag) {
			d.log = append(d.log, 't', byte('0'+i))
		}
	}
	for v := range d.set.Attributes(d.catalog) {
		if v.Value != d.set.Attribute(d.catalog, v.Attr) || v.Base != d.set.Base(d.catalog, v.Attr) {
			d.fail("Attributes differs from Attribute or Base: %v", v)
		}
		d.log = appendAttribute(d.log, v.Value, v.Base)
	}
	d.log = append(d.log, '\n')
	for _, p := range d.turn.Outbox {
		if err := carriedOver(&p.Command, d.catalog); err != nil {
			d.fail("%v has no binary form: %v", p.Command, err)
		}
		a, span := &p.Command.Application, "its own"
		if !rules.Stolen(a) {
			d.log = append(d.log, d.asked(&p)...)
			continue
		}
		if by, ok := a.Duration.Given(); ok {
			span = strconv.FormatInt(by.Milliseconds(), 10)
		}
		d.log = append(d.log, sentLine(p.To, a.Spec.ID, a.Source, a.Stacks, a.Level, a.Magnitude, a.Key, span+rules.Loot(a))...)
	}
	d.turn.Outbox = d.turn.Outbox[:0]
}

// asked describes the command that an action sends to another owner.
func (d *Drive) asked(p *rules.Outgoing) string {
	c, id, attr := &p.Command, "", ""
	if c.Application.Spec != nil {
		id = c.Application.Spec.ID
	}
	if c.Verb == verb.AddBase || c.Verb == verb.Damage {
		attr = d.catalog.Attributes().At(c.Attr).Name
	}
	return askedLine(p.To, c.Verb, id, c.Application.Source, c.Application.Magnitude, c.Application.Level, c.Reason, attr, c.Value)
}

// look is the visible state of a buff.
type look struct {
	stacks, level, charges, waiting int
	source                          buff.OwnerID
	magnitude, shield, end, next    int64
	left                            int64 // remaining time of a paused buff
	hidden, paused                  bool
	params                          []float64
}

func (l *look) append(dst []byte, number int) []byte {
	add := func(key byte, n int64) {
		if n != 0 && n != never {
			dst = strconv.AppendInt(append(dst, ' ', key), n, 10)
		}
	}
	add('i', int64(number))
	add('x', int64(l.stacks))
	add('l', int64(l.level))
	add('s', int64(l.source))
	add('m', l.magnitude)
	add('c', int64(l.charges))
	add('h', l.shield)
	add('e', l.end)
	add('n', l.next)
	add('w', int64(l.waiting))
	add('r', l.left)
	for _, p := range l.params {
		add('p', int64(p*8))
	}
	if l.hidden {
		dst = append(dst, " hidden"...)
	}
	if l.paused {
		dst = append(dst, " paused"...)
	}
	return append(dst, ';')
}

// carriedOver encodes a command and decodes it again, as if it came from another process.
func carriedOver(c *buff.Command, catalog *buff.Catalog) error {
	b, err := c.AppendBinary(nil, catalog)
	if err == nil {
		err = c.UnmarshalBinary(b, catalog)
	}
	return err
}
