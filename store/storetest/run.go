package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/bufftick/bufftick/store"
)

// Open opens a store. Each call opens the same storage, which contains all earlier commits. Run
// closes the store before it calls Open again.
type Open func() (store.Store, error)

// Run tests a store. Each test calls create() to get new, empty storage.
func Run(t *testing.T, create func(t *testing.T) Open) {
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			if err := runCase(name, create(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// Findings runs the same tests as Run, without a testing.T, and returns the failures by test
// name. Use it to check that the tests detect a faulty store.
func Findings(create func() Open) map[string]error {
	out := map[string]error{}
	for name := range cases {
		if err := runCase(name, create()); err != nil {
			out[name] = err
		}
	}
	return out
}

func runCase(name string, open Open) (err error) {
	s, err := open()
	if err != nil {
		return fmt.Errorf("opening the storage: %w", err)
	}
	p := &play{ctx: context.Background(), open: open, s: s}
	defer func() { err = errors.Join(err, p.s.Close()) }()
	return cases[name](p)
}

// play is one test of a store.
type play struct {
	ctx  context.Context
	open Open
	s    store.Store
}

// cases lists the tests by required property.
var cases = map[string]func(*play) error{
	"EmptyZone":            (*play).emptyZone,
	"FirstCut":             (*play).firstCut,
	"NextCut":              (*play).nextCut,
	"Head":                 (*play).head,
	"Older":                (*play).older,
	"Commands":             (*play).commands,
	"Reopened":             (*play).reopened,
	"RetainsNothing":       (*play).retainsNothing,
	"Fenced":               (*play).fenced,
	"FencedChangesNothing": (*play).fencedChangesNothing,
	"LoadChangesNothing":   (*play).loadChangesNothing,
	"Retry":                (*play).retry,
	"LateCommit":           (*play).lateCommit,
	"Lost":                 (*play).lost,
	"Whole":                (*play).whole,
	"Zones":                (*play).zones,
	"Elsewhere":            (*play).elsewhere,
	"Moves":                (*play).moves,
	"MovesRepeated":        (*play).movesRepeated,
	"MovesRefused":         (*play).movesRefused,
	"MovesConcurrent":      (*play).movesConcurrent,
	"Parked":               (*play).parked,
	"Refused":              (*play).refused,
	"Cancelled":            (*play).cancelled,
	"Closed":               (*play).closed,
	"Large":                (*play).large,
	"Takeovers":            (*play).takeovers,
	"Random":               (*play).random,
}

// reopen closes the store and opens it again, as after a restart of the server.
func (p *play) reopen() error {
	if err := p.s.Close(); err != nil {
		return fmt.Errorf("Close: %w", err)
	}
	s, err := p.open()
	if err != nil {
		return fmt.Errorf("opening the storage again: %w", err)
	}
	p.s = s
	return nil
}

// begin opens a zone without a cut and returns its epoch.
func (p *play) begin(zone string) (uint64, error) {
	c, err := p.s.Open(p.ctx, zone)
	if !errors.Is(err, store.ErrEmpty) {
		return 0, fmt.Errorf("Open of zone %q, which is empty: %w, want ErrEmpty", zone, orNil(err))
	}
	if c == nil || c.Zone != zone || c.Epoch == 0 || c.Frame != 0 || len(c.Owners)+len(c.Commands) != 0 {
		return 0, fmt.Errorf("Open of zone %q, which is empty: %+v, want only its name and epoch", zone, c)
	}
	return c.Epoch, nil
}

// orNil returns err, or an error with the text "no error" if err is nil, for use with %w.
func orNil(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return err
}

// same checks that Load returns the wanted cut.
func (p *play) same(want *store.Cut) error {
	got, err := p.s.Load(p.ctx, want.Zone)
	if err != nil {
		return fmt.Errorf("Load of zone %q: %w", want.Zone, err)
	}
	return Differ(got, want)
}

// fails checks that an error (got) matches the wanted error.
func fails(what string, got, want error) error {
	if !errors.Is(got, want) {
		return fmt.Errorf("%s: %w, want: %w", what, orNil(got), want)
	}
	return nil
}
