package cuts

import (
	"context"
	"path/filepath"
	"time"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/bolt"
)

// What there is on disk.
const (
	fileName = "world.db"
	zoneName = "world"
)

// Way is how a game is saved.
type Way struct {
	Name  string
	every time.Duration // 0: not at all
	naive bool          // all owners are saved in one frame
}

// Ways are those that are measured, the first one without saving.
var Ways = []Way{
	{Name: "no store"},
	{Name: "a cut each second", every: time.Second},
	{Name: "a cut each 250 ms", every: 250 * time.Millisecond},
	{Name: "a cut each 50 ms", every: 50 * time.Millisecond},
	{Name: "all in one frame each second", every: time.Second, naive: true},
}

// saved is what came of it.
type saved struct {
	bytes, commits uint64
	oldest         time.Duration // that the last cut on disk has been
}

// begin saves a world in a file in the folder from here on. It returns what is called behind each Tick, and
// what ends it.
func (w Way) begin(g world, dir string) (after func(*engine.Frame), end func() (saved, error), err error) {
	if w.every == 0 {
		return func(*engine.Frame) {}, func() (saved, error) { return saved{}, nil }, nil
	}
	disk, err := bolt.Open(filepath.Join(dir, fileName), bolt.Options{})
	if err != nil {
		return nil, nil, err
	}
	if w.naive {
		return newFullCopy(g, disk)
	}
	start := time.Now()
	zone, err := store.New(context.Background(), g.Engine(), disk, zoneName, store.Options{
		Every: w.every, Marshal: g.marshal, Beside: true, Clock: func() time.Duration { return time.Since(start) },
	})
	if err != nil {
		return nil, nil, err
	}
	if err := zone.SaveAll(context.Background()); err != nil {
		return nil, nil, err
	}
	first := zone.Stats()
	oldest := time.Duration(0)
	after = func(f *engine.Frame) { zone.After(f); oldest = max(oldest, zone.Stats().Age) }
	return after, func() (saved, error) {
		zone.Close()
		s := zone.Stats()
		if s.Err != nil {
			return saved{}, s.Err
		}
		return saved{s.Total - first.Total, s.Cuts - first.Cuts, oldest}, disk.Close()
	}, nil
}
