package rival

// scan looks at every buff of every player in each frame.
type scan struct {
	game    *Game
	players []scanned
}

type scanned struct {
	health int64
	buffs  []*scanBuff
}

type scanBuff struct {
	slot      int32
	live      bool
	next, end int64
}

func newScan(g *Game) contender {
	s := &scan{game: g, players: make([]scanned, (g.buffs+each-1)/each)}
	for slot := range int32(g.buffs) {
		p := &s.players[slot/each]
		p.buffs = append(p.buffs, &scanBuff{slot: slot})
	}
	return s
}

func (s *scan) of(slot int32) *scanBuff { return s.players[slot/each].buffs[slot%each] }

func (s *scan) add(slot int32, now, life int64) {
	b := s.of(slot)
	b.live, b.end, b.next = true, now+life, never
	if s.game.pulses(slot) {
		b.next = now + s.game.load.Period
	}
}

func (s *scan) refresh(slot int32, now, life int64) { s.of(slot).end = now + life }

func (s *scan) tick(now int64) {
	for i := range s.players {
		p := &s.players[i]
		for _, b := range p.buffs {
			if !b.live {
				continue
			}
			for b.next <= now && b.next <= b.end {
				p.health--
				s.game.pulse(b.slot, b.next)
				b.next += s.game.load.Period
			}
			if b.end <= now {
				b.live = false
				s.game.end(b.slot, b.end)
			}
		}
	}
}

const never = 1 << 62
