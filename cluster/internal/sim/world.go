package sim

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

const frameTime = 50 * time.Millisecond

// guards selects the guards that are switched off in a simulation. A field that is true switches
// its guard off; its comment describes what can happen without the guard. If any single guard is
// off, some seeds must fail.
type guards struct {
	fence     bool // if true, a commit with an old epoch is accepted
	earlyStop bool // if true, a zone continues after its lease may have ended
	moveGuard bool // if true, saves and departures are accepted for players that the zone no longer has
	window    bool // if true, the ids of executed commands are ignored, so that a repeated command is executed
	since     bool // if true, a command is executed even if its id may have left the window
	moved     bool // if true, the recorded ids of redirected commands are ignored
	leaving   bool // if true, a player that is leaving counts as gone before its departure is on disk
	deaf      bool // if true, a node that is cut off from NATS keeps its zones
	timeline  bool // if true, the database does not notice the takeover by a standby
	hold      bool // if true, zones may be claimed at once after a takeover
	lower     bool // if true, Message.Since stays the same when a command is sent to another host
	lost      bool // if true, a zone whose last cut is lost saves itself completely instead of loading again
	life      bool // if true, messages have no Life
	turn      bool // if true, a host with a lower epoch is never accepted
	session   bool // if true, read-only sessions are not closed
	closed    bool // if true, a node does not notice that its connection to NATS is closed for good
	skip      bool // if true, epochs continue from the epochs of the standby without a gap
	before    bool // if true, replies that hosts sent before a loss are accepted
	missed    bool // if true, screens do not report lost packets
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
	alone  bool // there is only one node
	often  string
	real   bool // zones use the real engine

	db      *db
	net     *net
	nodes   []*node
	clients []*client
	screens []*screen
	calm    bool // no more faults are injected

	counts     map[string]int
	running    map[string]run // by zone: the run with the highest epoch so far
	home       map[int]string // by player: the zone that the player left last
	book       map[policy.ID]*entry
	backs      int               // number of times that the database has gone back to an older state
	lost       map[policy.ID]int // by lost command: value of world.backs after the loss
	loaded     map[lease]int     // by lease: value of world.backs when the zone was read
	violations []string
	verbose    bool
	lines      []string
}

// lease names a zone and the epoch of a lease on the zone.
type lease struct {
	zone  string
	epoch uint64
}

// run identifies one run of a zone on a node, from loading to release.
type run struct{ epoch, life uint64 }

// entry is the record of one command.
type entry struct {
	player         int
	sent, answered time.Duration
	code           policy.Code
	place          int
	sure           bool
	known          int // value of client.known for the zone when the reply was accepted
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

// at schedules a call to do() at the time t.
func (w *world) at(t time.Duration, do func()) {
	w.order++
	heap.Push(&w.queue, event{max(t, w.now), w.order, do})
}

func (w *world) after(d time.Duration, do func()) { w.at(w.now+d, do) }

// run executes events up to the given time, or until the first violation.
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
