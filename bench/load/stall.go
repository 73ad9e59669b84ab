package load

import (
	"time"
)

// Stall is profile H.
type Stall struct {
	Mix    `embed:""`
	Stop   time.Duration `help:"for how long the server stops"`
	Every  time.Duration `help:"from one stop to the next"`
	Budget time.Duration `help:"what one Tick may wait for handlers"`
}

func newStall() *Stall {
	m := newRaids().Mix
	m.For = 2 * time.Minute
	return &Stall{m, 5 * time.Second, 20 * time.Second, 10 * time.Millisecond}
}

// Quick implements Profile.
func (p *Stall) Quick() { p.quick(20*time.Second, 20*time.Second); p.Every = 10 * time.Second }

// Run implements Profile.
func (p *Stall) Run(env *Env) (*Result, error) {
	s := p.setup()
	s.budget, s.loose = p.Budget, true
	w, err := newWorld(env, s)
	if err != nil {
		return nil, err
	}
	p.fill(w)
	plan := func() { p.plan(w) }
	w.play(p.Warm, plan)
	stops := int(p.For / p.Every)
	w.meter.begin(w.now(), frameTime, uint64(stops)*uint64(p.Every/frameTime))
	var longest time.Duration
	var frames, backlog int
	for range stops {
		w.play(p.Every-frameTime, plan)
		start := time.Now()
		want := w.now() + p.Stop.Milliseconds()
		w.frame(p.Stop, plan)
		longest = max(longest, time.Since(start))
		n := 1
		for ; n < 1000 && (w.eng.Stats().Busy > 0 || w.now() < want); n++ {
			want += frameTime.Milliseconds()
			backlog = max(backlog, w.eng.Stats().Busy)
			w.frame(frameTime, plan)
		}
		frames = max(frames, n)
	}
	w.meter.end()
	r := result("H")
	r.Simulated = time.Duration(stops) * (p.Every + p.Stop)
	r.figure("stops", float64(stops), "")
	r.figure("longest frame of a stop, with the look through its events", longest.Seconds()*1000, "ms")
	r.figure("frames until nobody was behind", float64(frames), "")
	r.figure("most players behind at the end of a frame", float64(backlog), "")
	r.check(frames < 1000, "everybody was on time again, after at most %d frames", frames)
	return r, w.finish(r)
}

// Slow is profile K.
type Slow struct {
	Mix     `embed:""`
	Every   int           `help:"one player in so many is slow"`
	Sleep   time.Duration `help:"how long its handlers take"`
	Budget  time.Duration `help:"what one Tick may wait for handlers"`
	Sleeper int           `help:"workers: more than sleep at once"`
	More    int           `help:"how many more runs there may be while the others are late: what the engine does is in all of them, what the machine does beside is not"`
}

func newSlow() *Slow {
	m := newRaids().Mix
	m.For = time.Minute
	return &Slow{m, 100, 20 * time.Millisecond, 10 * time.Millisecond, 48, 15}
}

// Quick implements Profile.
func (p *Slow) Quick() { p.quick(10*time.Second, 10*time.Second) }

// Run implements Profile. It runs the same game twice: first no handler sleeps, then the handlers
// of slow players sleep. In both runs, events of other players may be a frame late, because the
// budget of a frame is real time and a busy machine may exceed it. However, if sleeping handlers
// kept workers from other players, the events of these players would be late in every frame, by as
// much as the sleep. Tests of the engine with an artificial clock show that deadlines do not move
// at all.
func (p *Slow) Run(env *Env) (*Result, error) {
	for runs := 1; ; runs++ {
		quiet, err := p.once(env, 0)
		if err != nil {
			return nil, err
		}
		r, err := p.once(env, p.Sleep)
		if err != nil {
			return nil, err
		}
		same := r.Late99 <= quiet.Late99+frameTime.Milliseconds()
		if !same && runs <= p.More && quiet.Faults.none() && r.Faults.none() {
			continue
		}
		r.figure("runs", float64(runs), "")
		r.figure("lateness p99 of the others when nobody sleeps", float64(quiet.Late99), "ms")
		r.figure("lateness p99 of the others", float64(r.Late99), "ms")
		r.check(same, "the others are at most a frame later: p99 %d ms without sleepers, %d ms with them", quiet.Late99, r.Late99)
		r.check(quiet.Faults.none(), "nothing was wrong in the run without sleepers")
		return r, nil
	}
}

func (p *Slow) once(env *Env, sleep time.Duration) (*Result, error) {
	s := p.setup()
	s.budget, s.loose, s.workers, s.slowFor = p.Budget, true, p.Sleeper, sleep
	s.slow = func(place int32) bool { return int(place)%p.Every == p.Every/3 }
	w, err := newWorld(env, s)
	if err != nil {
		return nil, err
	}
	p.run(w, func() { p.plan(w) })
	r := result("K")
	r.Simulated = p.For
	err = w.finish(r)
	r.Workers = p.Sleeper
	return r, err
}
