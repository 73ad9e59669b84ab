package cuts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/bolt"
)

// Opened has the times to restore a zone from its file.
type Opened struct {
	Owners, Buffs int
	Bytes         int64     // size of the file
	Took          []float64 // time to open and check the file and restore all owners, in ns, by round
}

// Opens measures how long it takes to restore crowds of several sizes. The largest crowd has at
// most maxOwners owners.
func Opens(maxOwners, rounds int, dir string, progress func(float64)) (out []Opened, err error) {
	for owners := 100; owners <= maxOwners; owners *= 10 {
		one, err := opened(owners, rounds, dir)
		if err != nil {
			return nil, fmt.Errorf("%d owners: %w", owners, err)
		}
		out = append(out, one)
		progress(float64(owners) / float64(maxOwners))
	}
	return out, nil
}

func opened(owners, rounds int, in string) (o Opened, err error) {
	dir, err := os.MkdirTemp(in, "bufftick-open")
	if err != nil {
		return o, err
	}
	defer os.RemoveAll(dir)
	g, err := newCrowd(owners)
	if err != nil {
		return o, err
	}
	_, end, err := Way{every: time.Hour}.begin(g, dir)
	if err != nil {
		return o, err
	}
	if _, err := end(); err != nil {
		return o, err
	}
	if err := g.End(); err != nil {
		return o, err
	}
	path := filepath.Join(dir, fileName)
	info, err := os.Stat(path)
	if err != nil {
		return o, err
	}
	o = Opened{Owners: owners, Buffs: g.buffs(), Bytes: info.Size()}
	for range rounds {
		took, err := comeBack(path, o.Buffs)
		if err != nil {
			return o, err
		}
		o.Took = append(o.Took, float64(took))
	}
	return o, nil
}

// comeBack opens a file and restores its contents.
func comeBack(path string, buffs int) (time.Duration, error) {
	eo, err := crowdOptions()
	if err != nil {
		return 0, err
	}
	start := time.Now()
	disk, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		return 0, err
	}
	zone, err := store.Open(context.Background(), disk, zoneName, eo, store.Options{
		Every: -1, Unmarshal: func(buff.OwnerID, []byte) (any, error) { return new(uint64), nil },
	})
	if err != nil {
		return 0, err
	}
	took := time.Since(start)
	if r := zone.Restored(); r.Buffs != buffs || len(r.Failed) > 0 {
		return 0, fmt.Errorf("%d of %d buffs are back, %d failed", r.Buffs, buffs, len(r.Failed))
	}
	zone.Close()
	return took, errors.Join(zone.Engine().Close(context.Background()), disk.Close())
}
