package watch

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// bench is a follower in a bubble, where time passes only when all goroutines wait. The
// folder is a list of IDs, or an error.
type bench struct {
	*testing.T
	out    chan Change
	events chan fsnotify.Event
	errs   chan error
	folder any

	mu   sync.Mutex
	when []time.Duration // of the loads, since the start
}

// inBubble runs a script on a follower whose folder held the definition a when its catalog
// was loaded.
func inBubble(t *testing.T, script func(b *bench)) {
	synctest.Test(t, func(t *testing.T) {
		first, err := buff.NewCatalog(specs("a")...)
		require.NoError(t, err)
		b := &bench{T: t, out: make(chan Change, 1), events: make(chan fsnotify.Event), errs: make(chan error), folder: []string{"a"}}
		start := time.Now()
		f := follower{
			out: b.out, base: first, quiet: quiet, longest: longest,
			load: func(prev *buff.Catalog) (*buff.Catalog, error) {
				b.mu.Lock()
				b.when = append(b.when, time.Since(start))
				b.mu.Unlock()
				if ids, ok := b.folder.([]string); ok {
					return prev.Next(specs(ids...)...)
				}
				return nil, b.folder.(error)
			},
			heeds: func(e fsnotify.Event) bool { return e.Name != "other" },
		}
		go f.follow(b.events, b.errs)
		synctest.Wait()
		require.Equal(t, []time.Duration{0}, b.when, "what has changed since the first load is looked for at once")
		defer func() {
			close(b.events)
			for range b.out { // until it is closed
			}
		}()
		script(b)
	})
}

func specs(ids ...string) (out []buff.Spec) {
	for _, id := range ids {
		out = append(out, buff.Spec{ID: id, Duration: time.Second})
	}
	return out
}

// loads returns when the folder was loaded after the first time.
func (b *bench) loads() []time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.when[1:])
}

// save changes the folder and tells of it.
func (b *bench) save(folder any) {
	b.folder = folder
	b.events <- fsnotify.Event{Name: "x.yaml", Op: fsnotify.Write}
}

// pass lets time pass.
func pass(d time.Duration) {
	timer := time.NewTimer(d)
	<-timer.C
	synctest.Wait()
}

// take returns what waits: the IDs of a catalog, an error, or nothing.
func (b *bench) take() any {
	select {
	case c := <-b.out:
		if c.Err != nil {
			return c.Err
		}
		var ids []string
		for s := range c.Catalog.All() {
			ids = append(ids, s.ID)
		}
		return ids
	default:
		return nil
	}
}

func TestNothingNew(t *testing.T) {
	inBubble(t, func(b *bench) {
		require.Nil(t, b.take())
		b.save([]string{"a"})
		pass(time.Second)
		require.Len(t, b.loads(), 1)
		require.Nil(t, b.take(), "the set says the same as before")
		b.events <- fsnotify.Event{Name: "other"}
		pass(time.Second)
		require.Len(t, b.loads(), 1, "an event that is not heeded")
	})
}

// TestQuiet: several steps of one save are one load, 100 ms after the last of them.
func TestQuiet(t *testing.T) {
	inBubble(t, func(b *bench) {
		for _, half := range []any{errors.New("half written"), errors.New("three quarters"), []string{"a", "b"}} {
			b.save(half)
			pass(99 * time.Millisecond)
			require.Empty(t, b.loads())
		}
		pass(time.Millisecond)
		require.Equal(t, []time.Duration{298 * time.Millisecond}, b.loads())
		require.Equal(t, []string{"a", "b"}, b.take())
	})
}

// TestLongest: while something happens all the time, it is loaded every 500 ms.
func TestLongest(t *testing.T) {
	inBubble(t, func(b *bench) {
		for range 145 {
			b.save([]string{"a", "b"})
			pass(7 * time.Millisecond)
		}
		require.Equal(t, []time.Duration{500 * time.Millisecond, 1004 * time.Millisecond}, b.loads())
	})
}

// TestErrors: an error is told once, and so is that all is well again.
func TestErrors(t *testing.T) {
	inBubble(t, func(b *bench) {
		wrong, worse := errors.New("wrong"), errors.New("worse")
		for _, step := range []struct{ folder, want any }{
			{wrong, wrong},
			{wrong, nil},
			{worse, worse},
			{[]string{"a"}, []string{"a"}},
			{[]string{"a"}, nil},
			{wrong, wrong},
			{[]string{"a", "b"}, []string{"a", "b"}},
		} {
			b.save(step.folder)
			pass(quiet)
			require.Equal(t, step.want, b.take(), "%v", step.folder)
		}
	})
}

// TestNewestWins: what nobody has taken gives way to what is newer, and is then as if it had
// never been: the newer one is made from what was taken last.
func TestNewestWins(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.save([]string{"a", "b"})
		pass(quiet)
		b.save([]string{"a", "c"})
		pass(quiet)
		c := <-b.out
		require.Equal(t, []define.SpecChange{{ID: "c", Kind: define.SpecAdded}}, c.Catalog.Changes())

		b.save(errors.New("wrong"))
		pass(quiet)
		b.save([]string{"a", "c"})
		pass(quiet)
		require.Nil(t, b.take(), "nobody has heard of the error")

		b.save([]string{"a", "b"})
		pass(quiet)
		b.save(errors.New("wrong"))
		pass(quiet)
		require.EqualError(t, b.take().(error), "wrong", "the old set stays")
		b.save([]string{"a", "b"})
		pass(quiet)
		c = <-b.out
		require.Equal(t, []define.SpecChange{{ID: "b", Kind: define.SpecAdded}, {ID: "c", Kind: define.SpecRemoved}}, c.Catalog.Changes())
	})
}

// TestWatcherErrors: lost events mean that anything may have changed. Other errors are told,
// but not in the place of a catalog that waits.
func TestWatcherErrors(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.folder = []string{"a", "b"}
		b.errs <- fsnotify.ErrEventOverflow
		pass(quiet)
		b.errs <- errors.New("no more handles")
		pass(quiet)
		require.Equal(t, []string{"a", "b"}, b.take())
		b.errs <- errors.New("no more handles")
		pass(quiet)
		require.EqualError(t, b.take().(error), "watch: no more handles")
		close(b.errs)
		b.save([]string{"a", "b", "c"})
		pass(quiet)
		require.Equal(t, []string{"a", "b", "c"}, b.take())
	})
}

func TestHeeds(t *testing.T) {
	for _, x := range []struct {
		name string
		op   fsnotify.Op
		want bool
	}{
		{"/game/buffs/venom.yaml", fsnotify.Write, true},
		{"/game/buffs/venom.json", fsnotify.Create, true},
		{"/game/buffs/venom.yml", fsnotify.Rename, true},
		{"/game/buffs/venom.yaml", fsnotify.Remove, true},
		{"/game/buffs/venom.yaml", fsnotify.Chmod, false},
		{"/game/buffs/.venom.yaml.swp", fsnotify.Write, false},
		{"/game/buffs/.#venom.yaml", fsnotify.Create, false},
		{"/game/buffs/venom.yaml~", fsnotify.Create, false},
		{"/game/buffs/4913", fsnotify.Create, false}, // vim looks whether it may write
		{"/game/buffs/buffs.schema.json", fsnotify.Write, false},
		{"/game/buffs/README.md", fsnotify.Write, false},
		{"/game/buffs/..data", fsnotify.Create, true},
		{"/game/buffs", fsnotify.Remove, true},
		{"/game/other.yaml", fsnotify.Write, false},
		{"/game", fsnotify.Remove, false},
	} {
		require.Equal(t, x.want, heeds(nil, "/game/buffs", fsnotify.Event{Name: x.name, Op: x.op}), "%s %v", x.name, x.op)
	}
}
