package wheel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// nextWithin calls NextWithin until more is false, and then advances to the result. No call may
// exceed its bound, and no timer may be due before the result.
func (s *session) nextWithin(d *dice) error {
	most := []int{1, 2, 5, 1000}[d.n(4)]
	want := Never
	if len(s.list) > 0 {
		want = max(s.list[0].due, s.now)
	}
	t, more := Never, true
	for calls := 0; more; calls++ {
		s.ops++
		before := s.w.Stats()
		t, more = s.w.NextWithin(most)
		if moved := s.w.Stats().Moved - before.Moved; moved > uint64(most*(s.w.Levels()+1)) {
			return fmt.Errorf("NextWithin(%d) has looked at %d entries", most, moved)
		}
		if t > want || t < s.now || most == 1000 && t != want {
			return fmt.Errorf("NextWithin(%d) %d at %d, want %d", most, t, s.now, want)
		}
		if calls > before.Waiting+before.Dead+4*s.w.count() {
			return fmt.Errorf("NextWithin(%d) comes to no end", most)
		}
	}
	if t == Never || d.one(2) {
		return nil
	}
	return s.within(t, most)
}

// within advances to the result of NextWithin and checks that few entries are moved.
func (s *session) within(t Time, most int) error {
	for l := shelf + 1; l < s.w.Levels(); l++ {
		if s.w.level[l].holds() {
			return s.advance(t) // may move a whole shelf slot
		}
	}
	before := s.w.Stats().Moved
	if err := s.advance(t); err != nil {
		return err
	}
	if moved := s.w.Stats().Moved - before; moved > uint64(2*most*s.w.Levels()+advancePiece) {
		return fmt.Errorf("Advance(%d) after NextWithin(%d) has moved %d", t, most, moved)
	}
	return nil
}

// TestNextWithin searches a slot with a hundred thousand timers for the earliest one, with a
// bounded amount of work in each call. All must fire at their deadlines. The test counts entries,
// not time.
func TestNextWithin(t *testing.T) {
	const many, most = 100_000, 500
	rng := rand.New(rand.NewPCG(3, 4))
	w := New(0)
	for range many {
		w.Add(Time(2*3_600_000+rng.Int64N(3_600_000)), 0)
	}
	var fired []Fired
	stops, firings := 0, 0
	for w.Len() > 0 {
		at, more := Never, true
		for more {
			before := w.Stats().Moved
			at, more = w.NextWithin(most)
			require.LessOrEqual(t, w.Stats().Moved-before, uint64(most*5))
		}
		before := w.Stats().Moved
		fired = w.Advance(at, fired[:0])
		require.LessOrEqual(t, w.Stats().Moved-before, uint64(2*most*5+advancePiece))
		for _, f := range fired {
			require.Equal(t, at, f.Due)
		}
		stops++
		if len(fired) > 0 {
			firings++
		}
	}
	require.Less(t, stops, firings+1+60+3600, "an instant for each slot of many, and no other, beside the deadlines")
	require.NoError(t, check(w))
}

// TestNextWithinFar checks that a distant slot is not visited until it is the coming slot.
func TestNextWithinFar(t *testing.T) {
	const hour = 3_600_000
	for _, c := range []struct{ due, at Time }{
		{5*hour + 1, 4 * hour},
		{30*hour + 1, 12 * hour},
		{40*60_000 + 1, 39 * 60_000},
		{40_001, 39_000},
		{1500, 1500},
	} {
		w := New(0)
		for range 100 {
			w.Add(c.due, 0)
		}
		at, more := w.NextWithin(10)
		require.Equal(t, c.at, at)
		require.False(t, more)
		require.Zero(t, w.Stats().Moved)

		at, more = w.NextWithin(100)
		require.Equal(t, c.due, at, "few enough to be looked at")
		require.False(t, more)
	}
}

// TestNextWithinOne checks the smallest bounds in a frame that would otherwise move half of the
// entries of a full slot.
func TestNextWithinOne(t *testing.T) {
	for _, most := range []int{1, 2} {
		w := New(0)
		w.Add(90_000, 0)
		for range 1000 {
			w.Add(125_500, 0)
		}
		at, more := w.NextWithin(most)
		require.Equal(t, Time(90_000), at)
		require.False(t, more)
		before := w.Stats().Moved
		require.Len(t, w.Advance(at, nil), 1)
		require.LessOrEqual(t, w.Stats().Moved-before, uint64(2*most))
	}
}
