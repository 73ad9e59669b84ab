package actor

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"
)

type onLoop struct{}

func (onLoop) Submit(task func()) error { task(); return nil }

func drain[O, M any](_ int, b *Mailbox[O, M]) {
	for _, ok := b.Next(); ok; _, ok = b.Next() {
		continue
	}
}

// TestBuffer_Shrinks checks that the message buffer of a mailbox keeps its memory after a large
// frame and is released after a small one. A small buffer is kept.
func TestBuffer_Shrinks(t *testing.T) {
	g := NewGroup(Options[int, int]{Pool: onLoop{}, Workers: 1, Limit: 100_000, Handle: drain[int, int]})
	var box Mailbox[int, int]
	frame := func(n int) {
		for m := range n {
			require.True(t, g.Send(&box, m))
		}
		g.Start(-1)
		g.Collect(nil, nil)
	}
	frame(10_000)
	require.GreaterOrEqual(t, cap(box.messages()), 10_000, "it may be needed again")
	frame(9_000)
	require.GreaterOrEqual(t, cap(box.messages()), 10_000, "it was")
	frame(10)
	require.Zero(t, cap(box.messages()))
	frame(keepCap)
	size := cap(box.messages())
	frame(1)
	require.Equal(t, size, cap(box.messages()), "a small one is kept")
}

// TestLateBuffer_Stays checks that the list of late messages keeps its memory while at least a
// quarter of it is used.
func TestLateBuffer_Stays(t *testing.T) {
	var worker func() // the task waits until the test runs it
	g := NewGroup(Options[int, int]{Pool: poolFunc(func(task func()) { worker = task }), Workers: 1, Limit: 100_000, Handle: drain[int, int]})
	var box Mailbox[int, int]
	frame := func(late int) {
		g.Start(-1)
		for m := range late {
			require.True(t, g.Send(&box, m))
		}
		worker()
		g.Collect(nil, nil)
	}
	require.True(t, g.Send(&box, 0))
	frame(10_000)
	frame(9_000)
	room := cap(*box.late)
	require.GreaterOrEqual(t, room, 10_000)
	frame(0)
	require.Equal(t, room, cap(*box.late))
	send := func(n int) {
		for m := range n {
			require.True(t, g.Send(&box, m))
		}
	}
	send(room / 4)
	frame(0)
	require.Equal(t, room, cap(*box.late), "a quarter is enough")
	send(room/4 - 1)
	frame(0)
	require.Zero(t, cap(*box.late))
}

// TestLateBuffer_Shrinks checks that the list of late messages is released after a frame in which
// it was not needed.
func TestLateBuffer_Shrinks(t *testing.T) {
	var worker func() // the task waits until the test runs it
	g := NewGroup(Options[int, int]{Pool: poolFunc(func(task func()) { worker = task }), Workers: 1, Limit: 100_000, Handle: drain[int, int]})
	var box Mailbox[int, int]
	require.True(t, g.Send(&box, 0))
	g.Start(-1)
	for m := range 10_000 {
		require.True(t, g.Send(&box, m))
	}
	worker()
	g.Collect(nil, nil)
	require.Len(t, box.messages(), 10_000)
	g.Start(-1)
	require.True(t, g.Send(&box, 1))
	worker()
	g.Collect(nil, nil)
	require.GreaterOrEqual(t, cap(*box.late), 10_000)
	g.Start(-1)
	worker()
	g.Collect(nil, nil)
	require.Zero(t, cap(*box.late))
}

type poolFunc func(task func())

func (f poolFunc) Submit(task func()) error { f(task); return nil }

// TestCollect_ReleasesMemory checks that neither the group nor the buffers of a mailbox keep
// handled messages or idle mailboxes alive.
func TestCollect_ReleasesMemory(t *testing.T) {
	type thing struct{ _ [64]byte }
	g := NewGroup(Options[int, *thing]{Pool: onLoop{}, Workers: 1, Limit: 100, Handle: func(_ int, b *Mailbox[int, *thing]) {
		if _, ok := b.Next(); ok {
			panic("a failed turn lets go, too")
		}
	}})
	box := &Mailbox[int, *thing]{}
	weakBox := weak.Make(box)
	var weakThings []weak.Pointer[thing]
	for range 10 {
		m := new(thing)
		weakThings = append(weakThings, weak.Make(m))
		require.True(t, g.Send(box, m))
	}
	g.Start(-1)
	require.Len(t, g.Collect(nil, nil), 1)
	runtime.GC()
	for _, w := range weakThings {
		require.Nil(t, w.Value())
	}
	runtime.KeepAlive(box)
	box = nil
	runtime.GC()
	require.Nil(t, weakBox.Value())
	runtime.KeepAlive(g)
}

// TestNext_ReleasesMessages checks that a handled message is released at the end of its turn, even
// if the mailbox has more messages and is still running.
func TestNext_ReleasesMessages(t *testing.T) {
	type thing struct{ _ [64]byte }
	var first weak.Pointer[thing]
	kept := []bool{}
	g := NewGroup(Options[int, *thing]{Pool: onLoop{}, Workers: 1, Limit: 100, Handle: func(_ int, b *Mailbox[int, *thing]) {
		runtime.GC()
		kept = append(kept, first.Value() != nil)
		b.Next()
	}})
	box := &Mailbox[int, *thing]{}
	func() {
		m := new(thing)
		first = weak.Make(m)
		require.True(t, g.Send(box, m))
		require.True(t, g.Send(box, new(thing)))
	}()
	g.Start(-1)
	require.Equal(t, []bool{true, false}, kept)
	require.Panics(t, func() { box.Next() }, "outside Handle")
	require.Len(t, g.Collect(nil, nil), 1)
}

// TestRequeue_ReleasesMemory checks that messages after a requeued message move to the
// front of the buffer and are not kept alive by their old positions.
func TestRequeue_ReleasesMemory(t *testing.T) {
	type thing struct{ _ [64]byte }
	parks := true
	g := NewGroup(Options[int, *thing]{Pool: onLoop{}, Workers: 1, Limit: 100, Handle: func(_ int, b *Mailbox[int, *thing]) {
		for n := 0; ; n++ {
			if _, ok := b.Next(); !ok {
				return
			}
			if parks && n == 1 {
				b.Requeue(true)
				return
			}
		}
	}})
	box := &Mailbox[int, *thing]{}
	var last weak.Pointer[thing]
	for range 4 {
		m := new(thing)
		last = weak.Make(m)
		require.True(t, g.Send(box, m))
	}
	for range 2 {
		g.Start(-1)
		require.Len(t, g.Collect(nil, nil), 1)
		parks = false
	}
	require.Zero(t, box.Len())
	runtime.GC()
	require.Nil(t, last.Value())
	runtime.KeepAlive(box)
}

// TestReady_PushPop checks that the ready list is a first-in, first-out queue and keeps no
// pointers to removed mailboxes.
func TestReady_PushPop(t *testing.T) {
	var q ready[int]
	values := make([]int, 1000)
	in, out := 0, 0
	// Fill and empty it in uneven steps, so that it grows while it is wrapped.
	for step := 1; in < len(values); step++ {
		n := min(step*7%60, len(values)-in)
		q.reserve(q.n + n)
		for range n {
			q.push(&values[in])
			in++
		}
		for range min(step*5%40, q.n) {
			require.Same(t, &values[out], q.pop())
			out++
		}
		require.Equal(t, in-out, q.n)
	}
	for q.n > 0 {
		require.Same(t, &values[out], q.pop())
		out++
	}
	require.Equal(t, len(values), out)
	require.Nil(t, q.pop())
	for _, p := range q.ring {
		require.Nil(t, p)
	}
}

// TestShrink checks that the lists can be shrunk after a frame with many mailboxes, that staged
// mailboxes keep their order, and that a running mailbox prevents shrinking.
func TestShrink(t *testing.T) {
	const many = 10_000
	var got []int
	g := NewGroup(Options[int, int]{
		Pool: onLoop{}, Workers: 1, Limit: 1,
		Handle: func(_ int, box *Mailbox[int, int]) {
			box.Next()
			got = append(got, box.Owner)
		},
	})
	boxes := make([]Mailbox[int, int], many)
	send := func(n int) {
		for i := range n {
			boxes[i].Owner = i
			require.True(t, g.Send(&boxes[i], 0))
		}
	}
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := live()
	send(many)
	g.Start(-1)
	g.Shrink(10) // has no effect, because the mailboxes are running
	require.Len(t, g.Collect(nil, nil), many)
	peak := live()
	send(20)
	got = nil
	g.Shrink(10)
	g.Start(-1)
	require.Len(t, g.Collect(nil, nil), 20)
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, got)
	after := live()
	require.Less(t, before, peak)
	require.Less(t, after+200_000, peak, "three lists of pointers: 380 KB")
	runtime.KeepAlive(boxes)
}
