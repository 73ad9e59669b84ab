package rules

import (
	"math"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/handle"
	"github.com/bufftick/bufftick/wheel"
)

// Actions are what a definition does at an event of its buff: it calls a Go handler or issues a
// command, to the owner or to another owner. They are queued and run after the event, in the order
// of the definition.

// queueActions queues a definition's actions for the event emitted last, with the numbers of the
// buff.
func queueActions(t *Turn, s *Owner, ops []compile.Op, k *magnitudes) {
	if len(ops) > 0 {
		e := &t.Events[len(t.Events)-1]
		queueEventActions(t, s, ops, e, e.Source, k)
	}
}

// queueActionsFrom does the same as queueActions, for an event that an application has caused.
// Applications issued by the actions have the source of that application, even if another source
// started the buff.
func queueActionsFrom(t *Turn, s *Owner, ops []compile.Op, source buff.OwnerID, k *magnitudes) {
	if len(ops) > 0 {
		queueEventActions(t, s, ops, &t.Events[len(t.Events)-1], source, k)
	}
}

// queueEventActions queues actions for any event e. Applications issued by the actions have the
// given source. e may point into a list that is reallocated meanwhile.
func queueEventActions(t *Turn, s *Owner, ops []compile.Op, e *buff.Event, source buff.OwnerID, k *magnitudes) {
	queueSound(t, s, ops, e, source, k, true)
}

// queueSound does the same as queueEventActions. If sound is not set, it skips the actions that
// depend on a number with SnapshotPulse.
func queueSound(t *Turn, s *Owner, ops []compile.Op, e *buff.Event, source buff.OwnerID, k *magnitudes, sound bool) {
	for j := 0; j < len(ops); j++ {
		o := &ops[j]
		if o.OneOf != 0 {
			alternatives := ops[j : j+int(o.OneOf)]
			j += len(alternatives) - 1
			if o = choose(t, s, alternatives); o.Do == define.DoNothing {
				continue
			}
		}
		if !sound && o.Change != nil && o.Change.Pulsed {
			continue
		}
		if o.Late() {
			queueLate(t, s, o, e, source, k)
			continue
		}
		if o.Do == define.DoCall {
			queueCall(t, s, e, nil, o.Handler, 0)
		} else {
			queueCommand(t, s, o, e, source, k)
		}
	}
}

// choose returns one of several alternatives, by a roll and their weights.
//
// Example: testdata/one_of.txt.
func choose(t *Turn, s *Owner, alternatives []compile.Op) *compile.Op {
	total := 0
	for i := range alternatives {
		total += int(alternatives[i].Weight)
	}
	roll := s.ensureGates().rolls.Below(t.Seed, s.id, total)
	for i := range alternatives {
		if roll -= int(alternatives[i].Weight); roll < 0 {
			return &alternatives[i]
		}
	}
	panic("rules: a roll beyond the weights")
}

// queueCommand queues the command of an action that has nothing to evaluate when it runs.
func queueCommand(t *Turn, s *Owner, o *compile.Op, e *buff.Event, source buff.OwnerID, k *magnitudes) {
	var c buff.Command
	if o.Change == nil {
		actionCommand(t, &c, o, e, source, k)
	} else {
		v, why := t.operandOf(o, e, k)
		if why != reason.None || !numberCommand(&c, o, e, source, v) {
			emitBadNumber(t, s, e, reason.BadValue)
			return
		}
	}
	issueAction(t, s, o, e, source, &c)
}

// actionCommand sets c to the command of an action without a number.
func actionCommand(t *Turn, c *buff.Command, o *compile.Op, e *buff.Event, source buff.OwnerID, k *magnitudes) {
	switch o.Do {
	case define.DoApply:
		*c = buff.Command{Verb: verb.Apply, Application: buff.Application{
			Spec: &t.compiled().Newest(o.Spec).Spec, Source: source, Magnitude: e.Magnitude, Level: int(e.Level), Captured: t.inherit(k.captured), Origin: buff.Origin{Share: t.shareOf(e), Backdate: t.backdateOf(e)},
		}}
	case define.DoRemove:
		*c = onBuffs(o, verb.RemoveSpec, source)
	case define.DoUse:
		*c = onBuffs(o, verb.ConsumeCharges, source)
	case define.DoDispel:
		*c = onBuffs(o, verb.Dispel, source)
		c.Query.Stacks = o.Stacks
	case define.DoRevive:
		*c = buff.Command{Verb: verb.Revive}
	case define.DoKill:
		*c = buff.Command{Verb: verb.Kill, Application: buff.Application{Spec: e.Spec, Source: source}}
	}
}

// onBuffs returns a command for the buffs that an action selects: see [Owner.named].
func onBuffs(o *compile.Op, v verb.Verb, source buff.OwnerID) buff.Command {
	c := buff.Command{Verb: v, Stacks: o.Stacks, Reason: o.Reason, Application: buff.Application{Source: source, Origin: buff.Origin{Selects: true}}}
	switch q := o.Query; {
	case q == nil:
		c.Application.Spec = &o.Spec.Spec
	default:
		c.Query = buff.Query{
			Spec: q.Spec.Definition(), Type: q.Type, Tag: q.Tag, Polarity: q.Polarity, Neutral: q.Neutral, Grade: q.Grade, Most: q.Most, Newest: q.Newest,
		}
	}
	if o.FromSource {
		c.Query.Source = source
	}
	return c
}

// numberCommand sets c to the command of an action with the number v. It reports false if the
// number is out of range.
func numberCommand(c *buff.Command, o *compile.Op, e *buff.Event, source buff.OwnerID, v float64) bool {
	do := verb.AddBase
	switch o.Do {
	case define.DoExtend:
		*c = onBuffs(o, verb.Extend, source)
		c.By = milliseconds(v, -define.MaxDuration)
		if o.AtMost != 0 {
			c.Application.Duration = buff.Lasting(o.AtMost)
		}
		return true
	case define.DoRate:
		hundredths := compile.RoundHalfUp(min(max(v*100, 0), rateParts*10+1))
		*c = onBuffs(o, verb.SetRate, source)
		c.Whose, c.Rate = define.OfBuff, buff.Ratio{Num: uint32(hundredths), Den: rateParts}
		return hundredths > 0 && hundredths <= rateParts*10
	case define.DoDamage:
		do = verb.Damage
	}
	*c = buff.Command{Verb: do, Attr: o.Change.Attr, Value: v, Tag: o.Change.School, Application: buff.Application{Spec: e.Spec, Source: source}}
	return true
}

// rateParts is the denominator of the rates that actions set.
const rateParts = 100

// milliseconds returns seconds rounded half up to milliseconds, within the given minimum and just
// above the maximum duration.
func milliseconds(seconds float64, least time.Duration) time.Duration {
	most := float64(define.MaxDuration/time.Millisecond) + 1
	return time.Duration(compile.RoundHalfUp(min(max(seconds*1000, float64(least/time.Millisecond)), most))) * time.Millisecond
}

// issueAction issues the command of an action, or sends it to another owner. A missing target is
// reported as a Missed. Only attributes captured with SnapshotCast are sent; the engine reads the
// others when it delivers the command.
func issueAction(t *Turn, s *Owner, o *compile.Op, e *buff.Event, source buff.OwnerID, c *buff.Command) {
	to := s.id
	switch o.To {
	case define.ToSource:
		to = source
	case define.ToTarget:
		to = e.Target
	}
	if to == s.id && o.To != define.ToBearers {
		t.Issue(s, c)
		return
	}
	cause := Cause{Spec: e.Spec, Source: e.Source, Handle: e.Handle, action: o}
	if o.To == define.ToBearers {
		to = 0 // the engine finds them
	} else if to == 0 { // the source is the game, which is not an owner
		emitMissed(t, s, to, &cause)
		return
	}
	c.Owner, c.Application.Captured, c.Application.Origin.Backdate, c.Application.Origin.Quiet = to, ofCast(c.Application.Captured), buff.Backdate{}, t.quiet
	t.Outbox = append(t.Outbox, Outgoing{At: t.at, From: s.id, To: to, Command: *c, Cause: cause})
}

// operandOf returns the number of an action in response to the event e.
func (t *Turn) operandOf(o *compile.Op, e *buff.Event, k *magnitudes) (float64, reason.Reason) {
	share := t.shareOf(e)
	v, ok := t.numberOf(compile.Of(e.Spec), o.Change, k, countedStacks(e, &share))
	if o.Partial() {
		v = scale(&share, v)
	}
	if !ok || !compile.Finite(v) {
		return 0, reason.BadValue
	}
	return v, reason.None
}

// countedStacks returns the number of stacks that an action in response to the event e counts.
func countedStacks(e *buff.Event, share *buff.Share) int32 {
	switch e.Kind {
	case buff.Denied:
		return compile.Of(e.Spec).Limit // the event of an overflow, at the stack limit
	case buff.Executed:
		return instantStacks(share)
	case buff.Reacted, buff.Died, buff.Removed:
		return int32(compile.Of(e.Spec).Counted(int16(e.Stacks)))
	}
	return e.Stacks
}

// emitBadNumber reports that a number of an action has no value. The action is skipped.
func emitBadNumber(t *Turn, s *Owner, of *buff.Event, why reason.Reason) {
	e := buff.Event{Kind: buff.Faulted, Why: why, Spec: of.Spec, Source: of.Source, Handle: of.Handle, Magnitude: of.Magnitude, End: wheel.Never}
	if why == reason.NoParam {
		e.Name = t.evaluated.missing
	}
	t.emit(s, &e)
}

// The condition of an action, and a number with SnapshotRun, are evaluated when the action runs:
// they read the values that earlier actions of the list have set. An action on another owner
// evaluates them when its list starts.
//
// Examples: testdata/stat/run.txt, stat/run_apply.txt, save/each_magnitude.txt.

// lateAction holds the inputs for the condition and the numbers of a queued action.
type lateAction struct {
	op        *compile.Op
	of        buff.Event // the event of the list, for a fault
	handle    buff.Handle
	amount    float64 // of the act or the overflow
	source    buff.OwnerID
	captured  []buff.Captured
	share     buff.Share
	stacks    int32
	magnitude int64      // magnitude of the buff or the application
	values    [4]float64 // of the operands
	view      buffView   // last values of the buff, if the action reads them
}

// queueLate queues an action that has a condition, or numbers that its command does not have yet.
func queueLate(t *Turn, s *Owner, o *compile.Op, e *buff.Event, source buff.OwnerID, k *magnitudes) {
	l := lateAction{op: o, of: *e, source: source, captured: t.inherit(k.captured), share: t.shareOf(e), magnitude: e.Magnitude, handle: e.Handle}
	switch e.Kind {
	case buff.Reacted:
		l.amount = float64(e.Magnitude)
	case buff.Denied:
		l.handle, l.amount = t.overflowing, float64(t.over)
	}
	l.stacks = countedStacks(e, &l.share)
	switch e.Kind {
	case buff.Pulsed, buff.Removed, buff.Reacted, buff.Died:
		if i := s.lookup(e.Handle); i.exists() {
			l.magnitude = i.magnitude
		} else if e.Kind == buff.Pulsed {
			l.magnitude = t.endedView.magnitude
		}
	}
	for j, c := range l.operands() {
		if c == nil || c.Run != nil {
			continue
		}
		v, ok := t.numberOf(compile.Of(e.Spec), c, k, l.stacks)
		if v = l.scaled(v); !ok || !compile.Finite(v) {
			emitBadNumber(t, s, e, reason.BadValue)
			return
		}
		l.values[j] = v
	}
	if o.ReadsBuff && !l.look(t, s) {
		l.view = t.endedView
	}
	var c buff.Command
	if o.Change != nil && !o.SetsVar() {
		numberCommand(&c, o, e, source, 0)
	} else if o.Do != define.DoCall && !o.SetsVar() {
		actionCommand(t, &c, o, e, source, k)
	}
	own := o.To == define.ToOwner || o.To == define.ToSource && source == s.id || o.To == define.ToTarget && e.Target == s.id
	if (!own || o.Do == define.DoCall && !t.inside) && !l.prepare(t, s, &c) {
		return
	}
	queued := len(t.items)
	if o.Do == define.DoCall {
		queueCall(t, s, e, nil, o.Handler, 0)
	} else {
		issueAction(t, s, o, e, source, &c)
	}
	if own && len(t.items) > queued {
		t.late = append(t.late, l)
		t.items[queued].late = int32(len(t.late))
	}
}

// operands returns the numbers of the action.
func (l *lateAction) operands() [4]*compile.Change {
	if l.op.With != nil {
		return *l.op.With
	}
	return [4]*compile.Change{l.op.Change}
}

// scaled returns the number of a change for its part of a period. Other numbers have no part.
func (l *lateAction) scaled(v float64) float64 {
	if !l.op.Partial() {
		return v
	}
	return scale(&l.share, v)
}

// prepare evaluates the condition of an action, and completes its command. It returns false if the
// action must not run.
func (l *lateAction) prepare(t *Turn, s *Owner, c *buff.Command) bool {
	if !l.allowed(t, s) {
		return false
	}
	for j, o := range l.operands() {
		if o == nil || o.Run == nil {
			continue
		}
		v, why := l.evaluate(t, s, o.Run)
		if o.PerStack {
			v = float64(v * float64(l.stacks))
		}
		if v = l.scaled(v); why == reason.None && !compile.Finite(v) {
			why = reason.BadValue
		}
		if why != reason.None {
			emitBadNumber(t, s, &l.of, why)
			return false
		}
		l.values[j] = v
	}
	switch {
	case l.op.ChangesAttribute():
		c.Value = l.values[0]
	case l.op.SetsVar():
	case l.op.Change != nil && !numberCommand(c, l.op, &l.of, l.source, l.values[0]):
		emitBadNumber(t, s, &l.of, reason.BadValue)
		return false
	case l.op.With != nil && !l.complete(&c.Application):
		e := l.of
		e.Spec, e.Handle = &l.op.Spec.Spec, 0
		emitBadNumber(t, s, &e, reason.BadValue)
		return false
	}
	return true
}

// complete sets the numbers of an application. It reports false if one is out of range.
func (l *lateAction) complete(a *buff.Application) bool {
	for j, o := range *l.op.With {
		v := l.values[j]
		whole := math.Floor(v)
		if v-whole >= 0.5 {
			whole++
		}
		switch {
		case o == nil:
		case j == 0 && math.Abs(whole) <= 1<<53:
			a.Magnitude = int64(whole)
		case j == 1:
			a.Duration = buff.Lasting(milliseconds(v, -time.Millisecond))
		case j == 2 && whole >= 1 && whole <= define.MaxStacks:
			a.Stacks = int(whole)
		case j == 3 && whole >= 0 && whole <= define.MaxLevel:
			a.Level = int(whole)
		default:
			return false
		}
	}
	return true
}

// allowed reports whether the condition holds: first the number, then the tags.
func (l *lateAction) allowed(t *Turn, s *Owner) bool {
	if l.op.If != nil {
		v, why := l.evaluate(t, s, l.op.If)
		if why != reason.None {
			emitBadNumber(t, s, &l.of, why)
			return false
		}
		if v == 0 {
			return false
		}
	}
	return l.op.Tags.Empty() || holds(&l.op.Tags, s.gates().ownerTags())
}

func (l *lateAction) evaluate(t *Turn, s *Owner, n *compile.Number) (float64, reason.Reason) {
	if l.op.ReadsBuff {
		l.look(t, s)
	}
	q := evaluator{
		view: &l.view, set: s, turn: t, spec: compile.Of(l.of.Spec), captured: l.captured, own: l.source == s.id,
		level: int(l.of.Level), stacks: l.stacks, magnitude: l.magnitude, amount: l.amount,
	}
	return q.evaluate(n)
}

// Outgoing is a command that the rules of one owner issue for another owner.
type Outgoing struct {
	At       wheel.Time // instant of the cause
	From, To buff.OwnerID
	Command  buff.Command
	Cause    Cause // zero for a steal
}

// Cause is the action of a buff that issued an [Outgoing].
type Cause struct {
	Spec   *buff.Spec // the buff's definition
	Source buff.OwnerID
	Handle buff.Handle
	Damage bool // the command does not come from an action; it reports the act "dealt" to the source of damage, which may not exist
	action *compile.Op
}

// Bearers returns the definition that the targets of the action have, or nil if the action is not for
// bearers. Outgoing.To is then 0.
func (c *Cause) Bearers() *buff.Spec {
	if c.action == nil || c.action.Of == nil {
		return nil
	}
	return &c.action.Of.Spec
}

// Borne reports whether an action of the catalog has the bearers of the definition as its target.
func Borne(s *buff.Spec) bool { return compile.Of(s).Borne }

// name returns a text for the action, such as "apply sting to target".
func (c *Cause) name() string {
	o, what := c.action, ""
	switch {
	case o.Spec != nil:
		what = " " + o.Spec.ID
	case o.ChangesAttribute():
		what = " " + compile.Of(c.Spec).Catalog.Schema.At(o.Change.Attr).Name
	}
	return o.Do.String() + what + " to " + o.To.String()
}

// emitMissed reports that the target of an action does not exist.
func emitMissed(t *Turn, s *Owner, who buff.OwnerID, c *Cause) {
	t.emit(s, &buff.Event{Kind: buff.Missed, Spec: c.Spec, Source: c.Source, Handle: c.Handle, Target: who, Name: c.name(), End: wheel.Never})
}

// Miss emits a buff.Missed at the instant `at`, because the target of an [Outgoing] does not exist.
// The instant must not be before any earlier command or event.
func (s *Owner) Miss(t *Turn, at wheel.Time, who buff.OwnerID, c *Cause) {
	t.begin(at, s.timeScale().ToInner(at), false)
	emitMissed(t, s, who, c)
}

// inherit returns the captured attributes of a buff for applications that it causes. The result is
// valid until the queue is empty.
func (t *Turn) inherit(known []buff.Captured) []buff.Captured {
	from := len(t.captured)
	t.captured = append(t.captured, known...)
	return t.captured[from:len(t.captured):len(t.captured)]
}

// shareOf returns the share for actions that an event causes. Removals, deaths and acts are never
// partial, so their actions have no share; the amount of an act is separate. Events of an
// application have the share of that application.
func (t *Turn) shareOf(e *buff.Event) buff.Share {
	switch e.Kind {
	case buff.Pulsed:
		p := buff.Share{Elapsed: e.Elapsed, Period: e.Period, Count: e.Count, Stacks: e.Stacks}
		if p.Stacks == 1 {
			p.Stacks = 0
		}
		return p
	case buff.Removed, buff.StackEnded, buff.Reacted, buff.Died:
		return buff.Share{}
	}
	return t.share
}

// scale multiplies a number by the share, without the stacks.
func scale(p *buff.Share, v float64) float64 {
	if p.Period != 0 {
		v = float64(v*float64(p.Elapsed)) / float64(p.Period)
	}
	if p.Count > 1 {
		v = float64(v * float64(p.Count))
	}
	return v
}

// instantStacks returns the number of stacks of an instant buff.
func instantStacks(p *buff.Share) int32 { return max(p.Stacks, 1) }

// Call is a Go handler to be called for an event.
type Call struct {
	Event   *buff.Event // read-only, and valid only until the handler returns; the memory is reused
	Do      any         // the function of a timeout; nil if Handler is set
	Timeout buff.TimeoutHandle
	Handler define.HandlerID
}

// waitingCall is a queued Call with its own copy of the event.
type waitingCall struct {
	Call
	event buff.Event
	quiet bool // see Turn.quiet
}

// forget clears the pointers of a call. Clearing the whole call, which takes more than three cache
// lines, would be slower.
func (c *waitingCall) forget() { c.Event, c.event.Spec, c.event.Name, c.Do = nil, nil, "", nil }

// makeCurrent makes a queued call the current one. The call must not be moved in memory until the
// handler has returned.
func (c *waitingCall) makeCurrent(t *Turn) {
	if t.current != &c.Call || c.Event != &c.event {
		c.Event, t.current = &c.event, &c.Call
	}
}

// queueCall queues the call of a handler, or defers it to the next Run.
//
// Inside a Run, the call is queued among the commands that the event causes, in the order of the
// definition's list. Inside a Do, no handler may be called, so the call is deferred. A deferred
// call is stored in the Owner, because the Turn serves other Owners before this Owner runs again.
func queueCall(t *Turn, s *Owner, of *buff.Event, do any, h define.HandlerID, timeout buff.TimeoutHandle) {
	to := &t.calls
	if t.inside {
		t.items = append(t.items, item{at: int32(len(t.calls)), round: t.round, call: true, quiet: t.quiet})
	} else {
		b := s.ensureRare()
		to = &b.calls
		b.pendingCalls++
	}
	n := len(*to)
	if n == cap(*to) {
		*to = append(*to, waitingCall{})
	}
	*to = (*to)[:n+1]
	c := &(*to)[n] // filled in place, because it is large
	c.event, c.Do, c.Handler, c.Timeout, c.quiet = *of, do, h, timeout, t.quiet
}

// callDeferred calls the first deferred handler.
//
// The handler is called at the start of a Run, but at the instant of its cause, which may be before
// the frame. So the handler sees the time at which it would have run without the delay. Example:
// testdata/put_off.txt.
func callDeferred(t *Turn, s *Owner) {
	b := s.rare
	t.deferred = b.calls[len(b.calls)-int(b.pendingCalls)]
	t.deferred.makeCurrent(t)
	if b.pendingCalls--; b.pendingCalls == 0 {
		b.clearCalls()
	}
	t.begin(t.current.Event.At, s.timeScale().ToInner(t.current.Event.At), true)
	t.quiet = t.deferred.quiet
	call(t, s)
}

// clearCalls releases the references of the deferred calls.
func (b *rareState) clearCalls() {
	clear(b.calls)
	b.calls = b.calls[:0]
}

// call calls the current handler, unless its buff has ended.
//
// Example: testdata/removed_is_silent.txt.
func call(t *Turn, s *Owner) {
	if t.Call == nil {
		return
	}
	e := t.current.Event
	if e.Handle != 0 && e.Kind != buff.Removed && e.Kind != buff.Reacted && e.Kind != buff.Died && !s.isLive(e.Handle) {
		t.Dropped++ // after the end of a buff, only handlers for its removal, a death or a reaction are called
		return
	}
	e.Seen = t.Now
	callNow(t, s)
}

// callNow calls the current handler.
func callNow(t *Turn, s *Owner) {
	t.calling = true
	why := t.Call(t, t.current)
	t.calling = false
	if why != reason.None {
		fault(t, s, why)
	}
}

// callPulse calls the handler for the pulse just emitted.
func callPulse(t *Turn, s *Owner, handler define.HandlerID) {
	if t.Call == nil {
		return
	}
	c := &t.pulseCall
	c.Handler = handler
	c.makeCurrent(t)
	callNow(t, s)
}

// fault reports that the current handler failed, and ends the buff of the handler if its OnFault is
// define.FateRemove.
//
// The Faulted names the buff, the source and the instant of the handler's event. Example:
// testdata/faults.txt.
func fault(t *Turn, s *Owner, why reason.Reason) {
	e := *t.current.Event
	e.Kind, e.Why, e.End, e.Period, e.Elapsed, e.Count = buff.Faulted, why, wheel.Never, 0, 0, 0
	t.emit(s, &e)
	if e.Spec != nil && e.Spec.OnFault == define.FateRemove && s.isLive(e.Handle) {
		end(t, s.slot(handle.Slot(e.Handle)), reason.Fault)
		evaluateConditions(t, s)
	}
}

// Abort informs the Owner that the handler it called will not return, because it called
// runtime.Goexit. [Owner.Run] may then be called again.
func (s *Owner) Abort(t *Turn) {
	if t.calling {
		t.calling = false
		fault(t, s, reason.Goexit)
	}
}
