package cluster

import (
	"errors"
	"math"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
)

// queue holds the messages for a zone until its next Tick.
type queue struct {
	mu     sync.Mutex
	share  policy.Share[senderID]
	list   []envelope
	spare  []envelope
	closed bool
}

type envelope struct {
	m  policy.Message
	to string
	at *policy.Place // location of the owner according to the database; nil if not queried
}

// senderID is the prefix of all ids of a client.
type senderID [8]byte

func senderOf(id policy.ID) senderID { return senderID(id[:8]) }

// put adds a message, and reports whether it was added (ok) and whether the queue is open. An open
// queue rejects a message if it already holds too many messages from the same sender.
func (q *queue) put(e envelope) (ok, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || !q.share.Take(senderOf(e.m.ID)) {
		return false, !q.closed
	}
	q.list = append(q.list, e)
	return true, true
}

// take returns all messages. The slice is valid until the next call.
func (q *queue) take() []envelope {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	clear(q.spare)
	q.list, q.spare = q.spare[:0], list
	q.share.Clear()
	return list
}

func (q *queue) size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.list)
}

// shut reports whether the queue is closed.
func (q *queue) shut() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

// close closes the queue and returns the messages that were not taken.
func (q *queue) close() (left []envelope) {
	q.mu.Lock()
	defer q.mu.Unlock()
	left = q.list
	q.closed, q.list, q.spare = true, nil, nil
	return left
}

// hear processes a message. It is called by the goroutine of the NATS subscription.
func (h *host) hear(msg *nats.Msg) {
	m, err := parseMessage(msg.Data)
	if err != nil || msg.Reply == "" {
		return // a message in a later version of the format, or from another program
	}
	if m.ID == (policy.ID{}) {
		h.greet(msg.Reply)
		return
	}
	if m.Life != 0 && m.Life != h.life {
		h.gone(envelope{m: m, to: msg.Reply}) // the message is for another life with the same epoch
		return
	}
	ok, open := h.in.put(envelope{m: m, to: msg.Reply})
	switch {
	case ok:
		select {
		case h.called <- struct{}{}:
		default: // already signalled
		}
	case open:
		h.n.count(func(s *Stats) { s.Busy++ })
		h.replyCrowded(msg.Reply, &m)
	default:
		h.gone(envelope{m: m, to: msg.Reply})
	}
}

// greet replies to a hello. It does not wait for the next Tick, because the sender sends its
// commands only after the reply. If the queue is closed, greet does not reply.
func (h *host) greet(to string) {
	if !h.in.shut() && h.mayPlay() {
		h.reply(to, &policy.Reply{
			Epoch: h.epoch, Total: h.durable.Load(), Code: policy.Greeting,
			Body: appendGreeted(nil, &policy.Greeted{World: h.n.leases.world, Life: h.life, Begun: h.begun, Lease: h.n.o.TTL}),
		})
	}
}

// gone replies that this node no longer runs the zone, so that the sender finds the next owner.
func (h *host) gone(e envelope) { h.answer(e.to, e.m.ID, policy.Gone) }

// answer replies with a code, without waiting for the next Tick.
func (h *host) answer(to string, id policy.ID, code policy.Code) {
	h.reply(to, &policy.Reply{ID: id, Epoch: h.epoch, Code: code})
}

// replyCrowded replies that too many commands of the sender are in the queue and that it should
// retry.
func (h *host) replyCrowded(to string, m *policy.Message) {
	h.reply(to, &policy.Reply{ID: m.ID, Epoch: h.epoch, Code: policy.Busy, Body: []byte{policy.Crowded}, Greeted: lifeOf(m)})
}

// lifeOf returns the Greeted for a reply to m. Only its field Life is set.
func lifeOf(m *policy.Message) policy.Greeted { return policy.Greeted{Life: m.Life} }

// do executes a message on the loop, before a Tick.
func (h *host) do(e envelope) {
	m := &e.m
	a := answer{e.to, policy.Reply{ID: m.ID, Epoch: h.epoch, Greeted: lifeOf(m)}}
	who := senderOf(m.ID)
	if h.ackShare.Full(who) {
		h.n.count(func(s *Stats) { s.Busy++ })
		a.r.Code, a.r.Body = policy.Busy, []byte{policy.Crowded}
		h.applied = append(h.applied, a)
		return
	}
	frame, before := h.earlier(m.ID)
	switch h.window.Judge(before != 0, m.Since) {
	case policy.Stale:
		h.n.count(func(s *Stats) { s.Unknown++ })
		a.r.Code = policy.Unknown
		h.applied = append(h.applied, a)
		return
	case policy.Again:
		if a.r.Code = before; before == policy.Moved {
			h.away(e, a) // also redirect this copy; the owner may have moved on
			return
		}
		h.n.count(func(s *Stats) { s.Again++ })
	case policy.Fresh:
		var here bool
		if frame, here = h.execute(m, &a.r, e.at); !here {
			h.away(e, a)
			return
		}
		if a.r.Code == policy.Busy {
			h.busy(a)
			return
		}
	}
	if !m.Sure {
		h.applied = append(h.applied, a)
		return
	}
	if a.r.Code == policy.Applied {
		a.r.Code = policy.Durable
	}
	h.ackShare.Take(who)
	h.acks.Wait(frame, a)
}

// earlier returns the outcome of an earlier copy of a command, and the frame whose cut contains its
// id. The code is 0 if there was no earlier copy.
func (h *host) earlier(id policy.ID) (frame uint64, code policy.Code) {
	if frame, seen := h.saver.Seen(store.CommandID(id)); seen {
		return frame, policy.Done
	}
	if frame, seen := h.saver.Seen(store.CommandID(id.AsRefused())); seen {
		return frame, policy.Refused
	}
	if frame, seen := h.saver.Seen(store.CommandID(id.AsMoved())); seen {
		return frame, policy.Moved
	}
	return 0, 0
}

// busy replies that the sender should retry.
func (h *host) busy(a answer) {
	h.n.count(func(s *Stats) { s.Busy++ })
	a.r.Code = policy.Busy
	h.applied = append(h.applied, a)
}

// execute executes a new command and saves its id, even if the command is denied. It returns the
// frame whose cut contains the id. If the owner is not in this zone, but is or may be in another
// zone, the result "here" is false and the command was not executed.
func (h *host) execute(m *policy.Message, r *policy.Reply, at *policy.Place) (frame uint64, here bool) {
	owner, result := h.runCommand(m)
	if errors.Is(result.Failure, engine.ErrUnknownOwner) {
		if code, ask := policy.Away(h.zone, h.saver.Leaving(owner), at); ask || code != policy.Refused {
			return 0, false
		}
	}
	if errors.Is(result.Failure, errRetry) {
		r.Code = policy.Busy
		return 0, true
	}
	r.Code, r.Body = policy.Applied, appendResult(nil, result)
	id := m.ID
	if result.Failure != nil {
		r.Code, id = policy.Refused, m.ID.AsRefused()
	}
	h.n.count(func(s *Stats) {
		if s.Commands++; result.Failure != nil {
			s.Refused++
		}
	})
	return h.keep(id), true
}

// keep adds an id to the next cut, and returns the frame of that cut.
func (h *host) keep(id policy.ID) (frame uint64) {
	frame = h.saver.Mark(store.CommandID(id))
	h.window.Done()
	if !h.totals.Full() {
		h.totals.Wait(frame, h.window.Total())
	}
	return frame
}

// runCommand executes a command or a transfer, and returns its owner and its result.
func (h *host) runCommand(m *policy.Message) (buff.OwnerID, buff.Result) {
	if owner, to, ok := parseTransfer(m.Body); ok {
		return owner, buff.Result{Failure: h.depart(owner, to)}
	}
	var c buff.Command
	if err := c.UnmarshalBinary(m.Body, h.eng.Catalog()); err != nil {
		return 0, buff.Result{Failure: err}
	}
	return c.Owner, h.eng.Do(c)
}

func (h *host) weigh(load float64) { h.load.Store(math.Float64bits(load)) }

// reportLoads reports the load of each zone to the policy.
func (n *Node) reportLoads(p *policy.Node) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for name, h := range n.hosts {
		p.Weigh(name, math.Float64frombits(h.load.Load()))
	}
}
