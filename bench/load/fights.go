package load

import (
	"time"

	"github.com/bufftick/bufftick/buff"
)

// City is profile A.
type City struct {
	Mix `embed:""`
}

func newCity() *City {
	return &City{Mix{
		Players: 5000, Raid: 40, Long: 25, Forever: 5, Ticking: 15, Warm: 10 * time.Second, For: 10 * time.Minute,
		New: 6, Pulsing: 35, Refresh: 6, Stacks: 3, Dispel: 1, Hasten: 2,
	}}
}

// Quick implements Profile.
func (p *City) Quick() { p.quick(5*time.Second, 40*time.Second) }

// Run implements Profile.
func (p *City) Run(env *Env) (*Result, error) { return p.steady(env, "A", p.setup()) }

// steady runs a world in which only the mix makes calls.
func (m *Mix) steady(env *Env, letter string, s setup) (*Result, error) {
	w, err := newWorld(env, s)
	if err != nil {
		return nil, err
	}
	m.run(w, func() { m.plan(w) })
	r := result(letter)
	r.Simulated = m.For
	return r, w.finish(r)
}

// Raids is profile B. The profiles H, J and K are based on it.
type Raids struct {
	Mix `embed:""`
}

func newRaids() *Raids {
	return &Raids{Mix{
		Players: 4000, Raid: 40, Long: 11, Forever: 10, Ticking: 5, Warm: time.Minute, For: 5 * time.Minute,
		New: 5580, Pulsing: 35, Refresh: 2520, Stacks: 900, Dispel: 1, Hasten: 2, Cancel: 5,
	}}
}

// Quick implements Profile.
func (p *Raids) Quick() { p.quick(20*time.Second, 20*time.Second) }

// Run implements Profile.
func (p *Raids) Run(env *Env) (*Result, error) { return p.steady(env, "B", p.setup()) }

// Siege is profile C.
type Siege struct {
	Mix     `embed:""`
	Every   time.Duration `help:"time between two blows"`
	Targets int           `help:"how many players a blow hits, each with three debuffs"`
}

func newSiege() *Siege {
	return &Siege{Mix{
		Players: 2000, Raid: 40, Long: 18, Forever: 10, Ticking: 5, Warm: time.Minute, For: 5 * time.Minute,
		New: 2728, Pulsing: 35, Refresh: 1232, Stacks: 440, Dispel: 1, Hasten: 2, Cancel: 5,
	}, 2 * time.Second, 500}
}

// Quick implements Profile.
func (p *Siege) Quick() { p.quick(15*time.Second, 30*time.Second) }

// Run implements Profile.
func (p *Siege) Run(env *Env) (*Result, error) {
	s := p.setup()
	s.buffs += p.Targets * 12
	w, err := newWorld(env, s)
	if err != nil {
		return nil, err
	}
	frames, blows := 0, int64(0)
	every := max(1, int(p.Every/frameTime))
	p.run(w, func() {
		p.plan(w)
		if frames++; frames%every == 0 {
			p.blow(w, buff.OwnerID(100_000+blows%4))
			blows++
		}
	})
	r := result("C")
	r.Simulated = p.For
	r.figure("blows", float64(blows), "")
	r.figure("buffs of one blow", float64(3*p.Targets), "")
	return r, w.finish(r)
}

// blow hits players with consecutive numbers, starting with a random player.
func (p *Siege) blow(w *world, source buff.OwnerID) {
	first := w.rng.IntN(p.Players)
	for n := range min(p.Targets, p.Players) {
		owner := int32((first + n) % p.Players)
		for _, kind := range []int16{slowKind, stunKind, bleedKind} {
			w.ask(command{owner: owner, kind: kind, source: source, duration: lifetime(w.rng)})
		}
	}
}

// Boss is profile E.
type Boss struct {
	Sources int           `help:"players who fight it"`
	New     float64       `help:"new buffs a second"`
	Again   float64       `help:"refreshes and stacks a second"`
	Warm    time.Duration `help:"time before the measurement"`
	For     time.Duration `help:"time that is measured"`
}

func newBoss() *Boss {
	return &Boss{Sources: 300, New: 20, Again: 430, Warm: time.Minute, For: 10 * time.Minute}
}

// Quick implements Profile.
func (p *Boss) Quick() { p.Warm, p.For = 40*time.Second, time.Minute }

// Run implements Profile.
func (p *Boss) Run(env *Env) (*Result, error) {
	m := Mix{Players: 1, Raid: p.Sources, New: p.New, Pulsing: 100, Refresh: p.Again * 0.7, Stacks: p.Again * 0.3, Dispel: 1, Hasten: 2, Warm: p.Warm, For: p.For}
	w, err := newWorld(env, setup{players: 1, raid: 1, buffs: 1200})
	if err != nil {
		return nil, err
	}
	m.run(w, func() { m.plan(w) })
	r := result("E")
	r.Simulated = p.For
	r.figure("pulses a second", float64(w.books.pulses)/(float64(w.now())/1000), "1/s")
	return r, w.finish(r)
}

// Soak is profile J.
type Soak struct {
	Mix `embed:""`
}

func newSoak() *Soak {
	return &Soak{Mix{
		Players: 400, Raid: 40, Long: 11, Forever: 10, Ticking: 5, Warm: time.Minute, For: 24 * time.Hour,
		New: 558, Pulsing: 35, Refresh: 252, Stacks: 90, Dispel: 1, Hasten: 2, Cancel: 5,
	}}
}

// Quick implements Profile.
func (p *Soak) Quick() {
	p.quick(time.Minute, 2*time.Hour) // game time; the heap grows during about the first half hour
}

// Run implements Profile.
func (p *Soak) Run(env *Env) (*Result, error) {
	w, err := newWorld(env, p.setup())
	if err != nil {
		return nil, err
	}
	var heap heapLine
	frames, span := 0, int(p.For/frameTime)
	beats := map[buff.Handle]bool{}
	p.fill(w)
	w.play(p.Warm, func() { p.plan(w) })
	w.frame(frameTime, func() { // add to every player a timeout that is never changed
		for owner := range p.Players {
			w.ask(command{owner: int32(owner), kind: clockKind, source: 9000})
		}
	})
	began := w.now() - frameTime.Milliseconds()
	for i := range w.books.records {
		if r := &w.books.records[i]; r.live && r.kind == clockKind {
			beats[r.handle] = true
		}
	}
	w.measure(p.For, func() {
		if frames%max(1, span/24) == 0 {
			heap.read(w)
		}
		frames++
		p.plan(w)
	})
	heap.read(w)
	r := result("J")
	r.Simulated = p.For
	p.checkClocks(w, r, began, len(beats))
	heap.report(r)
	return r, w.finish(r)
}

// checkClocks checks the buffs of kind "clock". The instant "began" is the time since which they
// have pulsed. Their n-th pulse is due n periods after this time, so their next deadline is known.
func (p *Soak) checkClocks(w *world, r *Result, began int64, clocks int) {
	period, worst, seen := kinds[clockKind].period, int64(0), 0
	for i := range w.books.records {
		c := &w.books.records[i]
		if !c.live || c.kind != clockKind {
			continue
		}
		seen++
		n := (w.now() - began) / period
		worst = max(worst, abs(c.next-(began+(n+1)*period)))
	}
	r.figure("pulse error after the last pulse", float64(worst), "ms")
	r.check(worst == 0 && seen == clocks && seen == p.Players, "%d clocks that pulse every %v are %d ms wrong after %v", seen, ms(period), worst, p.For)
}

func abs(n int64) int64 { return max(n, -n) }
