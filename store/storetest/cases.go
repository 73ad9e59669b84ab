package storetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/wheel"
)

// batch returns a small Batch with the given owners.
func batch(zone string, epoch, since, frame uint64, owners ...store.Owner) *store.Batch {
	return &store.Batch{
		Head:  store.Head{Zone: zone, Epoch: epoch, Frame: frame, Clocks: clocksAt(frame), Window: 4},
		Since: since, Owners: owners,
	}
}

func clocksAt(frame uint64) store.Clocks {
	n := int64(frame) * 50
	return store.Clocks{Moment: buff.Moment{Now: wheel.Time(n), Wall: 1_700_000_000_000 + n, Uptime: 7_000 + n}}
}

func owner(id buff.OwnerID, text string) store.Owner {
	return store.Owner{ID: id, Blob: []byte("blob " + text), Data: []byte(text)}
}

// cutOf returns the cut that a commit of the Batch makes in an empty zone.
func cutOf(b *store.Batch) *store.Cut {
	c := &store.Cut{Head: copyHead(&b.Head), Commands: slices.Clone(b.Commands)}
	for _, o := range b.Owners {
		o = copyOwner(o)
		o.Frame = b.Frame
		c.Owners = append(c.Owners, o)
	}
	return c
}

func (p *play) emptyZone() error {
	if c, err := p.s.Load(p.ctx, "a"); !errors.Is(err, store.ErrEmpty) || c == nil || c.Epoch != 0 {
		return fmt.Errorf("Load of a zone that nobody has opened: %+v, %w, want ErrEmpty and epoch 0", c, orNil(err))
	}
	first, err := p.begin("a")
	if err != nil {
		return err
	}
	second, err := p.begin("a")
	if err != nil {
		return err
	}
	if second <= first {
		return fmt.Errorf("epochs %d and then %d, want them to rise", first, second)
	}
	return fails("a commit before any Open", p.s.Commit(p.ctx, batch("b", 1, 0, 1)), store.ErrFenced)
}

func (p *play) firstCut() error {
	epoch, err := p.begin("a")
	if err != nil {
		return err
	}
	// Include ids above 1<<63, because ids are unsigned 64-bit numbers.
	b := batch("a", epoch, 0, 1, owner(1<<64-1, "last"), owner(7, "seven"), owner(0, "none"), owner(1<<63, "high"), store.Owner{ID: 9})
	if err := p.s.Commit(p.ctx, b); err != nil {
		return err
	}
	slices.SortFunc(b.Owners, byID)
	return p.same(cutOf(b))
}

func byID(x, y store.Owner) int {
	if x.ID < y.ID {
		return -1
	}
	return 1
}

func (p *play) nextCut() error {
	epoch, err := p.begin("a")
	if err != nil {
		return err
	}
	if err := p.s.Commit(p.ctx, batch("a", epoch, 0, 1, owner(1, "x"), owner(2, "x"), owner(3, "x"))); err != nil {
		return err
	}
	b := batch("a", epoch, 1, 5, owner(2, "longer than before"), owner(4, "new"))
	b.Deleted = []buff.OwnerID{9, 1}
	if err := p.s.Commit(p.ctx, b); err != nil {
		return err
	}
	stays := owner(3, "x")
	stays.Frame = 1
	want := cutOf(b)
	want.Owners = slices.Insert(want.Owners, 1, stays)
	if err := p.same(want); err != nil {
		return err
	}
	// A cut without changes is valid.
	idle := batch("a", epoch, 5, 6)
	if err := p.s.Commit(p.ctx, idle); err != nil {
		return err
	}
	want.Head = idle.Head
	return p.same(want)
}

func (p *play) head() error {
	epoch, err := p.begin("a")
	if err != nil {
		return err
	}
	b := batch("a", epoch, 0, 1)
	b.Clocks.Moment.Now, b.Clocks.Moment.Wall, b.Clocks.Moment.Uptime = 1<<62, -5, 0
	b.Clocks.Areas = []store.AreaClock{{Number: 3, Paused: true}, {Number: 1<<32 - 1, Rate: buff.Ratio{Num: 1, Den: 3}}}
	b.Window, b.State, b.Data = store.MaxWindow, []byte{0, 1, 255}, []byte("weather")
	if err := p.s.Commit(p.ctx, b); err != nil {
		return err
	}
	return p.same(cutOf(b))
}

func (p *play) older() error {
	epoch, err := p.begin("a")
	if err != nil {
		return err
	}
	if err := p.s.Commit(p.ctx, batch("a", epoch, 0, 1, owner(1, "x"), owner(2, "x"))); err != nil {
		return err
	}
	busy := batch("a", epoch, 1, 2, owner(2, "y"))
	busy.Older = []buff.OwnerID{8, 1} // owner 8 has never been saved
	if err := p.s.Commit(p.ctx, busy); err != nil {
		return err
	}
	one := owner(1, "x")
	one.Frame, one.Older = 1, true
	want := cutOf(busy)
	want.Owners = slices.Insert(want.Owners, 0, one)
	if err := p.same(want); err != nil {
		return err
	}
	free := batch("a", epoch, 2, 3, owner(1, "z"))
	if err := p.s.Commit(p.ctx, free); err != nil {
		return err
	}
	return p.same(&store.Cut{Head: free.Head, Owners: []store.Owner{cutOf(free).Owners[0], want.Owners[1]}})
}

func command(n int) store.CommandID { return store.CommandID{0: byte(n), 15: byte(n >> 8)} }

func ids(from, to int) (out []store.CommandID) {
	for n := from; n <= to; n++ {
		out = append(out, command(n))
	}
	return out
}

func (p *play) commands() error {
	epoch, err := p.begin("a")
	if err != nil {
		return err
	}
	for _, step := range []struct {
		since, frame uint64
		done, want   []store.CommandID
		window       int
	}{
		{0, 1, ids(1, 2), ids(1, 2), 4},
		{1, 2, ids(3, 5), ids(2, 5), 4},
		{2, 3, nil, ids(2, 5), 4},
		{3, 4, ids(6, 6), ids(3, 6), 4},
		{3, 5, ids(6, 7), ids(4, 7), 4}, // the writer believes that frame 4 has failed
		{5, 6, ids(8, 20), ids(17, 20), 4},
		{6, 7, nil, ids(20, 20), 1},
		{7, 8, ids(21, 22), nil, 0},
		{8, 9, ids(23, 24), ids(23, 24), 2},
	} {
		b := batch("a", epoch, step.since, step.frame)
		b.Commands, b.Window = step.done, step.window
		if err := p.s.Commit(p.ctx, b); err != nil {
			return err
		}
		want := cutOf(b)
		want.Commands = step.want
		if err := p.same(want); err != nil {
			return err
		}
	}
	return nil
}

func (p *play) reopened() error {
	epoch, err := p.begin("a")
	if err != nil {
		return err
	}
	b := batch("a", epoch, 0, 1, owner(1, "x"))
	b.Commands = ids(1, 3)
	if err := p.s.Commit(p.ctx, b); err != nil {
		return err
	}
	if err := p.reopen(); err != nil {
		return err
	}
	if err := p.same(cutOf(b)); err != nil {
		return err
	}
	c, err := p.s.Open(p.ctx, "a")
	if err != nil {
		return err
	}
	if c.Epoch <= epoch {
		return fmt.Errorf("epoch %d after the start, %d before it", c.Epoch, epoch)
	}
	want := cutOf(b)
	want.Epoch = c.Epoch
	return Differ(c, want)
}

// retainsNothing checks that the store does not retain a Batch and returns independent Cuts.
func (p *play) retainsNothing() error {
	epoch, err := p.begin("a")
	if err != nil {
		return err
	}
	b := batch("a", epoch, 0, 1, owner(1, "x"))
	b.Data, b.Commands, b.Older = []byte("data"), ids(1, 1), []buff.OwnerID{1}
	want := cutOf(b)
	want.Owners[0].Older = true
	if err := p.s.Commit(p.ctx, b); err != nil {
		return err
	}
	b.Data[0], b.Owners[0].Blob[0], b.Owners[0].Data[0], b.Commands[0], b.Older[0] = '!', '!', '!', command(9), 9
	if err := p.same(want); err != nil {
		return fmt.Errorf("after the Batch has been changed: %w", err)
	}
	c, err := p.s.Load(p.ctx, "a")
	if err != nil {
		return err
	}
	if err := p.s.Commit(p.ctx, batch("a", epoch, 1, 2, owner(1, "new"))); err != nil {
		return err
	}
	if err := Differ(c, want); err != nil {
		return fmt.Errorf("a Cut after the next Commit: %w", err)
	}
	return nil
}

// large tests sizes at which stores may change how they represent data.
func (p *play) large() error {
	epoch, err := p.begin("a")
	if err != nil {
		return err
	}
	b := batch("a", epoch, 0, 1)
	for k, n := range []int{0, 1, 127, 128, 1 << 10, 4 << 10, 64 << 10, 1 << 20} {
		o := store.Owner{ID: buff.OwnerID(k), Blob: make([]byte, n), Data: make([]byte, n/2)}
		for i := range o.Blob {
			o.Blob[i] = byte(i * 7)
		}
		b.Owners = append(b.Owners, o)
	}
	for id := range buff.OwnerID(3000) {
		b.Owners = append(b.Owners, owner(100+id, "many"))
	}
	b.Data = make([]byte, 1<<20)
	if err := p.s.Commit(p.ctx, b); err != nil {
		return err
	}
	return p.same(cutOf(b))
}
