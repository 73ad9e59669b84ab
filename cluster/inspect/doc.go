// Package inspect serves a page that shows a cluster: its nodes, its zones, and the moves of zones
// between nodes. It is one [http.Handler] with all files embedded, and uses only the standard
// library. The page loads no resources from other origins.
//
//	mux.Handle("/debug/cluster", inspect.Handler(node, inspect.Options{}))
//
// Any node can show the whole cluster. The node knows the state of all leases from its regular
// requests to the database. The handler queries the other nodes over NATS only while the page is
// open, at most twice a second in total for all readers. A node that is alive according to the
// database but does not reply is shown as possibly disconnected from NATS.
//
// # The page
//
//	first line  whether all zones run, or the most severe problem
//	nodes       the counters and the zones of each node
//	zones       for each zone: node, epoch, time until the lease ends, owners, commands in flight,
//	            load; whether the zone is unsaved, moving to another node, or quarantined; and a
//	            link to its live page, if cluster.Zone.Page is set
//	moves       the last 100 moves of zones between nodes, since this node joined
//
// # Routes
//
//	GET           the page
//	GET ?view     its content as JSON
//	GET ?metrics  the metrics of this node in the text format of Prometheus
//
// # Security
//
// The handler is read-only: it accepts only GET and HEAD. The Host header must be localhost, an IP
// address or one of Options.Hosts. This prevents DNS rebinding. Only clients on this machine are
// admitted, unless Options.Token is set. If it is set, every request must contain the token, except
// for the page itself, which contains no data. Requests from other sites are rejected.
//
// The page has a Content-Security-Policy with a nonce, which permits only its own script and
// style, and connections only to its own origin. Names are sent as JSON and inserted as text. The
// address of a live page becomes a link only if its scheme is http or https. At most 2,000 zones
// and 200 nodes are shown. The field "cut" of the JSON reports whether the cluster has more. The
// handler cannot limit the number of connections and the size of headers; use NewServer of the
// root module's package inspect for this.
package inspect
