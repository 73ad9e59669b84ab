package sheet

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/long"
)

// TestModel compares random sessions with the model.
func TestModel(t *testing.T) {
	for seed := range uint64(rounds(1500)) {
		require.NoError(t, newSession(seeded(seed, 600)).run(), "seed %d", seed)
		cut := newSession(seeded(seed, 600))
		cut.cuts = true
		require.NoError(t, cut.run(), "seed %d, with cuts", seed)
	}
}

// rounds returns a tenth of n, multiplied by -long.
func rounds(n int) int { return max(1, long.Times(n)/10) }

// FuzzModel takes a schema and a session from the bytes.
//
//	go test ./internal/rules/sheet -run - -fuzz FuzzModel -fuzzminimizetime 1s
func FuzzModel(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seeded(seed, 300).bytes)
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		if err := newSession(&dice{bytes: bytes[:min(len(bytes), 2000)]}).run(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestBase checks that after any session, when the modifiers were removed in any order, every
// value is the same as on a sheet that never had any, and that it is exactly the base of the
// schema if no base was changed.
func TestBase(t *testing.T) {
	for seed := range uint64(rounds(1500)) {
		s := newSession(seeded(seed, 600))
		require.NoError(t, s.run(), "seed %d", seed)
		rng := rand.New(rand.NewPCG(seed, 1))
		rng.Shuffle(len(s.keys), func(i, j int) { s.keys[i], s.keys[j] = s.keys[j], s.keys[i] })
		for _, k := range s.keys {
			switch m, ok := s.sheet.Modifier(k); {
			case ok && rng.IntN(8) == 0:
				require.NotZero(t, s.sheet.RemoveAll(m.Of))
			case rng.IntN(4) == 0:
				s.sheet.Value(stat.Attr(1 + rng.IntN(len(s.model.bases)-1)))
			}
			s.sheet.Remove(k)
		}
		require.Zero(t, s.sheet.Len())
		fresh := newSheet(s.sheet.Schema(), 0)
		for a := range fresh.Schema().All() {
			require.NoError(t, fresh.SetBase(a, s.sheet.Base(a)))
		}
		for a, d := range fresh.Schema().All() {
			sameBits(t, fresh.Value(a), s.sheet.Value(a), "seed %d, %s", seed, d.Name)
		}
		for a, d := range fresh.Schema().All() {
			require.NoError(t, s.sheet.SetBase(a, d.Base))
		}
		for a, d := range fresh.Schema().All() {
			sameBits(t, unsigned(d.Base), s.sheet.Value(a), "seed %d, %s with the first base", seed, d.Name)
		}
	}
}

func sameBits(t *testing.T, want, got float64, format string, args ...any) {
	t.Helper()
	if math.Float64bits(want) != math.Float64bits(got) {
		require.Fail(t, "not the same bits", append([]any{"want %v, got %v: " + format, want, got}, args...)...)
	}
}

// TestOrder checks that the order in which modifiers are added, other modifiers that are added and
// removed in between, and the instants of reads do not change the bits of a value.
func TestOrder(t *testing.T) {
	for seed := range uint64(rounds(300)) {
		d := seeded(seed, 4000)
		schema := d.schema()
		mods := make([]stat.Modifier, 1+d.roll(40))
		overridden := map[[2]int]bool{}
		for i := range mods {
			mods[i] = d.modifier(schema)
			at := [2]int{int(mods[i].Attr), int(mods[i].Channel)}
			if mods[i].Op == stat.Override && overridden[at] {
				mods[i].Op = stat.Add // the order decides which of two overrides applies
			}
			overridden[at] = overridden[at] || mods[i].Op == stat.Override
		}
		first := newSheet(schema, 0)
		for _, m := range mods {
			_, err := first.Add(m)
			require.NoError(t, err)
		}
		rng := rand.New(rand.NewPCG(seed, 2))
		for range 20 {
			rng.Shuffle(len(mods), func(i, j int) { mods[i], mods[j] = mods[j], mods[i] })
			again := newSheet(schema, 0)
			var noise []Key
			for _, m := range mods {
				other := m
				other.Value = rng.Float64()
				k, err := again.Add(other)
				require.NoError(t, err)
				if m.Op != stat.Override && rng.IntN(2) == 0 {
					more, err := again.Add(other)
					require.NoError(t, err)
					noise = append(noise, more)
				}
				if rng.IntN(3) == 0 {
					again.Value(m.Attr)
				}
				require.NoError(t, again.SetValue(k, m.Value))
			}
			for _, k := range noise {
				require.True(t, again.Remove(k))
			}
			for a := range schema.All() {
				sameBits(t, first.Value(a), again.Value(a), "seed %d, attribute %d", seed, a)
				require.Equal(t, first.Overflowed(a), again.Overflowed(a))
			}
		}
	}
}

// TestDigest checks that the same sessions have the same bits on every processor. The number was
// computed on amd64; a failure on another machine means that its rounding differs.
func TestDigest(t *testing.T) {
	h := fnv.New64a()
	for seed := range uint64(200) {
		s := newSession(seeded(seed, 600))
		require.NoError(t, s.run())
		for v := range s.sheet.All(nil) {
			require.NoError(t, binary.Write(h, binary.LittleEndian, []float64{v.Base, v.Value}))
		}
	}
	require.Equal(t, uint64(0x2ecc6cffb2c92827), h.Sum64())
}
