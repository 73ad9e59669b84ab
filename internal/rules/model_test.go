package rules_test

import (
	"math"
	"slices"
	"strconv"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
)

// model implements the rules a second time, as simply as possible: without a heap, free lists,
// handles or lists of changes. Before each step it searches everything for the next event, and
// after each step it determines again which buffs have an effect. It is written from the rules, not
// from the code, and shares only the definitions with the code. The other files of the model are
// named after their subjects.
type model struct {
	slope float64 // the slope of the number that was evaluated last: see worked.slopes
	*Script
	dice *dice // decides what handlers do

	buffs    []*carried // the oldest first
	timeouts []*waiting // the oldest first
	born     int        // number of instances so far
	set      int        // number of timeouts that the script has added so far
	ages     int

	own      *clock         // owner time; nil if it equals world time
	given    map[string]int // counts of tags from AddTag
	immune   map[string]int // counts of tags from Immunize
	rolls    uint64
	dead     bool
	memories map[memory]*diminished
	bases    map[string]float64 // the bases of attributes that have been changed
	most     float64            // the maximum of health after the previous command or event
	worked   *worked            // the numbers of the current application
	running  portion            // the portion of the current application
	ring     string             // the state (see bearing) in which settle found no stable result

	at     int64 // the current instant of world time
	now    int64 // the current instant of owner time
	frame  int64 // the instant up to which the current frame runs
	inside bool
	round  int
	spent  int
	cut    bool
	queue  []queued
	putOff []told
	sent   []string // commands for other owners

	log      []byte
	lineages int
}

const never = math.MaxInt64

// maxLines is the number of log lines after which a script is given up, because it starts one
// cascade after another.
const maxLines = 3000

func newModel(s *Script) *model {
	return &model{Script: s, dice: seeded(s.handlers), given: map[string]int{}, immune: map[string]int{}, memories: map[memory]*diminished{}, bases: map[string]float64{}, most: definitionOf("most").Base}
}

func (m *model) over() bool { return m.lineages >= maxLines }

// carried is one buff. Its times are in buff time.
type carried struct {
	spec      *buff.Spec
	source    buff.OwnerID
	by        []buff.OwnerID // the sources that have applied the buff, if its stacks share one end
	magnitude int64
	number    int
	age       int
	stacks    int
	level     int
	key       uint64
	duration  int64 // never if infinite
	end       int64
	gone      bool

	next   int64 // the next boundary, even after the end; never if there is no period
	length int64 // length of the period that ends at that boundary
	period int64 // length of the periods after that boundary
	wanted int64 // the period after the next refresh; 0 if unchanged
	owed   int   // number of pending pulses of this frame
	owedAt int64 // instant of the last pending pulse

	unmet, inhibited, weaker, ineffective, immune bool

	entering        bool          // whether the buff starts hidden has not been determined yet
	member, leaving bool          // member: applied by an aura; leaving: the owner has left the aura
	holders         []*asyncStack // the auras that apply the buff
	clock           *clock
	async           []*asyncStack // with TimersEach, all stacks; in a queue, the waiting applications
	running         *asyncStack   // in a queue, the running application
	charges         int
	shield          int64
	nums            *worked
	ties            []tie // to its heads, if it is a link
}

// tie records that a buff is a link of a head, and the number of stacks that the head has added.
type tie struct {
	head   *carried
	stacks int
}

func (b *carried) hidden() bool {
	return b.unmet || b.inhibited || b.weaker || b.ineffective || b.immune
}

// lasting reports whether a definition has an effect other than its pulses. Only then an event
// reports that an immunity hides the buff.
func lasting(s *buff.Spec) bool {
	return len(s.Grants) > 0 || len(s.Modifiers) > 0 || !empty(s.Immunity) || s.Shield.On || s.Aura.Apply != "" || len(s.On.Act) > 0
}

// seen reports whether the log has reported that the buff is hidden.
func (b *carried) seen() bool {
	return b.unmet || b.inhibited || b.weaker || b.ineffective || b.immune && lasting(b.spec)
}

// whyHidden returns the reason in the log line of a Hidden, or "".
func (b *carried) whyHidden() string {
	if b.immune && !b.unmet && !b.inhibited && !b.weaker && !b.ineffective {
		return because(reason.Immune)
	}
	return ""
}

type waiting struct {
	name    string
	handler define.HandlerID
	age     int
	at      int64 // in owner time
	number  int   // 0 if a handler has added the timeout and has no handle of it
	gone    bool
}

// told holds the fields of an event that a handler gets.
type told struct {
	at        int64
	handler   define.HandlerID
	kind      string
	name      string // name of a timeout
	spec      *buff.Spec
	source    buff.OwnerID
	magnitude int64
	level     int
	about     *carried

	nums         *worked
	each         []*asyncStack // with TimersEach, the stacks that count
	stacks       int
	part, period int64 // set for a pulse of less than a whole period
	count        int
	target       buff.OwnerID // the other owner of an act
}

// portion scales the effects of an event that a pulse causes: see buff.Share.
type portion struct {
	part, period  int64
	count, stacks int
}

// portionOf returns the portion for the effects of an event. Removals and acts have none.
func (m *model) portionOf(c told) portion {
	switch c.kind {
	case "pulse":
		return portion{c.part, c.period, c.count, c.stacks}
	case "remove", "stackend", "react", "die":
		return portion{}
	}
	return m.running
}

type queued struct {
	round  int
	call   *told
	op     Op
	target *carried // the instance that the operation names, if any
	cancel *waiting
}

// line writes one event to the log, with the words kind and rest.
func (m *model) line(kind, rest string, c told) {
	m.lineages++
	dst := append(append(strconv.AppendInt(m.log, m.at, 10), ' '), kind...)
	if c.spec != nil {
		dst = append(append(dst, ' '), c.spec.ID...)
	}
	number := 0
	if c.about != nil {
		number = c.about.number
	}
	dst = append(dst, rest...)
	m.log = appendMore(dst, c.source, c.magnitude, c.level, number)
}

func appendMore(dst []byte, source buff.OwnerID, magnitude int64, level, number int) []byte {
	dst = strconv.AppendUint(append(dst, " s"...), uint64(source), 10)
	dst = strconv.AppendInt(append(dst, " m"...), magnitude, 10)
	dst = strconv.AppendInt(append(dst, " l"...), int64(level), 10)
	dst = strconv.AppendInt(append(dst, " i"...), int64(number), 10)
	return append(dst, '\n')
}

func (m *model) about(b *carried, kind, rest string) told {
	c := told{at: m.at, kind: kind, spec: b.spec, source: b.source, magnitude: b.magnitude, level: b.level, about: b, nums: b.nums, stacks: b.stacks}
	m.line(kind, rest, c)
	return c
}

func times(stacks int) string { return " x" + strconv.Itoa(stacks) }

func because(why reason.Reason) string { return " why=" + why.String() }

func field(key string, at int64) string {
	if at == never {
		return ""
	}
	return " " + key + "=" + strconv.FormatInt(at, 10)
}

func from(at, ms int64) int64 {
	if ms == never {
		return never
	}
	return at + ms
}

// run runs one frame: the deferred handlers, and everything due at or before until.
func (m *model) run(until int64) {
	m.frame = until
	for len(m.putOff) > 0 && !m.over() {
		c := m.putOff[0]
		m.putOff = m.putOff[1:]
		m.begin(c.at, m.own.ceil(c.at), true)
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
			a, r, g := b.due()
			look(b.clock.reach(a), r, g, b)
		}
		for _, w := range m.timeouts {
			look(w.at, 3, w.age, w)
		}
		if at == never || m.own.stands() || at > m.own.floor(until) || m.over() {
			return
		}
		m.begin(m.own.reach(at), at, true)
		m.fire(first, rank)
		m.conclude()
		m.drain()
	}
}

func (m *model) fire(what any, rank int) {
	switch x := what.(type) {
	case *waiting:
		m.dropTimeout(x)
		m.line("timeout", " "+x.name, told{})
		m.tell(told{at: m.at, handler: x.handler, kind: "timeout", name: x.name})
	case *carried:
		switch rank {
		case 0:
			m.beat(x)
		case 1:
			m.expireSome(x)
		default:
			why := reason.Expired
			if x.leaving {
				why = reason.OutOfAura
			}
			m.remove(x, why)
		}
	}
}

func (m *model) begin(at, now int64, inside bool) {
	m.at, m.now, m.inside, m.round, m.spent, m.cut = at, now, inside, 0, 0, false
	m.forget()
}

// do executes a command from outside and returns the expected Result.
func (m *model) do(at int64, o Op) string {
	m.begin(at, m.own.ceil(at), false)
	r := m.carryOut(m.resolve(o))
	m.drain()
	return r
}

func (m *model) drain() {
	for len(m.queue) > 0 && !m.over() {
		q := m.queue[0]
		m.queue = m.queue[1:]
		m.round = q.round
		if q.call != nil {
			m.call(*q.call)
		} else {
			m.carryOut(q)
		}
		if m.cut && len(m.queue) == 0 {
			m.cut = false
			m.line("error", " cascade", told{})
		}
	}
}

// resolve finds the instance or timeout that the operation names, at the moment of issue.
func (m *model) resolve(o Op) queued {
	q := queued{op: o, round: m.round + 1}
	if n := o.number; o.verb == verb.Cancel && m.set > 0 {
		if i := slices.IndexFunc(m.timeouts, func(w *waiting) bool { return w.number == n%m.set+1 }); i >= 0 {
			q.cancel = m.timeouts[i]
		}
	} else if n >= 0 && m.born > 0 {
		if i := slices.IndexFunc(m.buffs, func(b *carried) bool { return b.number == n%m.born+1 }); i >= 0 {
			q.target = m.buffs[i]
		}
	}
	return q
}

func (m *model) issue(q queued) bool {
	if m.round >= 16 || m.spent >= 10_000 {
		m.cut = true
		return false
	}
	m.spent++
	q.round = m.round + 1
	m.queue = append(m.queue, q)
	return true
}

func (m *model) tell(c told) {
	if m.inside {
		m.queue = append(m.queue, queued{call: &c, round: m.round})
	} else {
		m.putOff = append(m.putOff, c)
	}
}

// call calls a handler. If its buff has ended, only handlers for the removal, for a death or for a
// reaction are called.
func (m *model) call(c told) {
	if c.about != nil && c.about.gone && c.kind != "remove" && c.kind != "react" && c.kind != "die" {
		return
	}
	m.lineages++
	m.log = append(append(strconv.AppendInt(append(m.log, "call "...), int64(c.handler), 10), " of "+c.kind...), '\n')
	ops, why := act(m.dice, m.Script)
	for _, o := range ops {
		m.issue(m.resolve(o))
	}
	switch {
	case why == reason.None:
	case c.spec == nil:
		m.line("error", " "+c.name+because(why), told{})
	default:
		m.line("error", because(why), c)
		if c.spec.OnFault == define.FateRemove && c.about != nil && !c.about.gone {
			m.remove(c.about, reason.Fault)
			m.conclude()
		}
	}
}

// follow executes a list of actions in response to an event.
func (m *model) follow(list []define.Action, c told) { m.followFrom(list, c, c.source) }

// followFrom executes actions in response to an event that an application of the given source has
// caused. The known attributes are those of that source.
func (m *model) followFrom(list []define.Action, c told, source buff.OwnerID) {
	if source != c.source {
		c.nums = c.nums.copied()
		c.nums.known = m.worked.known
	}
	for _, a := range list {
		switch a.Do {
		case define.DoCall:
			c.handler = 1 + define.HandlerID(slices.Index(m.names, a.Name))
			m.tell(c)
		case define.DoApply:
			m.ask(a, c, source, Op{verb: verb.Apply, spec: a.Name, source: source, magnitude: c.magnitude, level: c.level, inherits: true, known: c.nums.known, portion: m.portionOf(c)})
		case define.DoRemove:
			m.ask(a, c, source, Op{verb: verb.RemoveSpec, spec: a.Name, source: source, reason: a.Reason})
		case define.DoKill:
			m.ask(a, c, source, Op{verb: verb.Kill, spec: c.spec.ID, source: source, ofBuff: true})
		case define.DoChange, define.DoDamage:
			m.followChange(a, c, source)
		}
	}
}

func appendAttribute(dst []byte, value, base float64) []byte {
	dst = strconv.AppendFloat(append(dst, ' '), value, 'g', -1, 64)
	return strconv.AppendFloat(append(dst, '/'), base, 'g', -1, 64)
}

// state writes the visible state of each buff, oldest first.
func (m *model) state() {
	for _, b := range m.buffs {
		looked := look{
			stacks: b.stacks, level: b.level, source: b.source, magnitude: b.magnitude, charges: b.charges, shield: b.shield,
			end: m.world(b, b.end), next: m.world(b, b.nextPulse()), hidden: b.hidden(), paused: b.clock.stands() || m.own.stands(), left: m.left(b), params: b.paramsNow(),
		}
		if b.running != nil {
			looked.waiting = len(b.async)
		}
		m.log = looked.append(m.log, b.number)
	}
	for i, name := range tagNames {
		if m.has(name) {
			m.log = append(m.log, 't', byte('0'+i))
		}
	}
	for _, a := range scriptAttributes {
		m.log = appendAttribute(m.log, m.value(a.Name), m.base(a.Name))
	}
	m.log = append(m.log, '\n')
	for _, line := range m.sent {
		m.log = append(m.log, line...)
	}
	m.sent = m.sent[:0]
}
