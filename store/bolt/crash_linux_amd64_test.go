package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// crashFrames is the number of frames that the child commits.
const crashFrames = 60

// crashZones are two zones in one file. Each frame commits the first zone and then the second.
var crashZones = [2]string{"a", "b"}

// traveller is an owner that moves from the first zone to the second and back within four frames.
const traveller = buff.OwnerID(9000)

// crashBatches returns the batches of a frame. A batch contains the same text for its owners and
// for the zone. The sizes vary, so that pages are split, overflow and become free.
func crashBatches(frame uint64) (batches [2]*store.Batch) {
	dice := rand.New(rand.NewPCG(frame, 3))
	text := fmt.Append(nil, frame)
	for k, zone := range crashZones {
		first := buff.OwnerID(1 + 100*k)
		b := &store.Batch{
			Head:  store.Head{Zone: zone, Epoch: 1, Frame: frame, Window: 6, Data: text},
			Since: frame - 1, Owners: []store.Owner{{ID: first, Data: text}}, Commands: []store.CommandID{{byte(frame)}},
		}
		for id := first + 1; id < first+30; id++ {
			switch roll := dice.IntN(12); roll {
			case 0, 1:
				b.Owners = append(b.Owners, store.Owner{ID: id, Blob: text, Data: make([]byte, dice.IntN(300))})
			case 2:
				b.Owners = append(b.Owners, store.Owner{ID: id, Blob: text, Data: make([]byte, dice.IntN(6000))})
			case 3:
				b.Deleted = append(b.Deleted, id)
			}
		}
		batches[k] = b
	}
	from, to := batches[0], batches[1]
	if frame%4 > 1 {
		from, to = to, from
	}
	move := (frame + 1) / 2 // number of the move in an odd frame
	if frame%2 == 1 {
		from.Moved = []store.Move{{Owner: store.Owner{ID: traveller, Frame: frame, Data: text}, To: to.Zone}}
	} else {
		from.Owners = append(from.Owners, store.Owner{ID: traveller, Data: text})
		from.Arrived = []store.Arrival{{Owner: store.Owner{ID: traveller}, Number: move}}
	}
	return batches
}

// TestCrashChild is the process that writes the file. Environment variables select how it writes.
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
		for _, b := range crashBatches(frame) {
			if how == "two transactions" {
				first := *b
				first.Owners, first.Deleted = b.Owners[:1], nil
				first.Data = append([]byte(nil), b.Data...)
				require.NoError(t, s.Commit(ctx, &first))
			}
			require.NoError(t, s.Commit(ctx, b))
		}
		_, err := acks.Write(binary.BigEndian.AppendUint64(nil, frame))
		require.NoError(t, err)
	}
	require.NoError(t, s.Close())
}

// crashTrace records the operations of the child.
func crashTrace(t *testing.T, how string) *storetest.Trace {
	path := filepath.Join(t.TempDir(), "zones.db")
	s, err := Open(path, Options{})
	require.NoError(t, err)
	for _, zone := range crashZones {
		_, err = s.Open(ctx, zone)
		require.ErrorIs(t, err, store.ErrEmpty)
	}
	require.NoError(t, s.Close())
	cmd := exec.Command(os.Args[0], "-test.run=^TestCrashChild$")
	cmd.Env = append(os.Environ(), "BOLT_CRASH_FILE="+path, "BOLT_CRASH_HOW="+how)
	trace, err := strace(cmd, path)
	require.NoError(t, err)
	return trace
}

// crashState is the contents of a file: the cuts of both zones, nil if there is no cut, and the
// owners in transit.
type crashState struct {
	cuts     [2]*store.Cut
	arrivals []store.Arrival
}

// commits returns the number of commits that have led to the state.
func (s *crashState) commits() (n uint64) {
	for _, cut := range s.cuts {
		if cut != nil {
			n += cut.Frame
		}
	}
	return n
}

func readCrashState(m store.Mover) (s crashState, err error) {
	for k, zone := range crashZones {
		cut, err := m.Load(ctx, zone)
		switch {
		case err == nil:
			s.cuts[k] = cut
		case !errors.Is(err, store.ErrEmpty):
			return s, err
		}
	}
	s.arrivals, err = m.Arrivals(ctx, crashZones[:])
	return s, err
}

// crashStates returns the state before the first commit, and the states after each commit.
func crashStates(t *testing.T) (states []crashState) {
	m := storetest.NewMemory()
	for _, zone := range crashZones {
		_, err := m.Open(ctx, zone)
		require.ErrorIs(t, err, store.ErrEmpty)
	}
	states = []crashState{{}}
	for frame := uint64(1); frame <= crashFrames; frame++ {
		for _, b := range crashBatches(frame) {
			require.NoError(t, m.Commit(ctx, b))
			s, err := readCrashState(m)
			require.NoError(t, err)
			states = append(states, s)
		}
	}
	return states
}

// afterCrash opens a file after a simulated power loss. The file must have one of the states, and
// this state must include the last acknowledged frame.
func afterCrash(path string, acked int64, states []crashState) error {
	s, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer s.Close()
	is, err := readCrashState(s)
	n := is.commits()
	switch {
	case err != nil:
		return err
	case n < 2*uint64(acked):
		return fmt.Errorf("there are %d commits, and frame %d was acknowledged", n, acked)
	}
	want := states[n]
	for k, cut := range is.cuts {
		if (cut == nil) != (want.cuts[k] == nil) {
			return fmt.Errorf("zone %q has a cut: %v", crashZones[k], cut != nil)
		}
		if cut != nil {
			err = errors.Join(err, storetest.Differ(cut, want.cuts[k]))
		}
	}
	if !reflect.DeepEqual(is.arrivals, want.arrivals) {
		err = errors.Join(err, fmt.Errorf("in transit are %+v, want %+v", is.arrivals, want.arrivals))
	}
	return err
}

// losePower simulates crashes at points spread evenly over the trace, and returns the number of
// crashes that left an invalid state.
func losePower(t *testing.T, trace *storetest.Trace, points int) (wrong int, first error) {
	dir := t.TempDir()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() { // avoid waiting for a disk
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

// TestP32_PowerLoss checks that whichever unsynced writes a disk keeps, the file has the state
// before or after a commit of one of its zones, a moving owner is in exactly one place, and no
// acknowledged commit is lost.
func TestP32_PowerLoss(t *testing.T) {
	trace := crashTrace(t, "")
	kinds := map[storetest.OpKind]int{}
	for _, op := range trace.Ops {
		kinds[op.Kind]++
	}
	t.Logf("%d writes, %d syncs, %d changes of length, %d acknowledged", kinds[storetest.Write], kinds[storetest.Sync], kinds[storetest.Truncate], kinds[storetest.Ack])
	require.Equal(t, crashFrames, kinds[storetest.Ack])
	require.GreaterOrEqual(t, kinds[storetest.Sync], 4*crashFrames)
	points := long.Times(200)
	_, err := losePower(t, trace, points)
	require.NoError(t, err)
}

// TestPowerLoss_DetectsFaults checks that TestP32_PowerLoss detects missing syncs, and a batch
// that is written in two transactions.
func TestPowerLoss_DetectsFaults(t *testing.T) {
	for _, how := range []string{"no sync", "two transactions"} {
		t.Run(how, func(t *testing.T) {
			wrong, err := losePower(t, crashTrace(t, how), 2000)
			require.NotZero(t, wrong)
			t.Log(err)
		})
	}
}
