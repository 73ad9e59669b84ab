package replicate

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/stretchr/testify/require"
)

// stuck is the set of owners whose handlers block.
type stuck struct {
	mu    sync.Mutex
	gates map[buff.OwnerID]chan struct{}
}

// wait is the handler, which blocks for the owners in the set.
func (s *stuck) wait(_ *engine.Context, e buff.Event) {
	s.mu.Lock()
	gate := s.gates[e.Owner]
	s.mu.Unlock()
	if gate != nil {
		<-gate
	}
}

// hold makes the next handlers of an owner block, or releases them.
func (s *stuck) hold(id buff.OwnerID, hold bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if gate, ok := s.gates[id]; ok && !hold {
		close(gate)
		delete(s.gates, id)
	} else if !ok && hold {
		s.gates[id] = make(chan struct{})
	}
}

// busyWorld returns a world with workers, whose owners are busy from time to time. Call it in
// a synctest bubble.
func busyWorld(t *testing.T, seed uint64) *world {
	w := openWorld(t, seed, optionsOf(seed))
	require.NoError(t, w.eng.Close(t.Context()))
	w.stuck = &stuck{gates: map[buff.OwnerID]chan struct{}{}}
	specs := definitions(w.dice)
	for k := range specs {
		if specs[k].Period > 0 || k%3 == 1 {
			specs[k].On.Apply = append(specs[k].On.Apply, define.Action{Do: define.DoCall, Name: "wait"})
		}
		if specs[k].Period > 0 {
			specs[k].On.Pulse = []define.Action{{Do: define.DoCall, Name: "wait"}}
		}
	}
	var err error
	w.catalog, err = buff.Build(buff.Definitions{Specs: specs, Attributes: attributes()})
	require.NoError(t, err)
	w.eng, err = engine.New(engine.Options{
		Catalog: w.catalog, Workers: 2, Budget: 10 * time.Millisecond, Limits: engine.Limits{Mailbox: 1 << 16}, Members: near,
		Handlers: engine.Handlers{"wait": w.stuck.wait},
	})
	require.NoError(t, err)
	w.health = w.catalog.MustAttr("health")
	w.srv = New(w.eng, optionsOf(seed))
	return w
}

// isBusy reports whether the buffs of an owner cannot be read now.
func (w *world) isBusy(id buff.OwnerID) bool {
	_, err := w.eng.Buffs(id)
	return errors.Is(err, engine.ErrBusy)
}

// TestModel_Busy is like TestModel, with owners that are busy for some frames. Their changes are
// sent when they are idle, and the changes of other owners are not delayed.
func TestModel_Busy(t *testing.T) {
	n, checked, busy := long.Times(15), 0, 0
	for k := range uint64(n) {
		seed := long.Seed() + k
		synctest.Test(t, func(t *testing.T) {
			w := busyWorld(t, seed)
			c, wrong := w.run(t, 60)
			require.Empty(t, wrong, "seed %d", seed)
			checked += c
			busy += w.busy
			require.NoError(t, w.eng.Close(t.Context()))
		})
	}
	t.Logf("%d histories, %d comparisons, owners were busy %d times", n, checked, busy)
	require.Greater(t, checked, n*40)
	require.Greater(t, busy, n)
}
