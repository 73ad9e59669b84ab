package inspect

import (
	"sync"
	"time"

	"github.com/bufftick/bufftick/internal/recovered"
)

// maxReloads is the number of reloads kept.
const maxReloads = 20

// reloads is the history of reloads, newest first.
type reloads struct {
	mu   sync.Mutex
	list []reloadJSON
}

type reloadJSON struct {
	At   string `json:"at"`
	OK   bool   `json:"ok"`
	Text string `json:"text"`
}

func (h *reloads) add(at time.Time, report any, err error) {
	r := reloadJSON{At: at.Format(time.TimeOnly), OK: err == nil}
	switch {
	case err != nil:
		r.Text = lines(recovered.Text(err))
	case report != nil:
		r.Text = lines(recovered.Text(report))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append([]reloadJSON{r}, h.list[:min(len(h.list), maxReloads-1)]...)
}

// all returns a copy of the history.
func (h *reloads) all() []reloadJSON {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]reloadJSON{}, h.list...)
}

// newest returns the last reload, or nil.
func (h *reloads) newest() *reloadJSON {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.list) == 0 {
		return nil
	}
	return &h.list[0]
}
