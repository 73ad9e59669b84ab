package bolt

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// crashPoints is 10,000 in CI and 1,000,000 at night.
var crashPoints = flag.Int("crash.points", 2000, "how many power losses are tried")

const (
	crashFrames = 60
	crashZone   = "a"
)

// crashBatch is the batch of a frame. Each has the same text for owner 1 and for the zone, and
// sizes that make pages split, overflow and go.
func crashBatch(frame uint64) *store.Batch {
	dice := rand.New(rand.NewPCG(frame, 3))
	text := fmt.Append(nil, frame)
	b := &store.Batch{
		Head:  store.Head{Zone: crashZone, Epoch: 1, Frame: frame, Window: 6, Data: text},
		Since: frame - 1, Owners: []store.Owner{{ID: 1, Data: text}}, Commands: []store.CommandID{{byte(frame)}},
	}
	for id := buff.OwnerID(2); id < 60; id++ {
		switch roll := dice.IntN(12); roll {
		case 0, 1:
			b.Owners = append(b.Owners, store.Owner{ID: id, Blob: text, Data: make([]byte, dice.IntN(300))})
		case 2:
			b.Owners = append(b.Owners, store.Owner{ID: id, Blob: text, Data: make([]byte, dice.IntN(6000))})
		case 3:
			b.Deleted = append(b.Deleted, id)
		}
	}
	return b
}

// TestCrashChild is the process that writes, in whichever way the environment says.
func TestCrashChild(t *testing.T) {
	path, how := os.Getenv("BOLT_CRASH_FILE"), os.Getenv("BOLT_CRASH_HOW")
	if path == "" {
		t.Skip("it is run by TestP32_PowerLoss")
	}
	acks, err := os.Create(path + ".acks")
	require.NoError(t, err)
	s, err := Open(path, Options{noSync: how == "no sync"})
	require.NoError(t, err)
	for frame := uint64(1); frame <= crashFrames; frame++ {
		b := crashBatch(frame)
		if how == "two transactions" {
			first := *b
			first.Owners, first.Deleted = b.Owners[:1], nil
			first.Data = append([]byte(nil), b.Data...)
			require.NoError(t, s.Commit(ctx, &first))
		}
		require.NoError(t, s.Commit(ctx, b))
		_, err := acks.Write(binary.BigEndian.AppendUint64(nil, frame))
		require.NoError(t, err)
	}
	require.NoError(t, s.Close())
}

// crashTrace records what the child does.
func crashTrace(t *testing.T, how string) *storetest.Trace {
	path := filepath.Join(t.TempDir(), "zones.db")
	s, err := Open(path, Options{})
	require.NoError(t, err)
	_, err = s.Open(ctx, crashZone)
	require.ErrorIs(t, err, store.ErrEmpty)
	require.NoError(t, s.Close())
	cmd := exec.Command(os.Args[0], "-test.run=^TestCrashChild$")
	cmd.Env = append(os.Environ(), "BOLT_CRASH_FILE="+path, "BOLT_CRASH_HOW="+how)
	trace, err := strace(cmd, path)
	require.NoError(t, err)
	return trace
}

// crashStates are the cuts of all frames; 0 is none.
func crashStates(t *testing.T) []*store.Cut {
	m := storetest.NewMemory()
	_, err := m.Open(ctx, crashZone)
	require.ErrorIs(t, err, store.ErrEmpty)
	states := []*store.Cut{nil}
	for frame := uint64(1); frame <= crashFrames; frame++ {
		require.NoError(t, m.Commit(ctx, crashBatch(frame)))
		cut, err := m.Load(ctx, crashZone)
		require.NoError(t, err)
		states = append(states, cut)
	}
	return states
}

// afterCrash opens a file that a power loss has left: it is one of the states, and not one before
// the last that was acknowledged.
func afterCrash(path string, acked int64, states []*store.Cut) error {
	s, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer s.Close()
	cut, err := s.Load(ctx, crashZone)
	switch {
	case errors.Is(err, store.ErrEmpty) && acked == 0:
		return nil
	case err != nil:
		return err
	case cut.Frame < uint64(acked):
		return fmt.Errorf("frame %d is there, and %d was acknowledged", cut.Frame, acked)
	}
	return storetest.Differ(cut, states[cut.Frame])
}

// losePower tries so many crashes, at all points of the trace alike, and returns how many of
// them left something else than they may.
func losePower(t *testing.T, trace *storetest.Trace, points int) (wrong int, first error) {
	dir := t.TempDir()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() { // no disk is waited for
		var err error
		dir, err = os.MkdirTemp("/dev/shm", "bolt-crash")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
	}
	path := filepath.Join(dir, "zones.db")
	dice, states := rand.New(rand.NewPCG(20778, uint64(points))), crashStates(t)
	disk, done := storetest.NewDisk(trace), 0
	for at := 1; disk.Step(); at++ {
		for ; done < points*at/len(trace.Ops); done++ {
			require.NoError(t, os.WriteFile(path, disk.Crash(dice), 0o600))
			if err := afterCrash(path, disk.Acknowledged(), states); err != nil {
				wrong++
				first = errors.Join(first, fmt.Errorf("before op %d of %d: %w", at, len(trace.Ops), err))
				if wrong > 3 {
					return wrong, first
				}
			}
		}
	}
	return wrong, first
}

// TestP32_PowerLoss: whatever a disk keeps of what was not synced, the file is the cut before or the
// cut after, and never one before what was acknowledged.
func TestP32_PowerLoss(t *testing.T) {
	trace := crashTrace(t, "")
	kinds := map[storetest.OpKind]int{}
	for _, op := range trace.Ops {
		kinds[op.Kind]++
	}
	t.Logf("%d writes, %d syncs, %d changes of length, %d acknowledged", kinds[storetest.Write], kinds[storetest.Sync], kinds[storetest.Truncate], kinds[storetest.Ack])
	require.Equal(t, crashFrames, kinds[storetest.Ack])
	require.GreaterOrEqual(t, kinds[storetest.Sync], 2*crashFrames)
	points := *crashPoints
	if testing.Short() {
		points /= 10
	}
	_, err := losePower(t, trace, points)
	require.NoError(t, err)
}

// TestPowerLossFinds: without syncs, and with a batch in two transactions, it is not so.
func TestPowerLossFinds(t *testing.T) {
	for _, how := range []string{"no sync", "two transactions"} {
		t.Run(how, func(t *testing.T) {
			wrong, err := losePower(t, crashTrace(t, how), 2000)
			require.NotZero(t, wrong)
			t.Log(err)
		})
	}
}
