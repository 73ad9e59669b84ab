package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
)

// randomSteps is the number of calls in the random test.
const randomSteps = 400

// random makes the same random calls to the store and to a Memory and compares all results and
// cuts.
func (p *play) random() error {
	const seed = 20778
	dice := rand.New(rand.NewPCG(seed, 1))
	m := NewMemory()
	writers := map[string]*writer{"a": {}, "b": {}, "c": {}}
	for step := range randomSteps {
		zone := string(rune('a' + dice.IntN(3)))
		w := writers[zone]
		switch roll := dice.IntN(20); {
		case roll == 0 || w.epoch == 0:
			got, gotErr := p.s.Open(p.ctx, zone)
			want, wantErr := m.Open(p.ctx, zone)
			if err := sameAnswer(gotErr, wantErr); err != nil {
				return fmt.Errorf("step %d, Open: %w", step, err)
			}
			if err := Differ(got, want); err != nil {
				return fmt.Errorf("step %d, Open: %w", step, err)
			}
			*w = writer{want.Epoch, want.Frame, want.Frame}
		case roll == 1:
			if err := p.reopen(); err != nil {
				return err
			}
		default:
			b := w.batch(dice, zone)
			wantErr := m.Commit(p.ctx, b)
			if err := sameAnswer(p.s.Commit(p.ctx, b), wantErr); err != nil {
				return fmt.Errorf("step %d, Commit of %d owners: %w", step, len(b.Owners), err)
			}
			w.committed(dice, b, wantErr)
		}
		want, err := m.Load(p.ctx, zone)
		if errors.Is(err, store.ErrEmpty) {
			continue
		}
		if err := p.same(want); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
	}
	return nil
}

// writer is the state of a process that writes a zone.
type writer struct {
	epoch, since, frame uint64
}

func (w *writer) batch(dice *rand.Rand, zone string) *store.Batch {
	b := batch(zone, w.epoch, w.since, w.frame+1)
	b.Whole = dice.IntN(15) == 0
	if dice.IntN(15) == 0 {
		b.Epoch-- // a stale epoch; epoch 0 is never valid
	}
	first := buff.OwnerID(zone[0]) * 1000
	if dice.IntN(15) == 0 {
		first = 'a' * 1000 // the ids used by zone a; in other zones, these owners must be refused
	}
	for id := first; id < first+30; id++ {
		switch dice.IntN(8) {
		case 0, 1:
			b.Owners = append(b.Owners, owner(id, fmt.Sprint("frame ", b.Frame)))
		case 2:
			b.Deleted = append(b.Deleted, id)
		case 3:
			b.Older = append(b.Older, id)
		}
	}
	dice.Shuffle(len(b.Owners), func(i, j int) { b.Owners[i], b.Owners[j] = b.Owners[j], b.Owners[i] })
	for range dice.IntN(4) {
		b.Commands = append(b.Commands, command(dice.IntN(1<<16)))
	}
	return b
}

// committed records the result of a commit. Sometimes it ignores the acknowledgement, as if it
// were lost.
func (w *writer) committed(dice *rand.Rand, b *store.Batch, err error) {
	w.frame++
	if err == nil && dice.IntN(4) > 0 {
		w.since = b.Frame
	}
}

// sameAnswer checks that both errors match the same error of package store.
func sameAnswer(got, want error) error {
	for _, kind := range []error{store.ErrEmpty, store.ErrFenced, store.ErrLost, store.ErrElsewhere, store.ErrBatch} {
		if errors.Is(want, kind) != errors.Is(got, kind) {
			return fmt.Errorf("%w, want: %w", orNil(got), orNil(want))
		}
	}
	if want == nil && got != nil {
		return got
	}
	return nil
}
