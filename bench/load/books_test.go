package load

import (
	"slices"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// TestBooks_FindFaults checks that the books find wrong events. A "mend" pulses at 1000, 2000 and
// 3000 ms, and ends at 3500 ms. Each row has the events that the engine might report.
func TestBooks_FindFaults(t *testing.T) {
	type seen struct {
		at   int64
		kind buff.EventKind
	}
	pulse, end, applied := buff.Pulsed, buff.Removed, buff.Applied
	all := []seen{{1000, pulse}, {2000, pulse}, {3000, pulse}, {3500, end}}
	for _, row := range []struct {
		name   string
		events []seen
		wants  func(f faults) uint64
	}{
		{"all is well", all, nil},
		{"a pulse is lost", []seen{{1000, pulse}, {3000, pulse}, {3500, end}}, func(f faults) uint64 { return f.Lost }},
		{"the last pulse is lost", []seen{{1000, pulse}, {2000, pulse}, {3500, end}}, func(f faults) uint64 { return f.Lost }},
		{"the end is lost", []seen{{1000, pulse}, {2000, pulse}, {3000, pulse}}, func(f faults) uint64 { return f.Lost }},
		{"all is lost", nil, func(f faults) uint64 { return f.Lost }},
		{"a pulse is doubled", []seen{{1000, pulse}, {1000, pulse}}, func(f faults) uint64 { return f.Doubled }},
		{"the end is doubled", append(all[:4:4], seen{3500, end}), func(f faults) uint64 { return f.Doubled }},
		{"a pulse after the end", append(all[:4:4], seen{4000, pulse}), func(f faults) uint64 { return f.Doubled }},
		{"nobody has cast it", []seen{{1000, applied}}, func(f faults) uint64 { return f.Doubled }},
		{"an early pulse", []seen{{1060, pulse}}, func(f faults) uint64 { return f.Early }},
		{"a pulse a frame late", []seen{{950, pulse}}, func(f faults) uint64 { return f.Late }},
		{"an end that is too soon", []seen{{1000, pulse}, {1500, end}}, func(f faults) uint64 { return f.Wrong }},
	} {
		t.Run(row.name, func(t *testing.T) {
			cat, err := newCatalog()
			require.NoError(t, err)
			b := newBooks(1, 1, 4)
			s := &seat{}
			b.players[0].seat = s
			_, i := b.enter(&command{duration: 3500})
			require.True(t, b.pay(0, buff.Applied))
			b.know(i, 77)
			for _, e := range row.events {
				b.now = (e.at + 49) / 50 * 50
				switch e.at {
				case 1060:
					b.now = 1050
				case 950:
					b.now = 1000
				}
				b.before = b.now - 50
				event := buff.Event{At: wheel.Time(e.at), Kind: e.kind, Owner: 1, Handle: 77, Spec: cat.Spec("mend"), Stacks: 1}
				if e.kind == end {
					event.Why = reason.Expired
				}
				if e.kind == pulse {
					s.calls++
				}
				b.see(&event)
			}
			b.close(5000)
			if row.wants == nil {
				require.True(t, b.faults.none(), "%v", b.faults.Words)
				return
			}
			require.NotZero(t, row.wants(b.faults), "%v", b.faults.Words)
		})
	}
}

// TestBooks_AnswerAfterWaiting checks that, once a command has a result, all waiting commands count
// as run. A dispel that found no buff has no event, and must not remove a buff that is applied
// later.
func TestBooks_AnswerAfterWaiting(t *testing.T) {
	magic := int16(slices.IndexFunc(kinds, func(k kind) bool { return k.magic }))
	b := newBooks(1, 1, 4)
	b.players[0].seat = &seat{}
	w := &world{books: b}
	w.answer(&command{at: 500, verb: dispel}, &buff.Result{Queued: true})
	w.answer(&command{at: 1000, kind: magic, duration: 400}, &buff.Result{Kind: buff.Applied, Handle: 77})
	cat, err := newCatalog()
	require.NoError(t, err)
	spec := cat.Spec(kinds[magic].id)
	b.now = 1000
	b.see(&buff.Event{At: 1000, Kind: buff.Applied, Owner: 1, Handle: 77, Spec: spec, Stacks: 1})
	require.NotZero(t, b.byHandle[77])
	require.Zero(t, b.players[0].expectedTotal)
	require.True(t, b.faults.none(), "%v", b.faults.Words)
}

// TestBooks_HandlerCalls checks that a pulse without a handler call counts as lost, and that a
// pulse with two handler calls counts as doubled.
func TestBooks_HandlerCalls(t *testing.T) {
	for calls, want := range []faults{{Lost: 1}, {}, {Doubled: 1}} {
		b := newBooks(1, 1, 1)
		b.players[0].seat = &seat{calls: uint64(calls)}
		b.pulses = 1
		b.checkCalls()
		b.faults.Words = nil
		require.Equal(t, want, b.faults)
	}
}

// TestBooks_WaitingCommands checks that commands for a busy owner are entered in the order of the
// owner's events.
func TestBooks_WaitingCommands(t *testing.T) {
	cat, err := newCatalog()
	require.NoError(t, err)
	b := newBooks(1, 1, 4)
	b.players[0].seat = &seat{calls: 1}
	b.loose, b.before, b.now = true, 1950, 2000
	p := &b.players[0]
	p.waiting = []command{{at: 500, duration: 2000, kind: 0}, {at: 1500, verb: dispel}, {at: 1500, verb: dispel}}
	mend := cat.Spec("mend")
	for _, e := range []buff.Event{
		{At: 500, Kind: buff.Applied},
		{At: 1500, Kind: buff.Pulsed},
		{At: 1500, Kind: buff.Removed, Why: reason.Dispelled},
	} {
		e.Owner, e.Handle, e.Spec, e.Stacks = 1, 9, mend, 1
		b.see(&e)
	}
	b.close(5000)
	require.True(t, b.faults.none(), "%v", b.faults.Words)
	require.Zero(t, b.live)
}

// TestLifetimes checks that the quartiles of the drawn lifetimes are those of the log.
func TestLifetimes(t *testing.T) {
	w := newTestRand()
	v := make([]int64, 20_000)
	for i := range v {
		v[i] = lifetime(w)
	}
	require.InDelta(t, 6000, float64(median(v)), 300) // median also sorts v
	require.InDelta(t, 2500, float64(v[len(v)/4]), 200)
	require.InDelta(t, 11_000, float64(v[len(v)*3/4]), 500)
}

// TestSpread checks SpreadOf with the numbers of a textbook.
func TestSpread(t *testing.T) {
	s := SpreadOf([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	require.InDelta(t, 5, s.Mean, 1e-9)
	require.InDelta(t, 1.784, s.PlusMinus, 0.01) // 2.36 × 2.138 / √8
	require.Equal(t, Spread{Mean: 3}, SpreadOf([]float64{3}))
}
