package inspect_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
)

var (
	costTurns  = flag.Int("cost.turns", 16, "how many turns of each kind BenchmarkWatched and BenchmarkFlooded have")
	costFrames = flag.Int("cost.frames", 125, "how many frames a turn has")
	costEyes   = flag.Int("cost.browsers", 50, "how many browsers watch in BenchmarkWatched")
	costPace   = flag.Duration("cost.pace", 20*time.Millisecond, "how much time passes from frame to frame")
)

// BenchmarkWatched compares, side by side in one process, the frames of a loop that nobody
// watches with those of the same loop while 50 browsers do, each of which gets 10 views a
// second: 100,000 players with a pulse a second, 50 ms of the game in each frame, so that
// 5,000 events fall due in it. The turns go A B B A, so that a machine that grows slower is
// no fault of either. The browsers are another process, at the lowest priority: those of an
// operator are on another machine.
//
//	go test -run '^$' -bench Watched -benchtime 1x ./inspect
//
// For each figure it tells what is measured when nobody watches, and by how much it is more
// when somebody does, with the interval that holds 95 of 100 bootstrap samples of the turns.
// "a/a" is how much every other turn of those that nobody watches differs from the rest: a
// machine on which that is far from zero cannot tell.
func BenchmarkWatched(b *testing.B) { compare(b, fmt.Sprint("watch ", *costEyes)) }

// BenchmarkFlooded does the same with 1,000 clients that ask for a stream and never read,
// 1,000 that send half a header, and 1,600 a second that connect and go, in place of the
// browsers.
func BenchmarkFlooded(b *testing.B) { compare(b, "flood 1000") }

func compare(b *testing.B, with string) {
	const players, frame = 100_000, 50 * time.Millisecond
	cat, err := buff.NewCatalog(buff.Spec{ID: "venom", Kind: define.Infinite, Period: time.Second, On: buff.Hooks{Pulse: call("work")}})
	if err != nil {
		b.Fatal(err)
	}
	eng, err := engine.New(engine.Options{Catalog: cat, Handlers: engine.Handlers{"work": func(*engine.Context, buff.Event) {}}})
	if err != nil {
		b.Fatal(err)
	}
	defer eng.Close(context.Background())
	for id := range buff.OwnerID(players) {
		if err := eng.Spawn(id, nil); err != nil {
			b.Fatal(err)
		}
		eng.AddBuff(id, buff.Application{Spec: cat.Spec("venom")})
		if id%(players/20) == 0 {
			eng.Tick(frame)
		}
	}
	page := inspect.Handler(eng)
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = inspect.NewServer(page)
	srv.Start()
	defer srv.Close()
	others := startClients(b, srv.Listener.Addr().String())

	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	tick := time.NewTicker(*costPace)
	defer tick.Stop()
	first, played := eng.Tick(0).Number, uint64(0)
	play := func(n int) (t turn) {
		for range n {
			<-tick.C
			cpu, began := threadTime(), time.Now()
			f := eng.Tick(frame)
			wall := time.Since(began)
			t.cpu = append(t.cpu, float64(threadTime()-cpu))
			t.wall = append(t.wall, float64(wall))
			page.Frame(wall)
			if played++; f.Number != first+played {
				b.Errorf("frame %d is the %dth", f.Number, played)
			}
		}
		return t
	}
	play(60)
	for b.Loop() {
		var alone, watched []turn
		for i := range 2 * *costTurns {
			if i%4 == 1 || i%4 == 2 {
				others.say(with)
				play(10)
				watched = append(watched, play(*costFrames))
				others.say("stop")
				continue
			}
			play(10)
			alone = append(alone, play(*costFrames))
		}
		b.ReportMetric(0, "ns/op")
		tell(b, "wall", alone, watched, func(t turn) []float64 { return t.wall })
		tell(b, "cpu", alone, watched, func(t turn) []float64 { return t.cpu })
	}
}

// turn is some frames in a row: how long each took, and how long the loop's thread was at
// work in it, in ns.
type turn struct {
	wall, cpu []float64
}

// threadTime is how long this thread has run.
func threadTime() time.Duration {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var ts syscall.Timespec
	if _, _, no := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&ts)), 0); no != 0 {
		panic(no)
	}
	return time.Duration(ts.Nano())
}

// tell reports the quantiles of a figure and how they compare.
func tell(b *testing.B, name string, alone, watched []turn, of func(turn) []float64) {
	for _, q := range []float64{0.5, 0.9, 0.99} {
		base := quantile(alone, q, of)
		more := func(a, w []turn) float64 { return 100 * (quantile(w, q, of)/quantile(a, q, of) - 1) }
		rest, every := []turn{}, []turn{}
		for i, t := range alone {
			if i%2 == 0 {
				every = append(every, t)
			} else {
				rest = append(rest, t)
			}
		}
		low, high := bootstrap(alone, watched, more)
		title := fmt.Sprintf("%s-p%g", name, q*100)
		b.ReportMetric(base/1000, title+"-µs")
		b.ReportMetric(more(alone, watched), title+"-%")
		b.Logf("%-8s %7.0f µs alone, %+5.1f %% [%+.1f, %+.1f], a/a %+.1f %%", title, base/1000, more(alone, watched), low, high, more(rest, every))
	}
}

func quantile(turns []turn, q float64, of func(turn) []float64) float64 {
	var all []float64
	for _, t := range turns {
		all = append(all, of(t)...)
	}
	slices.Sort(all)
	return all[min(int(q*float64(len(all))), len(all)-1)]
}

// bootstrap returns the interval that holds 95 of 100 values of a figure of the turns, when
// they are drawn anew from those that were measured, those of one place in pairs.
func bootstrap(a, w []turn, figure func(a, w []turn) float64) (low, high float64) {
	dice := rand.New(rand.NewPCG(1, 2))
	var got []float64
	for range 1000 {
		var da, dw []turn
		for range a {
			i := dice.IntN(len(a))
			da, dw = append(da, a[i]), append(dw, w[i])
		}
		got = append(got, figure(da, dw))
	}
	slices.Sort(got)
	return got[25], got[974]
}
