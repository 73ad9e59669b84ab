package main

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// scrape serves the metrics: all who ask within half a second get the same text. Making it waits
// for the loop and costs the loop a view, so that somebody who asks all the time must not have
// one made each time; and a limit of the requests under way, as promhttp has, would be used up
// by a few who do not read their answers, and leave Prometheus out.
type scrape struct {
	from http.Handler

	mu   sync.Mutex
	made time.Time
	text *held
}

func newScrape(g prometheus.Gatherer) *scrape {
	return &scrape{from: promhttp.HandlerFor(g, promhttp.HandlerOpts{DisableCompression: true})}
}

// ServeHTTP serves the text. Whoever does not read it holds up nobody.
func (s *scrape) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := s.now(r)
	w.Header().Set("Content-Type", text.Header().Get("Content-Type"))
	w.WriteHeader(text.status)
	_, _ = w.Write(text.body.Bytes()) // whoever has left does not mind
}

// now returns the text, which does not change any more.
func (s *scrape) now(r *http.Request) *held {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text == nil || time.Since(s.made) >= fresh {
		text := &held{ResponseWriter: unsent{}, status: http.StatusOK}
		plain := &http.Request{Method: http.MethodGet, URL: r.URL, Header: http.Header{}} // in one format, for nobody's account
		s.from.ServeHTTP(text, plain)
		s.made, s.text = time.Now(), text
	}
	return s.text
}

// unsent is the response of nobody: it has a header.
type unsent http.Header

func (u unsent) Header() http.Header       { return http.Header(u) }
func (unsent) WriteHeader(int)             {}
func (unsent) Write(p []byte) (int, error) { return len(p), nil }
