package cuts

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/bench/load"
)

// Options say how much is measured.
type Options struct {
	Owners  int // of the crowd
	Frames  int // of each way in each round
	Rounds  int
	Warm    time.Duration // of the game, which the raids have had before
	Virtual bool          // frames follow one on the other, and do not take their 50 ms
	Dir     string        // of the files; "" is that for temporary ones
	Seed    uint64
	Worlds  []string // the names of those that are measured; if nil, all
}

// Frames is what the frames of a world took in one way.
type Frames struct {
	World, Way    string
	Owners, Buffs int

	// By round, in ns: of a frame; of the processor time of all threads while one lasts, on average.
	P50, P99, Max, CPU []float64

	// Of each frame of the game the least that it took in a round: what the machine did beside is
	// not in it.
	Least []int64

	Bytes   float64       // a second of the game, to the store
	Commits float64       // a second of the game
	Oldest  time.Duration // that the last cut on disk has been
}

// Worlds are those that are saved.
var Worlds = []string{"raids", "crowd"}

func (o *Options) world(name string) (world, error) {
	if name == "crowd" {
		return newCrowd(o.Owners)
	}
	f, err := load.NewFight(o.Seed, o.Warm)
	return raids{f}, err
}

func (o *Options) worlds() []string {
	if o.Worlds == nil {
		return Worlds
	}
	return o.Worlds
}

// Measure lets each world be saved in all ways, one after the other, and that again in each round.
func Measure(o Options, progress func(float64)) ([]Frames, error) {
	var out []Frames
	for _, name := range o.worlds() {
		for _, w := range Ways {
			out = append(out, Frames{World: name, Way: w.Name})
		}
	}
	for round := range o.Rounds {
		for k := range out {
			if err := o.play(&out[k], Ways[k%len(Ways)]); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", out[k].World, out[k].Way, err)
			}
			progress((float64(round) + float64(k+1)/float64(len(out))) / float64(o.Rounds))
		}
	}
	return out, nil
}

// warm is how many frames are not counted.
const warm = 40

// play plays a round of one way.
func (o *Options) play(f *Frames, w Way) (err error) {
	g, err := o.world(f.World)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(o.Dir, "bufftick-cuts")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	after, end, err := w.begin(g, dir)
	if err != nil {
		return err
	}
	took, used := make([]int64, 0, o.Frames), time.Duration(0)
	debug.FreeOSMemory() // of the round before
	next := time.Now()
	for n := range warm + o.Frames {
		cpu := gauge.CPU()
		d := g.Frame(after)
		if n >= warm {
			used += gauge.CPU() - cpu
			took = append(took, int64(d))
		}
		if next = next.Add(frameTime); !o.Virtual {
			time.Sleep(time.Until(next))
		}
	}
	s, err := end()
	if err != nil {
		return err
	}
	f.Owners, f.Buffs = g.Engine().Owners(), g.buffs()
	f.add(took, used, &s)
	return g.End()
}

func (f *Frames) add(took []int64, used time.Duration, s *saved) {
	if f.Least == nil {
		f.Least = slices.Clone(took)
	}
	for k := range took {
		f.Least[k] = min(f.Least[k], took[k])
	}
	sorted := slices.Sorted(slices.Values(took))
	f.P50, f.P99 = append(f.P50, quantile(sorted, 0.5)), append(f.P99, quantile(sorted, 0.99))
	f.Max, f.CPU = append(f.Max, quantile(sorted, 1)), append(f.CPU, float64(used)/float64(len(took)))
	seconds := (time.Duration(len(took)+warm) * frameTime).Seconds()
	rounds := float64(len(f.P50))
	f.Bytes += (float64(s.bytes)/seconds - f.Bytes) / rounds
	f.Commits += (float64(s.commits)/seconds - f.Commits) / rounds
	f.Oldest = max(f.Oldest, s.oldest)
}

// quantile returns what so many of all are not above.
func quantile(sorted []int64, q float64) float64 {
	return float64(sorted[min(len(sorted)-1, int(q*float64(len(sorted))))])
}
