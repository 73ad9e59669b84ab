package serve

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/bufftick/bufftick/examples/arena/game"
	"github.com/bufftick/bufftick/replicate/client"
)

// checked is the number of viewers in a load test that decode their messages in order to check
// them.
const checked = 8

// Load runs the game in real time until ctx ends, with the given number of viewers but without
// sockets. Each viewer follows one hero. At the end, Load prints the number of bytes sent and the
// frame times.
func Load(ctx context.Context, w *game.World, viewers int, out io.Writer) error {
	s := New(w)
	var screens []*client.Client
	for k := range min(viewers, len(w.Units())) {
		u := &w.Units()[k]
		p := newPlayer()
		p.arena = u.Arena
		s.players = append(s.players, p)
		s.show(p, u, u, "")
		if k < checked {
			screens = append(screens, client.New(client.Options{}))
		}
	}
	took, messages, told := hdrhistogram.New(1, int64(time.Minute), 3), 0, 0
	began := time.Now()
	s.OnFrame(func(d time.Duration) { _ = took.RecordValue(min(int64(d), int64(time.Minute))) })
	played := s.runLoad(ctx, func(k int, b []byte) error {
		messages++
		if b[0]>>4 != 1 {
			return nil
		}
		if told += len(b); k < len(screens) {
			return screens[k].Receive(b)
		}
		return nil
	})
	if played != nil {
		return played
	}
	span := time.Since(began).Seconds()
	n := len(s.players)
	ms := func(v int64) float64 { return float64(v) / 1e6 }
	_, err := fmt.Fprintf(out, "heroes %d, viewers %d, frames %d in %.1f s, messages %d, %.0f bytes/s, %.0f a viewer, %.0f of it buffs\n"+
		"frame p50 %.2f ms, p99 %.2f ms, longest %.2f ms; digest %016x\n",
		len(w.Units())-w.Arenas(), n, w.Frames(), span, messages, float64(s.bytes)/span, float64(s.bytes)/span/float64(max(n, 1)), float64(told)/span/float64(max(n, 1)),
		ms(took.ValueAtQuantile(50)), ms(took.ValueAtQuantile(99)), ms(took.Max()), w.Digest())
	return err
}

// runLoad is like Run, but passes the messages for each player to the given function instead of
// sending them through sockets.
func (s *Server) runLoad(ctx context.Context, take func(player int, message []byte) error) error {
	return s.loop(ctx, func() error {
		for k, p := range s.players {
			for len(p.out) > 0 {
				b := <-p.out
				if err := take(k, b); err != nil {
					return fmt.Errorf("viewer %d: %w", k, err)
				}
				p.free <- b
			}
		}
		return nil
	})
}
