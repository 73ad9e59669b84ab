// Command walk counts the functions and files that one call passes through. This is the code that a
// reader of the call has to follow. The command is built with coverage counters. It clears the
// counters before the call and writes them after the call:
//
//	bash .ci/walk
//
// The engine has no workers, so only the code of the call runs. Each call is first made several
// times without being counted, so that the count does not include one-time work.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/coverage"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// definition is the definition of a poison. Each pulse calls a handler.
var definition = buff.Spec{
	ID: "venom", Duration: time.Minute, Period: 3 * time.Second,
	Stack: define.Stacking{By: define.BySource, Limit: 5},
	On:    define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "hurt"}}},
}

// walks are the measured calls, by name.
var walks = []struct {
	name    string
	prepare func(*world)
	call    func(*world)
}{
	{"AddBuff of a new buff", func(w *world) { w.next() }, func(w *world) { w.add(w.owner) }},
	{"Tick with 4 pulses", func(*world) {}, func(w *world) { w.eng.Tick(3 * time.Second) }},
	{"Despawn and Restore", func(*world) {}, (*world).move},
}

// world has four owners, each with a poison. The first walk adds more owners.
type world struct {
	eng   *engine.Engine
	venom *buff.Spec
	owner buff.OwnerID
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: walk FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "walk:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	for i, walk := range walks {
		w, err := newWorld()
		if err != nil {
			return err
		}
		for range 3 {
			walk.prepare(w)
			walk.call(w)
			w.eng.Tick(0)
		}
		walk.prepare(w)
		if err := coverage.ClearCounters(); err != nil {
			return err
		}
		walk.call(w)
		dir := filepath.Join(folder, fmt.Sprint(i+1))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := coverage.WriteMetaDir(dir); err != nil {
			return err
		}
		if err := coverage.WriteCountersDir(dir); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "name"), []byte(walk.name+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func newWorld() (*world, error) {
	cat, err := buff.Build(buff.Definitions{Specs: []buff.Spec{definition}})
	if err != nil {
		return nil, err
	}
	e, err := engine.New(engine.Options{
		Catalog: cat, Synchronous: true,
		Handlers: engine.Handlers{"hurt": func(*engine.Context, buff.Event) {}},
	})
	if err != nil {
		return nil, err
	}
	w := &world{eng: e, venom: cat.Spec("venom")}
	for range 4 {
		w.add(w.next())
	}
	return w, nil
}

// next spawns one more owner.
func (w *world) next() buff.OwnerID {
	w.owner++
	if err := w.eng.Spawn(w.owner, nil); err != nil {
		panic(err)
	}
	return w.owner
}

func (w *world) add(id buff.OwnerID) {
	if r := w.eng.AddBuff(id, buff.Application{Spec: w.venom, Source: 99}); r.Failure != nil {
		panic(r.Failure)
	}
}

// move despawns an owner and spawns it again.
func (w *world) move() {
	blob, err := w.eng.Despawn(1)
	if err != nil {
		panic(err)
	}
	if _, err := w.eng.Restore(1, nil, blob); err != nil {
		panic(err)
	}
}
