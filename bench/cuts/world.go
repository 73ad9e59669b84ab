package cuts

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/bufftick/bufftick/bench/load"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

const (
	frameTime     = 50 * time.Millisecond
	framesASecond = int(time.Second / frameTime)
)

// world is a game that is saved.
type world interface {
	Engine() *engine.Engine

	// Frame runs one frame and then calls the given function. It returns the total duration of
	// the frame's calls, of its Tick, and of the function.
	Frame(after func(*engine.Frame)) time.Duration
	End() error
	buffs() int

	// marshal appends the game's own data about an owner.
	marshal(id buff.OwnerID, data any, dst []byte) ([]byte, error)
}

// raids is profile B.
type raids struct{ *load.Fight }

func (r raids) marshal(_ buff.OwnerID, data any, dst []byte) ([]byte, error) {
	return binary.AppendUvarint(dst, r.Calls(data)), nil
}

func (r raids) buffs() int { return r.Buffs() }

// crowd has owners with ten buffs each, of which one pulses every second. There are twenty frames
// per second, and in each frame a different twentieth of the owners changes.
type crowd struct {
	engine *engine.Engine
	counts []uint64
}

func crowdOptions() (engine.Options, error) {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "itch", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "itch"}}}},
		buff.Spec{ID: "mark", Kind: define.Infinite, Stack: define.Stacking{By: define.BySource}},
	)
	return engine.Options{Catalog: cat, Budget: -1, Limits: engine.Limits{Events: 1 << 24}, Handlers: engine.Handlers{
		"itch": func(c *engine.Context, _ buff.Event) { *c.Data().(*uint64)++ },
	}}, err
}

func newCrowd(owners int) (*crowd, error) {
	o, err := crowdOptions()
	if err != nil {
		return nil, err
	}
	e, err := engine.New(o)
	if err != nil {
		return nil, err
	}
	c := &crowd{engine: e, counts: make([]uint64, owners)}
	for id := range buff.OwnerID(owners) {
		if err := e.Spawn(id, &c.counts[id]); err != nil {
			return nil, err
		}
		e.AddBuff(id, buff.Application{Spec: o.Catalog.Spec("itch")})
		for s := range buff.OwnerID(9) {
			e.AddBuff(id, buff.Application{Spec: o.Catalog.Spec("mark"), Source: s + 1})
		}
		if int(id)%max(1, owners/framesASecond) == 0 {
			e.Tick(frameTime)
		}
	}
	return c, nil
}

func (c *crowd) Engine() *engine.Engine { return c.engine }

func (c *crowd) Frame(after func(*engine.Frame)) time.Duration {
	start := time.Now()
	after(c.engine.Tick(frameTime))
	return time.Since(start)
}

func (c *crowd) buffs() int { return 10 * len(c.counts) }

func (c *crowd) End() error { return c.engine.Close(context.Background()) }

func (c *crowd) marshal(_ buff.OwnerID, data any, dst []byte) ([]byte, error) {
	return binary.AppendUvarint(dst, *data.(*uint64)), nil
}
