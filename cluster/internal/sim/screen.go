package sim

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// screen is a client's subscription to a zone. It uses a policy.Watch.
type screen struct {
	w      *world
	id     int
	client int
	zone   string
	watch  policy.Watch
	last   time.Duration // arrival time of the last packet; packets are not reordered

	defined bool   // the screen has the definitions of the current viewer
	total   uint64 // total number of commands according to the last packet
}

// packet is a packet from a zone to a screen.
type packet struct {
	epoch, join, number uint64
	definitions         bool
	total               uint64
}

// showing is the state that a zone keeps for its screens.
type showing struct {
	next uint64                 // number of the next viewer
	of   map[int]*policy.Screen // by id of the screen
	sent map[int]uint64         // by id of the screen: total number of commands in the last packet
}

func (w *world) addScreen(client int) {
	s := &screen{w: w, id: len(w.screens), client: client, zone: w.zone()}
	s.watch.NoTurn = w.off.turn
	w.screens = append(w.screens, s)
	w.after(w.between(0, time.Second), s.renew)
}

// renew renews the subscription with the number of the last packet. It runs at regular intervals.
func (s *screen) renew() {
	join, number := s.watch.Join(), s.watch.Number()
	s.say(func(h *host, x *policy.Screen) {
		if x == nil {
			h.joinScreen(s)
			return
		}
		x.Look(h.n.clock(), join, number)
	})
	if s.watch.Resync() {
		s.miss(join)
	}
	if s.watch.Renew(true) && !s.w.off.missed {
		s.say(func(_ *host, x *policy.Screen) {
			if x != nil {
				x.All(join)
			}
		})
	}
	s.w.after(policy.RenewLook, s.renew)
}

// say sends a message to every host of the zone.
func (s *screen) say(do func(h *host, x *policy.Screen)) {
	w := s.w
	for _, n := range w.nodes {
		h := n.hosts[s.zone]
		if !n.up || h == nil || !h.ready || w.net.noNATS[n.id] > w.now {
			continue
		}
		life := n.life
		w.net.carry(s.client, n.id, func() {
			n.deliver(life, func() {
				if n.hosts[s.zone] == h && h.playable() {
					do(h, h.shows.of[s.id])
				}
			})
		})
	}
}

func (h *host) joinScreen(s *screen) {
	h.shows.of[s.id] = policy.NewScreen(h.shows.next, h.n.clock())
	h.shows.next++
}

// show sends packets with changes, and at least one packet a second.
func (h *host) show() {
	w, now := h.n.w, h.n.clock()
	for _, s := range w.screens {
		x := h.shows.of[s.id]
		switch {
		case x == nil:
			continue
		case x.Gone(now):
			delete(h.shows.of, s.id)
			continue
		}
		for x.Room() {
			p := packet{epoch: h.epoch, join: x.Join, number: x.Next(), definitions: x.Define(7), total: h.window.Total()}
			if !p.definitions && h.shows.sent[s.id] == p.total && !x.Silent(now) {
				break
			}
			what := "packets of a screen"
			if p.definitions {
				what = "definitions"
			}
			x.Sent(now)
			w.net.show(s, h.n.id, what, func() { s.hear(p) })
			if p.definitions {
				continue
			}
			if h.shows.sent == nil {
				h.shows.sent = map[int]uint64{}
			}
			h.shows.sent[s.id] = p.total
			break
		}
	}
}

// hear processes a packet.
func (s *screen) hear(p packet) {
	w := s.w
	sight, missed := s.watch.Heard(w.now, w.ttl, p.epoch, p.join, p.number, p.definitions)
	if missed {
		w.count("screens that missed a packet")
		s.miss(p.join)
	}
	join := p.join
	switch sight {
	case policy.Skip:
		return
	case policy.GoneBack:
		w.count("screens notified of a loss")
		if w.backs == 0 {
			w.violated("the screen of %s is notified of a loss, and there was none", s.zone)
		}
		return
	case policy.ShowFirst:
		s.defined = false
	}
	if p.definitions {
		s.defined = true
	} else {
		s.total = p.total
	}
	if number := p.number; number%(policy.MostUnread/4) == 0 {
		s.say(func(h *host, x *policy.Screen) {
			if x != nil {
				x.Look(h.n.clock(), join, number)
			}
		})
	}
}

// miss reports to the zone that a packet was lost.
func (s *screen) miss(join uint64) {
	if !s.w.off.missed {
		s.say(func(_ *host, x *policy.Screen) {
			if x != nil {
				x.Missed(join)
			}
		})
	}
}

// wrong describes how the screen differs from its zone. It returns "" if they agree.
func (s *screen) wrong() string {
	h := s.w.hostOf(s.zone)
	switch {
	case h == nil:
		return s.zone + " does not run"
	case s.watch.Epoch() != h.epoch:
		return fmt.Sprintf("the screen of %s shows epoch %d, and it is at %d", s.zone, s.watch.Epoch(), h.epoch)
	case !s.defined:
		return "the screen of " + s.zone + " has no definitions"
	case s.total != h.window.Total():
		return fmt.Sprintf("the screen of %s shows %d commands of %d", s.zone, s.total, h.window.Total())
	}
	return ""
}
