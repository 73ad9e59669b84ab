package cluster

import (
	"errors"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/store"
)

// saves is what is known of a zone's commits: an operator is told of the first that fails, and of the first after it
// that does not.
type saves struct {
	said  string      // why the last one failed; "" if it did not
	since policy.Time // when the first of them did
}

// hopeless are the errors of a commit that come from what the game has done, and not from the store: it fails
// again, and nothing else of the zone is saved either.
var hopeless = []error{store.ErrElsewhere, store.ErrTooLarge, store.ErrBatch, store.ErrName}

// saved is told how the last commit went. It reports whether the zone is to go on: one that could not be saved for two leases, by
// a fault of its game, fails, as one that panics does, and is played again from its last cut. Two leases, since an owner
// who is in another zone may be about to leave it.
func (h *host) saved(now policy.Time, err error) bool {
	s := &h.saves
	if h.lost.Load() {
		return true // the policy stops it
	}
	if err == nil {
		h.unsaved.Store(0)
		if s.said != "" {
			h.n.log(h.zone, h.epoch, "is saved again")
		}
		*s = saves{}
		return true
	}
	if s.said == "" {
		s.since = now
		h.unsaved.Store(max(1, int64(now)))
	}
	if what := err.Error(); what != s.said {
		s.said = what
		h.n.log(h.zone, h.epoch, "could not be saved: "+what)
	}
	if most := h.spec.MostUnsaved; most > 0 && now-s.since >= most {
		h.n.log(h.zone, h.epoch, fmt.Sprintf("has not been saved for %v, and is loaded again from its last cut: %v", most, err))
		h.n.count(func(s *Stats) { s.GivenUp++ })
		h.n.tell(func(p *policy.Node) { p.Unsafe(h.n.clock(), h.zone, h.epoch) })
		return false
	}
	if now-s.since < 2*h.n.o.TTL {
		return true
	}
	for _, theirs := range hopeless {
		if errors.Is(err, theirs) {
			h.failed()
			h.n.log(h.zone, h.epoch, "has failed, and is played again from its last cut")
			return false
		}
	}
	return true
}

// unsavedFor is how long no commit has been acknowledged, while commits failed.
func (h *host) unsavedFor(now policy.Time) time.Duration {
	if since := h.unsaved.Load(); since != 0 {
		return max(1, now-policy.Time(since))
	}
	return 0
}
