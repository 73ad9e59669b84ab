package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
)

// take opens a zone that has a cut.
func (p *play) take(zone string) (*store.Cut, error) {
	c, err := p.s.Open(p.ctx, zone)
	if err != nil {
		return nil, fmt.Errorf("Open of zone %q: %w", zone, err)
	}
	return c, nil
}

// started opens a zone and commits one cut with one owner.
func (p *play) started(zone string, id buff.OwnerID) (epoch uint64, want *store.Cut, err error) {
	if epoch, err = p.begin(zone); err != nil {
		return 0, nil, err
	}
	b := batch(zone, epoch, 0, 1, owner(id, "first"))
	b.Commands = ids(1, 2)
	return epoch, cutOf(b), p.s.Commit(p.ctx, b)
}

func (p *play) fenced() error {
	old, want, err := p.started("a", 1)
	if err != nil {
		return err
	}
	c, err := p.take("a")
	if err != nil {
		return err
	}
	if err := fails("a commit of the previous writer", p.s.Commit(p.ctx, batch("a", old, 1, 2, owner(1, "late"))), store.ErrFenced); err != nil {
		return err
	}
	if err := fails("a commit of a future epoch", p.s.Commit(p.ctx, batch("a", c.Epoch+1, 1, 2)), store.ErrFenced); err != nil {
		return err
	}
	want.Epoch = c.Epoch
	if err := p.same(want); err != nil {
		return err
	}
	return p.s.Commit(p.ctx, batch("a", c.Epoch, 1, 2, owner(1, "rightful")))
}

// fencedChangesNothing checks that no part of a fenced batch is kept.
func (p *play) fencedChangesNothing() error {
	old, want, err := p.started("a", 1)
	if err != nil {
		return err
	}
	c, err := p.take("a")
	if err != nil {
		return err
	}
	late := batch("a", old, 1, 2, owner(1, "late"), owner(5, "late"))
	late.Deleted, late.Commands, late.Data = []buff.OwnerID{2}, ids(3, 9), []byte("late")
	whole := batch("a", old, 0, 3, owner(6, "late"))
	whole.Whole = true
	for _, b := range []*store.Batch{late, whole} {
		if err := fails("a late batch", p.s.Commit(p.ctx, b), store.ErrFenced); err != nil {
			return err
		}
	}
	want.Epoch = c.Epoch
	return p.same(want)
}

func (p *play) loadChangesNothing() error {
	epoch, want, err := p.started("a", 1)
	if err != nil {
		return err
	}
	for range 2 {
		if err := p.same(want); err != nil {
			return err
		}
	}
	return p.s.Commit(p.ctx, batch("a", epoch, 1, 2))
}

// retry repeats a commit of frame 2, as if its result were unknown.
func (p *play) retry() error {
	epoch, _, err := p.started("a", 1)
	if err != nil {
		return err
	}
	lost := batch("a", epoch, 1, 2, owner(2, "in between"), owner(3, "in between"))
	lost.Commands = ids(3, 3)
	for range 2 { // a repeated batch changes nothing
		if err := p.s.Commit(p.ctx, lost); err != nil {
			return err
		}
	}
	b := batch("a", epoch, 1, 3, owner(3, "after"))
	b.Deleted, b.Commands = []buff.OwnerID{2}, ids(3, 4)
	if err := p.s.Commit(p.ctx, b); err != nil {
		return err
	}
	want := cutOf(b)
	first := owner(1, "first")
	first.Frame = 1
	want.Owners, want.Commands = slices.Insert(want.Owners, 0, first), ids(1, 4)
	return p.same(want)
}

// lateCommit checks that a delayed commit is refused after the commit of a later frame.
func (p *play) lateCommit() error {
	epoch, _, err := p.started("a", 1)
	if err != nil {
		return err
	}
	b := batch("a", epoch, 1, 3, owner(1, "after"))
	if err := p.s.Commit(p.ctx, b); err != nil {
		return err
	}
	if err := fails("frame 2 after frame 3", p.s.Commit(p.ctx, batch("a", epoch, 1, 2, owner(1, "late"))), store.ErrBatch); err != nil {
		return err
	}
	want := cutOf(b)
	want.Commands = ids(1, 2)
	return p.same(want)
}

func (p *play) lost() error {
	epoch, want, err := p.started("a", 1)
	if err != nil {
		return err
	}
	if err := fails("a batch that follows a missing cut", p.s.Commit(p.ctx, batch("a", epoch, 2, 3, owner(2, "x"))), store.ErrLost); err != nil {
		return err
	}
	return p.same(want)
}

func (p *play) whole() error {
	epoch, _, err := p.started("a", 1)
	if err != nil {
		return err
	}
	b := batch("a", epoch, 8, 9, owner(2, "the only owner"))
	b.Whole, b.Commands = true, ids(5, 5)
	if err := p.s.Commit(p.ctx, b); err != nil {
		return err
	}
	if err := p.same(cutOf(b)); err != nil {
		return err
	}
	// The removed owner may now be in another zone.
	other, err := p.begin("b")
	if err != nil {
		return err
	}
	return p.s.Commit(p.ctx, batch("b", other, 0, 1, owner(1, "moved")))
}

func (p *play) zones() error {
	names := []string{"a", "b", "a/b", "ü", "A", strings.Repeat("z", store.MaxName)}
	cuts := map[string]*store.Cut{}
	for k, zone := range names {
		_, want, err := p.started(zone, buff.OwnerID(k))
		if err != nil {
			return err
		}
		cuts[zone] = want
	}
	b := batch("a", cuts["a"].Epoch, 1, 2, owner(100, "x"))
	b.Whole = true
	if err := p.s.Commit(p.ctx, b); err != nil {
		return err
	}
	cuts["a"] = cutOf(b)
	if _, err := p.take("b"); err != nil {
		return err
	}
	cuts["b"].Epoch++
	for _, zone := range names {
		if err := p.same(cuts[zone]); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere checks that a batch is refused completely if one of its owners is in another zone.
func (p *play) elsewhere() error {
	_, a, err := p.started("a", 5)
	if err != nil {
		return err
	}
	epoch, b, err := p.started("b", 6)
	if err != nil {
		return err
	}
	late := batch("b", epoch, 1, 2, owner(1, "new"), owner(5, "of the other zone"), owner(9, "new"))
	late.Deleted, late.Commands = []buff.OwnerID{6}, ids(3, 3)
	if err := fails("an owner of another zone", p.s.Commit(p.ctx, late), store.ErrElsewhere); err != nil {
		return err
	}
	gone := batch("b", epoch, 1, 3)
	gone.Deleted = []buff.OwnerID{5} // no-op: not in the zone
	if err := errors.Join(p.same(b), p.same(a), p.s.Commit(p.ctx, gone), p.same(a)); err != nil {
		return err
	}
	gone = batch("a", a.Epoch, 1, 2)
	gone.Deleted = []buff.OwnerID{5}
	return errors.Join(p.s.Commit(p.ctx, gone), p.s.Commit(p.ctx, batch("b", epoch, 3, 4, owner(5, "moved"))))
}

// refused checks invalid batches.
func (p *play) refused() error {
	epoch, want, err := p.started("a", 1)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		what string
		want error
		do   func(b *store.Batch)
	}{
		{"no name", store.ErrName, func(b *store.Batch) { b.Zone = "" }},
		{"a long name", store.ErrName, func(b *store.Batch) { b.Zone = strings.Repeat("z", store.MaxName+1) }},
		{"a name that is not UTF-8", store.ErrName, func(b *store.Batch) { b.Zone = "a\xff" }},
		{"a zero byte", store.ErrName, func(b *store.Batch) { b.Zone = "a\x00" }},
		{"epoch 0", store.ErrBatch, func(b *store.Batch) { b.Epoch = 0 }},
		{"frame 0", store.ErrBatch, func(b *store.Batch) { b.Since, b.Frame = 0, 0 }},
		{"a frame that is not later", store.ErrBatch, func(b *store.Batch) { b.Frame = b.Since }},
		{"an owner twice", store.ErrBatch, func(b *store.Batch) { b.Owners = append(b.Owners, b.Owners[0]) }},
		{"an owner changed and deleted", store.ErrBatch, func(b *store.Batch) { b.Deleted = append(b.Deleted, b.Owners[0].ID) }},
		{"deleted twice", store.ErrBatch, func(b *store.Batch) { b.Deleted = []buff.OwnerID{4, 4} }},
		{"older twice", store.ErrBatch, func(b *store.Batch) { b.Older = []buff.OwnerID{4, 4} }},
		{"an area twice", store.ErrBatch, func(b *store.Batch) { b.Clocks.Areas = make([]store.AreaClock, 2) }},
		{"a window below 0", store.ErrBatch, func(b *store.Batch) { b.Window = -1 }},
		{"a window too large", store.ErrTooLarge, func(b *store.Batch) { b.Window = store.MaxWindow + 1 }},
		{"a blob too large", store.ErrTooLarge, func(b *store.Batch) { b.Owners[0].Blob = make([]byte, store.MaxBytes+1) }},
		{"data too large", store.ErrTooLarge, func(b *store.Batch) { b.Owners[0].Data = make([]byte, store.MaxBytes+1) }},
		{"a zone's data too large", store.ErrTooLarge, func(b *store.Batch) { b.Data = make([]byte, store.MaxBytes+1) }},
	} {
		b := batch("a", epoch, 1, 2, owner(2, "x"))
		c.do(b)
		if err := fails(c.what, p.s.Commit(p.ctx, b), c.want); err != nil {
			return err
		}
	}
	_, opened := p.s.Open(p.ctx, "")
	_, loaded := p.s.Load(p.ctx, "a\x00")
	return errors.Join(fails("Open", opened, store.ErrName), fails("Load", loaded, store.ErrName), p.same(want))
}

// cancelled checks that a call with a canceled context has no effect.
func (p *play) cancelled() error {
	epoch, want, err := p.started("a", 1)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(p.ctx)
	cancel()
	_, opened := p.s.Open(ctx, "a")
	_, loaded := p.s.Load(ctx, "a")
	return errors.Join(
		fails("Open", opened, context.Canceled), fails("Load", loaded, context.Canceled),
		fails("Commit", p.s.Commit(ctx, batch("a", epoch, 1, 2, owner(1, "x"))), context.Canceled),
		p.same(want), p.s.Commit(p.ctx, batch("a", epoch, 1, 2)),
	)
}

func (p *play) closed() error {
	epoch, want, err := p.started("a", 1)
	if err != nil {
		return err
	}
	s := p.s
	if err := p.reopen(); err != nil {
		return err
	}
	_, opened := s.Open(p.ctx, "a")
	_, loaded := s.Load(p.ctx, "a")
	return errors.Join(
		fails("Open", opened, store.ErrClosed), fails("Load", loaded, store.ErrClosed),
		fails("Commit", s.Commit(p.ctx, batch("a", epoch, 1, 2)), store.ErrClosed),
		p.same(want), s.Close(),
	)
}

// takeovers lets four writers take the zone from each other repeatedly. Each writer commits until
// it is fenced off. Acknowledged cuts must be visible to the next writer.
func (p *play) takeovers() error {
	if _, _, err := p.started("a", 1); err != nil {
		return err
	}
	var book sync.Map // by epoch: the last acknowledged frame
	book.Store(uint64(1), uint64(1))
	errs := make([]error, 4)
	var all sync.WaitGroup
	for w := range errs {
		all.Go(func() { errs[w] = p.takeAndWrite(&book) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	c, err := p.take("a")
	if err != nil {
		return err
	}
	return kept(c, &book)
}

func (p *play) takeAndWrite(book *sync.Map) error {
	for range 10 {
		c, err := p.take("a")
		if err != nil {
			return err
		}
		if err := kept(c, book); err != nil {
			return err
		}
		for frame := c.Frame; ; frame++ {
			if frame == c.Frame+20 {
				break // no other writer has opened the zone
			}
			b := batch("a", c.Epoch, frame, frame+1, owner(1, fmt.Sprint(c.Epoch)), owner(buff.OwnerID(2+frame%3), fmt.Sprint(frame)))
			b.Data = fmt.Append(nil, c.Epoch)
			err := p.s.Commit(p.ctx, b)
			if errors.Is(err, store.ErrFenced) {
				break
			}
			if err != nil {
				return err
			}
			book.Store(c.Epoch, frame+1)
		}
	}
	return nil
}

// kept returns an error if an acknowledged cut of an earlier epoch is missing, or if the cut is a
// mixture of two cuts.
func kept(c *store.Cut, book *sync.Map) (err error) {
	book.Range(func(epoch, frame any) bool {
		// The check includes commits that were acknowledged while this Open was running.
		if epoch.(uint64) < c.Epoch && frame.(uint64) > c.Frame {
			err = fmt.Errorf("epoch %d begins with frame %d, and epoch %d had frame %d acknowledged", c.Epoch, c.Frame, epoch, frame)
		}
		return err == nil
	})
	if c.Frame > 1 && string(c.Owners[0].Data) != string(c.Data) {
		return fmt.Errorf("owner 1 is of epoch %s, the zone of %s", c.Owners[0].Data, c.Data)
	}
	return err
}
