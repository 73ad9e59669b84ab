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

// watcher is the Watch of an engine.
type watcher struct {
	engine *Engine

	mu sync.Mutex // of those who ask; the loop never takes it

	// live counts those who have it open and those who wait for an answer. asked is true
	// while somebody waits for a View.
	live  atomic.Int64
	asked atomic.Bool

	view      atomic.Pointer[answered]
	followed  atomic.Pointer[[]*follower] // never changed in place
	questions chan func(*watching)
	clock     atomic.Pointer[func() time.Duration]

	// timing is the clock while the workers are to measure turns, nil otherwise.
	timing atomic.Pointer[func() time.Duration]

	// handling is where they put the times of handlers; nil while nobody watches.
	handling atomic.Pointer[handling]

	on *watching // the loop's; nil while nobody watches
}

// Limits of a [view.Watch].
const (
	maxFollowed   = 64   // owners that a View shows at once
	maxShown      = 512  // buffs of one owner in a View
	maxHistory    = 100  // events of one owner in a View
	maxAttributes = 256  // attributes of one owner in a View
	maxModifiers  = 512  // modifiers of one owner in a View
	ownersAtOnce  = 4096 // owners that one Tick looks through for Watch.Owners
)

// Watch returns the read side for other goroutines.
//
// Any goroutine may call it.
func (e *Engine) Watch() view.Watch { return &e.watch }

func (w *watcher) init(e *Engine) {
	w.engine = e
	w.questions = make(chan func(*watching), 16)
	w.followed.Store(new([]*follower))
}

// answered is a View that has been made.
type answered struct {
	view.View
	superseded chan struct{} // closed when there is a later one
}

// last returns the last View. Before the first one, which is long, there is an empty one for
// those who wait: nobody may ever ask.
func (w *watcher) last() *answered {
	if w.view.Load() == nil {
		w.view.CompareAndSwap(nil, &answered{superseded: make(chan struct{})})
	}
	return w.view.Load()
}

// Open is that of [view.Watch].
func (w *watcher) Open(clock func() time.Duration) (leave func()) {
	if clock != nil {
		w.clock.Store(&clock)
	}
	w.live.Add(1)
	return sync.OnceFunc(func() { w.live.Add(-1) })
}

// Next is that of [view.Watch].
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

// unanswered says why the loop has not answered.
func (w *watcher) unanswered(ctx context.Context) error {
	if w.engine.producers.isShut() {
		return ErrClosed
	}
	return fmt.Errorf("engine: the loop has not ticked: %w", context.Cause(ctx))
}

// follower is one owner whom somebody follows. It never changes but for n.
type follower struct {
	id   buff.OwnerID
	look func(data any) any
	n    int // times; under Watch.mu
}

// Follow is that of [view.Watch].
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

// leave returns what takes one Follow back.
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

// lookUp has the loop look something up at the end of a Tick, and waits for that. Of several
// questions each Tick answers one.
func lookUp[T any](ctx context.Context, w *watcher, look func(s *watching) T) (answer T, err error) {
	w.live.Add(1)
	defer w.live.Add(-1)
	reply := make(chan T, 1)
	select {
	case w.questions <- func(s *watching) { reply <- look(s) }: // has room
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

// answer looks up what somebody has asked for, at the end of a Tick.
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

// Owners is that of [view.Watch].
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
