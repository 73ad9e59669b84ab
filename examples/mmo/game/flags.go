package game

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"strings"
	"time"
)

// settings holds the flags.
type settings struct {
	players, bosses int
	rate            int // frames per second of game time
	duration        time.Duration
	speed           float64 // multiple of real time; 0 means as fast as possible
	seed            uint64
	workers         int // 0 means one per processor
	sync            bool
	profile         string
	data            string // folder of the saved world; "" means that the world is not saved
	buffs           string // folder of definitions; "" means the embedded definitions

	live bool   // serve a page, and play until ctx ends
	addr string // address of the page
}

// Limits of the flags.
const (
	maxPlayers  = 500_000
	maxBosses   = 50_000
	maxRate     = 1000
	maxDuration = 1000 * time.Hour
	maxWorkers  = 1024
	maxSpeed    = 1000
	raidSize    = 50 // players per boss, unless -bosses is given
)

func newFlags(s *settings) *flag.FlagSet {
	f := flag.NewFlagSet("mmo", flag.ContinueOnError)
	f.SetOutput(io.Discard) // run prints the error in one line
	f.IntVar(&s.players, "players", 1000, "`number` of players")
	f.IntVar(&s.bosses, "bosses", 0, "`number` of bosses; 0: one per 50 players")
	f.IntVar(&s.rate, "rate", 20, "`number` of frames per second of the game")
	f.DurationVar(&s.duration, "duration", time.Minute, "`duration` of the game, in game time")
	f.Func("speed", "`factor` of real time, or max for as fast as possible (default 1)", func(v string) error { return parseSpeed(v, &s.speed) })
	f.Uint64Var(&s.seed, "seed", 1, "`seed` of all random choices")
	f.IntVar(&s.workers, "workers", 0, "`number` of workers; 0: one per processor")
	f.BoolVar(&s.sync, "sync", false, "run everything on the loop, without workers")
	f.StringVar(&s.buffs, "buffs", "", "`folder` of definitions, reloaded when they change unless -speed is max (default: the embedded ones)")
	f.StringVar(&s.data, "data", "", "`folder` for saved state; a killed game resumes from its last cut")
	f.BoolVar(&s.live, "live", false, "play until Ctrl-C, with a live page in the browser")
	f.StringVar(&s.addr, "addr", "127.0.0.1:6060", "`address` of the live page, on this machine")
	f.StringVar(&s.profile, "profile", "", "`kind` of profile to write to the current folder: cpu, mem or trace")
	return f
}

func parseSpeed(v string, speed *float64) error {
	if v == "max" {
		*speed = 0
		return nil
	}
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || !(x >= 0.01 && x <= maxSpeed) {
		return fmt.Errorf("want max, or a number from 0.01 to %d", maxSpeed)
	}
	*speed = x
	return nil
}

// parseFlags returns the settings, or an error of one line.
func parseFlags(args []string) (settings, error) {
	s := settings{speed: 1}
	f := newFlags(&s)
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return s, err
		}
		return s, fmt.Errorf("%w; -help lists the flags", err)
	}
	if f.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q; -help lists the flags", f.Arg(0))
	}
	if s.live && !isSet(f, "duration") {
		s.duration = maxDuration
	}
	return s, s.complete()
}

// isSet reports whether a flag was given.
func isSet(f *flag.FlagSet, name string) (set bool) {
	f.Visit(func(g *flag.Flag) { set = set || g.Name == name })
	return set
}

// complete checks the values of the flags, and fills in the values that depend on other values.
func (s *settings) complete() error {
	for _, x := range []struct {
		name              string
		value, least, top int
	}{
		{"players", s.players, 1, maxPlayers},
		{"bosses", s.bosses, 0, maxBosses},
		{"rate", s.rate, 1, maxRate},
		{"workers", s.workers, 0, maxWorkers},
	} {
		if x.value < x.least || x.value > x.top {
			return fmt.Errorf("-%s must be from %d to %d, not %d", x.name, x.least, x.top, x.value)
		}
	}
	if s.duration <= 0 || s.duration > maxDuration {
		return fmt.Errorf("-duration must be above 0 and at most %v, not %v", maxDuration, s.duration)
	}
	if s.profile != "" && profiles[s.profile] == "" {
		return fmt.Errorf("-profile must be cpu, mem or trace, not %q", s.profile)
	}
	if s.bosses > s.players {
		return fmt.Errorf("-bosses must be at most -players, %d: every boss needs a raid", s.players)
	}
	if s.bosses == 0 {
		s.bosses = (s.players + raidSize - 1) / raidSize
	}
	return nil
}

func usage() string {
	var b bytes.Buffer
	f := newFlags(new(settings))
	f.SetOutput(&b)
	f.PrintDefaults()
	return "mmo plays a small online game with bots on package engine.\n\n" + strings.ReplaceAll(b.String(), "\t", "  ")
}

// profiles maps each value of -profile to the file that is written.
var profiles = map[string]string{"cpu": "cpu.pprof", "mem": "mem.pprof", "trace": "trace.out"}

// startProfile starts a profile and returns a function that ends the profile and writes the file.
// If the kind is "", there is no profile.
func startProfile(kind string) (stop func() error, err error) {
	if kind == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(profiles[kind])
	if err != nil {
		return nil, err
	}
	end := func() error { pprof.StopCPUProfile(); return nil }
	switch kind {
	case "cpu":
		err = pprof.StartCPUProfile(f)
	case "trace":
		err = trace.Start(f)
		end = func() error { trace.Stop(); return nil }
	case "mem":
		end = func() error { return pprof.Lookup("allocs").WriteTo(f, 0) }
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error { return errors.Join(end(), f.Close()) }, nil
}
