package wheel

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestClockFace checks the shape of the levels and the sizes of the types.
func TestClockFace(t *testing.T) {
	w := New(0)
	require.Equal(t, shape{dial: 1000, seconds: 60, minutes: 60, hours: 12}, clockFace)
	require.Equal(t, 7, w.shelves, "half-days in 64 bits of milliseconds")
	require.EqualValues(t, 12*3_600_000, w.level[hours].round)
	require.Equal(t, 1+2*(1000+60+60+12)+7*64, w.count())
	require.EqualValues(t, 32, unsafe.Sizeof(timer{}))
	require.EqualValues(t, 1024, unsafe.Sizeof(chunk{}))
	require.EqualValues(t, 32, unsafe.Sizeof(queue{}))
}

// TestInverse checks that the multiplication in Wheel.place gives the same result as a division,
// at both ends of every slot.
func TestInverse(t *testing.T) {
	for _, sh := range shapes {
		w := newWheel(sh, 0)
		for l := range shelf {
			f := &w.level[l]
			for k := range 2 * f.size {
				for _, gone := range []uint32{k * f.unit, k*f.unit + f.unit - 1} {
					got, _ := bits.Mul64(uint64(gone)*2, f.inverse)
					require.EqualValues(t, k, got, "%v: level %d, %d", sh, l, gone)
				}
			}
		}
	}
}

// TestStarts creates a wheel at every special instant, for every shape.
func TestStarts(t *testing.T) {
	for _, sh := range shapes {
		for _, at := range starts {
			w := newWheel(sh, at)
			require.Equal(t, at, w.Now())
			require.NoError(t, check(w), "%v at %d", sh, at)
		}
	}
	require.NoError(t, check(New(Never)))
}

// TestLevelEdges starts wheels at every edge of every level, adds timers due at every edge, and
// advances to just before each deadline and then to the deadline.
func TestLevelEdges(t *testing.T) {
	edges := []Time{1, 999, 1000, 1001}
	for _, s := range []Time{59, 60, 61, 3599, 3600, 3601, 43_199, 43_200, 43_201, 86_400, 64 * 43_200, 64 * 64 * 43_200} {
		edges = append(edges, s*1000-1, s*1000, s*1000+1)
	}
	for _, now := range append(edges, 0, -1, -43_200_000, 1<<32-1) {
		for _, delay := range edges {
			w := New(now)
			due := now + delay
			w.Add(due, 9)
			require.NoError(t, check(w), "%v + %v", now, delay)
			require.Empty(t, w.Advance(due-1, nil), "%v + %v", now, delay)
			require.Equal(t, []Fired{{due, 9}}, w.Advance(due, nil), "%v + %v", now, delay)
		}
	}
}

// TestSplit makes the same calls on two wheels, one of which advances in many small steps. The
// same timers must fire in the same order.
func TestSplit(t *testing.T) {
	for seed := range 20 {
		for _, sh := range shapes {
			d := seeded(uint64(seed))
			start := starts[d.below(int64(len(starts)))]
			one, many := newSession(sh, start, 100), newWheel(sh, start)
			for range 300 {
				due := d.due(one.w, one.spans, one.list)
				require.NoError(t, one.add(due))
				require.Equal(t, one.live[len(one.live)-1].h, many.Add(due, uint64(one.ops)))
				if !d.one(3) {
					continue
				}
				to := d.jump(one.w, one.spans, one.list)
				var fired []Fired
				for range d.n(8) {
					if gap := uint64(to) - uint64(many.Now()); gap > 0 {
						fired = many.Advance(many.Now()+Time(d.word()%gap), fired)
					}
				}
				require.NoError(t, one.advance(to))
				fired = many.Advance(to, fired)
				require.True(t, slices.Equal(one.dst, fired), "seed %d, %v: %v, in steps %v", seed, sh, one.dst, fired)
			}
		}
	}
}

// TestManyTimers compares the order in which many timers fire with a sort.
func TestManyTimers(t *testing.T) {
	const n = 200_000
	rng := rand.New(rand.NewPCG(3, 4))
	w := New(0)
	want := make([]Fired, n)
	for i := range want {
		want[i] = Fired{Time(rng.Int64N(100_000_000)), uint64(i)}
		w.Add(want[i].Due, want[i].ID)
	}
	require.NoError(t, check(w))
	slices.SortStableFunc(want, func(a, b Fired) int { return int(a.Due - b.Due) })
	got := make([]Fired, 0, n)
	for w.Len() > 0 {
		got = w.Advance(w.Now().Add(rng.Int64N(200_000)), got)
	}
	require.True(t, slices.Equal(want, got))
	require.NoError(t, check(w))
}

// TestManyInOneInstant fires timers that are due in the same millisecond. They fill many chunks,
// are not in order, and some are dead or postponed. All their chunks must become free.
func TestManyInOneInstant(t *testing.T) {
	const n, due = 1000, 500_000
	w := New(0)
	handles := make([]Handle, n)
	for i := range handles {
		handles[i] = w.Add(due, uint64(i))
	}
	var want []Fired
	for i, h := range handles {
		switch i % 4 {
		case 0:
			w.Remove(h)
		case 1:
			w.Move(h, 2*due)
		case 2:
			want = append(want, Fired{due, uint64(i)})
		}
	}
	for i := 3; i < n; i += 4 { // set the same deadline again, after all others
		w.Move(handles[i], due)
		want = append(want, Fired{due, uint64(i)})
	}
	require.Equal(t, want, w.Advance(due, nil))
	require.NoError(t, check(w))
	require.Len(t, w.Advance(2*due, nil), n/4)
	require.NoError(t, check(w))
}

// TestAdvance_PastPanics checks that Advance panics for a time in the past and changes nothing.
func TestAdvance_PastPanics(t *testing.T) {
	w := New(1000)
	w.Add(500, 1)
	w.Add(1500, 2)
	require.PanicsWithValue(t, "wheel: time went back", func() { w.Advance(999, nil) })
	require.Equal(t, Time(1000), w.Now())
	require.Equal(t, []Fired{{500, 1}}, w.Advance(1000, nil))
}

// TestAdvance_Appends checks that Advance keeps the contents of dst and sorts only what it
// appends.
func TestAdvance_Appends(t *testing.T) {
	w := New(10)
	w.Add(9, 1)
	w.Add(8, 2)
	require.Equal(t, []Fired{{99, 9}, {8, 2}, {9, 1}}, w.Advance(10, []Fired{{99, 9}}))
	require.Nil(t, w.Advance(10, nil))
}

// TestWholeRange advances over the whole range of Time, which has 10^16 slots, so Advance must
// not visit empty slots.
func TestWholeRange(t *testing.T) {
	w := New(earliest)
	w.Add(-1, 1)
	w.Add(Never-1, 2)
	w.Add(Never, 3)
	require.Equal(t, []Fired{{-1, 1}, {Never - 1, 2}}, w.Advance(Never-1, nil))
	require.NoError(t, check(w))
	require.Equal(t, []Fired{{Never, 3}}, w.Advance(Never, nil))
}

// TestAddSelf checks that AddSelf uses the handle as the id, also in reused memory, and that
// State is right after every call.
func TestAddSelf(t *testing.T) {
	w := New(0)
	old := w.AddSelf(5)
	require.Equal(t, Waiting, w.State(old))
	require.True(t, w.Remove(old))
	require.Equal(t, Stale, w.State(old))

	h := w.AddSelf(7)
	require.Equal(t, Stale, w.State(old), "the memory is used again, the handle is not")
	require.Equal(t, []Fired{{Due: 7, ID: uint64(h)}}, w.Advance(7, nil))
	require.Equal(t, Resting, w.State(h))
	require.True(t, w.Move(h, 9))
	require.Equal(t, Waiting, w.State(h))
	require.Equal(t, []Fired{{Due: 9, ID: uint64(h)}}, w.Advance(9, nil))
	require.False(t, w.Remove(h), "it does not wait")
	require.Equal(t, Stale, w.State(h))
	require.Equal(t, Stale, w.State(0))
	require.Equal(t, Stale, w.State(Handle(1<<32|1<<20)), "beyond all pages")
	require.NoError(t, check(w))
}

// TestSparseSlots uses more slots than a sparse wheel has numbered queues.
func TestSparseSlots(t *testing.T) {
	w := New(0)
	var handles []Handle
	for i := range uint64(sparseLimit - 1) {
		handles = append(handles, w.Add(Time(1+2*i), i))
	}
	require.NoError(t, check(w))
	require.NotNil(t, w.sparse)
	require.NotEmpty(t, w.sparse.more)
	for i, h := range handles {
		if i%3 == 0 {
			w.Remove(h)
		}
	}
	fired := len(w.Advance(700, nil))
	require.NoError(t, check(w))
	for i := range uint64(sparseLimit) {
		w.Add(2000+Time(i), i)
	}
	require.Nil(t, w.sparse, "by now there are many")
	require.NoError(t, check(w))
	fired += len(w.Advance(5000, nil))
	require.Equal(t, sparseLimit-1-(sparseLimit-1+2)/3+sparseLimit, fired)
	require.NoError(t, check(w))
}
