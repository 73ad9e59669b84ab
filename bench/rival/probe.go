package rival

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Probe is a short measurement of the steps that changes of the code are most likely to affect.
// Each value is the time of a step, divided by the time of an event in the heap of this package.
// The heap is measured at the same time, and no change to the engine affects it.
type Probe map[string]float64

// probeBuffs is the number of buffs in each game of a probe. They do not fit into a cache.
const probeBuffs = 100_000

// probeRounds is the number of rounds of a probe. The result is the median of the rounds.
const probeRounds = 15

// PoolStep is the name of the step that plays a game with handlers on a pool. Its cost depends on
// other work of the processors, so limits for this step must have a margin.
const PoolStep = "pool/game"

// RunProbe takes a probe.
func RunProbe() (Probe, error) {
	yard := &row{name: "heap", game: newGame(Fight, probeBuffs, settled, newHeap)}
	games := contenders(Fight, probeBuffs)[:2]
	pulses, err := newPulseProbe()
	if err != nil {
		return nil, err
	}
	steps := []struct {
		name string
		play func() float64
	}{
		{"engine/game", games[0].play},
		{"engine/calls", newCallProbe().play},
		{"engine/pulses", pulses.play},
		{"wheel/churn", newWheelProbe().play},
		{PoolStep, games[1].play},
	}
	ratios := map[string][]float64{}
	for round := range probeRounds + 2 {
		for _, s := range steps {
			// The yardstick runs before and after the step, so that changes in the speed of the
			// machine affect both.
			before := yard.play()
			cost := s.play()
			behind := yard.play()
			if round >= 2 {
				ratios[s.name] = append(ratios[s.name], cost/((before+behind)/2))
			}
		}
	}
	if games[0].game.totals != games[1].game.totals {
		return nil, fmt.Errorf("the loop has seen %+v, the pool %+v", games[0].game.totals, games[1].game.totals)
	}
	p := Probe{}
	for name, r := range ratios {
		p[name] = middle(r)
	}
	for _, g := range games {
		g.ours.close()
	}
	return p, nil
}

// wheelProbe adds, moves and removes timers, and lets some fire.
type wheelProbe struct {
	wheel   *wheel.Wheel
	handles []wheel.Handle
	fired   []wheel.Fired
	n       uint64
}

func newWheelProbe() *wheelProbe {
	p := &wheelProbe{wheel: wheel.New(0), handles: make([]wheel.Handle, probeBuffs)}
	for i := range p.handles {
		p.handles[i] = p.wheel.Add(p.due(), uint64(i))
	}
	return p
}

// due returns the next deadline. The deadlines are spread over a minute, without a random
// generator.
func (p *wheelProbe) due() wheel.Time {
	p.n = p.n*6364136223846793005 + 1442695040888963407
	return p.wheel.Now().Add(int64(1000 + p.n>>33%59_000))
}

func (p *wheelProbe) play() float64 {
	const calls = 30_000
	start := gauge.CPU()
	for n := range calls {
		due := p.due()
		i := p.n >> 40 % probeBuffs
		if n%2 == 0 {
			p.wheel.Move(p.handles[i], due)
		} else {
			p.wheel.Remove(p.handles[i])
			p.handles[i] = p.wheel.Add(due, i)
		}
		if n%300 == 0 {
			p.fired = p.wheel.Advance(p.wheel.Now().After(frame*time.Millisecond), p.fired[:0])
			for _, f := range p.fired {
				p.wheel.Move(p.handles[f.ID], p.due())
			}
		}
	}
	return float64(gauge.CPU()-start) / calls
}

// callProbe measures applications, refreshes and removals on an engine with probeBuffs buffs.
type callProbe struct {
	o       *ours
	handles []buff.Handle
	n       uint64
}

func newCallProbe() *callProbe {
	g := newGame(Fight, probeBuffs, 0, newHeap) // only the random numbers of this game are used
	p := &callProbe{o: newOurs(g, 0)}
	for slot := range int32(probeBuffs) {
		p.o.add(slot, 0, 36_000_000)
	}
	p.o.eng.Tick(frame * time.Millisecond)
	return p
}

// draw returns the next slot in a pseudo-random order.
func (p *callProbe) draw(slots int) int32 {
	p.n = p.n*6364136223846793005 + 1442695040888963407
	return int32(p.n >> 33 % uint64(slots))
}

func (p *callProbe) play() float64 {
	const batch = 3000
	start := gauge.CPU()
	p.handles = p.handles[:0]
	for range batch {
		slot := p.draw(probeBuffs)
		h := p.o.eng.AddBuff(buff.OwnerID(slot/each+1), buff.Application{Spec: p.o.plain, Source: 100}).Handle
		p.handles = append(p.handles, h)
		p.o.add(slot, 0, 36_000_000)
	}
	for _, h := range p.handles {
		p.o.eng.Remove(h)
	}
	p.o.eng.Tick(0) // removes the events
	return float64(gauge.CPU()-start) / (3 * batch)
}

// pulseProbe runs one pulse of every pulsing buff. It makes no calls, and no buff ends.
type pulseProbe struct{ world *scaleWorld }

func newPulseProbe() (*pulseProbe, error) {
	w, err := newScaleWorld(probeBuffs/scaleBuffs, 0)
	return &pulseProbe{w}, err
}

func (p *pulseProbe) play() float64 {
	start := gauge.CPU()
	if _, err := p.world.turn(); err != nil {
		panic(fmt.Sprintf("rival: %v", err)) // a wrong world, for which Scale reports the same error
	}
	return float64(gauge.CPU()-start) / float64(p.world.players*scalePulsing)
}
