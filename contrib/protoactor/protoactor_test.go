package protoactor_test

import (
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/contrib/protoactor"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// world is a zone with a store, and the actor system in which its actors run.
type world struct {
	t       *testing.T
	system  *actor.ActorSystem
	catalog *buff.Catalog
	options protoactor.Options
	began   []int // stacks of "haste" that each actor found when it started
}

func newWorld(t *testing.T) *world {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "haste", Duration: time.Hour, Stack: define.Stacking{By: define.ByTarget, Limit: 9}})
	require.NoError(t, err)
	w := &world{t: t, system: actor.NewActorSystem(), catalog: catalog}
	w.options = protoactor.Options{
		Zone: "arena", Store: storetest.NewMemory(), Frame: time.Millisecond,
		// The actor saves only when it stops.
		Engine: engine.Options{Catalog: catalog}, Saver: store.Options{Every: -1},
		Begin: func(z *store.Saver, r store.Restored) error {
			if r.Fresh {
				return z.Engine().Spawn(7, nil)
			}
			list, err := z.Engine().Buffs(7)
			stacks := 0
			for b := range list.All() {
				stacks += int(b.Stacks)
			}
			w.began = append(w.began, stacks)
			return err
		},
	}
	t.Cleanup(w.system.Shutdown)
	return w
}

// spawn starts an actor. It returns its PID and a channel that is closed when the actor has
// stopped.
func (w *world) spawn() (*actor.PID, chan struct{}) {
	pid := w.system.Root.Spawn(actor.PropsFromProducer(protoactor.New(w.options)))
	ended := make(chan struct{})
	w.system.Root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
		switch c.Message().(type) {
		case *actor.Started:
			c.Watch(pid)
		case *actor.Terminated:
			close(ended)
		}
	}))
	return pid, ended
}

// haste asks an actor to apply one stack of "haste".
func (w *world) haste(pid *actor.PID) {
	answer, err := w.system.Root.RequestFuture(pid, buff.Apply(7, buff.Application{Spec: w.catalog.Spec("haste")}), time.Minute).Result()
	require.NoError(w.t, err)
	require.NoError(w.t, answer.(buff.Result).Failure)
}

// TestPassivation checks that an idle actor saves and stops, and that the next one continues from
// its state.
func TestPassivation(t *testing.T) {
	w := newWorld(t)
	pid, _ := w.spawn()
	w.haste(pid)
	w.haste(pid)
	require.NoError(t, w.system.Root.StopFuture(pid).Wait())

	w.options.Idle = 20 * time.Millisecond
	pid, ended := w.spawn()
	w.haste(pid)
	<-ended // it stops by itself, although its engine ticks

	w.options.Idle = 0
	pid, _ = w.spawn()
	w.haste(pid)
	require.Equal(t, []int{2, 3}, w.began)
	require.NoError(t, w.system.Root.StopFuture(pid).Wait())
}

// TestPanic checks that a restarted actor continues from the last saved state after a panic.
func TestPanic(t *testing.T) {
	w := newWorld(t)
	pid, _ := w.spawn()
	w.haste(pid)
	require.NoError(t, w.system.Root.StopFuture(pid).Wait())
	tries, begin := 0, w.options.Begin
	w.options.Begin = func(z *store.Saver, r store.Restored) error {
		if tries++; tries == 1 {
			panic("the game has an error")
		}
		return begin(z, r)
	}
	pid, _ = w.spawn()
	w.haste(pid)
	require.Equal(t, []int{1}, w.began, "the second try")
	require.NoError(t, w.system.Root.StopFuture(pid).Wait())
}
