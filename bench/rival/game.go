package rival

import "math/rand/v2"

const (
	frame = 50 // ms
	each  = 10 // buffs of a player
)

// Load is how much there is to do.
type Load struct {
	Name              string
	Pulsing           int32 // one buff in so many pulses
	Period            int64 // ms
	Shortest, Longest int64 // ms that a buff lasts
	Refreshed         int   // one buff in so many is refreshed in a frame
}

// The loads. In a fight one buff in 140 has something to do in a frame, in a city one in 800:
// whoever looks at all of them looks at those in vain.
var (
	Fight = Load{"fight", 5, 3000, 10_000, 60_000, 1000}
	City  = Load{"city", 7, 6000, 600_000, 2_100_000, 50_000}
)

// Game is what all do: the calls, by chance but the same for everybody, and the sums of
// what they brought.
type Game struct {
	load   Load
	buffs  int
	now    int64
	rng    *rand.Rand
	totals Totals
	do     contender
	ended  []int32

	players *players // of those that are served; nil: of the others
}

// Totals is what has happened: how often, and a sum that differs if another buff or another
// instant was meant.
type Totals struct {
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
func newGame(load Load, buffs, settle int, make func(g *Game) contender) *Game {
	g := &Game{load: load, buffs: buffs, rng: rand.New(rand.NewPCG(1, uint64(buffs)))}
	g.do = make(g)
	for slot := range int32(buffs) {
		g.do.add(slot, g.now, g.life(slot))
		if int(slot)%(buffs/int(load.Period/frame)+1) == 0 { // the pulses are spread over a period
			g.turn()
		}
	}
	for range settle {
		g.play()
	}
	g.totals = Totals{}
	return g
}

// settled is how many frames are played before anything counts.
const settled = 300

// life is how long a buff lasts that is cast now, in whole frames. It depends on nothing
// else: a contender may tell of ends in any order.
func (g *Game) life(slot int32) int64 {
	h := uint64(slot+1)*0x9e3779b97f4a7c15 ^ uint64(g.now)*0xbf58476d1ce4e5b9
	h ^= h >> 29
	h *= 0x94d049bb133111eb
	h ^= h >> 32
	l := &g.load
	return (l.Shortest + int64(h%uint64(l.Longest-l.Shortest))) / frame * frame
}

func (g *Game) pulses(slot int32) bool { return slot%g.load.Pulsing == 0 }

// play is one frame: refreshes, the time goes on, and what has ended begins anew.
func (g *Game) play() {
	for range g.buffs / g.load.Refreshed {
		slot := int32(g.rng.IntN(g.buffs))
		g.do.refresh(slot, g.now, g.life(slot))
		g.totals.Calls++
	}
	g.turn()
}

func (g *Game) turn() {
	g.now += frame
	g.do.tick(g.now)
	for _, slot := range g.ended {
		g.do.add(slot, g.now, g.life(slot))
		g.totals.Calls++
	}
	g.ended = g.ended[:0]
}

// pulse and end are told by the contender, in any order within a frame.

func (g *Game) pulse(slot int32, at int64) {
	if g.players != nil {
		g.players.tell(pulsed, slot, at, 0)
	}
	g.totals.Pulses++
	g.totals.Sum += uint64(slot+1) * uint64(at)
}

func (g *Game) end(slot int32, at int64) {
	if g.players != nil {
		g.players.tell(removed, slot, at, 0)
	}
	g.totals.Ends++
	g.totals.Sum += uint64(slot+1) * uint64(at) << 20
	g.ended = append(g.ended, slot)
}

// events is what a figure is divided by.
func (t Totals) events() float64 { return float64(t.Pulses + t.Ends + t.Calls) }
