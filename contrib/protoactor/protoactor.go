// Package protoactor runs bufftick in an actor of Proto.Actor. The actor is the game loop of one
// zone.
//
// Proto.Actor delivers one message at a time to an actor. The goroutine that delivers a message
// is the loop of the zone's engine until the message is handled, so the actor calls the Engine
// directly, without a lock or the Inbox. The messages are commands, and ticks that a timer sends.
// The answer to a [buff.Command] is a [buff.Result]. The timer is a time.Timer, because in the
// tested version of Proto.Actor, the receive timeout and the Cancel function of the scheduler
// have data races.
//
//	zone := system.Root.Spawn(actor.PropsFromProducer(protoactor.New(protoactor.Options{
//		Zone: "arena", Store: store, Engine: engine.Options{Catalog: catalog}, Idle: time.Minute,
//	})))
//	result, err := system.Root.RequestFuture(zone, buff.Apply(7, …), time.Second).Result()
//
// An actor that gets no commands for the time Idle saves everything and stops. The next actor of
// that zone restores the saved state. Neither this package nor Proto.Actor's cluster (after a node
// was suspended) ensures that a zone has only one actor at a time. However, an earlier actor
// cannot save its zone any more, because the store returns store.ErrFenced.
package protoactor

import (
	"context"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
)

// Options configures an actor.
type Options struct {
	Zone   string
	Store  store.Store
	Engine engine.Options
	Saver  store.Options

	// Begin, if not nil, is called before the first command. It can add owners to a new zone.
	Begin func(z *store.Saver, r store.Restored) error

	Frame time.Duration // time from one Tick to the next; the default is 50 ms
	Idle  time.Duration // time without a command after which the actor saves and stops; 0 means never
}

// New returns a producer for actor.PropsFromProducer. Proto.Actor calls the producer at the start
// and after each panic.
func New(o Options) actor.Producer {
	if o.Frame == 0 {
		o.Frame = 50 * time.Millisecond
	}
	return func() actor.Actor { return &zone{o: o} }
}

// zone is the actor.
type zone struct {
	o     Options
	saver *store.Saver
	last  time.Time   // time of the last tick
	asked time.Time   // arrival of the last command, rounded down to a tick; Options.Idle counts from it
	timer *time.Timer // sends the next tick; nil if the zone has not started
}

// tick is the message that runs a frame.
type tick struct{}

// drainWithin is the maximum time for which a stopping actor waits for busy owners.
const drainWithin = 10 * time.Second

// Receive implements actor.Actor. It panics if it cannot start or save the zone, and
// the panic notifies the supervisor.
func (z *zone) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
		z.begin(c)
	case tick:
		z.frame(c)
	case buff.Command:
		z.asked = z.last
		c.Respond(z.saver.Engine().Do(m))
	case *actor.Stopping:
		z.end()
	case *actor.Restarting:
		z.abandon()
	}
}

func (z *zone) begin(c actor.Context) {
	var err error
	if z.saver, err = store.Open(context.Background(), z.o.Store, z.o.Zone, z.o.Engine, z.o.Saver); err != nil {
		panic(err)
	}
	if z.o.Begin != nil {
		if err := z.o.Begin(z.saver, z.saver.Restored()); err != nil {
			panic(err)
		}
	}
	z.last = time.Now()
	z.asked = z.last
	root, self := c.ActorSystem().Root, c.Self()
	z.timer = time.AfterFunc(z.o.Frame, func() { root.Send(self, tick{}) })
}

func (z *zone) frame(c actor.Context) {
	now := time.Now()
	z.saver.After(z.saver.Engine().Tick(now.Sub(z.last)))
	z.last = now
	if z.o.Idle > 0 && now.Sub(z.asked) >= z.o.Idle {
		c.Stop(c.Self())
		return
	}
	z.timer.Reset(z.o.Frame) // started only after this tick, so that ticks do not queue up
}

// end saves everything.
func (z *zone) end() {
	if z.timer == nil {
		return
	}
	z.timer.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), drainWithin)
	defer cancel()
	if err := z.saver.Drain(ctx); err != nil {
		panic(err)
	}
}

// abandon ends a zone after a panic, without saving it. The next actor restores the state that is
// on disk.
func (z *zone) abandon() {
	if z.timer != nil {
		z.timer.Stop()
	}
	if z.saver != nil {
		z.saver.Close()
		ctx, cancel := context.WithTimeout(context.Background(), drainWithin)
		defer cancel()
		_ = z.saver.Engine().Close(ctx) // unlike Saver.Drain, this does not save the zone
	}
}
