package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/stretchr/testify/require"
)

// sim is a world with random calls and random handlers from one seed. Two sims with the same plan
// do the same, in whatever mode they run.
type sim struct {
	tb       testing.TB
	plan     plan
	eng      *engine.Engine
	specs    []*buff.Spec // the first version of each definition
	catalog  *buff.Catalog
	dice     *rand.Rand
	handles  []buff.Handle        // known to the loop
	timeouts []buff.TimeoutHandle // known to the loop
	first    []buff.Handle        // known to handlers; they do not change
	blocked  func(*player)        // if not nil, called in each handler

	overlaps atomic.Int64 // number of times that two handlers of one owner ran at the same time

	blobs map[buff.OwnerID][]byte // of absent owners

	last  map[buff.OwnerID]uint64 // by owner: number of the last event
	begun map[buff.OwnerID]int    // by owner: number of Spawns without a blob since the last event

	frames []string                  // the log of frames
	events map[buff.OwnerID][]string // the log of each owner, without Seen

	keep         func(buff.Event) // if not nil, gets every event
	onlooker     *onlooker        // if not nil, reads the changes after each Tick
	busy, behind int              // Ticks after which an owner was busy, or time was carried
	stats        view.Stats       // at the end
	owed         int
	wrong        string
}

// plan says what a sim does.
type plan struct {
	seed   uint64
	owners int
	steps  int
	outbox bool // commands of handlers for other owners
	inbox  bool // commands by the inbox
	churn  bool // owners are spawned and removed, some with a blob
	shared bool // buffs that depend on other owners' buffs, and areas
	stats  bool // attributes are changed, and read from the source
	reload bool // definitions are reloaded from time to time
	goexit bool // handlers end their goroutines; not with Synchronous
	firm   bool // commands of the loop do not depend on earlier results
}

func (p plan) String() string { return fmt.Sprintf("seed %d", p.seed) }

// player is an owner's data. Its random source is only used in its handlers, so that its results
// depend only on their order.
type player struct {
	id    buff.OwnerID
	dice  *rand.Rand
	block *rand.Rand
	calls []string
	inner atomic.Bool // a handler is running
}

var simSpecs = []buff.Spec{
	{ID: "venom", Duration: 3 * time.Second, Period: 500 * time.Millisecond, Stack: define.Stacking{By: define.BySource, Limit: 3}, On: define.Hooks{Pulse: call("act"), Apply: call("act")}},
	{ID: "renew", Duration: 2500 * time.Millisecond, Period: 700 * time.Millisecond, First: define.FirstStart, Tail: define.TailPartial, On: define.Hooks{Pulse: call("act"), RemoveAny: call("act")}},
	{ID: "shield", Duration: 1200 * time.Millisecond, OnFault: define.FateRemove, Stack: define.Stacking{By: define.ByTarget, Refresh: define.RefreshExtend}, On: define.Hooks{Refresh: call("act")}},
	{ID: "rage", Duration: 5 * time.Second, Period: 50 * time.Millisecond, OnDeath: define.FateKeep, Stack: define.Stacking{By: define.ByTarget, Limit: 4, Expire: define.ExpireOne, Phase: define.PhaseReset}},
	{ID: "hit", Kind: define.Instant, On: define.Hooks{Exec: []define.Action{{Do: define.DoCall, Name: "act"}, {Do: define.DoApply, Name: "shield"}}}},
	{ID: "oath", Kind: define.Infinite, OnFault: define.FateRemove, Stack: define.Stacking{By: define.ByTarget}, On: define.Hooks{Apply: []define.Action{{Do: define.DoRemove, Name: "rage"}}, RemoveAny: call("act")}},
}

// sharedSpecs are the additional definitions of a plan with shared.
var sharedSpecs = []buff.Spec{
	{ID: "mark", Duration: 4 * time.Second, PerSource: define.PerSource{Limit: 2}, On: define.Hooks{RemoveAny: call("act")}},
	{ID: "pet", Kind: define.Infinite, OnSourceGone: define.FateAdopt, PerSource: define.PerSource{Limit: 3}},
	{ID: "curse", Duration: 6 * time.Second, OnSourceGone: define.FateRemove, Stack: define.Stacking{By: define.BySource}},
	{ID: "charm", Duration: 2 * time.Second, OnSourceGone: define.FateRemove, PerSource: define.PerSource{Limit: 1}, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue}},
	{ID: "torch", Duration: 3 * time.Second, Aura: define.Aura{Apply: "light", Radius: 1, Interval: 500 * time.Millisecond, Linger: 300 * time.Millisecond}},
	{ID: "lamp", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget}, Aura: define.Aura{Apply: "light", Radius: 3, Interval: 700 * time.Millisecond}},
	{ID: "light", Kind: define.Infinite, Period: 400 * time.Millisecond},
}

// near lists the members of an aura of a sim, which depend only on the time of the search.
func near(q engine.AuraQuery, found func(buff.OwnerID)) {
	for id := range buff.OwnerID(30) {
		if (uint64(id)+uint64(q.Bearer)*7+uint64(q.Due/1000))%16 < uint64(q.Buff.Spec.Aura.Radius) {
			found(id)
		}
	}
}

// newSim makes the world and its first buffs.
func newSim(tb testing.TB, p plan, o engine.Options, pool ...actor.Pool) *sim {
	tb.Helper()
	s := &sim{
		tb: tb, plan: p, dice: rand.New(rand.NewPCG(p.seed, 1)),
		events: map[buff.OwnerID][]string{}, blobs: map[buff.OwnerID][]byte{},
		last: map[buff.OwnerID]uint64{}, begun: map[buff.OwnerID]int{},
	}
	specs := simSpecs
	if p.shared {
		specs = append(slices.Clone(specs), sharedSpecs...)
		o.Members = near
	}
	o.Catalog = catalogOf(tb, specs...)
	if p.stats {
		o.Catalog = statsOf(tb, append(slices.Clone(specs), statSpecs...)...)
	}
	o.Handlers = engine.Handlers{"act": s.act}
	o.Number = 1 // because logs with handles are compared
	s.catalog = o.Catalog
	for spec := range o.Catalog.All() {
		s.specs = append(s.specs, spec)
	}
	start := engine.New
	if len(pool) > 0 {
		start = func(o engine.Options) (*engine.Engine, error) { return engine.NewOn(o, pool[0]) }
	}
	e, err := start(o)
	require.NoError(tb, err)
	s.eng = e
	for i := range p.owners {
		s.spawn(buff.OwnerID(i + 1))
	}
	for i := range 3 * p.owners {
		r := e.AddBuff(buff.OwnerID(i%p.owners+1), s.application(s.dice))
		h := r.Handle
		require.NoError(tb, r.Failure, "%v", p)
		if h != 0 {
			s.handles = append(s.handles, h)
		}
		t, err := e.AddTimeout(buff.OwnerID(i%p.owners+1), s.span(s.dice), s.ring)
		require.NoError(tb, err)
		s.timeouts = append(s.timeouts, t)
	}
	s.first = slices.Clone(s.handles[:3])
	return s
}

func (s *sim) spawn(id buff.OwnerID) {
	require.NoError(s.tb, s.eng.Spawn(id, s.player(id)))
	s.begun[id]++
}

func (s *sim) player(id buff.OwnerID) *player {
	return &player{
		id:    id,
		dice:  rand.New(rand.NewPCG(s.plan.seed, 100+uint64(id))),
		block: rand.New(rand.NewPCG(s.plan.seed, 1<<40+uint64(id))),
	}
}

// turn removes an owner, with or without a blob, or spawns it again.
func (s *sim) turn(id buff.OwnerID) {
	blob, kept := s.blobs[id]
	switch e := s.eng; {
	case e.Data(id) == nil && kept:
		delete(s.blobs, id)
		r, err := e.Restore(id, s.player(id), blob)
		require.NoError(s.tb, err)
		s.frames = append(s.frames, fmt.Sprintf("%d: back with %+v", id, r))
	case e.Data(id) == nil:
		s.spawn(id)
	case s.dice.IntN(2) == 0:
		require.NoError(s.tb, e.Drop(id))
	default:
		blob, err := e.Despawn(id)
		if err != nil {
			require.ErrorIs(s.tb, err, engine.ErrBusy)
			return
		}
		s.blobs[id] = blob
		s.frames = append(s.frames, fmt.Sprintf("%d: left with %x", id, blob))
	}
}

// area moves an owner to another area, or changes the time of an area.
func (s *sim) area(id buff.OwnerID) {
	e, n := s.eng, uint32(s.dice.IntN(4))
	switch s.dice.IntN(6) {
	case 0:
		require.NoError(s.tb, e.Do(buff.PauseArea(n)).Failure)
	case 1, 2:
		require.NoError(s.tb, e.Do(buff.ResumeArea(n)).Failure)
	case 3:
		require.NoError(s.tb, e.Do(buff.SetAreaRate(n, buff.Ratio{Num: 1 + uint32(s.dice.IntN(3)), Den: 2})).Failure)
	default:
		if e.Data(id) != nil {
			require.NoError(s.tb, e.Do(buff.SetArea(id, n)).Failure)
		}
	}
}

func (s *sim) application(dice *rand.Rand) buff.Application {
	a := buff.Application{
		Spec: s.specs[dice.IntN(len(s.specs))], Source: buff.OwnerID(dice.IntN(3)),
		Stacks: dice.IntN(3), Magnitude: dice.Int64N(5),
	}
	if a.Spec.Kind != define.Instant && dice.IntN(3) == 0 {
		a.Duration = buff.Lasting(time.Duration(1+dice.IntN(4000)) * time.Millisecond)
	}
	return a
}

func (s *sim) span(dice *rand.Rand) time.Duration {
	return time.Duration(dice.IntN(3000)-100) * time.Millisecond
}

// run executes the plan. The function cut divides a span of time into Ticks.
func (s *sim) run(cut func(time.Duration) []time.Duration) {
	for range s.plan.steps {
		if s.plan.reload && s.dice.IntN(8) == 0 {
			s.reload()
		}
		for range s.dice.IntN(s.plan.owners/4 + 3) {
			s.verb()
		}
		d := time.Duration(1+s.dice.IntN(1500)) * time.Millisecond
		for _, dt := range cut(d) {
			s.tick(dt)
		}
	}
}

func whole(d time.Duration) []time.Duration { return []time.Duration{d} }

// every returns a function that divides a span into Ticks of the given length, and one for the
// rest.
func every(length time.Duration) func(time.Duration) []time.Duration {
	return func(d time.Duration) (out []time.Duration) {
		for ; d > length; d -= length {
			out = append(out, length)
		}
		return append(out, d)
	}
}

func (s *sim) tick(dt time.Duration) {
	f := s.eng.Tick(dt)
	for e := range f.Events() {
		if s.keep != nil {
			s.keep(e)
		}
		s.number(&e)
		text := fmt.Sprintf("%s %v src=%d mag=%d seq=%d", e, e.Handle, e.Source, e.Magnitude, e.Seq)
		s.events[e.Owner] = append(s.events[e.Owner], text)
		s.frames = append(s.frames, fmt.Sprintf("%d: %s seen=%d", e.Owner, text, e.Seen))
	}
	s.frames = append(s.frames, fmt.Sprintf("frame %d at %d", f.Number, f.Now))
	if s.onlooker != nil {
		s.onlooker.look(s.tb, s.plan.owners)
	}
	if f.Behind > 0 || f.Lost > 0 {
		s.behind++
	}
	if s.eng.Stats().Busy > 0 {
		s.busy++
	} else {
		require.Empty(s.tb, engine.CheckCrossIndex(s.eng), "%v: at %d", s.plan, f.Now)
		require.Empty(s.tb, engine.CheckSpecCounters(s.eng), "%v: at %d", s.plan, f.Now)
	}
}

// number checks that the events of an owner are numbered from 1, without a gap, even across blobs.
func (s *sim) number(e *buff.Event) {
	if e.Seq == 0 {
		comesOrGoes := e.Kind == buff.Restored || e.Kind == buff.Removed && e.Why == reason.Unload
		require.True(s.tb, comesOrGoes || e.Kind == buff.Faulted && e.Why == reason.Cascade, "%v: %d: %v", s.plan, e.Owner, e)
		return
	}
	if s.blocked != nil { // events of a busy owner may follow its removal
		return
	}
	if s.last[e.Owner]++; e.Seq == 1 && s.begun[e.Owner] > 0 {
		s.begun[e.Owner]--
		s.last[e.Owner] = 1
	}
	require.Equal(s.tb, s.last[e.Owner], e.Seq, "%v: %d: %v", s.plan, e.Owner, e)
}

// finish closes the engine and adds the calls of the handlers to the logs.
func (s *sim) finish() *sim {
	for id := range buff.OwnerID(s.plan.owners + 1) {
		p, ok := s.eng.Data(id).(*player)
		if ok {
			s.events[id] = append(s.events[id], p.calls...)
			s.frames = append(s.frames, p.calls...)
		}
	}
	shut(s.tb, s.eng)
	require.Zero(s.tb, s.overlaps.Load(), "two handlers of one owner at once")
	return s
}

// verb makes one random call on the loop or by the Inbox.
func (s *sim) verb() {
	d, e := s.dice, s.eng
	id := buff.OwnerID(1 + d.IntN(s.plan.owners))
	handle := s.handles[d.IntN(len(s.handles))]
	if s.plan.inbox && d.IntN(4) == 0 {
		s.post(id, handle)
		return
	}
	if s.plan.shared && d.IntN(8) == 0 {
		s.area(id)
		return
	}
	if s.plan.stats && d.IntN(4) == 0 {
		s.changeStats(id)
		return
	}
	switch d.IntN(12) {
	case 0:
		e.Remove(handle)
	case 1:
		e.Do(buff.RemoveStacks(handle, 1, reason.Dispelled))
	case 2:
		e.Do(buff.Extend(handle, s.span(d)))
	case 3:
		e.Cancel(s.timeouts[d.IntN(len(s.timeouts))])
	case 4:
		e.Do(buff.Kill(id))
	case 5, 6:
		delay := s.span(d)
		t, err := e.AddTimeout(id, delay, s.ring)
		if err == nil && !s.plan.firm {
			s.timeouts = append(s.timeouts, t)
		}
	case 7:
		if d.IntN(10) == 0 {
			if err := e.Do(buff.LoseSource(buff.OwnerID(d.IntN(3)))).Failure; err != nil {
				require.ErrorIs(s.tb, err, engine.ErrOverloaded)
			}
		}
	case 8:
		if s.plan.churn {
			s.turn(id)
		}
	default:
		h := e.AddBuff(id, s.application(d)).Handle
		if h != 0 && !s.plan.firm {
			s.handles = append(s.handles, h)
		}
	}
}

func (s *sim) post(id buff.OwnerID, handle buff.Handle) {
	in, err := s.eng.Inbox(), error(nil)
	switch s.dice.IntN(4) {
	case 0:
		err = in.AddBuff(id, s.application(s.dice))
	case 1:
		err = in.AddTimeout(id, s.span(s.dice), s.ring)
	case 2:
		err = in.Remove(handle)
	default:
		err = in.Do(buff.Extend(handle, s.span(s.dice)))
	}
	switch {
	case s.plan.reload && errors.Is(err, engine.ErrRemoved):
	case err != nil:
		require.ErrorIs(s.tb, err, engine.ErrInboxFull)
	}
}

// ring is the function of every timeout.
func (s *sim) ring(c *engine.Context) { s.act(c, buff.Event{}) }

// act is the handler of everything. It issues a random command.
func (s *sim) act(c *engine.Context, e buff.Event) {
	p := c.Data().(*player)
	if !p.inner.CompareAndSwap(false, true) || p.id != c.Owner() {
		s.overlaps.Add(1)
	}
	defer p.inner.Store(false)
	carried := 0
	for range c.Buffs() {
		carried++
	}
	p.calls = append(p.calls, fmt.Sprintf("%d: call %d for %s of %d", p.id, c.Now(), strings.TrimSpace(text(e)), carried))
	if s.blocked != nil {
		s.blocked(p)
	}
	s.ask(c, p)
	switch n := p.dice.IntN(40); {
	case n == 0:
		panic("a random fault")
	case n == 1 && s.plan.goexit:
		runtime.Goexit()
	}
}

func text(e buff.Event) string {
	if e.Kind == 0 {
		return "a timeout"
	}
	return e.String()
}

// ask issues a random command. A handler starts only about as many buffs as end, because otherwise
// the world would grow without limit.
func (s *sim) ask(c *engine.Context, p *player) {
	to := p.id
	if s.plan.outbox && p.dice.IntN(2) == 0 {
		to = buff.OwnerID(p.dice.IntN(s.plan.owners + 2))
	}
	handle := s.first[p.dice.IntN(len(s.first))]
	for b := range c.Buffs() {
		if p.dice.IntN(3) == 0 {
			handle = b.Handle
		}
	}
	if handle.Number() != uint32(p.id-1) && !s.plan.outbox {
		handle = 0
	}
	if s.plan.stats && p.dice.IntN(3) == 0 {
		s.askStats(c, p, to)
		return
	}
	switch p.dice.IntN(14) {
	case 0, 1:
		c.AddBuff(to, s.application(p.dice))
	case 2:
		c.AddTimeout(to, s.span(p.dice), s.ring)
	case 3:
		c.Do(buff.Extend(handle, s.span(p.dice)))
	case 4:
		c.Do(buff.RemoveStacks(handle, p.dice.IntN(2), reason.Consumed))
	case 5:
		c.Remove(handle)
	case 6:
		if p.dice.IntN(4) == 0 {
			c.Do(buff.Kill(to))
		}
	}
}
