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

// Options configures a measurement.
type Options struct {
	Owners  int // number of owners in the crowd
	Frames  int // number of frames for each way of saving in each round
	Rounds  int
	Warm    time.Duration // game time that is played before the measurement
	Virtual bool          // if set, frames run back to back instead of taking 50 ms each
	Dir     string        // folder for the files; "" means the default folder for temporary files
	Seed    uint64
	Worlds  []string // names of the worlds to measure; nil means all
}

// Frames holds the frame times of a world for one way of saving.
type Frames struct {
	World, Way    string
	Owners, Buffs int

	// Each element is a value of one round, in ns: a quantile of the durations of the frames, or
	// the mean processor time of all threads in a frame.
	P50, P99, Max, CPU []float64

	// Least has, for each frame of the game, its shortest duration in any round, in ns. These
	// values exclude disturbances by other work on the machine.
	Least []int64

	Bytes   float64       // number of bytes written to the store per second of the game
	Commits float64       // number of commits per second of the game
	Oldest  time.Duration // the largest age that the newest cut on disk has had
}

// Worlds are the names of the worlds that can be measured.
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

// Measure runs each world with all ways of saving, one after another, in each round.
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

// warm is the number of frames at the start of a round that are not measured.
const warm = 40

// play runs one round of one way of saving.
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
	debug.FreeOSMemory() // release the memory of the previous round
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

// quantile returns the quantile q of sorted values.
func quantile(sorted []int64, q float64) float64 {
	return float64(sorted[min(len(sorted)-1, int(q*float64(len(sorted))))])
}
