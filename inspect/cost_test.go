package inspect_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
)

// BenchmarkWatched compares, side by side, the frames of a loop that nobody watches with
// those of the same loop while 50 browsers do: 100,000 players, each with a pulse a second,
// 20 frames a second in real time, in turns of 60 frames. The clients are in this process
// too and take their share of the machine.
//
//	go test -run '^$' -bench Watched -benchtime 1x ./inspect
func BenchmarkWatched(b *testing.B) {
	const players, clients, frame, turn, turns = 100_000, 50, 50 * time.Millisecond, 60, 8
	cat, err := buff.NewCatalog(buff.Spec{ID: "venom", Kind: buff.Infinite, Period: time.Second, On: buff.Hooks{Pulse: call("work")}})
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
	srv := httptest.NewServer(page)
	defer srv.Close()
	tick := time.NewTicker(frame)
	defer tick.Stop()
	play := func(n int) (took []time.Duration) {
		for range n {
			<-tick.C
			began := time.Now()
			eng.Tick(frame)
			d := time.Since(began)
			page.Frame(d)
			took = append(took, d)
		}
		return took
	}
	play(40)
	for b.Loop() {
		var alone, watched []time.Duration
		for range turns {
			runtime.GC()
			play(5)
			alone = append(alone, play(turn)...)
			ctx, leave := context.WithCancel(context.Background())
			for range clients {
				go look(ctx, srv.URL+"?stream")
			}
			play(5)
			runtime.GC()
			play(5)
			watched = append(watched, play(turn)...)
			leave()
		}
		report(b, "alone", alone)
		report(b, "watched", watched)
	}
}

// look reads a stream until ctx ends.
func look(ctx context.Context, url string) {
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	lines := bufio.NewReaderSize(resp.Body, 64<<10)
	for {
		if _, err := lines.ReadSlice('\n'); err != nil && err != bufio.ErrBufferFull {
			return
		}
	}
}

func report(b *testing.B, name string, took []time.Duration) {
	slices.Sort(took)
	for _, q := range []int{50, 99} {
		b.ReportMetric(took[len(took)*q/100].Seconds()*1000, fmt.Sprintf("ms-p%d-%s", q, name))
	}
}
