package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// lasting returns a function that opens a Memory again.
func lasting(m *storetest.Memory) storetest.Open {
	return func() (store.Store, error) { return m.Reopen(), nil }
}

// TestMemory runs the conformance test on Memory.
func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Open { return lasting(storetest.NewMemory()) })
}

// broken is a store with one fault.
type broken struct {
	store.Mover
	commit func(ctx context.Context, s store.Store, b *store.Batch) error
	load   func(c *store.Cut)
	open   func(ctx context.Context, s store.Store, zone string) (*store.Cut, error)
}

func (x *broken) Commit(ctx context.Context, b *store.Batch) error {
	if x.commit == nil {
		return x.Mover.Commit(ctx, b)
	}
	return x.commit(ctx, x.Mover, b)
}

func (x *broken) Load(ctx context.Context, zone string) (*store.Cut, error) {
	c, err := x.Mover.Load(ctx, zone)
	if err == nil && x.load != nil {
		x.load(c)
	}
	return c, err
}

func (x *broken) Open(ctx context.Context, zone string) (*store.Cut, error) {
	if x.open == nil {
		return x.Mover.Open(ctx, zone)
	}
	return x.open(ctx, x.Mover, zone)
}

// TestRun_DetectsFaults checks that Run detects each fault, and in which tests.
func TestRun_DetectsFaults(t *testing.T) {
	for name, x := range map[string]struct {
		broken broken
		by     []string
	}{
		"sound": {},
		"without a fence": {
			broken{commit: func(ctx context.Context, s store.Store, b *store.Batch) error {
				c, err := s.Load(ctx, b.Zone)
				if err == nil && b.Epoch > 0 {
					defer func(e uint64) { b.Epoch = e }(b.Epoch)
					b.Epoch = c.Epoch
				}
				return s.Commit(ctx, b)
			}},
			[]string{"Fenced", "FencedChangesNothing", "Random"},
		},
		"two transactions for one batch": {
			broken{commit: func(ctx context.Context, s store.Store, b *store.Batch) error {
				first := *b
				first.Owners, first.Commands = nil, nil
				if err := s.Commit(ctx, &first); err != nil {
					return err
				}
				return s.Commit(ctx, b)
			}},
			[]string{"Elsewhere"},
		},
		"opens what is not fenced": {
			broken{open: func(ctx context.Context, s store.Store, zone string) (*store.Cut, error) {
				if c, err := s.Load(ctx, zone); err == nil {
					return c, nil
				}
				return s.Open(ctx, zone)
			}},
			[]string{"Fenced", "Reopened", "Random"},
		},
		"forgets who is deleted": {
			broken{commit: func(ctx context.Context, s store.Store, b *store.Batch) error {
				deleted := b.Deleted
				defer func() { b.Deleted = deleted }()
				b.Deleted = nil
				return s.Commit(ctx, b)
			}},
			[]string{"NextCut", "Retry", "Random"},
		},
		"acknowledges and does nothing": {
			broken{commit: func(ctx context.Context, s store.Store, b *store.Batch) error {
				if b.Frame == 2 {
					return nil
				}
				return s.Commit(ctx, b)
			}},
			[]string{"Commands", "Older", "Random"},
		},
		"does not follow": {
			broken{commit: func(ctx context.Context, s store.Store, b *store.Batch) error {
				since := b.Since
				defer func() { b.Since = since }()
				b.Since = 0
				return s.Commit(ctx, b)
			}},
			[]string{"Commands", "Lost"},
		},
		"knows nothing of moves": {
			broken{commit: func(ctx context.Context, s store.Store, b *store.Batch) error {
				c := *b
				c.Moved, c.Arrived = nil, nil
				return s.Commit(ctx, &c)
			}},
			[]string{"Moves", "MovesRepeated", "MovesRefused"},
		},
		"does a move as often as it is told of it": {
			broken{commit: func(ctx context.Context, s store.Store, b *store.Batch) error {
				c := *b
				c.Moved = slices.Clone(b.Moved)
				for k := range c.Moved {
					if x := &c.Moved[k].Owner; x.Frame > 0 {
						x.Frame = max(x.Frame, b.Frame)
					}
				}
				return s.Commit(ctx, &c)
			}},
			[]string{"MovesRepeated"},
		},
		"never lets anyone in": {
			broken{commit: func(ctx context.Context, s store.Store, b *store.Batch) error {
				c := *b
				c.Arrived = nil
				return s.Commit(ctx, &c)
			}},
			[]string{"Moves", "MovesRepeated"},
		},
		"loses a flag": {broken{load: func(c *store.Cut) {
			for k := range c.Owners {
				c.Owners[k].Older = false
			}
		}}, []string{"Older", "Random"}},
		"loses the clocks":     {broken{load: func(c *store.Cut) { c.Clocks = store.Clocks{} }}, []string{"Head", "FirstCut"}},
		"loses the last owner": {broken{load: func(c *store.Cut) { c.Owners = c.Owners[:max(0, len(c.Owners)-1)] }}, []string{"FirstCut", "Large"}},
	} {
		t.Run(name, func(t *testing.T) {
			found := storetest.Findings(func() storetest.Open {
				open := lasting(storetest.NewMemory())
				return func() (store.Store, error) {
					s, err := open()
					b := x.broken
					b.Mover = s.(store.Mover)
					return &b, err
				}
			})
			names := slices.Sorted(maps.Keys(found))
			if name == "sound" {
				require.Empty(t, found)
			}
			require.Subset(t, names, x.by)
		})
	}
}

// TestDiffer checks that every field of a cut is compared.
func TestDiffer(t *testing.T) {
	cut := func() *store.Cut {
		return &store.Cut{
			Head:     store.Head{Zone: "a", Epoch: 1, Frame: 2, Window: 3, Older: []buff.OwnerID{1}, State: []byte("s"), Data: []byte("d")},
			Owners:   []store.Owner{{ID: 1, Frame: 2, Blob: []byte("b"), Data: []byte("d"), Older: true}},
			Commands: []store.CommandID{{1}},
		}
	}
	require.NoError(t, storetest.Differ(cut(), cut()))
	for k, change := range []func(c *store.Cut){
		func(c *store.Cut) { c.Zone = "b" },
		func(c *store.Cut) { c.Epoch++ },
		func(c *store.Cut) { c.Frame++ },
		func(c *store.Cut) { c.Window++ },
		func(c *store.Cut) { c.Clocks.Moment.Wall++ },
		func(c *store.Cut) { c.Clocks.Areas = make([]store.AreaClock, 1) },
		func(c *store.Cut) { c.Older = nil },
		func(c *store.Cut) { c.State = nil },
		func(c *store.Cut) { c.Data = nil },
		func(c *store.Cut) { c.Commands[0][15] = 1 },
		func(c *store.Cut) { c.Owners = nil },
		func(c *store.Cut) { c.Owners[0].ID++ },
		func(c *store.Cut) { c.Owners[0].Frame++ },
		func(c *store.Cut) { c.Owners[0].Blob = nil },
		func(c *store.Cut) { c.Owners[0].Data = nil },
		func(c *store.Cut) { c.Owners[0].Older = false },
	} {
		other := cut()
		change(other)
		require.Error(t, storetest.Differ(other, cut()), k)
	}
}

// ExampleMemory keeps a zone across a restart.
func ExampleMemory() {
	ctx := context.Background()
	m := storetest.NewMemory()
	cut, err := m.Open(ctx, "arena")
	if !errors.Is(err, store.ErrEmpty) {
		panic(err)
	}
	err = m.Commit(ctx, &store.Batch{
		Head:   store.Head{Zone: "arena", Epoch: cut.Epoch, Frame: 1},
		Owners: []store.Owner{{ID: 7, Data: []byte("in the hall")}},
	})
	if err != nil {
		panic(err)
	}
	cut, err = m.Open(ctx, "arena") // the server has restarted
	if err != nil {
		panic(err)
	}
	for _, o := range cut.Owners {
		fmt.Printf("owner %d as of frame %d: %s\n", o.ID, o.Frame, o.Data)
	}
	// Output: owner 7 as of frame 1: in the hall
}
