package viewers

import (
	"runtime"
	"slices"
	"time"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/bench/load"
	"github.com/bufftick/bufftick/engine"
)

const (
	frameTime     = 50 * time.Millisecond
	framesASecond = int(time.Second / frameTime)
)

// Options configures a measurement.
type Options struct {
	Seconds int           // number of seconds of game time for each method
	Warm    time.Duration // game time that is played before there are viewers
	Seed    uint64
	Crowd   bool // if set, each viewer sees 40 random players instead of its raid

	// Rival is the folder of the Colyseus server; "" means that Colyseus is not measured.
	// RivalViewers is the number of viewers of this server.
	Rival        string
	RivalViewers int
}

// Cost is the cost of a method.
type Cost struct {
	Way     string
	Viewers int
	Share   Spread  // fraction of one processor used, in addition to the game without viewers
	After   Spread  // fraction of one processor used after the Tick; part of Share
	Game    Spread  // fraction of one processor used by the game without viewers
	Bytes   float64 // bytes sent per viewer and second
	Packets float64 // packets sent per viewer and second
	Mallocs float64 // objects allocated per frame, in addition to the game without viewers
}

// Spread has the median of several values, and their lower and upper quartiles.
type Spread struct{ Low, Middle, High float64 }

// played is a method and the game that uses it.
type played struct {
	name   string
	fight  *load.Fight
	after  func(*engine.Frame)
	sent   *sent
	used   []time.Duration // processor time, by second
	behind []time.Duration // processor time used after the Tick, by second
	allocs uint64
}

// sent counts the messages for viewers.
type sent struct{ bytes, packets int }

func (s *sent) add(n int) {
	if n > 0 {
		s.bytes += n
		s.packets++
	}
}

// warmSeconds is the number of seconds at the start that are not measured.
const warmSeconds = 3

// Measure runs the game without viewers and with each method. These games take turns, and play one
// second in each turn.
func Measure(o Options, progress func(float64)) ([]Cost, error) {
	all := []*played{{name: "no viewers"}, {name: "replicate"}, {name: "JSON by hand"}}
	for _, p := range all {
		var err error
		if p.fight, err = load.NewFight(o.Seed, o.Warm); err != nil {
			return nil, err
		}
		p.sent, p.after = &sent{}, func(*engine.Frame) {}
		switch p.name {
		case "replicate":
			p.after, err = replicated(p.fight.Engine(), o.sight(viewers), p.sent)
		case "JSON by hand":
			p.after = byHand(p.fight.Engine(), o.sight(viewers), p.sent)
		}
		if err != nil {
			return nil, err
		}
	}
	for second := range warmSeconds + o.Seconds {
		for k := range all { // start with a different method in each second
			all[(k+second)%len(all)].second(second >= warmSeconds)
		}
		progress(float64(second+1) / float64(warmSeconds+o.Seconds))
	}
	var out []Cost
	for _, p := range all {
		if err := p.fight.End(); err != nil {
			return nil, err
		}
		out = append(out, p.cost(all[0], o.Seconds))
	}
	return out, nil
}

// second plays a second of the game.
func (p *played) second(counts bool) {
	used, behind := time.Duration(0), time.Duration(0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range framesASecond {
		start := gauge.CPU()
		p.fight.Frame(func(f *engine.Frame) {
			from := gauge.CPU()
			p.after(f)
			behind += gauge.CPU() - from
		})
		used += gauge.CPU() - start
	}
	runtime.ReadMemStats(&after)
	if counts {
		p.used, p.behind = append(p.used, used), append(p.behind, behind)
		p.allocs += after.Mallocs - before.Mallocs
	} else {
		*p.sent = sent{}
	}
}

func (p *played) cost(game *played, seconds int) Cost {
	var more, behind, all []float64
	for k := range p.used {
		more = append(more, (p.used[k] - game.used[k]).Seconds())
		behind = append(behind, p.behind[k].Seconds())
		all = append(all, game.used[k].Seconds())
	}
	each := 1 / float64(seconds) / float64(viewers)
	return Cost{
		Way: p.name, Viewers: viewers, Share: middle(more), After: middle(behind), Game: middle(all),
		Bytes: float64(p.sent.bytes) * each, Packets: float64(p.sent.packets) * each,
		Mallocs: (float64(p.allocs) - float64(game.allocs)) / float64(seconds*framesASecond),
	}
}

// middle returns the median and the quartiles.
func middle(list []float64) Spread {
	s := slices.Sorted(slices.Values(list))
	at := func(q float64) float64 { return s[min(len(s)-1, int(q*float64(len(s))))] }
	return Spread{at(0.25), at(0.5), at(0.75)}
}
