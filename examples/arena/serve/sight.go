package serve

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/examples/arena/game"
)

// inView is the largest number of units in view, not counting the King, the player's squad and the
// player's target.
const inView = 44

// sight holds the units in a client's view. The method "look" updates the view.
type sight struct {
	seen   []*game.Unit
	stamps map[buff.OwnerID]uint64 // for each unit in the view: the number of the update that found the unit
	looks  uint64                  // number of updates of the view
	looked uint64                  // frame of the last update; 0 if there was no update yet
	hello  bool                    // a hello message must be sent
}

func (p *player) forget() {
	p.seen, p.looked = p.seen[:0], 0
	clear(p.stamps)
}

// look updates a player's view, which has nearby units and the squad and target of the player's
// hero.
func (s *Server) look(p *player) {
	if p.stamps == nil {
		p.stamps = map[buff.OwnerID]uint64{}
	}
	p.looks++
	p.looked = s.world.Frames()
	at := p.follows
	s.near = s.world.Near(s.near[:0], p.arena, at.X, at.Y, inView)
	s.near = append(s.near, s.squad(p)...)
	p.seen = p.seen[:0]
	for _, u := range s.near {
		if p.stamps[u.ID] == p.looks {
			continue
		}
		p.stamps[u.ID] = p.looks
		if err := p.see(u); err != nil {
			delete(p.stamps, u.ID)
			continue
		}
		p.seen = append(p.seen, u)
	}
	for id, at := range p.stamps {
		if at != p.looks {
			delete(p.stamps, id)
			p.viewer.Unsee(id)
		}
	}
}

func (p *player) see(u *game.Unit) error {
	if p.unit != nil && u.Side == p.unit.Side && u.Squad == p.unit.Squad {
		return p.viewer.SeeParty(u.ID)
	}
	return p.viewer.See(u.ID)
}

// squad returns the units that a player sees at any distance: the King, the followed unit, and the
// squad and target of the player's hero.
func (s *Server) squad(p *player) []*game.Unit {
	s.mates = append(s.mates[:0], s.world.King(p.arena), p.follows)
	if p.unit == nil {
		return s.mates
	}
	if t := s.world.Unit(p.unit.Target); t != nil {
		s.mates = append(s.mates, t)
	}
	return s.world.Squad(s.mates, p.unit)
}

// notice keeps those facts of a frame that a player can see.
func (s *Server) notice(p *player) {
	for _, f := range s.world.Facts() {
		if len(p.facts) >= maxFacts {
			return
		}
		if _, ok := p.stamps[f.Target]; ok {
			p.facts = append(p.facts, f)
		} else if _, ok := p.stamps[f.Source]; ok && f.Source != 0 {
			p.facts = append(p.facts, f)
		}
	}
}
