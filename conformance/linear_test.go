package conformance

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

const (
	histClients, histOps = 8, 6
	histTimeouts         = 6
	histSpan             = 20 * time.Millisecond // duration of the buff in slot 0
)

// histReasons has a different reason for each client. The reason of a removal shows which client
// has removed the buff.
var histReasons = [histClients]reason.Reason{
	reason.Cancelled, reason.Dispelled, reason.Stolen, reason.Replaced, reason.Overflowed, reason.Consumed, reason.Broken, reason.Immunity,
}

// clients are goroutines that make calls on one owner concurrently.
type clients struct {
	eng      *engine.Engine
	specs    [2]*buff.Spec
	timeouts [histTimeouts]buff.TimeoutHandle
	due      [histTimeouts]wheel.Time

	clock   atomic.Int64  // counts the starts and returns of calls
	posts   chan struct{} // each element makes the loop call Tick
	waiting atomic.Int64  // number of clients that wait for the result of a query
	recent  [2]atomic.Uint64

	// The following fields are used only by the loop.
	rang    [histTimeouts]bool // also used by a worker while the owner is busy
	adds    map[int64]buff.Event
	removes map[removal]wheel.Time
}

type removal struct {
	handle buff.Handle
	why    reason.Reason
}

// pendingCall is a call whose result may not be known yet.
type pendingCall struct {
	porcupine.Operation
	slot   int
	id     int64 // identifies a call of AddBuff
	handle buff.Handle
	known  bool // Output is set
	verb   int
}

const (
	histAdd = iota
	histRemove
	histCancel
	histLook
)

// client makes the calls of one client. When a call to the Inbox returns, the place of the call in
// the order of all calls is fixed, even if the command runs later.
func (h *clients) client(n int, d *rand.Rand) (out []pendingCall) {
	in := h.eng.Inbox()
	for k := range histOps {
		a := pendingCall{slot: d.IntN(2), id: int64(1 + n*histOps + k), verb: d.IntN(4)}
		a.handle = buff.Handle(h.recent[a.slot].Load())
		a.ClientId, a.Call = n, h.clock.Add(1)
		err := error(nil)
		switch a.verb {
		case histAdd:
			err = in.AddBuff(1, buff.Application{Spec: h.specs[a.slot], Magnitude: a.id})
		case histRemove:
			err = in.Do(buff.RemoveStacks(a.handle, 0, histReasons[n]))
		case histCancel:
			a.slot = d.IntN(histTimeouts)
			err = in.Cancel(h.timeouts[a.slot])
		case histLook:
			a.Output, a.known = h.search(), true
		}
		a.Return = h.clock.Add(1)
		if err != nil {
			panic(err) // the Inbox has room for all calls
		}
		out = append(out, a)
		h.posts <- struct{}{}
	}
	return out
}

// search queries the buffs of the owner, and waits for the result.
func (h *clients) search() observed {
	answer := make(chan observed, 1)
	h.waiting.Add(1)
	defer h.waiting.Add(-1)
	err := h.eng.Inbox().AddTimeout(1, 0, func(c *engine.Context) {
		l := observed{at: c.Now()}
		for b := range c.Buffs() {
			for i, s := range h.specs {
				if b.Spec == s {
					l.held[i] = heldState{b.Handle, b.End}
				}
			}
		}
		answer <- l
	})
	if err != nil {
		panic(err)
	}
	h.posts <- struct{}{}
	return <-answer
}

func (h *clients) tick(dt time.Duration) {
	for e := range h.eng.Tick(dt).Events() {
		switch e.Kind {
		case buff.Applied, buff.Refreshed:
			h.adds[e.Magnitude] = e
			for i, s := range h.specs {
				if e.Spec == s {
					h.recent[i].Store(uint64(e.Handle))
				}
			}
		case buff.Removed:
			h.removes[removal{e.Handle, e.Why}] = e.At
		}
	}
}

// record plays a history and returns its calls with their results.
func record(t *testing.T, seed uint64) []porcupine.Operation {
	d := rand.New(rand.NewPCG(seed, 13))
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "shield", Duration: histSpan, Stack: define.Stacking{By: define.ByTarget}},
		buff.Spec{ID: "oath", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget}},
	)
	require.NoError(t, err)
	o := engine.Options{Catalog: cat, Workers: 1 + int(seed%3), Budget: -1}
	if seed%4 == 3 {
		o.Budget = 1 // makes the owner busy about half of the time
	}
	eng, err := engine.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, eng.Close(context.Background())) })
	h := &clients{
		eng: eng, specs: [2]*buff.Spec{cat.Spec("shield"), cat.Spec("oath")}, posts: make(chan struct{}, 2*histClients*histOps),
		adds: map[int64]buff.Event{}, removes: map[removal]wheel.Time{},
	}
	require.NoError(t, eng.Spawn(1, nil))
	for i := range h.timeouts {
		delay := time.Duration(1+d.IntN(60)) * time.Millisecond
		h.due[i] = wheel.Time(0).After(delay)
		h.timeouts[i], err = h.eng.AddTimeout(1, delay, func(*engine.Context) { h.rang[i] = true })
		require.NoError(t, err)
	}
	var clients sync.WaitGroup
	var calls [histClients][]pendingCall
	for n := range calls {
		clients.Go(func() { calls[n] = h.client(n, rand.New(rand.NewPCG(seed, uint64(100+n)))) })
	}
	over := make(chan struct{})
	go func() {
		clients.Wait()
		close(over)
	}()
	for playing := true; playing; {
		if h.waiting.Load() == 0 {
			select {
			case <-h.posts:
			case <-over:
				playing = false
			}
		}
		h.tick(time.Duration(1+d.IntN(3)) * time.Millisecond)
	}
	for h.eng.Stats().Busy+h.eng.Stats().Timers > 0 {
		h.tick(time.Second)
	}
	var out []porcupine.Operation
	for _, list := range calls {
		for i := range list {
			h.answer(&list[i])
			out = append(out, list[i].Operation)
		}
	}
	return out
}

// answer sets the result of a call.
func (h *clients) answer(a *pendingCall) {
	switch {
	case a.known:
	case a.verb == histAdd:
		e := h.adds[a.id]
		a.Output = added{a.slot, e.Kind, e.Handle, e.At, e.End}
	case a.verb == histRemove:
		key := removal{a.handle, histReasons[a.ClientId]}
		at, done := h.removes[key]
		delete(h.removes, key) // if a client makes this call twice, the first call has removed the buff
		a.Output = removed{a.slot, a.handle, done, at}
	default:
		a.Output = cancelled{a.slot, h.due[a.slot], h.rang[a.slot]}
	}
}

// TestP13_Linearizable is model test M8. It checks that the calls and queries that goroutines make
// on an owner through the Inbox are linearizable: the results are as if the calls ran one after the
// other, each at an instant between its start and its return.
func TestP13_Linearizable(t *testing.T) {
	n := long.Times(20)
	calls, late := 0, 0
	for seed := long.Seed(); seed < long.Seed()+uint64(n); seed++ {
		ops := record(t, seed)
		calls += len(ops)
		for _, op := range ops {
			if r, ok := op.Output.(removed); ok && !r.done {
				late++
			}
		}
		if !porcupine.CheckOperations(histModel, ops) {
			for _, op := range ops {
				t.Logf("%d to %d, client %d: %s", op.Call, op.Return, op.ClientId, histModel.DescribeOperation(op.Input, op.Output))
			}
			require.FailNow(t, "not linearizable", "go -C conformance test . -run TestP13_Linearizable -seed %d", seed)
		}
	}
	t.Logf("%d histories, %d calls, %d late", n, calls, late)
	require.NotZero(t, late)
}

// TestHistoryModel checks that the model rejects impossible results.
func TestHistoryModel(t *testing.T) {
	const h, g = buff.Handle(1), buff.Handle(2)
	end := wheel.Time(0).After(histSpan)
	add := added{0, buff.Applied, h, 0, end}
	for what, bad := range map[string][]claim{
		"a buff that is new twice":              {add, added{0, buff.Applied, g, 1, end + 1}},
		"a refresh of nothing":                  {added{0, buff.Refreshed, h, 0, end}},
		"a refresh after the end":               {add, added{0, buff.Refreshed, h, end, 2 * end}},
		"a look after the end":                  {add, observed{end, [2]heldState{{h, end}}}},
		"a look that misses a buff":             {add, observed{1, [2]heldState{}}},
		"a look at a removed buff":              {add, removed{0, h, true, 1}, observed{2, [2]heldState{{h, end}}}},
		"two removes of one buff":               {add, removed{0, h, true, 1}, removed{0, h, true, 1}},
		"a remove that is too late before":      {add, removed{0, h, false, 0}, observed{2, [2]heldState{{h, end}}}},
		"a ring after its cancel":               {cancelled{0, 5, false}, cancelled{0, 5, true}},
		"a cancel in time that did not help":    {cancelled{0, 5, true}, observed{4, [2]heldState{}}},
		"a cancel that is too late, and helped": {observed{5, [2]heldState{}}, cancelled{0, 5, false}},
		"time that goes back":                   {observed{5, [2]heldState{}}, observed{4, [2]heldState{}}},
	} {
		var ops []porcupine.Operation
		for i, a := range bad {
			ops = append(ops, porcupine.Operation{Output: a, Call: int64(2 * i), Return: int64(2*i + 1)})
		}
		require.False(t, porcupine.CheckOperations(histModel, ops), what)
		require.True(t, porcupine.CheckOperations(histModel, ops[:1]) || len(ops) == 1, "%s: the first call alone", what)
	}
}
