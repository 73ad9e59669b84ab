package deadline

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/wheel"
)

// TestPlaceOf_Parts checks that a place has its three parts, and that no place is NoPlace.
func TestPlaceOf_Parts(t *testing.T) {
	seen := map[Place]bool{NoPlace: true}
	for _, number := range []uint32{0, 1, 1<<20 - 1} {
		for _, slot := range []uint16{0, 1, 4095} {
			for _, r := range []Ref{BuffRef(slot), TimeoutRef(slot)} {
				p := PlaceOf(number, r)
				require.Equal(t, number, p.Number())
				require.Equal(t, slot, p.Slot())
				require.Equal(t, slot, r.Slot())
				require.Equal(t, r.IsTimeout(), p.IsTimeout())
				require.False(t, seen[p])
				seen[p] = true
			}
		}
	}
}

// TestList_File_Table files one deadline after another for the same place.
func TestList_File_Table(t *testing.T) {
	type at = []wheel.Time
	far := wheel.Time(0).Add(wheel.Horizon)
	for name, c := range map[string]struct{ due, want at }{
		"one":                {at{5}, at{5}},
		"a later one waits":  {at{5, 7, 5}, at{5}},
		"an earlier one":     {at{5, 3}, at{5, 3}},
		"never":              {at{wheel.Never}, nil},
		"beyond the horizon": {at{far + 10, far + 20}, at{far}},
		"and then before it": {at{far + 10, far - 1}, at{far, far - 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var l List
			filed, p := wheel.Never, PlaceOf(3, BuffRef(4))
			for _, due := range c.due {
				l.File(&filed, p, due, 0)
			}
			var got at
			for _, d := range l.Deadlines {
				require.Equal(t, p, d.Place)
				got = append(got, d.Due)
			}
			require.Equal(t, c.want, got)
			require.Equal(t, min(len(c.want), 1), l.Waiting)
			l.Unfile(&filed)
			l.Unfile(&filed)
			require.Equal(t, wheel.Never, filed)
			require.Zero(t, l.Waiting)
		})
	}
}

// TestList_Withdraw checks that Withdraw leaves the deadlines of others, also if they were added later.
func TestList_Withdraw(t *testing.T) {
	var l List
	filed, other := wheel.Never, wheel.Never
	p, q := PlaceOf(3, BuffRef(4)), PlaceOf(3, BuffRef(5))
	l.File(&filed, p, 5, 0)
	l.Withdraw(&filed, p)
	require.Equal(t, List{Deadlines: []Deadline{}}, l)

	l.File(&filed, p, 5, 0)
	l.File(&other, q, 5, 0)
	l.Withdraw(&filed, p)
	require.Equal(t, []Deadline{{5, p}, {5, q}}, l.Deadlines)
	require.Equal(t, []wheel.Time{wheel.Never, 5}, []wheel.Time{filed, other})
	require.Equal(t, 1, l.Waiting)

	l.Deadlines = nil // they have been added to the wheel
	l.Withdraw(&other, q)
	require.Equal(t, wheel.Never, other)
	require.Zero(t, l.Waiting)
}

// TestAgenda_Settle_ReturnsBuffers checks when the buffers go back to the List.
func TestAgenda_Settle_ReturnsBuffers(t *testing.T) {
	var l List
	var a, b Agenda
	a.Settle(&l)
	require.True(t, a.Empty())
	a.Mark(&l, BuffRef(1))
	a.Mark(&l, TimeoutRef(2))
	lent := a.buffers
	require.Equal(t, []Ref{BuffRef(1), TimeoutRef(2)}, a.Marked())
	a.Push(&l, Event{At: 1})
	a.Settle(&l)
	require.Empty(t, a.Marked())
	require.False(t, a.Empty(), "an event is due")
	require.Equal(t, 1, a.Due())
	a.DropDue()
	a.Settle(&l)
	require.True(t, a.Empty())
	require.Same(t, lent, l.spare)
	b.Mark(&l, BuffRef(7))
	require.Same(t, lent, b.buffers, "lent to the next")
	require.Nil(t, l.spare)
	a.Push(&l, Event{})
	a.Pop()
	b.Settle(&l)
	larger := l.spare
	a.Settle(&l)
	require.Same(t, larger, l.spare, "the List keeps the larger buffers")
	require.Zero(t, testing.AllocsPerRun(10, func() { a.Mark(&l, BuffRef(1)); a.Settle(&l) }))
}

// play pushes and pops events as the bytes say, and compares the Agenda with a sorted list.
func play(t *testing.T, script []byte) {
	var l List
	var a Agenda
	var want []Event
	for k, c := range script {
		if c%4 == 0 && len(want) > 0 {
			require.Equal(t, want[0], a.Pop())
			want = want[1:]
		} else {
			e := Event{At: clock.OwnerTime(c / 16), Key: KeyOf(Rank(c%4), uint64(k)), Ref: BuffRef(uint16(k))}
			a.Push(&l, e)
			at, _ := slices.BinarySearchFunc(want, e, func(x, e Event) int {
				if x.before(e) {
					return -1
				}
				return 1
			})
			want = slices.Insert(want, at, e)
		}
		require.Equal(t, len(want), a.Due())
		for i := 1; a.buffers != nil && i < len(a.buffers.due); i++ {
			require.False(t, a.buffers.due[i].before(a.buffers.due[(i-1)/2]), "the invariant of the heap")
		}
	}
	for _, e := range want {
		require.Equal(t, e, a.Pop())
	}
}

// TestEvent_Order checks the order of events: by instant, rank and age.
func TestEvent_Order(t *testing.T) {
	list := []Event{
		{At: 1, Key: KeyOf(Timeout, 9)},
		{At: 2, Key: KeyOf(Pulse, 5)},
		{At: 2, Key: KeyOf(Pulse, 6)},
		{At: 2, Key: KeyOf(StackEnd, 1)},
		{At: 2, Key: KeyOf(End, 1)},
		{At: 2, Key: KeyOf(Timeout, 0)},
		{At: 3, Key: KeyOf(Pulse, 0)},
	}
	var l List
	var a Agenda
	for _, k := range []int{3, 6, 0, 5, 1, 4, 2} {
		a.Push(&l, list[k])
	}
	for _, e := range list {
		require.Equal(t, e, a.Pop())
	}
}

func FuzzAgenda(f *testing.F) {
	f.Add([]byte{17, 33, 1, 2, 3, 0, 250, 0, 0, 64, 65, 66, 0})
	f.Add([]byte{255, 254, 253, 251, 250, 249, 0, 0, 0, 0, 1})
	f.Fuzz(play)
}
