package cuts

import (
	"context"
	"errors"
	"sync"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/bolt"
)

// fullCopy copies all owners in one frame per second, and writes the copy on another goroutine. It
// makes no new copy while this goroutine is still writing the previous copy.
type fullCopy struct {
	world   world
	disk    *bolt.Store
	epoch   uint64
	writing sync.WaitGroup
	free    chan struct{} // has a token while no write is in progress
	err     error         // result of the last write
	out     saved
}

func newFullCopy(g world, disk *bolt.Store) (after func(*engine.Frame), end func() (saved, error), err error) {
	cut, err := disk.Open(context.Background(), zoneName)
	if err != nil && !errors.Is(err, store.ErrEmpty) {
		return nil, nil, err
	}
	c := &fullCopy{world: g, disk: disk, epoch: cut.Epoch, free: make(chan struct{}, 1)}
	c.free <- struct{}{}
	return c.after, c.end, nil
}

func (c *fullCopy) after(f *engine.Frame) {
	if int(f.Number)%framesASecond != 0 {
		return
	}
	select {
	case <-c.free:
	default:
		return
	}
	b := &store.Batch{Whole: true, Head: store.Head{Zone: zoneName, Epoch: c.epoch, Frame: f.Number}}
	e := c.world.Engine()
	for id := buff.OwnerID(0); len(b.Owners) < e.Owners(); id++ {
		o, err := store.Owner{ID: id}, error(nil)
		if o.Blob, err = e.Save(id); err != nil {
			continue // no owner has this id
		}
		if o.Data, err = c.world.marshal(id, e.Data(id), nil); err != nil {
			panic(err)
		}
		c.out.bytes += uint64(len(o.Blob) + len(o.Data))
		b.Owners = append(b.Owners, o)
	}
	c.out.commits++
	c.writing.Go(func() {
		c.err = errors.Join(c.err, c.disk.Commit(context.Background(), b))
		c.free <- struct{}{}
	})
}

func (c *fullCopy) end() (saved, error) {
	c.writing.Wait()
	return c.out, errors.Join(c.err, c.disk.Close())
}
