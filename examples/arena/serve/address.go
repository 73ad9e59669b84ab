package serve

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// MaxAddress is how many connections one address may have: of IPv6 one network of 64 bits, which is what a
// household gets.
const MaxAddress = 16

// doors counts the connections of each address.
type doors struct {
	proxies []netip.Prefix
	mu      sync.Mutex
	of      map[netip.Addr]int
}

func newDoors() *doors {
	return &doors{
		proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		of:      map[netip.Addr]int{},
	}
}

// Trust names further proxies, beside those on this machine: of what comes through one, the last address in
// X-Forwarded-For that is no proxy's is whose it is. Only what no client can reach otherwise belongs here. It
// belongs before the first connection.
func (s *Server) Trust(proxies ...netip.Prefix) {
	s.doors.proxies = append(s.doors.proxies, proxies...)
}

// enter counts a connection in, if its address may have one more, and returns what counts it out.
func (d *doors) enter(r *http.Request) (leave func(), ok bool) {
	who, ok := d.whose(r)
	if !ok {
		return func() {}, true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of[who] >= MaxAddress {
		return nil, false
	}
	d.of[who]++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.of[who]--; d.of[who] == 0 {
			delete(d.of, who)
		}
	}, true
}

// whose returns the address that a connection counts for. It counts for none if it comes from this machine, or
// from a proxy that does not say for whom: behind one that is silent about it all would be one address.
func (d *doors) whose(r *http.Request) (netip.Addr, bool) {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err == nil && !d.proxy(at.Addr()) {
		return network(at.Addr()), true
	}
	said := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	if len(said) == 1 && strings.TrimSpace(said[0]) == "" {
		return netip.Addr{}, false
	}
	for _, text := range slices.Backward(said) { // each proxy appends who has asked it
		a, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil {
			return netip.Addr{}, true // they share one
		}
		if !d.proxy(a) {
			return network(a), true
		}
	}
	return netip.Addr{}, false
}

func (d *doors) proxy(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(d.proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// network returns an address without what its holder can choose.
func network(a netip.Addr) netip.Addr {
	if a = a.Unmap().WithZone(""); a.Is4() {
		return a
	}
	return netip.PrefixFrom(a, 64).Masked().Addr()
}
