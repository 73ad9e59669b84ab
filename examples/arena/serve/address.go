package serve

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// MaxAddress is the largest number of connections per address. All IPv6 addresses of a /64 network
// share one limit, because a household usually has a whole /64 network.
const MaxAddress = 16

// limiter counts the connections of each address.
type limiter struct {
	proxies []netip.Prefix
	mu      sync.Mutex
	of      map[netip.Addr]int
}

func newLimiter() *limiter {
	return &limiter{
		proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		of:      map[netip.Addr]int{},
	}
}

// Trust adds trusted proxies. Proxies on this machine are always trusted. If a request comes
// through trusted proxies, the client is the last address in X-Forwarded-For that is not a trusted
// proxy. Trust only proxies that clients cannot bypass. Call Trust before the first connection.
func (s *Server) Trust(proxies ...netip.Prefix) {
	s.limiter.proxies = append(s.limiter.proxies, proxies...)
}

// enter counts a connection and returns a function that must be called when the connection ends. If
// the client's address has too many connections, the result "ok" is false.
func (d *limiter) enter(r *http.Request) (leave func(), ok bool) {
	who, ok := d.client(r)
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

// client returns the address for which a connection is counted. The result "ok" is false if the
// connection is not limited. Connections from this machine are not limited. Connections from a
// proxy that does not report its clients are not limited either, because all these clients would
// share one limit.
func (d *limiter) client(r *http.Request) (a netip.Addr, ok bool) {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err == nil && !d.proxy(at.Addr()) {
		return network(at.Addr()), true
	}
	said := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	if len(said) == 1 && strings.TrimSpace(said[0]) == "" {
		return netip.Addr{}, false
	}
	for _, text := range slices.Backward(said) { // each proxy appends the address of its client
		a, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil {
			return netip.Addr{}, true // all invalid addresses share one limit
		}
		if !d.proxy(a) {
			return network(a), true
		}
	}
	return netip.Addr{}, false
}

func (d *limiter) proxy(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(d.proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// network returns the address that identifies a client: an IPv4 address, or the /64 network of an
// IPv6 address, because a client can choose the other bits.
func network(a netip.Addr) netip.Addr {
	if a = a.Unmap().WithZone(""); a.Is4() {
		return a
	}
	return netip.PrefixFrom(a, 64).Masked().Addr()
}
