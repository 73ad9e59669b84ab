package cluster

import (
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/replicate"
)

const (
	renewLook  = 500 * time.Millisecond // a subscription says that it is still there
	forgetLook = 3 * time.Second        // one that has not is forgotten by the zone
	lookEach   = 4                      // frames from one look at who is in view to the next
	lostAfter  = 4                      // renewals without a packet, after which a subscription takes what was sent for lost
	mostUnread = 64                     // packets that a subscription has not acknowledged
)

// screenHost is who looks at a zone from outside: viewers of its replicate.Server, whose packets NATS carries. It is the
// loop's.
type screenHost struct {
	server *replicate.Server // nil: nobody has looked yet
	of     map[screenID]*screen
	list   []*screen // in the order in which they came
	joins  uint64
	frames int
	buf    []byte
}

// screen is one subscription, as the zone knows it.
type screen struct {
	id             screenID
	to             string // where its packets go
	viewer         *replicate.Viewer
	join           uint64
	heard, told    policy.Time // when it was last heard, and last sent something
	number, read   uint64      // of the last packet, and of the last that it has acknowledged
	fingerprint    uint64      // of the definitions that it was sent
	defined, quits bool
}

// lookIn is a look on its way to the loop.
type lookIn struct {
	look
	to string
}

// hearLook takes in what a subscription says. It is called by the goroutine of the NATS subscription.
func (h *host) hearLook(msg *nats.Msg) {
	l, err := parseLook(msg.Data)
	if err != nil || msg.Reply == "" {
		return // of a later version, or of somebody else
	}
	l.said = append([]byte(nil), l.said...)
	client := msg.Reply[:max(0, strings.LastIndexByte(msg.Reply, '.'))] // behind it is the subscription
	h.looksMu.Lock()
	defer h.looksMu.Unlock()
	if h.lookShare.Most = h.n.o.Waiting; h.lookShare.Take(client) { // what is one too many is said again
		h.looks = append(h.looks, lookIn{l, msg.Reply})
	}
}

// takeLooks takes in what subscriptions have said since the last frame.
func (h *host) takeLooks(now policy.Time) {
	h.looksMu.Lock()
	looks := h.looks
	h.looks = nil
	h.lookShare.Clear()
	h.looksMu.Unlock()
	for k := range looks {
		h.takeLook(&looks[k], now)
	}
}

func (h *host) takeLook(l *lookIn, now policy.Time) {
	s := h.screens.of[l.id]
	switch {
	case l.kind == isLook && s == nil:
		h.joinScreen(l, now)
	case s == nil:
	case l.kind == isLeave:
		s.quits = true
	case l.kind == isLook:
		s.heard = now
		if l.join == s.join && l.number <= s.number {
			s.read = max(s.read, l.number)
		}
	case l.join != s.join:
	case l.kind == isMissed:
		s.defined = false
	case l.kind == isAll: // what it has not acknowledged got lost
		s.read, s.defined = s.number, false
	default:
		_ = s.viewer.Receive(l.said) // what cannot be read says nothing
	}
}

// joinScreen lets a subscription look on.
func (h *host) joinScreen(l *lookIn, now policy.Time) {
	refuse := func(why string) {
		_ = h.n.o.NATS.Publish(l.to, appendShown(nil, &shown{kind: isRefused, epoch: h.epoch, bytes: []byte(why)}))
	}
	x := &h.screens
	if h.spec.Screens == nil {
		refuse("the zone shows nothing")
		return
	}
	if x.server == nil {
		o := *h.spec.Screens
		if o.Interest == nil {
			o.Interest = func(viewer buff.OwnerID, see func(buff.OwnerID, bool)) { see(viewer, false) }
		}
		x.server, x.of = replicate.New(h.eng, o), map[screenID]*screen{}
		x.server.Update()
	}
	v, err := x.server.Join(l.owner)
	if err != nil {
		refuse(err.Error())
		return
	}
	v.Look()
	x.joins++
	s := &screen{id: l.id, to: l.to, viewer: v, join: x.joins, heard: now}
	x.of[l.id] = s
	x.list = append(x.list, s)
}

// show sends to all who look at the zone what has changed in a frame.
func (h *host) show(now policy.Time) {
	x := &h.screens
	if x.server == nil {
		return
	}
	x.frames++
	left := x.list[:0]
	for k, s := range x.list {
		switch {
		case s.quits || now-s.heard > forgetLook:
			s.viewer.Leave()
			delete(x.of, s.id)
			continue
		case (x.frames+k)%lookEach == 0:
			s.viewer.Look()
		}
		left = append(left, s)
	}
	clear(x.list[len(left):])
	x.list = left
	x.server.Update()
	for _, s := range x.list {
		h.showTo(s, now)
	}
}

// showTo sends one subscription its packets, unless it has left too many unread: what it misses then comes as a whole.
func (h *host) showTo(s *screen, now policy.Time) {
	x := &h.screens
	for s.number-s.read < mostUnread {
		m := shown{kind: isPacket, epoch: h.epoch, join: s.join, number: s.number + 1}
		if print := x.server.Fingerprint(); !s.defined || s.fingerprint != print {
			m.kind, m.bytes = isDefined, x.server.Definitions()
			s.defined, s.fingerprint = true, print
		}
		x.buf = appendShown(x.buf[:0], &m)
		if head := len(x.buf); m.kind == isPacket {
			if x.buf = s.viewer.Append(x.buf); len(x.buf) == head && now-s.told >= time.Second {
				x.buf = s.viewer.Beat(x.buf)
			}
			if len(x.buf) == head {
				return
			}
		}
		s.number, s.told = m.number, now
		_ = h.n.o.NATS.Publish(s.to, x.buf) // what gets lost is asked for
	}
}
