package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
)

// watcher implements [view.Watch] for an engine.
type watcher struct {
	engine *Engine

	mu sync.Mutex // serializes Follow and leave; the loop never locks it

	// The `live` field is the number of open watches and pending queries. The `asked` flag is set
	// while a caller waits for a View.
	live  atomic.Int64
	asked atomic.Bool

	view      atomic.Pointer[answered]             // the latest View
	followed  atomic.Pointer[[]*follower]          // the slice is replaced, never modified
	questions chan func(*watching)                 // queries that the loop is to run
	clock     atomic.Pointer[func() time.Duration] // the latest clock passed to Open

	// timing is the clock with which workers measure turns; nil if turns are not measured.
	timing atomic.Pointer[func() time.Duration]

	// handling is the table of the durations of handlers; nil without watchers.
	handling atomic.Pointer[handling]

	on *watching // state that belongs to the loop; nil without watchers
}

// Limits of a [view.Watch].
const (
	maxFollowed   = 64   // owners in a View
	maxShown      = 512  // buffs of one owner in a View
	maxHistory    = 100  // events of one owner in a View
	maxAttributes = 256  // attributes of one owner in a View
	maxModifiers  = 512  // modifiers of one owner in a View
	ownersAtOnce  = 4096 // owners that one Tick visits for Watch.Owners
)

// Watch returns the read interface for other goroutines.
//
// Any goroutine may call it.
func (e *Engine) Watch() view.Watch { return &e.watch }

func (w *watcher) init(e *Engine) {
	w.engine = e
	w.questions = make(chan func(*watching), 16)
	w.followed.Store(new([]*follower))
}

// answered is a published View.
type answered struct {
	view.View
	superseded chan struct{} // closed when there is a newer View
}

// last returns the latest View. Before the first View, it returns an empty View, whose `superseded`
// channel is closed when the first View is published.
func (w *watcher) last() *answered {
	if w.view.Load() == nil {
		w.view.CompareAndSwap(nil, &answered{superseded: make(chan struct{})})
	}
	return w.view.Load()
}

// Open implements [view.Watch].
func (w *watcher) Open(clock func() time.Duration) (leave func()) {
	if clock != nil {
		w.clock.Store(&clock)
	}
	w.live.Add(1)
	return sync.OnceFunc(func() { w.live.Add(-1) })
}

// Next implements [view.Watch].
func (w *watcher) Next(ctx context.Context) (*view.View, error) {
	w.live.Add(1)
	defer w.live.Add(-1)
	old := w.last()
	w.asked.Store(true)
	select {
	case <-old.superseded:
		return &w.view.Load().View, nil
	case <-ctx.Done():
		return nil, w.unanswered(ctx)
	}
}

// unanswered returns the reason why the loop has not answered.
func (w *watcher) unanswered(ctx context.Context) error {
	if w.engine.producers.isShut() {
		return ErrClosed
	}
	return fmt.Errorf("engine: the loop has not ticked: %w", context.Cause(ctx))
}

// follower is an owner that is observed by callers of Follow. All fields except n are immutable.
type follower struct {
	id   buff.OwnerID
	look func(data any) any
	n    int // number of calls to Follow that have not ended; guarded by watcher.mu
}

// Follow implements [view.Watch].
func (w *watcher) Follow(id buff.OwnerID, look func(data any) any) (leave func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := *w.followed.Load()
	for _, f := range list {
		if f.id == id {
			f.n++
			return w.leave(f), nil
		}
	}
	if len(list) >= maxFollowed {
		return nil, fmt.Errorf("%w: limit %d", view.ErrTooManyFollowed, maxFollowed)
	}
	f := &follower{id: id, look: look, n: 1}
	list = append(slices.Clone(list), f)
	w.followed.Store(&list)
	return w.leave(f), nil
}

// leave returns a function that undoes one call to Follow.
func (w *watcher) leave(f *follower) func() {
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if f.n--; f.n > 0 {
			return
		}
		list := slices.DeleteFunc(slices.Clone(*w.followed.Load()), func(g *follower) bool { return g == f })
		w.followed.Store(&list)
	})
}

// lookUp calls the function `look` on the loop at the end of a Tick and waits for its result. Each
// Tick runs at most one query.
func lookUp[T any](ctx context.Context, w *watcher, look func(s *watching) T) (answer T, err error) {
	w.live.Add(1)
	defer w.live.Add(-1)
	reply := make(chan T, 1)
	select {
	// The send to reply never blocks the loop, because reply has room for one answer.
	case w.questions <- func(s *watching) { reply <- look(s) }:
	case <-ctx.Done():
		return answer, w.unanswered(ctx)
	}
	select {
	case answer = <-reply:
		return answer, nil
	case <-ctx.Done():
		return answer, w.unanswered(ctx)
	}
}

// answer runs one pending query at the end of a Tick.
func (w *watcher) answer(s *watching) {
	select {
	case look := <-w.questions:
		look(s)
	default:
	}
}

type ownersReply struct {
	ids  []buff.OwnerID
	next int
}

// Owners implements [view.Watch].
func (w *watcher) Owners(ctx context.Context, from int) (ids []buff.OwnerID, next int, err error) {
	r, err := lookUp(ctx, w, func(*watching) ownersReply { return w.engine.ownersFrom(max(from, 0)) })
	return r.ids, r.next, err
}

func (e *Engine) ownersFrom(from int) (r ownersReply) {
	end := min(from+ownersAtOnce, e.owners.len())
	for n := from; n < end; n++ {
		if o := e.owners.at(uint32(n)); o != nil && !o.leaving() {
			r.ids = append(r.ids, o.id())
		}
	}
	if end < e.owners.len() {
		r.next = end
	}
	return r
}
