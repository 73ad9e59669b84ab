package load

import (
	"time"

	"github.com/bufftick/bufftick/buff"
)

// Storm is profile D.
type Storm struct {
	Players int           `help:"players who log in"`
	Buffs   int           `help:"buffs that each brings along"`
	Within  time.Duration `help:"time in which all log in"`
	Leave   float64       `help:"players who log out again, a second"`
	Hot     float64       `help:"casts a second on the one player who is there all the time"`
}

func newStorm() *Storm {
	return &Storm{Players: 3000, Buffs: 25, Within: time.Minute, Leave: 10, Hot: 250}
}

// Quick implements Profile.
func (p *Storm) Quick() { p.Within = 20 * time.Second }

// storm is the state of a run of Storm.
type storm struct {
	*Storm
	w     *world
	blobs [][]byte
	away  []int32 // logged-out players, in the order in which they logged out
	saved [][]record

	loadTime, saveTime time.Duration
	loads, saves       int // number of buffs loaded and saved
	blobBytes          int
}

// Run implements Profile.
func (p *Storm) Run(env *Env) (*Result, error) {
	m := Mix{Players: p.Players, Raid: 40, Long: p.Buffs, Forever: 5, Ticking: 15}
	set := m.setup()
	set.buffs += 4000
	w, err := newWorld(env, set)
	if err != nil {
		return nil, err
	}
	s := &storm{Storm: p, w: w, blobs: make([][]byte, p.Players), saved: make([][]record, p.Players)}
	m.fill(w)
	w.play(10*time.Second, nil)
	for i := p.Players - 1; i > 0; i-- { // log out all players except one
		if err := s.logout(int32(i)); err != nil {
			return nil, err
		}
	}
	s.saveTime, s.saves, s.blobBytes = 0, 0, 0
	w.play(5*time.Second, nil)

	share := frameTime.Seconds()
	perFrame, logins := float64(p.Players)/p.Within.Seconds()*share, 0.0
	var failed error
	w.measure(p.Within+10*time.Second, func() {
		logins += perFrame
		failed = s.traffic(&logins, poisson(w.rng, p.Leave*share))
		for range poisson(w.rng, p.Hot*share) {
			s.castOnHot()
		}
	})
	if failed != nil {
		return nil, failed
	}
	r := result("D")
	r.Simulated = p.Within + 10*time.Second
	s.report(r)
	return r, w.finish(r)
}

func (s *storm) report(r *Result) {
	r.figure("buffs loaded", float64(s.loads), "")
	r.figure("to load one", float64(s.loadTime)/float64(max(1, s.loads)), "ns")
	r.figure("buffs saved", float64(s.saves), "")
	r.figure("to save one", float64(s.saveTime)/float64(max(1, s.saves)), "ns")
	r.figure("bytes of a saved buff", float64(s.blobBytes)/float64(max(1, s.saves)), "B")
	r.check(s.loads >= s.Players*s.Buffs/2, "%d buffs were loaded", s.loads)
}

// traffic logs in *logins players, rounded down, and subtracts their number from *logins. It then
// logs out random players, at most as many as the parameter "leave".
func (s *storm) traffic(logins *float64, leave int) error {
	for ; *logins >= 1 && len(s.away) > 0; *logins-- {
		if err := s.login(); err != nil {
			return err
		}
	}
	for range leave {
		if i := int32(1 + s.w.rng.IntN(s.Players-1)); s.w.present[i] {
			if err := s.logout(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// castOnHot casts a short buff on the player who never logs out, called the hot player.
func (s *storm) castOnHot() {
	w := s.w
	kind, source := int16(shortKind(w.rng, 35)), buff.OwnerID(5000+w.rng.IntN(60))
	if kind == plagueKind {
		kind = stunKind // the handler of a plague would cast on players who may be logged out
	}
	w.ask(command{kind: kind, source: source, duration: lifetime(w.rng)})
}

func (s *storm) logout(i int32) error {
	w, now := s.w, s.w.now()
	start := time.Now()
	blob, err := w.eng.Despawn(ownerID(i))
	s.saveTime += time.Since(start)
	if err != nil {
		return err
	}
	s.blobs[i] = blob
	s.saved[i] = w.books.leave(i, now, s.saved[i][:0])
	s.saves += len(s.saved[i])
	s.blobBytes += len(blob)
	w.present[i] = false
	s.away = append(s.away, i)
	return nil
}

// login logs in the player who has been away for the longest time.
func (s *storm) login() error {
	w, i := s.w, s.away[0]
	s.away = s.away[1:]
	start := time.Now()
	back, err := w.eng.Restore(ownerID(i), &w.seats[i], s.blobs[i])
	s.loadTime += time.Since(start)
	if err != nil {
		return err
	}
	if back.Restored != len(s.saved[i]) {
		f := &w.books.faults
		f.note(&f.Lost, "%d: %d buffs came back of %d", ownerID(i), back.Restored, len(s.saved[i]))
	}
	w.books.back(i, w.now(), s.saved[i])
	s.loads += len(s.saved[i])
	w.present[i] = true
	return nil
}

// leave ends the records of a player's buffs. It appends the records to the given slice, with times
// relative to the time "now".
func (b *books) leave(owner int32, now int64, out []record) []record {
	p := &b.players[owner]
	for len(p.records) > 0 {
		r := b.records[p.records[0]]
		r.end, r.next = shift(r.end, -now), shift(r.next, -now)
		out = append(out, r)
		b.owe(owner, buff.Removed)
		b.drop(p.records[0])
	}
	return out
}

// back enters a player's restored buffs into the books.
func (b *books) back(owner int32, now int64, saved []record) {
	for _, s := range saved {
		i := b.open(&command{at: now, owner: owner, kind: s.kind, source: s.source})
		r := &b.records[i]
		r.end, r.next, r.period, r.stacks = shift(s.end, now), shift(s.next, now), s.period, s.stacks
		b.owe(owner, buff.Restored)
	}
}

func shift(at, by int64) int64 {
	if at == never {
		return never
	}
	return at + by
}
