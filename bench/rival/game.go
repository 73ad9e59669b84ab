package rival

import "math/rand/v2"

const (
	frame = 50 // ms
	each  = 10 // number of buffs on each player
)

// Load describes the amount of work in a [Game].
type Load struct {
	Name              string
	Pulsing           int32 // one buff in Pulsing buffs pulses
	Period            int64 // ms from one pulse to the next
	Shortest, Longest int64 // range of the durations in ms
	Refreshed         int   // one buff in Refreshed buffs is refreshed in each frame
}

// The loads. In each frame, one buff in 140 has a deadline in the fight, and one in 800 in the
// city. A scan also visits all other buffs.
var (
	Fight = Load{"fight", 5, 3000, 10_000, 60_000, 1000}
	City  = Load{"city", 7, 6000, 600_000, 2_100_000, 50_000}
)

// Game is the work of one contender. It makes random calls, which are the same for all contenders,
// and counts the resulting events.
type Game struct {
	load   Load
	buffs  int
	now    int64
	rng    *rand.Rand
	totals Totals
	do     contender
	ended  []int32

	players *players // players of a served contender; nil for other contenders
}

// Totals counts the events. Sum is a checksum of their buffs and times.
type Totals struct {
	Pulses, Ends, Calls uint64
	Sum                 uint64
}

// contender keeps the deadlines of buffs. Buffs are identified by slots. A contender reports due
// pulses and ends by calling Game.pulse and Game.end. The Game then adds ended buffs again.
type contender interface {
	add(slot int32, now, life int64)
	refresh(slot int32, now, life int64)
	tick(now int64)
}

// newGame starts a game and plays the number of frames in the parameter "settle", whose events are
// not counted.
func newGame(load Load, buffs, settle int, make func(g *Game) contender) *Game {
	g := &Game{load: load, buffs: buffs, rng: rand.New(rand.NewPCG(1, uint64(buffs)))}
	g.do = make(g)
	for slot := range int32(buffs) {
		g.do.add(slot, g.now, g.life(slot))
		if int(slot)%(buffs/int(load.Period/frame)+1) == 0 { // spread the pulses over a period
			g.turn()
		}
	}
	for range settle {
		g.play()
	}
	g.totals = Totals{}
	return g
}

// settled is the number of frames that are played before the measurement.
const settled = 300

// life returns the duration of a buff that is cast now, in whole frames. It must depend only on
// the slot and the time, because contenders may report ends in any order.
func (g *Game) life(slot int32) int64 {
	h := uint64(slot+1)*0x9e3779b97f4a7c15 ^ uint64(g.now)*0xbf58476d1ce4e5b9
	h ^= h >> 29
	h *= 0x94d049bb133111eb
	h ^= h >> 32
	l := &g.load
	return (l.Shortest + int64(h%uint64(l.Longest-l.Shortest))) / frame * frame
}

func (g *Game) pulses(slot int32) bool { return slot%g.load.Pulsing == 0 }

// play runs one frame. It refreshes buffs, lets the contender process the due deadlines, and starts
// ended buffs again.
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

// Contenders call pulse and end to report events. Within a frame, any order is allowed.

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

// events returns the number of events and calls. Measured times are divided by this number.
func (t Totals) events() float64 { return float64(t.Pulses + t.Ends + t.Calls) }
