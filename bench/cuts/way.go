package cuts

import (
	"context"
	"path/filepath"
	"time"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/bolt"
)

// Name of the file on disk, and of the zone in the file.
const (
	fileName = "world.db"
	zoneName = "world"
)

// Way is a way of saving a game.
type Way struct {
	Name  string
	every time.Duration // time from one cut to the next; 0 means that the game is not saved
	naive bool          // if set, all owners are copied in one frame
}

// Ways are the measured ways of saving. The first of them does not save.
var Ways = []Way{
	{Name: "no store"},
	{Name: "a cut each second", every: time.Second},
	{Name: "a cut each 250 ms", every: 250 * time.Millisecond},
	{Name: "a cut each 50 ms", every: 50 * time.Millisecond},
	{Name: "all in one frame each second", every: time.Second, naive: true},
}

// saved holds statistics about the saving of one game.
type saved struct {
	bytes, commits uint64
	oldest         time.Duration // the largest age that the newest cut on disk has had
}

// begin starts to save a world in a file in the folder dir. It returns a function to call after
// each Tick, and a function that ends the saving and returns the statistics.
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
