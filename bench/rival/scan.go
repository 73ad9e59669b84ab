package rival

// scan visits every buff in each frame, in one flat array.
type scan struct {
	game   *Game
	health []int64
	buffs  []scanBuff
}

type scanBuff struct{ next, end int64 } // if end is 0, there is no buff

func newScan(g *Game) contender {
	return &scan{game: g, health: make([]int64, g.buffs/each+1), buffs: make([]scanBuff, g.buffs)}
}

func (s *scan) add(slot int32, now, life int64) {
	b := &s.buffs[slot]
	b.end, b.next = now+life, never
	if s.game.pulses(slot) {
		b.next = now + s.game.load.Period
	}
}

func (s *scan) refresh(slot int32, now, life int64) { s.buffs[slot].end = now + life }

func (s *scan) tick(now int64) {
	for slot := range s.buffs {
		b := &s.buffs[slot]
		if now < b.next && now < b.end || b.end == 0 {
			continue
		}
		for b.next <= now && b.next <= b.end {
			s.health[slot/each]--
			s.game.pulse(int32(slot), b.next)
			b.next += s.game.load.Period
		}
		if b.end <= now {
			end := b.end
			b.end = 0
			s.game.end(int32(slot), end)
		}
	}
}

const never = 1 << 62
