package engine_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/replay"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/internal/recording"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/stretchr/testify/require"
)

// blocksOf splits a recording into the contents of its blocks; the last one may be incomplete.
func blocksOf(rec []byte) (blocks [][]byte) {
	for len(rec) > 0 {
		n, size := binary.Uvarint(rec)
		if size <= 0 {
			return append(blocks, rec)
		}
		rec = rec[size:]
		n = min(n, uint64(len(rec)))
		blocks = append(blocks, rec[:n:n])
		rec = rec[n:]
		rec = rec[min(4, len(rec)):]
	}
	return blocks
}

// sealed makes a recording of the contents of blocks, with valid lengths and checksums.
func sealed(blocks [][]byte) (rec []byte) {
	for _, b := range blocks {
		rec = binary.AppendUvarint(rec, uint64(len(b)))
		rec = append(rec, b...)
		rec = binary.LittleEndian.AppendUint32(rec, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	}
	return rec
}

// hostileRecording returns a recording that contains every kind of record.
func hostileRecording(t testing.TB, seed uint64) ([]byte, plan) {
	p := plan{seed: seed, owners: 6, steps: 12, outbox: true, inbox: true, churn: true, shared: seed%2 == 1, stats: seed >= 2}
	var b bytes.Buffer
	s := newSim(t, p, engine.Options{Synchronous: true, Seed: seed, Trace: engine.Trace{Record: &b}, CatchUp: engine.Dilate})
	s.run(whole)
	s.finish()
	return b.Bytes(), p
}

// hostileOptions returns options for a replay of such a recording.
func hostileOptions(t testing.TB, p plan) engine.Options {
	specs := simSpecs
	o := engine.Options{Synchronous: true, Handlers: engine.Handlers{"act": func(*engine.Context, buff.Event) {}}}
	if p.shared {
		specs = append(append([]buff.Spec{}, specs...), sharedSpecs...)
		o.Members = near
	}
	o.Catalog = catalogOf(t, specs...)
	if p.stats {
		o.Catalog = statsOf(t, append(append([]buff.Spec{}, specs...), statSpecs...)...)
	}
	return o
}

// tryRecording replays any bytes. The replay must end, with one of the two errors or without an
// error.
func tryRecording(t *testing.T, rec []byte, o engine.Options) error {
	_, err := replay.Run(bytes.NewReader(rec), o, replay.Game{
		Timeout: func(int, buff.OwnerID) func(*engine.Context) { return func(*engine.Context) {} },
	})
	if err != nil && !errors.Is(err, replay.ErrRecording) && !errors.Is(err, replay.ErrDiffers) {
		require.NoError(t, err, "it is neither ErrRecording nor ErrDiffers")
	}
	return err
}

// TestReplayHostile checks that a recording with valid checksums and invalid values is an error
// with its position, and never panics.
func TestReplayHostile(t *testing.T) {
	n := long.Times(500)
	rng := rand.New(rand.NewPCG(1, 20))
	bad := 0
	for seed := range uint64(4) {
		rec, p := hostileRecording(t, seed)
		whole, o := blocksOf(rec), hostileOptions(t, p)
		require.Equal(t, rec, sealed(whole))
		for range n {
			blocks := make([][]byte, len(whole))
			for k := range whole {
				blocks[k] = bytes.Clone(whole[k])
			}
			for range 1 + rng.IntN(4) {
				spoil(rng, blocks)
			}
			if err := tryRecording(t, sealed(blocks), o); errors.Is(err, replay.ErrRecording) {
				bad++
			}
		}
	}
	require.Greater(t, bad, n/2)
}

// spoil changes something in one of the blocks, rarely in the first one, which is the header.
func spoil(rng *rand.Rand, blocks [][]byte) {
	k := rng.IntN(len(blocks))
	if k == 0 && rng.IntN(4) > 0 {
		k = rng.IntN(len(blocks))
	}
	b := blocks[k]
	if len(b) == 0 {
		return
	}
	at := rng.IntN(len(b))
	wild := []int64{0, 1, -1, 2, 7, 50, 200, 255, 1 << 15, 1 << 31, -1 << 31, 1 << 32, 1<<63 - 1, -1 << 63, rng.Int64(), rng.Int64N(64)}
	switch rng.IntN(7) {
	case 0:
		b[at] ^= 1 << rng.IntN(8)
	case 1:
		b[at] = byte(rng.IntN(256))
	case 2: // replaces a number by another one
		v := binary.AppendVarint(nil, wild[rng.IntN(len(wild))])
		_, size := binary.Varint(b[at:])
		b = append(append(bytes.Clone(b[:at]), v...), b[at+max(size, 1):]...)
	case 3:
		b = append(append(bytes.Clone(b[:at]), b[at:min(at+8, len(b))]...), b[at:]...)
	case 4:
		b = append(bytes.Clone(b[:at]), b[min(at+1+rng.IntN(8), len(b)):]...)
	case 5:
		blocks[rng.IntN(len(blocks))] = bytes.Clone(b)
	case 6:
		b[at] = byte(rng.IntN(40)) << 1 // a small number, such as a verb, a reason or a call
	}
	blocks[k] = b
}

// recordedCommand returns the bytes of a command in a recording.
func recordedCommand(binary []byte) []byte {
	var c recording.Code
	do := recording.Do
	recording.Number(&c, &do)
	recording.Bytes(&c, &binary)
	return c.Data
}

// TestReplayHostileNumbers checks each validation of a recording with one example.
func TestReplayHostileNumbers(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "venom", Duration: time.Second, Tags: []string{"poison"}})
	form := func(c buff.Command) []byte {
		b, err := c.AppendBinary(nil, cat)
		require.NoError(t, err)
		return b
	}
	for name, k := range map[string]struct {
		binary []byte
		want   string
	}{
		"nothing":                  {nil, "frame 1: buff: bad command: 0 bytes"},
		"no verb":                  {[]byte{1, 0, 0}, "frame 1: buff: bad command: the verb 0"},
		"one of the engine's own":  {[]byte{1, 26, 0}, "frame 1: buff: bad command: enter is the engine's own"},
		"a later version":          {append([]byte{9}, form(buff.Kill(1))[1:]...), "frame 1: buff: a command of a version that is not known"},
		"something behind it":      {append(form(buff.Kill(1)), 0), "frame 1: buff: bad command: 1 bytes behind it"},
		"a definition of nowhere":  {[]byte{1, 1, 16, 3, 'o', 'w', 'l'}, "frame 1: buff: the catalog has no such name: definition"},
		"a handler that is not":    {form(buff.AddTimeout(1, 0, "nobody")), "frame 1: engine: unknown handler: \"nobody\""},
		"a timeout of nothing":     {[]byte{1, 7, 0}, "frame 1: buff: bad command: a timeout that calls nothing"},
		"an attribute that is not": {[]byte{1, 31, 0}, "frame 1: buff: the catalog has no such name: base with the attribute number 0"},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{Record: &b}})
			require.NoError(t, err)
			spawn(t, e, 1)
			e.Tick(time.Second)
			shut(t, e)
			blocks := blocksOf(b.Bytes())
			blocks[1] = append(recordedCommand(k.binary), blocks[1]...)
			_, err = replay.Run(bytes.NewReader(sealed(blocks)), engine.Options{Catalog: cat, Synchronous: true}, replay.Game{})
			require.ErrorIs(t, err, replay.ErrRecording)
			require.ErrorContains(t, err, k.want)
		})
	}
}

// TestReplayHostileMemory checks that a recording cannot claim an unlimited amount of memory for a
// Tick.
func TestReplayHostileMemory(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "dot", Kind: define.Infinite, Period: 50 * time.Millisecond})
	const much = 1<<20 + 1
	for _, k := range []struct {
		name           string
		limits, allows engine.Options
		refused        bool
	}{
		{"Limits.Tick", engine.Options{Limits: engine.Limits{Tick: much}}, engine.Options{}, true},
		{"Limits.Events", engine.Options{Limits: engine.Limits{Events: much}}, engine.Options{Limits: engine.Limits{Tick: much}}, true},
		{"Limits.Tick", engine.Options{Limits: engine.Limits{Tick: much}}, engine.Options{Limits: engine.Limits{Tick: much}}, false},
		{"both as they may be", engine.Options{Limits: engine.Limits{Tick: much - 1, Events: much - 1}}, engine.Options{}, false},
	} {
		var b bytes.Buffer
		k.limits.Catalog, k.limits.Synchronous, k.limits.Trace.Record = cat, true, &b
		k.allows.Catalog, k.allows.Synchronous = cat, true
		e := open(t, k.limits)
		spawn(t, e, 1)
		add(t, e, 1, cat.Spec("dot"))
		e.Tick(time.Second)
		shut(t, e)
		_, err := replay.Run(bytes.NewReader(b.Bytes()), k.allows, replay.Game{})
		if !k.refused {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, replay.ErrRecording)
		require.ErrorContains(t, err, "a "+k.name+" of 1048577, and Options of the replay allow 1048576")
	}
}

// TestReplayHostilePast checks that a replay ends even if a Readmit with a time long ago creates
// an owner that never catches up, and that the numbers of a Readmit may be arbitrary.
func TestReplayHostilePast(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "dot", Kind: define.Infinite, Period: 50 * time.Millisecond})
	record := func(lived int64) []byte {
		var b bytes.Buffer
		e := open(t, engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{Record: &b}})
		spawn(t, e, 1)
		add(t, e, 1, cat.Spec("dot"))
		e.Tick(time.Second)
		blob, err := e.Despawn(1)
		require.NoError(t, err)
		_, uptime, err := state.BlobMoment(blob)
		require.NoError(t, err)
		_, err = e.Readmit(1, nil, blob, 2, uptime+lived)
		require.NoError(t, err)
		e.Tick(time.Second)
		shut(t, e)
		return b.Bytes()
	}
	o := engine.Options{Catalog: cat, Synchronous: true}
	_, err := replay.Run(bytes.NewReader(record(200)), o, replay.Game{})
	require.NoError(t, err)
	blocks := blocksOf(record(1 << 60))
	require.NoError(t, tryRecording(t, sealed(blocks[:3]), o), "it ends behind a Tick, with the owner far behind")

	n, rng := long.Times(200), rand.New(rand.NewPCG(1, 26))
	blocks = blocksOf(record(200))
	for range n {
		bad := make([][]byte, len(blocks))
		for k := range blocks {
			bad[k] = bytes.Clone(blocks[k])
		}
		for range 1 + rng.IntN(4) {
			spoil(rng, bad)
		}
		_ = tryRecording(t, sealed(bad), o)
	}
}

// FuzzReplay replays arbitrary bytes with valid checksums.
func FuzzReplay(f *testing.F) {
	rec, _ := hostileRecording(f, 3)
	f.Add(rec)
	o := hostileOptions(f, plan{shared: true, stats: true})
	f.Fuzz(func(t *testing.T, rec []byte) {
		_ = tryRecording(t, rec, o)
		_ = tryRecording(t, sealed(blocksOf(rec)), o)
	})
}
