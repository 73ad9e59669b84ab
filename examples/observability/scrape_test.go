package main

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// unread is a response that the client does not read.
type unread struct {
	*httptest.ResponseRecorder
	goes chan struct{}
}

func (u unread) Write([]byte) (int, error) { <-u.goes; return 0, http.ErrHandlerTimeout }

// TestScrapeUnread checks that a client that does not read the metrics does not block other
// clients.
func TestScrapeUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, made := prometheus.NewRegistry(), 0
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "asked"}, func() float64 { made++; return float64(made) }))
		s := newScrape(registry)
		goes := make(chan struct{})
		var crowd sync.WaitGroup
		for range 520 {
			crowd.Go(func() {
				s.ServeHTTP(unread{httptest.NewRecorder(), goes}, httptest.NewRequest("GET", "/metrics", nil))
			})
		}
		synctest.Wait()
		for _, c := range []struct {
			after time.Duration
			want  string
		}{{0, "asked 1\n"}, {fresh - 1, "asked 1\n"}, {1, "asked 2\n"}} {
			<-time.After(c.after)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
			require.Equal(t, http.StatusOK, w.Code)
			require.Contains(t, w.Header().Get("Content-Type"), "text/plain")
			require.Contains(t, w.Body.String(), c.want)
		}
		close(goes)
		crowd.Wait()
	})
}
