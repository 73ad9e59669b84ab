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

// pages serves the pages of a node: a page of the cluster, and a page of each zone that the node
// plays.
type pages struct {
	address string // "" means that no pages are served

	mu    sync.Mutex
	zones map[string]http.Handler
	world http.Handler // page of the cluster, from the current Node; nil if there was no Node yet
}

// zone returns the URL of a zone's page, or "" if there are no pages.
func (p *pages) zone(name string) string {
	if p.address == "" {
		return ""
	}
	return "http://" + p.address + "/zone/" + url.PathEscape(name)
}

// begin adds the page of a zone. After the zone has moved to another node, the page remains but no
// longer changes.
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
			http.Error(w, "this node does not run the zone", http.StatusNotFound)
			return
		}
		page.ServeHTTP(w, r)
	})
	go func() { _ = inspect.NewServer(mux).Serve(l) }() // until the process ends
	return nil
}

// placesOf returns a place on this machine for each node. The given address is that of the first
// node's page. The pages of the other nodes use the following ports. If the port is 0, all pages
// use free ports. If the address is "", the nodes serve no pages.
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
