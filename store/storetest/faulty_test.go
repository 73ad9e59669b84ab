package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// play commits cut after cut, whatever its store returns. Each cut contains the same text for two
// owners. play returns the frame of the last acknowledged cut, and the stored cut.
func play(t *testing.T, seed uint64, faults storetest.Faults) (acknowledged uint64, cut *store.Cut, counts map[string]int) {
	ctx, m := context.Background(), storetest.NewMemory()
	f := storetest.NewFaulty(m, seed, faults)
	first, err := f.Open(ctx, "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	for frame := uint64(1); frame <= 50; frame++ {
		b := &store.Batch{Head: store.Head{Zone: "a", Epoch: first.Epoch, Frame: frame, Window: 100}, Since: acknowledged}
		text := fmt.Append(nil, frame)
		b.Owners = []store.Owner{{ID: 1, Data: text}, {ID: 2, Data: text}}
		for n := acknowledged + 1; n <= frame; n++ {
			b.Commands = append(b.Commands, store.CommandID{byte(n)})
		}
		switch err := f.Commit(ctx, b); {
		case err == nil:
			acknowledged = frame
		case !errors.Is(err, storetest.ErrFault): // the store has detected the fault
			return acknowledged, nil, f.Counts()
		}
	}
	cut, err = m.Load(ctx, "a")
	require.NoError(t, err)
	return acknowledged, cut, f.Counts()
}

// wrong returns an error if the cut is lost or torn.
func wrong(acknowledged uint64, c *store.Cut) error {
	switch {
	case c == nil:
		return store.ErrLost
	case c.Frame < acknowledged:
		return errors.New("lost")
	case len(c.Owners) != 2 || string(c.Owners[0].Data) != string(c.Owners[1].Data) || string(c.Owners[0].Data) != fmt.Sprint(c.Frame):
		return errors.New("torn")
	case len(c.Commands) != int(c.Frame):
		return errors.New("doubled")
	}
	return nil
}

// TestFaulty checks that allowed faults do not harm a writer that follows the contract, and that
// the other faults are detected.
func TestFaulty(t *testing.T) {
	for seed := range uint64(100) {
		acknowledged, cut, counts := play(t, seed, storetest.Faults{Fail: 0.2, Uncertain: 0.2})
		require.NoError(t, wrong(acknowledged, cut), "seed %d", seed)
		require.NotZero(t, counts["Fail"]*counts["Uncertain"])
		again, _, same := play(t, seed, storetest.Faults{Fail: 0.2, Uncertain: 0.2})
		require.Equal(t, acknowledged, again, "the same seed, the same faults")
		require.Equal(t, counts, same)
	}
	for name, faults := range map[string]storetest.Faults{
		"Tear": {Tear: 0.5}, "Reorder": {Reorder: 0.5}, "PowerLoss": {PowerLoss: 0.5},
	} {
		found := 0
		for seed := range uint64(20) {
			acknowledged, cut, counts := play(t, seed, faults)
			require.NotZero(t, counts[name])
			if wrong(acknowledged, cut) != nil {
				found++
			}
		}
		require.NotZero(t, found, name)
	}
}

// TestFaultyDelay checks that a delayed commit waits only for Release or its context.
func TestFaultyDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := storetest.NewFaulty(storetest.NewMemory(), 1, storetest.Faults{Delay: 1})
		cut, err := f.Open(t.Context(), "a")
		require.ErrorIs(t, err, store.ErrEmpty)
		ctx, cancel := context.WithCancel(t.Context())
		var kept, given error = errors.New("it did not wait"), nil
		go func() {
			kept = f.Commit(t.Context(), &store.Batch{Head: store.Head{Zone: "a", Epoch: cut.Epoch, Frame: 1}})
		}()
		go func() { given = f.Commit(ctx, &store.Batch{Head: store.Head{Zone: "a", Epoch: cut.Epoch, Frame: 2}}) }()
		synctest.Wait()
		require.Error(t, kept)
		require.NoError(t, given)
		cancel()
		synctest.Wait()
		require.ErrorIs(t, given, context.Canceled)
		_, err = f.Load(t.Context(), "a")
		require.ErrorIs(t, err, store.ErrEmpty)
		f.Release()
		synctest.Wait()
		require.NoError(t, kept)
		f.SetFaults(storetest.Faults{})
		require.NoError(t, f.Commit(t.Context(), &store.Batch{Head: store.Head{Zone: "a", Epoch: cut.Epoch, Frame: 3}}))
	})
}
