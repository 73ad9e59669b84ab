package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/bolt"
	"github.com/bufftick/bufftick/store/record"
)

// poisoned returns the blob of an owner with a poison that has 7 s left.
func poisoned(t *testing.T) []byte {
	cat, err := buff.NewCatalog(buff.Spec{ID: "poison", Duration: 10 * time.Second, Stack: define.Stacking{Limit: 5}})
	require.NoError(t, err)
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true})
	require.NoError(t, err)
	defer e.Close(t.Context())
	require.NoError(t, e.Spawn(7, nil))
	res := e.AddBuff(7, buff.Application{Spec: cat.Spec("poison"), Source: 9, Stacks: 2})
	require.NoError(t, res.Failure)
	e.Tick(3 * time.Second)
	blob, err := e.Save(7)
	require.NoError(t, err)
	return blob
}

// cutFiles creates world.db, which has two zones, of which one has no cut. It also creates
// arena.cut, which is a copy of the cut of the other zone.
func cutFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx := context.Background()
	s, err := bolt.Open("world.db", bolt.Options{})
	require.NoError(t, err)
	for _, zone := range []string{"arena", "hall"} {
		_, err = s.Open(ctx, zone)
		require.ErrorIs(t, err, store.ErrEmpty)
	}
	require.NoError(t, s.Commit(ctx, &store.Batch{
		Head: store.Head{
			Zone: "arena", Epoch: 1, Frame: 41, Window: 4, Older: []buff.OwnerID{8},
			Clocks: store.Clocks{
				Moment: buff.Moment{Now: 3000, Wall: 1_795_330_800_123, Uptime: 63_000},
				Areas:  []store.AreaClock{{Number: 2, Rate: buff.Ratio{Num: 1, Den: 2}, Paused: true}},
			},
		},
		Owners:   []store.Owner{{ID: 7, Blob: poisoned(t), Data: []byte("health 85")}, {ID: 8, Data: []byte("\x80\x80\x80\x80\x10")}},
		Commands: []store.CommandID{{1}},
	}))
	cut, err := s.Load(ctx, "arena")
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, os.WriteFile("arena.cut", record.AppendCut(nil, cut), 0o600))
}

const arenaText = `zone "arena": frame 41, epoch 1, 2 owners, 1 of them older, 1 command
  now 00:00:03.000, wall 2026-11-22T07:00:00.123Z, uptime 1m3s
  area 2: rate 1/2, paused true
owner 7: frame 41, blob 45 bytes, data 9 bytes
  poison x2, 7s left, source 9
owner 8: frame 41, older: it was busy, parked, blob 0 bytes, data 5 bytes
`

// TestCut checks the output for intact files of both kinds.
func TestCut(t *testing.T) {
	cutFiles(t)
	require.Equal(t, arenaText+"zone \"hall\": no cut, epoch 1\n", transcript([]string{"cut", "world.db"}))
	for _, line := range []string{"cut -zone arena world.db", "cut arena.cut"} {
		require.Equal(t, arenaText, transcript(strings.Fields(line)), line)
	}
	require.Equal(t, "zone \"arena\": frame 41, epoch 1, 2 owners, 1 of them older, 1 command\n", transcript([]string{"cut", "-verify", "arena.cut"}))

	stdout, _, code := tool("cut", "-json", "arena.cut")
	require.Zero(t, code)
	var z struct {
		Zone   string
		Frame  uint64
		Owners []struct {
			ID   uint64
			Blob struct{ Buffs []struct{ Buff string } }
			Data []byte
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &z))
	require.Equal(t, "arena", z.Zone)
	require.EqualValues(t, 41, z.Frame)
	require.Equal(t, "poison", z.Owners[0].Blob.Buffs[0].Buff)
	require.Equal(t, "health 85", string(z.Owners[0].Data))
}

// TestCutArriving checks that owners in transit are printed with the zone that they move to, even
// if this zone does not exist yet.
func TestCutArriving(t *testing.T) {
	cutFiles(t)
	s, err := bolt.Open("world.db", bolt.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Commit(t.Context(), &store.Batch{
		Head: store.Head{Zone: "arena", Epoch: 1, Frame: 42}, Since: 41,
		Moved: []store.Move{
			{Owner: store.Owner{ID: 7, Frame: 42, Blob: poisoned(t)}, To: "hall"},
			{Owner: store.Owner{ID: 8, Frame: 42}, To: "harbour"},
		},
	}))
	require.NoError(t, s.Close())
	require.Equal(t, `zone "arena": frame 42, epoch 1, 0 owners, 0 of them older, 0 commands
  now 00:00:00.000, wall 1970-01-01T00:00:00.000Z, uptime 0s
zone "hall": no cut, epoch 1
owner 7: frame 42, on its way to this zone, blob 45 bytes, data 0 bytes
  poison x2, 7s left, source 9
zone "harbour": no cut, epoch 0
owner 8: frame 42, on its way to this zone, blob 0 bytes, data 0 bytes
`, transcript([]string{"cut", "world.db"}))
	require.Contains(t, transcript([]string{"cut", "-verify", "world.db"}), "zone \"harbour\": no cut, epoch 0\n  1 owner on the way to it\n")
	require.Contains(t, transcript([]string{"cut", "-json", "-zone", "hall", "world.db"}), `"arriving":[{"id":7,`)
}

// TestCutCompact checks that the file shrinks and keeps its contents.
func TestCutCompact(t *testing.T) {
	cutFiles(t)
	before := transcript([]string{"cut", "world.db"})
	s, err := bolt.Open("world.db", bolt.Options{})
	require.NoError(t, err)
	b := &store.Batch{Head: store.Head{Zone: "hall", Epoch: 1, Frame: 1}, Owners: []store.Owner{{ID: 9, Blob: make([]byte, 1<<20)}}}
	require.NoError(t, s.Commit(t.Context(), b))
	b = &store.Batch{Head: store.Head{Zone: "hall", Epoch: 1, Frame: 2}, Since: 1, Deleted: []buff.OwnerID{9}}
	require.NoError(t, s.Commit(t.Context(), b))
	require.Contains(t, transcript([]string{"cut", "-compact", "world.db"}), "world.db: store: locked by another process")
	require.NoError(t, s.Close())
	require.Regexp(t, `^world\.db: \d{7} bytes before, \d{5} now\n$`, transcript([]string{"cut", "-compact", "world.db"}))
	require.Contains(t, transcript([]string{"cut", "world.db"}), strings.TrimSuffix(before, "zone \"hall\": no cut, epoch 1\n"))

	for line, want := range map[string]string{
		"cut -compact arena.cut":             "arena.cut: store: not a bufftick store",
		"cut -compact nothing.db":            "no such file",
		"cut -compact -zone arena world.db":  "-compact rewrites the whole file",
		"cut -compact -verify world.db":      "-compact rewrites the whole file",
		"cut -compact -f buffs.yaml arena.x": "-compact rewrites the whole file",
	} {
		require.Contains(t, transcript(strings.Fields(line)), want, line)
	}
}

// TestCutDamaged checks that damage and missing definitions are reported with their position,
// and that the exit code is 1.
func TestCutDamaged(t *testing.T) {
	cutFiles(t)
	require.NoError(t, os.WriteFile("buffs.yaml", []byte("buffs: {venom: {duration: 8s}}\n"), 0o600))
	require.Contains(t, transcript(strings.Fields("cut -verify -f buffs.yaml world.db")), "owner 7: poison: no definition\n")
	for file, want := range map[string]string{"world.db": "store: damaged: world.db: ", "arena.cut": "store: damaged: arena.cut: the record at byte "} {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		at := strings.Index(string(b), "health 85")
		b[at] ^= 1
		require.NoError(t, os.WriteFile(file, b, 0o600))
		out := transcript([]string{"cut", "-verify", file})
		require.Contains(t, out, want)
		require.Contains(t, out, "exit 1\n")
	}
	require.Contains(t, transcript([]string{"cut", "nothing.db"}), "no such file")
	require.Contains(t, transcript([]string{"cut", "buffs.yaml"}), "store: not a bufftick store")
	require.NoError(t, os.WriteFile("later.cut", []byte(record.FileMagic+"H\x02\x00\x00\x00\x0a\x22\xe8\xc8\x1e"), 0o600))
	later := transcript([]string{"cut", "later.cut"})
	require.Contains(t, later, "later.cut: store: written by a later version")
	require.Contains(t, later, "; nothing has been changed: update this program\n")
}

// TestCutBlob checks that an invalid blob in an intact cut is reported.
func TestCutBlob(t *testing.T) {
	t.Chdir(t.TempDir())
	cut := &store.Cut{Head: store.Head{Zone: "a", Epoch: 1, Frame: 1}, Owners: []store.Owner{{ID: 3, Frame: 1, Blob: []byte("x")}}}
	require.NoError(t, os.WriteFile("a.cut", record.AppendCut(nil, cut), 0o600))
	require.Contains(t, transcript([]string{"cut", "-verify", "a.cut"}), "owner 3: buff: bad blob")
	require.Contains(t, transcript([]string{"cut", "-json", "a.cut"}), `"damage":"buff: bad blob`)
}
