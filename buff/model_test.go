package buff_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff"
)

// model is the rules once more, as plainly as can be: no heap, no free list, no
// handles. Before each step it looks at everything there is for what comes first.
// It is written from the rules and not from the code, and shares with the code
// only the definitions.
type model struct {
	specs    []*buff.Spec
	limit    int
	handlers []string
	dice     *dice // what handlers do

	buffs    []*carried // the oldest first
	timeouts []*waiting // the oldest first
	born     int        // instances ever
	set      int        // timeouts ever that a script has added
	ages     int

	at     int64
	inside bool
	round  int
	spent  int
	cut    bool
	queue  []queued
	putOff []told

	log []string
}

const never = math.MaxInt64

// maxLines is where a script that sets off one cascade after the other is given
// up.
const maxLines = 3000

// carried is one buff. The last boundary of its period is what the beat hangs on.
type carried struct {
	spec      *buff.Spec
	source    buff.OwnerID
	magnitude int64
	number    int
	age       int
	stacks    int
	duration  int64 // never if infinite
	end       int64
	last      int64
	gone      bool
}

type waiting struct {
	name    string
	handler buff.HandlerID
	age     int
	at      int64
	number  int // 0: added by a handler, which has no handle of it
	gone    bool
}

// told is what a handler is told.
type told struct {
	at        int64
	handler   buff.HandlerID
	kind      string
	name      string // of a timeout
	spec      *buff.Spec
	source    buff.OwnerID
	magnitude int64
	about     *carried
}

type queued struct {
	round  int
	call   *told
	op     op
	target *carried // of an op that names an instance
	cancel *waiting
}

func (m *model) line(kind, rest string, spec *buff.Spec, source buff.OwnerID, magnitude int64, b *carried) {
	number := 0
	if b != nil {
		number = b.number
	}
	id := ""
	if spec != nil {
		id = " " + spec.ID
	}
	m.log = append(m.log, fmt.Sprintf("%d %s%s%s s%d m%d i%d", m.at, kind, id, rest, source, magnitude, number))
}

func (m *model) about(b *carried, kind, rest string) told {
	m.line(kind, rest, b.spec, b.source, b.magnitude, b)
	return told{at: m.at, kind: kind, spec: b.spec, source: b.source, magnitude: b.magnitude, about: b}
}

func (b *carried) period() int64 { return b.spec.Period.Milliseconds() }

func ending(end int64) string {
	if end == never {
		return ""
	}
	return fmt.Sprintf(" end=%d", end)
}

func from(at, ms int64) int64 {
	if ms == never {
		return never
	}
	return at + ms
}

// due returns when the buff wants something next, and its rank.
func (b *carried) due() (int64, int) {
	if p := b.period(); p > 0 {
		if next := b.last + p; next <= b.end {
			return next, 0
		}
		if b.spec.Tail == buff.TailPartial && b.last < b.end {
			return b.end, 0
		}
	}
	if b.spec.Stack.Expire == buff.ExpireOne && b.stacks > 1 {
		return b.end, 1
	}
	return b.end, 2
}

// run does the handlers that were put off and everything due up to until.
func (m *model) run(until int64) {
	for len(m.putOff) > 0 && len(m.log) < maxLines {
		c := m.putOff[0]
		m.putOff = m.putOff[1:]
		m.begin(c.at, true)
		m.call(c)
		m.drain()
	}
	for {
		at, rank, age := int64(never), 0, 0
		var first any
		look := func(a int64, r, g int, what any) {
			if a < at || a == at && (r < rank || r == rank && g < age) {
				at, rank, age, first = a, r, g, what
			}
		}
		for _, b := range m.buffs {
			a, r := b.due()
			look(a, r, b.age, b)
		}
		for _, w := range m.timeouts {
			look(w.at, 3, w.age, w)
		}
		if at == never || at > until || len(m.log) >= maxLines {
			return
		}
		m.begin(at, true)
		m.fire(first, rank)
		m.drain()
	}
}

func (m *model) fire(what any, rank int) {
	switch x := what.(type) {
	case *waiting:
		m.dropTimeout(x)
		m.line("timeout", " "+x.name, nil, 0, 0, nil)
		m.tell(told{at: m.at, handler: x.handler, kind: "timeout", name: x.name})
	case *carried:
		switch rank {
		case 0:
			share := ""
			if part := m.at - x.last; part < x.period() {
				share = fmt.Sprintf(" fraction=%d/%d", part, x.period())
			}
			x.last = m.at
			m.pulse(x, share)
		case 1:
			x.stacks--
			x.end = m.at + x.duration
			m.about(x, "stackend", fmt.Sprintf(" x%d why=expired end=%d", x.stacks, x.end))
		default:
			m.remove(x, buff.Expired)
		}
	}
}

func (m *model) pulse(b *carried, share string) {
	m.follow(b.spec.On.Pulse, m.about(b, "pulse", fmt.Sprintf(" x%d%s", b.stacks, share)))
}

func (m *model) begin(at int64, inside bool) {
	m.at, m.inside, m.round, m.spent, m.cut = at, inside, 0, 0, false
	if inside { // what follows from an event is the first command itself
		m.round = -1
	}
}

// do is a command from outside; it returns what the Result must say.
func (m *model) do(at int64, o op) string {
	m.begin(at, false)
	r := m.carryOut(m.resolve(o))
	m.drain()
	return r
}

func (m *model) drain() {
	for len(m.queue) > 0 && len(m.log) < maxLines {
		q := m.queue[0]
		m.queue = m.queue[1:]
		m.round = q.round
		if q.call != nil {
			m.call(*q.call)
		} else {
			m.carryOut(q)
		}
	}
}

// resolve finds what the op names, at the moment at which it is issued.
func (m *model) resolve(o op) queued {
	q := queued{op: o, round: m.round + 1}
	if n := o.number; o.verb == buff.Cancel && m.set > 0 {
		if i := slices.IndexFunc(m.timeouts, func(w *waiting) bool { return w.number == n%m.set+1 }); i >= 0 {
			q.cancel = m.timeouts[i]
		}
	} else if m.born > 0 {
		if i := slices.IndexFunc(m.buffs, func(b *carried) bool { return b.number == n%m.born+1 }); i >= 0 {
			q.target = m.buffs[i]
		}
	}
	return q
}

func (m *model) issue(q queued) {
	if m.round >= 16 || m.spent >= 10_000 {
		if !m.cut {
			m.line("error", " cascade", nil, 0, 0, nil)
		}
		m.cut = true
		return
	}
	m.spent++
	q.round = m.round + 1
	m.queue = append(m.queue, q)
}

func (m *model) tell(c told) {
	if m.inside {
		m.queue = append(m.queue, queued{call: &c, round: m.round})
	} else {
		m.putOff = append(m.putOff, c)
	}
}

// call calls a handler, unless its buff has gone: then only what follows the
// removal itself is told.
func (m *model) call(c told) {
	if c.about != nil && c.about.gone && c.kind != "remove" {
		return
	}
	m.log = append(m.log, fmt.Sprintf("call %d of %s", c.handler, c.kind))
	ops, why := act(m.dice, m.specs)
	for _, o := range ops {
		m.issue(m.resolve(o))
	}
	switch {
	case why == buff.NoReason:
	case c.spec == nil:
		m.line("error", " "+c.name+" why="+why.String(), nil, 0, 0, nil)
	default:
		m.line("error", " why="+why.String(), c.spec, c.source, c.magnitude, c.about)
		if c.spec.OnFault == buff.FateRemove && c.about != nil && !c.about.gone {
			m.remove(c.about, buff.Fault)
		}
	}
}

func (m *model) follow(list []buff.Action, c told) {
	for _, a := range list {
		i := slices.IndexFunc(m.specs, func(s *buff.Spec) bool { return s.ID == a.Name })
		switch a.Do {
		case buff.DoCall:
			c.handler = buff.HandlerID(slices.Index(m.handlers, a.Name))
			m.tell(c)
		case buff.DoApply:
			m.issue(queued{op: op{verb: buff.Apply, spec: m.specs[i], source: c.source, magnitude: c.magnitude}})
		case buff.DoRemove:
			m.issue(queued{op: op{verb: buff.RemoveSpec, spec: m.specs[i], reason: a.Reason}})
		case buff.DoKill:
			m.issue(queued{op: op{verb: buff.Kill}})
		}
	}
}

func (m *model) carryOut(q queued) string {
	o := q.op
	if o.reason == buff.NoReason {
		o.reason = buff.Cancelled
	}
	switch o.verb {
	case buff.Apply:
		return m.apply(o)
	case buff.Remove:
		if q.target == nil || q.target.gone {
			return "stale"
		}
		return m.lose(q.target, o)
	case buff.RemoveSpec:
		for _, b := range m.buffs {
			if b.spec == o.spec {
				return m.lose(b, o)
			}
		}
	case buff.Extend:
		return m.extend(q.target, o)
	case buff.Kill:
		for _, b := range slices.Clone(m.buffs) {
			if b.spec.OnDeath != buff.FateKeep {
				m.remove(b, buff.Death)
			}
		}
	case buff.LoseSource:
		for _, b := range slices.Clone(m.buffs) {
			if b.source == o.source && b.spec.OnSourceGone == buff.FateRemove {
				m.remove(b, buff.SourceGone)
			}
		}
	case buff.AddTimeout:
		return m.addTimeout(o)
	case buff.Cancel:
		if q.cancel == nil || q.cancel.gone {
			return "stale"
		}
		m.dropTimeout(q.cancel)
		return "remove cancelled"
	}
	return ""
}
