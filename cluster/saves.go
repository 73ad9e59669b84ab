package cluster

import (
	"errors"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/store"
)

// saves tracks the commits of a zone, to log the first failure and the first success after it.
type saves struct {
	err   string      // text of the last commit's error; "" if it succeeded
	since policy.Time // time of the first failure
}

// gameErrors are the errors of a commit that are caused by the game and not by the store. Every
// later commit will probably also fail.
var gameErrors = []error{store.ErrElsewhere, store.ErrTooLarge, store.ErrBatch, store.ErrName}

// saved records the result of the last commit and reports whether the zone should continue. If
// commits have failed for twice the TTL because of the game, the zone fails as if it had
// panicked, and is loaded from its last cut. It does not fail earlier, because the cause may
// disappear. For example, an owner that is still in another zone on disk may be about to leave
// that zone.
func (h *host) saved(now policy.Time, err error) bool {
	s := &h.saves
	if h.lost.Load() {
		return true // the policy stops the zone
	}
	if err == nil {
		h.unsaved.Store(0)
		if s.err != "" {
			h.n.log(h.zone, h.epoch, "is saved again")
		}
		*s = saves{}
		return true
	}
	if s.err == "" {
		s.since = now
		h.unsaved.Store(max(1, int64(now)))
	}
	if what := err.Error(); what != s.err {
		s.err = what
		h.n.log(h.zone, h.epoch, "could not be saved: "+what)
	}
	if most := h.spec.MostUnsaved; most > 0 && now-s.since >= most {
		h.n.log(h.zone, h.epoch, fmt.Sprintf("could not be saved for %v, and is loaded again from its last cut: %v", most, err))
		h.n.count(func(s *Stats) { s.GivenUp++ })
		h.n.post(func(p *policy.Node) { p.Unsafe(h.n.clock(), h.zone, h.epoch) })
		return false
	}
	if now-s.since < 2*h.n.o.TTL {
		return true
	}
	for _, theirs := range gameErrors {
		if errors.Is(err, theirs) {
			h.failed()
			h.n.log(h.zone, h.epoch, "has failed, and is loaded again from its last cut")
			return false
		}
	}
	return true
}

// unsavedFor returns the time for which commits have failed, or 0 if the last commit succeeded.
func (h *host) unsavedFor(now policy.Time) time.Duration {
	if since := h.unsaved.Load(); since != 0 {
		return max(1, now-policy.Time(since))
	}
	return 0
}
