package buff_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/bufftick/bufftick/buff"
)

// dice makes the choices of a random script: from a seed, or from the bytes of a
// fuzzer, which gives zeros when they are used up.
type dice struct {
	rng   *rand.Rand
	bytes []byte
}

func seeded(seed uint64) *dice { return &dice{rng: rand.New(rand.NewPCG(seed, 1))} }

// n returns a number from 0 to k-1.
func (d *dice) n(k int) int {
	switch {
	case d.rng != nil:
		return d.rng.IntN(k)
	case len(d.bytes) == 0:
		return 0
	}
	b := d.bytes[0]
	d.bytes = d.bytes[1:]
	return int(b) % k
}

// one reports true once in k times.
func (d *dice) one(k int) bool { return d.n(k) == k-1 }

func pick[T any](d *dice, list ...T) T { return list[d.n(len(list))] }

// op is a command in the words of a script: instances and timeouts are named by
// their number, counted from 1 in the order in which they came to be.
type op struct {
	verb      buff.Verb
	spec      *buff.Spec
	source    buff.OwnerID
	stacks    int
	given     bool // duration is
	duration  time.Duration
	magnitude int64
	number    int // of an instance or a timeout, 0 for none
	by        time.Duration
	reason    buff.Reason
	name      string
	handler   buff.HandlerID
}

func (o op) String() string {
	return fmt.Sprintf("verb %d spec %v source %d stacks %d duration %v %v magnitude %d number %d by %v reason %v name %q handler %d",
		o.verb, o.spec, o.source, o.stacks, o.given, o.duration, o.magnitude, o.number, o.by, o.reason, o.name, o.handler)
}

// step is an op at an instant. A step at once is done in the frame of the step
// before it: nothing runs in between.
type step struct {
	at   int64
	once bool
	op   op
}

// script is a random case: definitions and what is done with them.
type script struct {
	catalog  *buff.Catalog
	specs    []*buff.Spec
	steps    []step
	end      int64
	limit    int
	handlers uint64 // seed of what handlers do
}

const handlerNames = 3

func randomScript(d *dice) (*script, error) {
	c, err := buff.NewCatalog(randomSpecs(d)...)
	if err != nil {
		return nil, err
	}
	s := &script{catalog: c, limit: pick(d, 1, 2, 4, 8, 12, 16), handlers: uint64(d.n(256))<<8 | uint64(d.n(256))}
	for spec := range c.All() {
		s.specs = append(s.specs, spec)
	}
	at := int64(d.n(3)) * 50
	for range 4 + d.n(16) {
		delta := pick[int64](d, 0, 0, 50, 50, 100, 150, 37)
		at += delta
		s.steps = append(s.steps, step{at: at, once: delta == 0 && d.one(3), op: randomOp(d, s.specs)})
	}
	s.end = at + pick[int64](d, 0, 200, 1000)
	return s, nil
}

// randomOp leaves op.number a wild number: whoever issues the op takes it modulo
// what there is.
func randomOp(d *dice, specs []*buff.Spec) op {
	o := op{spec: specs[d.n(len(specs))], source: buff.OwnerID(1 + d.n(3)), number: d.n(64)}
	switch k := d.n(20); {
	case k < 11:
		o.verb, o.magnitude = buff.Apply, int64(d.n(10))
		o.stacks = pick(d, 0, 0, 0, 1, 2, 5, -1)
		if d.one(5) {
			o.given = true
			o.duration = pick[time.Duration](d, 50, 100, 150, 200, 400, 0, -5, 1) * time.Millisecond
		}
	case k == 11:
		o.verb, o.stacks, o.reason = buff.Remove, d.n(3), pick(d, buff.NoReason, buff.Dispelled, buff.Stolen)
	case k == 12:
		o.verb, o.stacks, o.reason = buff.RemoveSpec, d.n(2), pick(d, buff.NoReason, buff.Dispelled, buff.Replaced)
	case k < 15:
		o.verb, o.by = buff.Extend, time.Duration(d.n(9)-4)*50*time.Millisecond
	case k == 15:
		if d.one(3) {
			o.verb = buff.Kill
		} else {
			o.verb = buff.LoseSource
		}
	case k < 19:
		o.verb, o.by = buff.AddTimeout, pick[time.Duration](d, -50, 0, 50, 100, 150)*time.Millisecond
		o.name, o.handler = fmt.Sprintf("t%d", d.n(4)), buff.HandlerID(d.n(handlerNames))
	default:
		o.verb = buff.Cancel
	}
	return o
}

func randomSpecs(d *dice) []buff.Spec {
	ids := []string{"a", "b", "c", "d", "e"}[:2+d.n(4)]
	specs := make([]buff.Spec, len(ids))
	for i, id := range ids {
		s := buff.Spec{ID: id, Kind: pick(d, buff.Timed, buff.Timed, buff.Timed, buff.Timed, buff.Timed, buff.Instant, buff.Infinite)}
		s.OnDeath, s.OnSourceGone, s.OnFault = buff.Fate(d.n(3)), buff.Fate(d.n(3)), buff.Fate(d.n(3))
		if s.Kind == buff.Instant {
			s.On.Exec = randomActions(d, ids, 3)
			specs[i] = s
			continue
		}
		if s.Kind == buff.Timed {
			s.Duration = pick[time.Duration](d, 50, 100, 150, 200, 250, 300, 400, 1, 130) * time.Millisecond
		}
		if !d.one(3) {
			s.Period = pick[time.Duration](d, 50, 100, 150, 200, 60) * time.Millisecond
			s.First, s.Tail = buff.First(d.n(3)), buff.Tail(d.n(2))
			s.On.Pulse = randomActions(d, ids, 3)
		}
		s.Stack = randomStacking(d, ids, i, s.Kind)
		s.On.Apply, s.On.Refresh, s.On.Overflow = randomActions(d, ids, 7), randomActions(d, ids, 7), randomActions(d, ids, 7)
		s.On.RemoveAny = randomActions(d, ids, 7)
		if list := randomActions(d, ids, 3); len(list) > 0 {
			s.On.Remove = map[buff.Reason][]buff.Action{pick(d, buff.Expired, buff.Cancelled, buff.Death, buff.Fault, buff.Overflowed): list}
		}
		specs[i] = s
	}
	return specs
}

func randomStacking(d *dice, ids []string, self int, kind buff.Kind) buff.Stacking {
	st := buff.Stacking{By: buff.By(d.n(3)), Limit: d.n(5), Phase: buff.Phase(d.n(3)), Overflow: buff.Overflow(d.n(4))}
	if st.Limit > 0 {
		st.Initial = d.n(st.Limit + 1)
	}
	st.Refresh = pick(d, buff.RefreshRestart, buff.RefreshNone)
	if kind == buff.Timed {
		st.Refresh, st.Expire = buff.Refresh(d.n(5)), buff.Expire(d.n(2))
	}
	if st.Refresh == buff.RefreshPandemic {
		st.RefreshPct = pick(d, 0, 1, 33, 100)
	}
	if other := d.n(len(ids)); other != self && d.one(4) {
		st.OverflowApply = []string{ids[other]}
	}
	return st
}

// randomActions returns a list once in so many times.
func randomActions(d *dice, ids []string, often int) []buff.Action {
	if !d.one(often) {
		return nil
	}
	var list []buff.Action
	for {
		a := buff.Action{Name: ids[d.n(len(ids))]}
		switch k := d.n(12); {
		case k < 6:
			a.Do, a.Name = buff.DoCall, fmt.Sprintf("h%d", d.n(handlerNames))
		case k < 9:
			a.Do = buff.DoApply
		case k < 11:
			a.Do, a.Reason = buff.DoRemove, pick(d, buff.NoReason, buff.Dispelled)
		default:
			a.Do = buff.DoKill
		}
		list = append(list, a)
		if !d.one(4) {
			return list
		}
	}
}

// act is what any handler does when it is called: a few ops, and now and then it
// fails. The two sides of a comparison each have a dice with the same seed.
func act(d *dice, specs []*buff.Spec) ([]op, buff.Reason) {
	var ops []op
	for range pick(d, 0, 0, 0, 1, 1, 2) {
		ops = append(ops, randomOp(d, specs))
	}
	why := buff.NoReason
	if d.one(15) {
		why = pick(d, buff.Panic, buff.Goexit)
	}
	return ops, why
}
