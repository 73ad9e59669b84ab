package cluster

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/replicate"
)

// lookEach is the number of frames between two calls to Interest for a viewer.
const lookEach = 4

// screenHost holds the zone's replicate.Server and the subscriptions to which packets are sent.
// It is confined to the loop.
type screenHost struct {
	server *replicate.Server // nil before the first viewer
	of     map[screenID]*screen
	list   []*screen // in order of joining
	next   uint64    // number of the next viewer; see policy.Joins
	frames int
	buf    []byte
}

// screen is the zone's side of one subscription.
type screen struct {
	*policy.Screen
	id     screenID
	to     string // subject to which its packets are sent
	viewer *replicate.Viewer

	// A packet that exceeds the maximum size of a NATS message is sent in parts.
	rest        []byte // bytes of the packet that have not been sent yet
	index, many uint64 // index of the next part, and number of all parts
}

// lookIn is a message from a subscription, queued for the loop.
type lookIn struct {
	look
	to string
}

// hearLook queues a message from a subscription. It is called by the goroutine of the NATS
// subscription.
func (h *host) hearLook(msg *nats.Msg) {
	l, err := parseLook(msg.Data)
	if err != nil || msg.Reply == "" {
		return // a message in a later version of the format, or from another program
	}
	l.said = append([]byte(nil), l.said...)
	// the subject without the id of the subscription is the inbox of the client
	client := msg.Reply[:max(0, strings.LastIndexByte(msg.Reply, '.'))]
	h.looksMu.Lock()
	defer h.looksMu.Unlock()
	// if too many messages from the client are waiting, drop this message; the client will repeat
	// it
	if h.lookShare.Most = h.n.o.Waiting; h.lookShare.Take(client) {
		h.looks = append(h.looks, lookIn{l, msg.Reply})
	}
}

// takeLooks processes the messages that have arrived since the last frame.
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
		s.Leave()
	case l.kind == isLook:
		s.Look(now, l.join, l.number)
	case l.join != s.Join:
	case l.kind == isMissed:
		s.Missed(l.join)
		s.rest = nil
	case l.kind == isAll:
		s.All(l.join)
		s.rest = nil
	default:
		_ = s.viewer.Receive(l.said) // invalid messages are ignored
	}
}

// joinScreen adds a viewer for a subscription.
func (h *host) joinScreen(l *lookIn, now policy.Time) {
	refuse := func(why string) {
		// If this message is lost, the subscription repeats its request.
		_ = h.n.publish(h.zone, h.epoch, l.to, appendShown(nil, &shown{kind: isRefused, epoch: h.epoch, bytes: []byte(why)}))
	}
	x := &h.screens
	if h.spec.Screens == nil {
		refuse("the zone shows nothing")
		return
	}
	if x.server == nil {
		o := *h.spec.Screens
		if o.Interest == nil {
			o.Interest = func(viewer buff.OwnerID, sight *replicate.Sight) { sight.See(viewer) }
		}
		x.server, x.of, x.next = replicate.New(h.eng, o), map[screenID]*screen{}, policy.Joins(h.life)
		x.server.Update()
	}
	v, err := x.server.Join(l.owner)
	if err != nil {
		refuse(err.Error())
		return
	}
	v.Look()
	s := &screen{Screen: policy.NewScreen(x.next, now), id: l.id, to: l.to, viewer: v}
	x.next++
	x.of[l.id] = s
	x.list = append(x.list, s)
}

// show sends the changes of a frame to all subscriptions.
func (h *host) show(now policy.Time) {
	x := &h.screens
	if x.server == nil {
		return
	}
	x.frames++
	left := x.list[:0]
	for k, s := range x.list {
		switch {
		case s.Gone(now):
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

// showTo sends packets to a subscription until it has all changes, or until too many packets are
// unread. In the latter case, the full state is sent later instead.
func (h *host) showTo(s *screen, now policy.Time) {
	for s.Room() && (len(s.rest) > 0 && h.showPart(s, now) || len(s.rest) == 0 && h.showNext(s, now)) {
	}
}

// showNext sends the next packet: the definitions if they have changed, and otherwise the changed
// buffs. If the packet is too large for one message, showNext only prepares its parts. It returns
// false if there is nothing to send.
func (h *host) showNext(s *screen, now policy.Time) bool {
	x := &h.screens
	m := shown{kind: isPacket, epoch: h.epoch, join: s.Join, number: s.Next()}
	if s.Define(x.server.Fingerprint()) {
		m.kind, m.bytes = isDefined, x.server.Definitions()
	}
	x.buf = appendShown(x.buf[:0], &m)
	if head := len(x.buf); m.kind == isPacket {
		if x.buf = s.viewer.Append(x.buf); len(x.buf) == head && s.Silent(now) {
			x.buf = s.viewer.Beat(x.buf)
		}
		if len(x.buf) == head {
			return false
		}
	}
	most := h.n.mostPayload()
	if len(x.buf) <= most {
		return h.sendShown(s, now)
	}
	head := len(appendShown(nil, &shown{kind: m.kind, epoch: m.epoch, join: m.join, number: m.number}))
	s.rest = append([]byte{m.kind}, x.buf[head:]...)
	part := most - mostHead
	if part < mostHead {
		h.n.log(h.zone, h.epoch, fmt.Sprintf("cannot send packets to subscriptions: max_payload of NATS is only %d bytes", most))
		s.rest = nil
		return false
	}
	s.index, s.many = 0, uint64((len(s.rest)+part-1)/part)
	return true
}

// mostHead is the maximum size of the head of a part, in bytes.
const mostHead = 64

// showPart sends the next part of a long packet.
func (h *host) showPart(s *screen, now policy.Time) bool {
	x := &h.screens
	x.buf = appendShown(x.buf[:0], &shown{kind: isPart, epoch: h.epoch, join: s.Join, number: s.Next()})
	x.buf = binary.AppendUvarint(binary.AppendUvarint(x.buf, s.index), s.many)
	size := (len(s.rest) + int(s.many-s.index) - 1) / int(s.many-s.index)
	x.buf = append(x.buf, s.rest[:size]...)
	s.index++
	if s.rest = s.rest[size:]; len(s.rest) == 0 {
		s.rest = nil
	}
	return h.sendShown(s, now)
}

// sendShown sends the message in the buffer. If it is lost, the subscription requests it again.
func (h *host) sendShown(s *screen, now policy.Time) bool {
	s.Sent(now)
	return h.n.publish(h.zone, h.epoch, s.to, h.screens.buf) == nil
}
