package main

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"

	clusterpage "github.com/bufftick/bufftick/cluster/inspect"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
)

// pages are what a node shows on its address: the cluster, and each zone that it plays.
type pages struct {
	address string // "": it shows nothing

	mu    sync.Mutex
	zones map[string]http.Handler
	world http.Handler // of the node of now; nil: it is not served yet
}

// zone returns where a zone is shown that begins to be played on an engine.
func (p *pages) zone(name string) string {
	if p.address == "" {
		return ""
	}
	return "http://" + p.address + "/zone/" + url.PathEscape(name)
}

// begin shows a zone. The page of one that is not played here any more stands still.
func (p *pages) begin(name string, eng *engine.Engine) {
	if p.address != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.zones[name] = inspect.Handler(eng)
	}
}

func (p *pages) serve(node clusterpage.Node) error {
	if p.address == "" {
		return nil
	}
	p.mu.Lock()
	served := p.world != nil
	p.world = clusterpage.Handler(node, clusterpage.Options{})
	p.mu.Unlock()
	if served {
		return nil
	}
	l, err := net.Listen("tcp", p.address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		page := p.world
		p.mu.Unlock()
		page.ServeHTTP(w, r)
	})
	mux.HandleFunc("/zone/{name}", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		page := p.zones[r.PathValue("name")]
		p.mu.Unlock()
		if page == nil {
			http.Error(w, "the zone is not played here", http.StatusNotFound)
			return
		}
		page.ServeHTTP(w, r)
	})
	go func() { _ = inspect.NewServer(mux).Serve(l) }() // until the process ends
	return nil
}

// placesOf returns a place on this machine for each node. If they have pages, they are at the address of the first one
// and those behind it, or any that are free if its port is 0.
func placesOf(first string, nodes int) (all []place, err error) {
	at, err := net.ResolveTCPAddr("tcp", first)
	if err != nil && first != "" {
		return nil, fmt.Errorf("realm: -page: %w", err)
	}
	for range nodes {
		p := place{host: "127.0.0.1"}
		if first != "" {
			l, err := net.ListenTCP("tcp", at)
			if err != nil {
				return nil, fmt.Errorf("realm: -page: %w", err)
			}
			defer l.Close()
			if p.page = l.Addr().String(); at.Port != 0 {
				at.Port++
			}
		}
		all = append(all, p)
	}
	return all, nil
}
