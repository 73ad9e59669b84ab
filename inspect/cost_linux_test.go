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
	costTurns  = flag.Int("cost.turns", 16, "number of turns of each kind in BenchmarkWatched and BenchmarkFlooded")
	costFrames = flag.Int("cost.frames", 125, "number of frames in a turn")
	costEyes   = flag.Int("cost.browsers", 50, "number of browsers in BenchmarkWatched")
	costPace   = flag.Duration("cost.pace", 20*time.Millisecond, "interval between two frames")
)

// BenchmarkWatched compares the frames of a loop without clients with the frames of the same loop
// while 50 browsers are connected, each of which gets 10 views a second. There are 100,000
// players with a pulse a second, and each frame is 50 ms of game time, so that it has 5,000
// events. Turns without and with browsers alternate in the order A B B A, so that a machine that
// becomes slower affects both equally. The browsers are in another process with the lowest
// priority, because an operator's browsers run on other machines.
//
// go test -run '^$' -bench Watched -benchtime 1x ./inspect
//
// For each figure, the benchmark reports the value without browsers, and how much higher it is
// with browsers, with the 95 % confidence interval from bootstrap samples of the turns. "a/a" is
// the difference between every other turn without browsers and the remaining turns without
// browsers. If it is far from zero, the machine is too noisy.
func BenchmarkWatched(b *testing.B) { compare(b, fmt.Sprint("watch ", *costEyes)) }

// BenchmarkFlooded is like BenchmarkWatched, but instead of browsers there are 1,000 clients that
// request a stream and never read, 1,000 clients that send half a header, and 1,600 clients a
// second that connect and disconnect.
func BenchmarkFlooded(b *testing.B) { compare(b, "flood 1000") }

func compare(b *testing.B, with string) {
	const players, frame = 100_000, 50 * time.Millisecond
	cat, err := buff.NewCatalog(buff.Spec{ID: "venom", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("work")}})
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
		report(b, "wall", alone, watched, func(t turn) []float64 { return t.wall })
		report(b, "cpu", alone, watched, func(t turn) []float64 { return t.cpu })
	}
}

// turn is a sequence of frames, with the elapsed time and the processor time of the loop's thread
// for each frame, in ns.
type turn struct {
	wall, cpu []float64
}

// threadTime returns the processor time of the calling thread.
func threadTime() time.Duration {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var ts syscall.Timespec
	if _, _, no := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&ts)), 0); no != 0 {
		panic(no)
	}
	return time.Duration(ts.Nano())
}

// report reports quantiles of a figure, without and with clients.
func report(b *testing.B, name string, alone, watched []turn, of func(turn) []float64) {
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

// bootstrap returns the 95 % confidence interval of a figure. It computes the figure for many
// random samples of the measured turns. Turns with the same index are drawn as a pair.
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
