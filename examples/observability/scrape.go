package main

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// scrape serves the metrics. All requests within half a second get the same text, because a new
// text requires a view from the loop, and a client that sends many requests must not load the loop.
// A limit on concurrent requests, which promhttp has, would not help: a few clients that do not
// read could use up the limit, and Prometheus would get no answer.
type scrape struct {
	from http.Handler

	mu   sync.Mutex
	made time.Time
	text *held
}

func newScrape(g prometheus.Gatherer) *scrape {
	return &scrape{from: promhttp.HandlerFor(g, promhttp.HandlerOpts{DisableCompression: true})}
}

// ServeHTTP serves the text. A client that does not read does not block other clients.
func (s *scrape) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := s.now(r)
	w.Header().Set("Content-Type", text.Header().Get("Content-Type"))
	w.WriteHeader(text.status)
	_, _ = w.Write(text.body.Bytes()) // the client may have left
}

// now returns the current text, which must not be changed.
func (s *scrape) now(r *http.Request) *held {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text == nil || time.Since(s.made) >= fresh {
		text := &held{ResponseWriter: unsent{}, status: http.StatusOK}
		// The text must not depend on the headers of the client that happened to request it.
		plain := &http.Request{Method: http.MethodGet, URL: r.URL, Header: http.Header{}}
		s.from.ServeHTTP(text, plain)
		s.made, s.text = time.Now(), text
	}
	return s.text
}

// unsent is a response of which only the header is kept.
type unsent http.Header

func (u unsent) Header() http.Header       { return http.Header(u) }
func (unsent) WriteHeader(int)             {}
func (unsent) Write(p []byte) (int, error) { return len(p), nil }
