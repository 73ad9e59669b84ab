// Package inspect serves a live web page about a running engine. It provides an [http.Handler].
// It uses only the standard library, and the page loads nothing from other sites.
//
//	mux.Handle("/debug/buffs", inspect.Handler(eng))
//
//	the loop, in Tick            the hub, 10 times a second       browsers, up to 64
//
//	             ◂── requests ──  one goroutine, while
//	view.View  ──────────────▸   a client is connected  ─ JSON ─▸  SSE ─▸ page
//	Inbox        ◂─────────────────────────────────────────────  POST, with the token
//
// No goroutine of this package accesses the engine directly. The hub reads each [view.View] that
// the loop makes, and commands are posted to the engine's Inbox.
//
// # The page
//
//	first line   the state of the game and its problems, the worst first: overload with the
//	             game's speed, players whose handlers do not return, the game's own alarms,
//	             refused reloads
//	clock        hours, minutes and seconds with the deadlines in each slot, the hands, and
//	             the dial of the current second
//	events       events a second, by kind
//	frames       frame times: over time and as a histogram, with the budget
//	workers      stuck workers, mailboxes and the inbox
//	players      most buffs, most handler time, search by id or name
//	player       buffs as bars with stacks, source, time left and next pulse; attributes;
//	             the last 100 events with reasons; the last minute with a lane for each buff,
//	             and the buffs and attributes at any instant of it, from the engine's flight
//	             recorder, if engine.Options.Trace.History is set
//	definitions  a sortable and searchable table: live buffs, events a second, denials by
//	             reason, handler times and their share of the total, file and line; reloads
//	             with their errors
//	definition   the counts of one definition by kind of event, its fields, and the players that
//	             have the buff
//	incidents    the last 100 problems, including those that are over: start, duration,
//	             players, definition, and the stack of a handler that did not return
//
// Events by kind, denials by reason, and handler times are counted only while a client is
// connected. The counts start from zero when the first client connects.
//
// # Routes
//
// All requests go to the path at which the handler is mounted. The query selects the content.
//
//	GET                            the page; HEAD is answered like GET, without a body
//	GET  ?stream[&player=ID]…      server-sent events: hello, view, gap, player, catalog, stalled
//	GET  ?stream&catalog           the stream with the counts of the definitions
//	GET  ?worker=VERSION           the script that shares a stream between browser tabs
//	GET  ?snapshot                 one view
//	GET  ?player=ID[&from=N]       one player, with its buffs from the Nth on
//	GET  ?history=ID               the last minute of a player, see engine.Options.Trace.History
//	GET  ?scenario=ID              the last minute as a scenario file for "bufftick run"
//	GET  ?search=TEXT[&from=N]     players by id or name, from the Nth player on
//	GET  ?catalog[&from=N]         the definitions
//	GET  ?holders=ID[&from=N]      the holders of a definition, from the Nth player on
//	GET  ?incidents[&from=MS&to=MS] the last incidents, as Grafana annotations; Unix time in ms
//	GET  ?complete=LINE&player=ID  completions of a command line, with Options.Unsafe
//	POST ?act                      {"act": "check" | "remove" | "pause" | "resume" | "reload" | "command", …}
//
// # Security
//
//   - On every request, the Host header must be localhost, an IP address or one of
//     Options.Hosts. Other names are refused, to prevent DNS rebinding.
//   - Clients must be on this machine unless Options.Remote is set, which requires Options.Token.
//     Every request must then contain the token, except the request for the page itself.
//   - Only GET and HEAD are allowed, and POST for actions. Actions require Options.Token in the
//     Authorization header of the request. Actions from other sites are refused with
//     http.CrossOriginProtection. Reads from other sites are refused because of their
//     Sec-Fetch-Site header.
//   - The page has a Content-Security-Policy with nonces that allows only its own script and
//     style, and connections to its own origin. It cannot be shown in a frame.
//   - Names are untrusted. They are sent as JSON, cut to 80 characters, with control and
//     bidirectional characters escaped, and the page inserts them as text. Ids, handles and the
//     game's integers are strings, because JavaScript numbers are exact only up to 2^53. NaN is
//     sent as "NaN".
//   - All tabs of a browser share one stream by means of a SharedWorker, because browsers open at
//     most six HTTP/1 connections to a host. Tabs with different tokens use different streams. A
//     stream follows up to 32 players.
//   - Limits: 64 streams (each event must be accepted within 5 s); queries of 1 KiB,
//     search texts of 256 bytes, ids of 20 digits, bodies of 64 KiB, responses of 1 MiB, events
//     of 256 KiB; 200 buffs of a player at once and 512 in total, 100 events, 256 attributes with
//     50 modifiers each; 400 lanes and 8,000 events of the last minute, with 4,000 attribute
//     changes; 64 followed players; 8 concurrent searches and history requests. Data beyond a
//     limit is omitted, and the field "cut" is set. Each write of a response must be accepted
//     within 5 s. If there are too many clients, a new client replaces a client that does not read,
//     and a client with the token replaces a client without it.
//   - A panic in a callback of the game stops neither the game nor the page; see [Options].
//   - No messages are queued for a slow client, except for the 64 KiB that the operating system
//     buffers. When it reads again, it gets the latest state after a "gap" event with the number
//     of skipped views. All clients share the same messages in memory.
//
// A handler cannot limit connections and headers: use [NewServer], which documents its limits.
// Mount other handlers for operators behind [Inspector.Guard].
//
// # Cost
//
// Without a client, a frame costs an additional atomic load and two comparisons, 2.5 ns. With
// clients, the loop counts the pulses of each turn, reads the other events, samples their
// lateness, and visits 32 owners to rank them. Ten times a second it copies the counters of the
// wheel and up to 8 followed players, which takes 20 µs. It measures the time of one turn in n,
// where n is from 1 to 64 depending on the load. The cost does not depend on the number of
// browsers, because all share one View and one JSON message. docs/inspect.md has the
// measurements.
package inspect
