package rival

import "math/rand/v2"

const (
	frame    = 50   // ms
	period   = 3000 // ms
	each     = 10   // buffs of a player
	pulsing  = 5    // one buff in so many pulses
	shortest = 10_000
	longest  = 60_000
	idle     = 1000 // one buff in so many is refreshed in a frame
)

// Game is what all do: the calls, by chance but the same for everybody, and the sums of
// what they brought.
type Game struct {
	buffs int
	now   int64
	rng   *rand.Rand
	tally Tally
	do    contender
	ended []int32
}

// Tally is what has happened: how often, and a sum that differs if another buff or another
// instant was meant.
type Tally struct {
	Pulses, Ends, Calls uint64
	Sum                 uint64
}

// contender keeps the deadlines of buffs, each known by its slot. What is due it tells the
// game by pulse and end; a buff that has ended is added again by the game.
type contender interface {
	add(slot int32, now, life int64)
	refresh(slot int32, now, life int64)
	tick(now int64)
}

// newGame begins one and plays so many frames that do not count.
func newGame(buffs, settle int, make func(g *Game) contender) *Game {
	g := &Game{buffs: buffs, rng: rand.New(rand.NewPCG(1, uint64(buffs)))}
	g.do = make(g)
	for slot := range int32(buffs) {
		g.do.add(slot, g.now, g.life())
		if int(slot)%(buffs/(period/frame)+1) == 0 { // the pulses are spread over a period
			g.turn()
		}
	}
	for range settle {
		g.play()
	}
	g.tally = Tally{}
	return g
}

// settled is how many frames are played before anything counts: a quarter of the longest
// life.
const settled = longest / frame / 4

// life draws how long a buff lasts, in whole frames.
func (g *Game) life() int64 {
	return (shortest + g.rng.Int64N(longest-shortest)) / frame * frame
}

func pulses(slot int32) bool { return slot%pulsing == 0 }

// play is one frame: refreshes, the time goes on, and what has ended begins anew.
func (g *Game) play() {
	for range g.buffs / idle {
		g.do.refresh(int32(g.rng.IntN(g.buffs)), g.now, g.life())
		g.tally.Calls++
	}
	g.turn()
}

func (g *Game) turn() {
	g.now += frame
	g.do.tick(g.now)
	for _, slot := range g.ended {
		g.do.add(slot, g.now, g.life())
		g.tally.Calls++
	}
	g.ended = g.ended[:0]
}

// pulse and end are told by the contender, in any order within a frame.

func (g *Game) pulse(slot int32, at int64) {
	g.tally.Pulses++
	g.tally.Sum += uint64(slot+1) * uint64(at)
}

func (g *Game) end(slot int32, at int64) {
	g.tally.Ends++
	g.tally.Sum += uint64(slot+1) * uint64(at) << 20
	g.ended = append(g.ended, slot)
}

// events is what a figure is divided by.
func (t Tally) events() float64 { return float64(t.Pulses + t.Ends + t.Calls) }
