package sim

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

const frameTime = 50 * time.Millisecond

// guards are the guards of the cluster that a control test switches off. If a field is true, that
// guard is off, and the comment says what can then happen. With any single guard off, some seeds
// must fail.
type guards struct {
	fence     bool // a commit with an old epoch is accepted
	earlyStop bool // a zone continues when its lease may have ended
	moveGuard bool // a late save or a repeated departure can move a player back
	window    bool // the ids of executed commands are ignored
	since     bool // a command that may have left the window is executed
	moved     bool // the ids of redirected commands are not saved
	leaving   bool // a player that is leaving counts as gone before that is on disk
	deaf      bool // a node that is cut off from NATS keeps its zones
	timeline  bool // a takeover by a standby is not noticed
	hold      bool // zones may be claimed at once after a takeover
	lower     bool // Message.Since is never lowered for a new owner
	lost      bool // a zone that lost its cut saves itself completely
	life      bool // messages do not have a life
	turn      bool // an owner with a lower epoch is never accepted
	session   bool // read-only sessions are kept
	closed    bool // a node does not notice that its connection to NATS is closed for good
	skip      bool // epochs continue from those of the standby
	before    bool // replies that owners sent before the zone lost data are accepted
	missed    bool // screens do not report lost packets
}

// world is the complete state of a simulation, with its queue of events and its clock.
type world struct {
	now    time.Duration
	dice   *rand.Rand
	queue  queue
	order  uint64
	ttl    time.Duration
	window int
	off    guards
	alone  bool // only one node
	often  string
	real   bool // zones use the real engine

	db      *db
	net     *net
	nodes   []*node
	clients []*client
	screens []*screen
	calm    bool // no more faults

	counts     map[string]int
	running    map[string]run // by zone: the run with the highest epoch
	home       map[int]string // by player: the zone that it left last
	book       map[policy.ID]*entry
	backs      int               // how often the database has gone back
	lost       map[policy.ID]int // by lost command: the value of backs after the loss
	loaded     map[lease]int     // by lease: the value of backs when the zone was read
	violations []string
	verbose    bool
	lines      []string
}

// lease identifies a zone and an epoch.
type lease struct {
	zone  string
	epoch uint64
}

// run identifies a load of a zone.
type run struct{ epoch, life uint64 }

// entry is the record of one command.
type entry struct {
	player         int
	sent, answered time.Duration
	code           policy.Code
	place          int
	sure           bool
	known          int // client.known of the zone when the reply was accepted
}

type event struct {
	at    time.Duration
	order uint64
	do    func()
}

type queue []event

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].order < q[j].order
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(event)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	old[len(old)-1] = event{}
	*q = old[:len(old)-1]
	return x
}

// at schedules an event.
func (w *world) at(t time.Duration, do func()) {
	w.order++
	heap.Push(&w.queue, event{max(t, w.now), w.order, do})
}

func (w *world) after(d time.Duration, do func()) { w.at(w.now+d, do) }

// run executes events until the given time or the first violation.
func (w *world) run(until time.Duration) {
	for len(w.queue) > 0 && w.queue[0].at <= until && len(w.violations) == 0 {
		e := heap.Pop(&w.queue).(event)
		w.now = e.at
		e.do()
	}
	w.now = max(w.now, until)
}

func (w *world) count(what string) { w.counts[what]++ }

// chance returns true with probability p.
func (w *world) chance(p float64) bool { return w.dice.Float64() < p }

// between returns a random duration in [a, b).
func (w *world) between(a, b time.Duration) time.Duration {
	return a + time.Duration(w.dice.Int64N(int64(b-a)))
}

func (w *world) violated(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.logf("VIOLATION: %s", text)
	w.violations = append(w.violations, text)
}

// logf records a line of the log, if verbose.
func (w *world) logf(format string, args ...any) {
	if w.verbose {
		w.lines = append(w.lines, fmt.Sprintf("%9.3f  ", w.now.Seconds())+fmt.Sprintf(format, args...))
	}
}
