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

// world is a zone that is kept, and the actors of it.
type world struct {
	t       *testing.T
	system  *actor.ActorSystem
	catalog *buff.Catalog
	options protoactor.Options
	began   []int // how many stacks there were when each actor began
}

func newWorld(t *testing.T) *world {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "haste", Duration: time.Hour, Stack: define.Stacking{By: define.ByTarget, Limit: 9}})
	require.NoError(t, err)
	w := &world{t: t, system: actor.NewActorSystem(), catalog: catalog}
	w.options = protoactor.Options{
		Zone: "arena", Store: storetest.NewMemory(), Frame: time.Millisecond,
		Engine: engine.Options{Catalog: catalog}, Saver: store.Options{Every: -1}, // it saves where it stops, and nowhere else
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

// spawn starts an actor, and returns it and what is closed when it has ended.
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

// haste asks an actor for a stack.
func (w *world) haste(pid *actor.PID) {
	answer, err := w.system.Root.RequestFuture(pid, buff.Apply(7, buff.Application{Spec: w.catalog.Spec("haste")}), time.Minute).Result()
	require.NoError(w.t, err)
	require.NoError(w.t, answer.(buff.Result).Err)
}

// TestPassivation: an actor that nobody asks for anything saves and stops, and the next one goes
// on.
func TestPassivation(t *testing.T) {
	w := newWorld(t)
	pid, _ := w.spawn()
	w.haste(pid)
	w.haste(pid)
	require.NoError(t, w.system.Root.StopFuture(pid).Wait())

	w.options.Idle = 20 * time.Millisecond
	pid, ended := w.spawn()
	w.haste(pid)
	<-ended // of itself, though it ticks

	w.options.Idle = 0
	pid, _ = w.spawn()
	w.haste(pid)
	require.Equal(t, []int{2, 3}, w.began)
	require.NoError(t, w.system.Root.StopFuture(pid).Wait())
}

// TestPanic: a zone whose actor panics is taken up where it was saved last.
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
