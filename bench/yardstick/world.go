package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bufftick/bufftick/bench/onelist"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/history"
)

// The definitions in every world. A "dot" pulses every 3 s and never ends. A "plain" lasts an hour.
// Each source has a separate buff.
const (
	dot = iota
	plain
)

const period = 3000 // ms

// world is one of the designs that are compared.
type world interface {
	spawn(id int, data *int64)
	add(id, spec, source int, duration int64) (handle uint64) // a duration of 0 means the definition's duration
	remove(handle uint64)
	tick(ms int64) (events int)
	close()
}

// work is the work of a handler, in addition to changing its owner's data.
var work = func() {}

// build creates a world by its name. The documentation of the package lists the names.
func build(name string) world {
	design, with, _ := strings.Cut(name, "+")
	switch design {
	case "engine":
		return newEngine(with)
	case "onelist":
		return newOnelist(with)
	case "structs":
		return &structs{}
	case "arrays":
		return &arrays{}
	case "heap":
		return &heapWorld{}
	}
	panic(fmt.Sprintf("yardstick: no world is called %q; see go doc ./yardstick", name))
}

type engineWorld struct {
	engine *engine.Engine
	specs  [2]*buff.Spec
	frame  *engine.Frame
}

func newEngine(with string) world {
	pulsing := buff.Spec{ID: "dot", Kind: define.Infinite, Period: period * time.Millisecond, Stack: define.Stacking{By: define.BySource}}
	if with != "data" {
		pulsing.On.Pulse = []define.Action{{Do: define.DoCall, Name: "hurt"}}
	}
	catalog, err := buff.NewCatalog(pulsing, buff.Spec{ID: "plain", Duration: time.Hour, Stack: define.Stacking{By: define.BySource}})
	check(err)
	o := engine.Options{Catalog: catalog}
	hurt := engine.Handlers{"hurt": func(c *engine.Context, _ buff.Event) { *c.Data().(*int64)--; work() }}
	switch with {
	case "data":
	case "quick":
		o.QuickHandlers = hurt
	default:
		o.Handlers = hurt
	}
	switch with {
	case "", "data", "quick", "history":
	case "sync", "sync+history":
		o.Synchronous = true
	case "1", "2":
		o.Workers = int(with[0] - '0')
	default:
		panic(fmt.Sprintf("yardstick: the engine has no variant %q", with))
	}
	if strings.HasSuffix(with, "history") {
		o.Trace.History = history.DefaultBytes
	}
	e, err := engine.New(o)
	check(err)
	return &engineWorld{engine: e, specs: [2]*buff.Spec{catalog.Spec("dot"), catalog.Spec("plain")}}
}

func (w *engineWorld) spawn(id int, data *int64) { check(w.engine.Spawn(buff.OwnerID(id), data)) }

func (w *engineWorld) add(id, spec, source int, duration int64) uint64 {
	a := buff.Application{Spec: w.specs[spec], Source: buff.OwnerID(source)}
	if duration > 0 {
		a.Duration = buff.Lasting(time.Duration(duration) * time.Millisecond)
	}
	r := w.engine.AddBuff(buff.OwnerID(id), a)
	check(r.Failure)
	return uint64(r.Handle)
}

func (w *engineWorld) remove(handle uint64) { w.engine.Remove(buff.Handle(handle)) }

func (w *engineWorld) tick(ms int64) int {
	w.frame = w.engine.Tick(time.Duration(ms) * time.Millisecond)
	return w.frame.Len()
}

func (w *engineWorld) close() { check(w.engine.Close(context.Background())) }

type onelistWorld struct {
	*onelist.World
	events []onelist.Event
}

func newOnelist(with string) world {
	var o onelist.Options
	if with == "all" {
		o = onelist.All
	}
	pulsing := onelist.Spec{Period: period, BySource: true}
	pulsing.OnPulse = func(c *onelist.Context, _ *onelist.Event) { *c.Data().(*int64)--; work() }
	pulsing.OnWidePulse = func(c *onelist.Context, _ onelist.WideEvent) { *c.Data().(*int64)--; work() }
	return &onelistWorld{World: onelist.New([]onelist.Spec{pulsing, {Duration: 3_600_000, BySource: true}}, o)}
}

func (w *onelistWorld) spawn(id int, data *int64) { w.Spawn(uint64(id), data) }

func (w *onelistWorld) add(id, spec, source int, duration int64) uint64 {
	h, _ := w.AddBuff(uint64(id), uint16(spec), uint64(source), duration)
	return h
}

func (w *onelistWorld) remove(handle uint64) { w.Remove(handle) }

func (w *onelistWorld) tick(ms int64) int {
	w.events = w.Tick(ms)
	return w.Len()
}

func (w *onelistWorld) close() {}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
