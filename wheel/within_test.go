package wheel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// nextWithin asks until nothing more is to be done, and then turns the hands there. No call does more than it
// may, and nothing is due before the answers.
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

// within turns the hands to what NextWithin has said, and sees that there is little to bring down.
func (s *session) within(t Time, most int) error {
	for l := shelf + 1; l < s.w.Levels(); l++ {
		if s.w.level[l].holds() {
			return s.advance(t) // perhaps with a whole shelf
		}
	}
	before := s.w.Stats().Moved
	if err := s.advance(t); err != nil {
		return err
	}
	if moved := s.w.Stats().Moved - before; moved > uint64(2*most*s.w.Levels()+framePiece) {
		return fmt.Errorf("Advance(%d) after NextWithin(%d) has moved %d", t, most, moved)
	}
	return nil
}

// TestNextWithin: a hundred thousand timers of one hour, among them the earliest, are brought down without
// any call that does more than a little, and all fire at their deadlines. Work is counted, not time.
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
		require.LessOrEqual(t, w.Stats().Moved-before, uint64(2*most*5+framePiece))
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

// TestNextWithinFar: what lies far away is not looked at before its slot is the next one.
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

// TestNextWithinOne: also one entry of a level for a frame is a bound, where without it the frame would bring down
// half of a crowded slot.
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
