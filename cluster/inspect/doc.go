// Package inspect shows a cluster on a page: its nodes, its zones, where each is, and how they went from node to node.
// One [http.Handler] of the standard library alone, everything embedded, nothing loaded from elsewhere.
//
//	mux.Handle("/debug/cluster", inspect.Handler(node, inspect.Options{}))
//
// Any node can show all of it: what the database says comes with its beats; what others say of their zones it asks them
// for over NATS, at most once in half a second, however many look on, and not at all if nobody does. A node that lives, by
// the database, and has no answer, is shown as one that hears nobody.
//
// # The page
//
//	first line  whether all zones are played, and if not, what is in the way
//	nodes       what each has and has done; its zones
//	zones       node, epoch, time left of the lease, owners, commands in flight, load; whether it cannot be saved, is on its way to another node,
//	            or in quarantine; each links to its own live page, if its node says where that is (cluster.Zone.Page)
//	moves       how zones went from node to node since this node joined, the last hundred of a thousand
//
// # Routes
//
//	GET           the page
//	GET ?view     what it shows, as JSON
//	GET ?metrics  what this node knows, as text for Prometheus
//
// # Safety
//
// There is nothing to be changed here: all is GET, or HEAD. Host must be localhost, an IP address or one of Options.Hosts, so that a
// name that was made to point here (DNS rebinding) is refused. Clients must be on this machine, unless Options.Token
// is set: then every request but for the page itself, which tells nothing, must bring it. Other sites are refused.
// The page has a Content-Security-Policy with a nonce that allows its own script and style and connections to its own
// origin. Names are data: they travel as JSON, and are set as text. An address of a live page is a link only if it begins with http:// or
// https://. At most 2,000 zones and 200 nodes are shown; "cut" says that there are more. What a handler cannot bound,
// connections and headers, does NewServer of the module's package inspect.
package inspect
