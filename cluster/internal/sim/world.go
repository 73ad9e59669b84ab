package sim

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

const frameTime = 50 * time.Millisecond

// guards are what a control switches off, one at a time. It must fail then.
type guards struct {
	fence     bool // a commit of an old epoch is taken
	earlyStop bool // a zone is played on when its lease may have ended
	moveGuard bool // a save, or a move that was asked for again, drags a moved player back
	window    bool // the ids of commands are not looked at
	since     bool // ids that have left the window count as never seen
	moved     bool // that a command was sent on to another zone is not kept
	leaving   bool // who has been moved out counts as gone before that is on disk
	deaf      bool // a node that is cut off from NATS keeps its zones
	timeline  bool // nobody notices that a standby has taken over
	hold      bool // zones may be claimed as soon as a standby has taken over
	lower     bool // a command says to each owner how many were on disk at the first
	lost      bool // a zone whose cut is lost saves itself whole
	life      bool // messages do not name the life of a zone
	turn      bool // an owner whose epoch is lower is never believed
	session   bool // a session that only reads is kept
	closed    bool // a node does not notice that its connection to NATS is closed for good
	skip      bool // epochs go on from those of the standby
	before    bool // answers of owners from before a loss are believed
	missed    bool // a screen does not say that it has missed something
}

// world is all of it: one seed, one queue of things to come, one clock.
type world struct {
	now    time.Duration
	dice   *rand.Rand
	queue  queue
	order  uint64
	ttl    time.Duration
	window int
	off    guards
	alone  bool // there is one node
	often  string
	real   bool // zones are played on the real engine

	db      *db
	net     *net
	nodes   []*node
	clients []*client
	screens []*screen
	calm    bool // no more faults

	counts     map[string]int
	running    map[string]run // by zone: the run with the highest epoch
	home       map[int]string // the zone that a player has left last
	book       map[policy.ID]*entry
	lost       map[policy.ID]int // for each lost command: the number of times that the database had gone back then
	loaded     map[lease]int     // for each lease: the number of times that the database had gone back when the zone was read
	backs      int               // how often the database has gone back
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

// entry is what is known of one command at the end.
type entry struct {
	player         int
	sent, answered time.Duration
	code           policy.Code
	place          int
	sure           bool
	known          int // losses that the client had been notified of when it accepted the reply
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

// at has something done later, in virtual time.
func (w *world) at(t time.Duration, do func()) {
	w.order++
	heap.Push(&w.queue, event{max(t, w.now), w.order, do})
}

func (w *world) after(d time.Duration, do func()) { w.at(w.now+d, do) }

// run plays until an instant, or until nothing is to come.
func (w *world) run(until time.Duration) {
	for len(w.queue) > 0 && w.queue[0].at <= until && len(w.violations) == 0 {
		e := heap.Pop(&w.queue).(event)
		w.now = e.at
		e.do()
	}
	w.now = max(w.now, until)
}

func (w *world) count(what string) { w.counts[what]++ }

// chance throws the dice.
func (w *world) chance(p float64) bool { return w.dice.Float64() < p }

// between returns a span, by the dice.
func (w *world) between(a, b time.Duration) time.Duration {
	return a + time.Duration(w.dice.Int64N(int64(b-a)))
}

func (w *world) violated(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.logf("VIOLATION: %s", text)
	w.violations = append(w.violations, text)
}

// logf keeps a line of the history, where somebody wants to read it.
func (w *world) logf(format string, args ...any) {
	if w.verbose {
		w.lines = append(w.lines, fmt.Sprintf("%9.3f  ", w.now.Seconds())+fmt.Sprintf(format, args...))
	}
}
