package rival

// served wraps a contender that keeps only deadlines. It adds other work that the engine does: each
// call looks up the player by id, and the buff by definition and source. Each change writes an
// event.
type served struct {
	contender
	players *players
}

// players holds the buffs of all players.
type players struct {
	game   *Game
	byID   map[uint64]*carrier
	events []fact
}

type carrier struct{ carried [each]carriedBuff }

type carriedBuff struct {
	source uint64
	spec   uint32
	slot   int32
}

// fact is an event with the fields of an engine event.
type fact struct {
	at, seen      int64
	owner, source uint64
	handle        uint64
	end           int64
	spec, kind    uint32
}

const (
	applied = iota
	refreshed
	pulsed
	removed
)

// newServed returns a constructor of served contenders. The given function makes the contender that
// a served contender wraps.
func newServed(make func(g *Game) contender) func(g *Game) contender {
	return func(g *Game) contender {
		g.players = newPlayers(g)
		return &served{make(g), g.players}
	}
}

func newPlayers(g *Game) *players {
	p := &players{game: g, byID: make(map[uint64]*carrier, g.buffs/each+1)}
	for slot := range int32(g.buffs) {
		id, source, spec := p.names(slot)
		if p.byID[id] == nil {
			p.byID[id] = &carrier{}
		}
		p.byID[id].carried[slot%each] = carriedBuff{source, spec, slot}
	}
	return p
}

// names returns the owner's id, the source and the definition of the buff in a slot.
func (p *players) names(slot int32) (id, source uint64, spec uint32) {
	if p.game.pulses(slot) {
		spec = 1
	}
	return uint64(slot/each + 1), uint64(slot%each + 1), spec
}

// find returns the slot of the buff with the given source and definition on the player with the
// given id.
func (p *players) find(id, source uint64, spec uint32) int32 {
	for _, b := range &p.byID[id].carried {
		if b.source == source && b.spec == spec {
			return b.slot
		}
	}
	panic("rival: a buff that nobody carries")
}

func (p *players) tell(kind uint32, slot int32, at, end int64) {
	id, source, spec := p.names(slot)
	p.events = append(p.events, fact{at, p.game.now, id, source, uint64(slot), end, spec, kind})
}

func (s *served) add(slot int32, now, life int64) {
	slot = s.players.find(s.players.names(slot))
	s.players.tell(applied, slot, now, now+life)
	s.contender.add(slot, now, life)
}

func (s *served) refresh(slot int32, now, life int64) {
	slot = s.players.find(s.players.names(slot))
	s.players.tell(refreshed, slot, now, now+life)
	s.contender.refresh(slot, now, life)
}

// tick ends a frame. It reuses the memory of the previous frame's events, which have already been
// read.
func (s *served) tick(now int64) {
	s.players.events = s.players.events[:0]
	s.contender.tick(now)
}
