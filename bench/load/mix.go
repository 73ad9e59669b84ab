package load

import (
	"math"
	"time"

	"github.com/bufftick/bufftick/buff"
)

// Mix describes players and their calls. By default, the calls have the proportions of public logs
// of arena fights: of a hundred calls, 62 add a buff, 28 refresh a buff and 10 add a stack.
type Mix struct {
	Players int           `help:"players on this loop"`
	Raid    int           `help:"how many of them stand together: who casts on whom"`
	Long    int           `help:"long buffs on each, of 30 min to 4 h"`
	Forever float64       `help:"per cent of the long ones that have no end"`
	Ticking float64       `help:"per cent of the long ones that pulse, every 3 to 6 s"`
	New     float64       `help:"new buffs a second, over all players"`
	Pulsing float64       `help:"per cent of the new buffs that pulse, every 1 to 3 s"`
	Refresh float64       `help:"refreshes a second"`
	Stacks  float64       `help:"further stacks a second"`
	Dispel  float64       `help:"dispels for 100 new buffs"`
	Hasten  float64       `help:"changed periods for 100 new buffs"`
	Cancel  float64       `help:"per cent of the new buffs that are removed by hand, as others are added"`
	Warm    time.Duration `help:"time before the measurement, until as many buffs end as begin"`
	For     time.Duration `help:"time that is measured"`
}

// shortLife is the mean lifetime of a short buff, in seconds, including refreshes.
const shortLife = 11.0

// buffs returns the approximate number of buffs.
func (m *Mix) buffs() int { return m.Players*m.Long + int(m.New*shortLife) }

// longBorn returns the number of long buffs that must be added per second to replace ended buffs.
func (m *Mix) longBorn() float64 {
	const shortest, longest = 30 * 60, 4 * 3600 // s
	mean := (longest - shortest) / math.Log(longest/shortest)
	return float64(m.Players*m.Long) * (1 - m.Forever/100) / mean
}

// askLong casts a long buff on a random player. It never casts an endless buff, because the number
// of endless buffs would only grow.
func (m *Mix) askLong(w *world) {
	owner := int32(w.rng.IntN(m.Players))
	if w.books.slow != nil && w.books.slow(owner) {
		return
	}
	for {
		c := m.long(w, owner, m.Long+w.rng.IntN(1000)) // the source is random, so the player rarely has this buff already
		if c.duration > 0 {
			w.ask(c)
			return
		}
	}
}

// long draws a long buff.
func (m *Mix) long(w *world, owner int32, n int) command {
	c := command{owner: owner, kind: flaskKind, source: buff.OwnerID(1000 + n), duration: 0}
	switch p := w.rng.Float64() * 100; {
	case p < m.Forever:
		c.kind = blessingKind
		return c
	case p < m.Forever+m.Ticking:
		c.kind = int16(regenKind + w.rng.IntN(regenKinds))
	}
	c.duration = logUniform(w.rng, 30*60_000, 4*3600_000)
	return c
}

// fill casts the long buffs of all players, a few players in each frame, so that the pulses are
// spread over time. The remaining time of each buff is a random part of its duration.
func (m *Mix) fill(w *world) {
	const spreadOver = 6 * time.Second
	frames := int(spreadOver / frameTime)
	i := 0
	w.play(spreadOver, func() {
		for owner := i; owner < m.Players; owner += frames {
			for n := range m.Long {
				c := m.long(w, int32(owner), n)
				if c.duration > 0 {
					c.duration = max(1000, int64(float64(c.duration)*w.rng.Float64()))
				}
				w.ask(c)
			}
		}
		i++
	})
}

// plan creates the calls of one frame.
func (m *Mix) plan(w *world) {
	share := frameTime.Seconds()
	born := poisson(w.rng, m.New*share)
	for range born {
		m.askNew(w)
	}
	for range poisson(w.rng, m.longBorn()*share) {
		m.askLong(w)
	}
	for range poisson(w.rng, m.Refresh*share) {
		m.askAgain(w, func(r *record) bool { return kinds[r.kind].limit == 1 })
	}
	for range poisson(w.rng, m.Stacks*share) {
		m.askAgain(w, func(r *record) bool { return r.stacks < kinds[r.kind].limit })
	}
	for range poisson(w.rng, m.New*share*m.Dispel/100) {
		w.ask(command{verb: dispel, owner: int32(w.rng.IntN(m.Players))})
	}
	for range poisson(w.rng, m.New*share*m.Hasten/100) {
		m.askPeriod(w)
	}
	for range poisson(w.rng, m.New*share*m.Cancel/100) {
		if r := m.pick(w, isShort); r != nil {
			w.ask(command{verb: cancel, owner: r.owner, kind: r.kind, handle: r.handle})
		}
	}
}

func isShort(r *record) bool { return kinds[r.kind].weight > 0 }

// askNew casts a new short buff on a random player, from a source of which the player does not have
// this buff yet.
func (m *Mix) askNew(w *world) {
	owner, kind := int32(w.rng.IntN(m.Players)), int16(shortKind(w.rng, m.Pulsing))
	if w.books.slow != nil && w.books.slow(owner) {
		return // the owner is busy
	}
	first := int(owner) / m.Raid * m.Raid
	for range 8 {
		source := buff.OwnerID(first + w.rng.IntN(m.Raid) + 1)
		if w.books.find(owner, kind, source) == 0 {
			w.ask(command{owner: owner, kind: kind, source: source, duration: lifetime(w.rng)})
			return
		}
	}
}

// askAgain repeats the cast of a random active buff for which the given function returns true. It
// prefers short buffs. If it finds no such short buff, it takes a long buff.
func (m *Mix) askAgain(w *world, fits func(*record) bool) {
	r := m.pick(w, func(r *record) bool { return isShort(r) && fits(r) })
	if r != nil {
		w.ask(command{owner: r.owner, kind: r.kind, source: r.source, duration: lifetime(w.rng)})
		return
	}
	r = m.pick(w, func(r *record) bool { return !kinds[r.kind].infinite && fits(r) })
	if r != nil {
		w.ask(command{owner: r.owner, kind: r.kind, source: r.source, duration: logUniform(w.rng, 30*60_000, 4*3600_000)})
	}
}

// askPeriod changes the period of a random pulsing buff. The new period is 77 to 130 % of the
// period in the definition.
func (m *Mix) askPeriod(w *world) {
	if r := m.pick(w, func(r *record) bool { return isShort(r) && kinds[r.kind].period > 0 }); r != nil {
		period := kinds[r.kind].period * int64(77+w.rng.IntN(54)) / 100
		w.ask(command{verb: hasten, owner: r.owner, kind: r.kind, handle: r.handle, duration: period})
	}
}

// pick draws a random buff that has a known handle and for which the given function returns true.
// It returns nil if it finds no such buff.
func (m *Mix) pick(w *world, fits func(*record) bool) *record {
	for range 16 {
		owner := int32(w.rng.IntN(m.Players))
		list := w.books.players[owner].records
		if len(list) == 0 || w.books.slow != nil && w.books.slow(owner) {
			continue
		}
		for range 4 {
			if r := &w.books.records[list[w.rng.IntN(len(list))]]; r.handle != 0 && fits(r) {
				return r
			}
		}
	}
	return nil
}

// run fills a world, plays it for the time m.Warm, and then measures it.
func (m *Mix) run(w *world, plan func()) {
	m.fill(w)
	w.play(m.Warm, plan)
	w.measure(m.For, plan)
}

func (m *Mix) setup() setup {
	return setup{players: m.Players, raid: m.Raid, buffs: m.buffs()}
}

// quick sets the durations for a short run.
func (m *Mix) quick(warm, measured time.Duration) { m.Warm, m.For = warm, measured }
