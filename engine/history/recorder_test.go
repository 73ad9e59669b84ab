package history

import (
	"slices"
	"sync"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// frame returns n pulses at an instant. Their magnitudes continue to count from count.
func frame(n int, at wheel.Time, spec *buff.Spec, count *int64) []buff.Event {
	events := make([]buff.Event, n)
	for k := range events {
		*count++
		events[k] = buff.Event{
			At: at, Seen: at, Owner: buff.OwnerID(k), Source: 1, Spec: spec, Handle: 1, End: wheel.Never, Magnitude: *count, Stacks: 1, Kind: buff.Pulsed,
		}
	}
	return events
}

// take records a frame as an engine does.
func take(r *Recorder, at wheel.Time, events []buff.Event) {
	r.Begin(at)
	r.Add(events)
	r.End()
}

// TestOldest checks that the recorder keeps the newest events without a gap, that no event
// at or after the time returned by Since is missing, and that memory is bounded whatever is added.
func TestOldest(t *testing.T) {
	spec := someSpecs(t, 1)[0]
	for _, bytes := range []int{MinBytes, 1 << 20, 8 << 20} {
		r, count, full := New(bytes), int64(0), false
		for at := wheel.Time(50); at < 3*Span; at += 50 {
			n := int(at/50) % 97
			if at%10_000 == 0 {
				n = 5000
			}
			take(r, at, frame(n, at, spec, &count))
			s := r.Stats()
			// plus one free chunk that is kept for reuse
			require.LessOrEqual(t, s.Bytes, bytes+chunkBytes)
			require.Equal(t, uint64(count), s.Events)
			if at%30_000 != 0 {
				continue
			}
			got := slices.Collect(r.Events(Query{}))
			require.Len(t, got, s.Kept)
			for k, e := range got {
				if e.Magnitude != count-int64(len(got)-1-k) {
					require.Fail(t, "a gap", "before event %d", e.Magnitude)
				}
			}
			since := r.Since()
			full = full || since > max(0, at-Span/2)
			require.GreaterOrEqual(t, since, at-Span-20_000, "a chunk may reach back behind what is too old")
			require.Less(t, r.chunks[0].since, since+Span)
			if since > at {
				require.Equal(t, MinBytes, bytes, "the newest frame alone is more than there is room for")
			} else if since > 0 {
				first := slices.IndexFunc(got, func(e buff.Event) bool { return e.Seen >= since })
				require.GreaterOrEqual(t, first, 0)
				require.Less(t, first, 5000, "all but the rest of one chunk and of one frame")
			}
		}
		require.Equal(t, bytes < 8<<20, full, "the limit of %d bytes was reached", bytes)
	}
}

// TestQuery checks each field of a Query, and all fields together.
func TestQuery(t *testing.T) {
	specs := someSpecs(t, 3)
	r := New(1 << 20)
	var all []buff.Event
	for at := wheel.Time(1); at <= 100; at++ {
		for k := range 60 {
			all = append(all, buff.Event{
				At: at, Seen: at, Owner: buff.OwnerID(k % 7), Source: buff.OwnerID(k % 5), Spec: append(specs, nil)[k%4], End: wheel.Never,
				Kind: buff.EventKind(1 + k%3), Why: reason.Reason(k % 2),
			})
		}
		take(r, at, all[len(all)-60:])
	}
	for name, k := range map[string]struct {
		q    Query
		fits func(e buff.Event) bool
	}{
		"all":     {Query{}, func(buff.Event) bool { return true }},
		"from":    {Query{From: 40}, func(e buff.Event) bool { return e.Seen >= 40 }},
		"to":      {Query{To: 40}, func(e buff.Event) bool { return e.Seen <= 40 }},
		"owners":  {Query{Owners: []buff.OwnerID{0, 3}}, func(e buff.Event) bool { return e.Owner == 0 || e.Owner == 3 }},
		"sources": {Query{Sources: []buff.OwnerID{0}}, func(e buff.Event) bool { return e.Source == 0 }},
		"specs":   {Query{Specs: []string{"ba"}}, func(e buff.Event) bool { return e.Spec == specs[1] }},
		"kinds":   {Query{Kinds: []buff.EventKind{2}}, func(e buff.Event) bool { return e.Kind == 2 }},
		"whys":    {Query{Whys: []reason.Reason{reason.None}}, func(e buff.Event) bool { return e.Why == reason.None }},
		"each": {
			Query{From: 3, To: 90, Owners: []buff.OwnerID{1}, Sources: []buff.OwnerID{2}, Specs: []string{"aa", "ca"}, Kinds: []buff.EventKind{2}, Whys: []reason.Reason{0}},
			func(e buff.Event) bool {
				return e.Seen >= 3 && e.Seen <= 90 && e.Owner == 1 && e.Source == 2 && (e.Spec == specs[0] || e.Spec == specs[2]) && e.Kind == 2 && e.Why == 0
			},
		},
	} {
		var want []buff.Event
		for _, e := range all {
			if k.fits(e) {
				want = append(want, e)
			}
		}
		require.Equal(t, want, slices.Collect(r.Events(k.q)), name)
		if name != "each" {
			require.NotEmpty(t, want, name)
		}
	}
	n := 0
	for range r.Events(Query{}) {
		if n++; n == 3 {
			break
		}
	}
	require.Equal(t, 3, n)
}

// TestReadWhileWritten checks that goroutines can read while the loop writes and chunks are
// dropped and reused: they get the written events, in order.
func TestReadWhileWritten(t *testing.T) {
	spec := someSpecs(t, 1)[0]
	r, count := New(4*chunkBytes), int64(0)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for reading := true; reading; {
				select {
				case <-done:
					reading = false
				default:
				}
				last := int64(0)
				for e := range r.Events(Query{}) {
					if e.Magnitude <= last || e.Spec != spec {
						panic("an event that was not written, or twice")
					}
					last = e.Magnitude
				}
				r.Stats()
				r.Since()
			}
		})
	}
	for at := wheel.Time(0); at < 2000; at++ {
		take(r, at, frame(100, at, spec, &count))
	}
	close(done)
	readers.Wait()
}

// TestReload checks that definitions of several catalogs in turn are distinguished.
func TestReload(t *testing.T) {
	old, others := someSpecs(t, 40), someSpecs(t, 40)
	r := New(1 << 20)
	var want []buff.Event
	for k := range 5000 {
		list := old
		if k%3 == 0 {
			list = others
		}
		want = append(want, buff.Event{Seen: 1, At: 1, Spec: list[k%40], End: wheel.Never, Kind: buff.Applied})
	}
	take(r, 1, want)
	n := 0
	for e := range r.Events(Query{}) {
		require.Same(t, want[n].Spec, e.Spec)
		n++
	}
	require.Equal(t, len(want), n)
}

// TestAllocations checks that frames allocate nothing once all chunks are allocated.
func TestAllocations(t *testing.T) {
	spec := someSpecs(t, 1)[0]
	r, count, at := New(1<<20), int64(0), wheel.Time(0)
	events := frame(300, 0, spec, &count)
	one := func() {
		at += 50
		for k := range events {
			events[k].At, events[k].Seen = at, at
		}
		take(r, at, events)
	}
	for at < 2*Span {
		one()
	}
	require.Zero(t, testing.AllocsPerRun(1000, one))
}

func TestMinBytes(t *testing.T) {
	require.PanicsWithValue(t, "history: New with less than MinBytes", func() { New(MinBytes - 1) })
}

// TestNote checks that changes of time are stored between the events, in the same memory, and are
// read back unchanged, and that the statistics count only events.
func TestNote(t *testing.T) {
	spec := someSpecs(t, 1)[0]
	r, count := New(MinBytes), int64(0)
	var noted []buff.TimeChange
	for at := wheel.Time(50); at < 20_000; at += 50 {
		c := buff.TimeChange{
			At: at - 3, Seen: at, Owner: buff.OwnerID(at % 7), Handle: buff.Handle(at % 3), Verb: verb.Pause + verb.Verb(at/50%3), Whose: define.Whose(at / 50 % 5),
			Rate: buff.Ratio{Num: uint32(at % 1000), Den: 1000}, Old: buff.Ratio{Num: uint32(at % 13), Den: 12}, Was: 0.25, Is: float64(at),
		}
		noted = append(noted, c)
		r.Note(c) // on a worker, before its frame has ended
		take(r, at-50, frame(1, at-50, spec, &count))
		take(r, at, frame(11, at, spec, &count))
	}
	got := slices.Collect(r.TimeChanges(Query{}))
	require.Equal(t, noted[len(noted)-len(got):], got)
	require.Positive(t, r.Since(), "the oldest are gone")
	require.Equal(t, uint64(count), r.Stats().Events)
	require.Len(t, slices.Collect(r.Events(Query{})), r.Stats().Kept)
	last := noted[len(noted)-1]
	require.Equal(t, []buff.TimeChange{last}, slices.Collect(r.TimeChanges(Query{From: last.Seen, To: last.Seen, Owners: []buff.OwnerID{last.Owner}})))
	require.Empty(t, slices.Collect(r.TimeChanges(Query{From: last.Seen + 1})))
}

// TestNoteSheet checks that changes of sheets are stored between the events too, and are read back
// unchanged, and that adding them allocates nothing.
func TestNoteSheet(t *testing.T) {
	specs := someSpecs(t, 3)
	r, count := New(MinBytes), int64(0)
	var noted []buff.SheetChange
	for at := wheel.Time(50); at < 40_000; at += 50 {
		c := buff.SheetChange{
			At: at - 3, Seen: at, Owner: buff.OwnerID(at % 7), Handle: buff.Handle(at % 3), Spec: append(specs, nil)[at/50%4], Hidden: at/50%2 == 0,
			Place: int(at/50%5) - 1, Attr: stat.Attr(at / 50 % 9), Was: float64(at) / 3,
		}
		noted = append(noted, c)
		r.NoteSheet(c)
		take(r, at, frame(11, at, specs[0], &count))
	}
	got := slices.Collect(r.SheetChanges(Query{}))
	require.Equal(t, noted[len(noted)-len(got):], got)
	require.Positive(t, r.Since(), "the oldest are gone")
	require.Equal(t, uint64(count), r.Stats().Events)
	require.Len(t, slices.Collect(r.Events(Query{})), r.Stats().Kept)
	require.Empty(t, slices.Collect(r.TimeChanges(Query{})))
	require.Zero(t, testing.AllocsPerRun(3000, func() { r.NoteSheet(noted[7]) }))
}
