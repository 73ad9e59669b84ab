// Package inspect shows a running engine on a page: one [http.Handler], mounted with one
// line, of the standard library alone, everything embedded, nothing loaded from elsewhere.
//
//	mux.Handle("/debug/buffs", inspect.Handler(eng))
//
//	the loop, in Tick              the hub, 10 times a second       browsers, 64 at most
//
//	                  ◂── asks ──  one goroutine, while
//	view.View  ──────────────▸   somebody looks       ── JSON ─▸  SSE ─▸ page
//	Inbox        ◂─────────────────────────────────────────────────  POST, with the token
//
// No goroutine of this package touches the engine: it reads [view.View]s and posts to the
// engine's Inbox.
//
// # The page
//
//	first line   whether all is well, and if not, what is in the way, the worst first: overload,
//	             with the speed of the game; who is stuck, by the clock on the wall; what the
//	             game says; a reload that was refused
//	clock        hours, minutes and seconds with what waits in each slot, the hands, and
//	             the dial of the second that runs
//	events       by kind, for each second
//	frames       how long they took: over time, as a histogram, with the budget
//	workers      who holds one; what waits in mailboxes and in the inbox
//	players      who carries most, whose handlers take longest, search by id or name
//	player       buffs as bars with stacks, source, time left and next pulse; attributes;
//	             the last 100 events with reasons; the last minute with a lane for each buff, and what
//	             was there at any instant of it, also what the attributes were and by which buffs, from
//	             the engine's flight recorder, if engine.Options.Trace.History is set
//	definitions  a table to sort and filter: how many live, events a second, denials by reason, how long
//	             handlers take and their share of all, file and line; reloads with their errors
//	definition   one of them: the same by kind of event, its fields, and who has it now
//	incidents    the last 100 times that something was wrong, also when it is over: from when, for how
//	             long, who, in which definition, and where the handler was that did not return
//
// The figures by kind, the reasons of denials and the times are counted while somebody looks
// on, from then on: an engine that nobody watches counts nothing for it.
//
// # Routes
//
// There is one path, wherever it is mounted; the query says what is wanted.
//
//	GET                            the page; HEAD is answered everywhere as GET, without a body
//	GET  ?stream[&player=ID]…      server-sent events: hello, view, gap, player, catalog, stalled
//	GET  ?stream&catalog           the same with the counts of the definitions
//	GET  ?worker=VERSION           the script that shares a stream between the tabs of a browser
//	GET  ?snapshot                 one view
//	GET  ?player=ID[&from=N]       one player, with its buffs from the Nth on
//	GET  ?history=ID               the last minute of one player, see engine.Options.Trace.History
//	GET  ?scenario=ID              the same as a file that "bufftick run" plays
//	GET  ?search=TEXT[&from=N]     players by id or name, from the Nth on
//	GET  ?catalog[&from=N]         the definitions
//	GET  ?holders=ID[&from=N]      who carries a definition, from the Nth player on
//	GET  ?incidents[&from=MS&to=MS] the last incidents, as annotations of Grafana; Unix time in ms
//	GET  ?complete=LINE&player=ID  what may stand at the end of a command, with Options.Unsafe
//	POST ?act                      {"act": "check" | "remove" | "pause" | "resume" | "reload" | "command", …}
//
// # Safety
//
//   - Host must be localhost, an IP address or one of Options.Hosts: a name that was made
//     to point here (DNS rebinding) is refused, on every request.
//   - Clients must be on this machine, unless Options.Remote says otherwise; that needs a
//     token, and then every request but the page itself must bring it.
//   - Only GET and HEAD, and POST for actions. There are no actions without Options.Token, which a
//     request brings in its header Authorization; http.CrossOriginProtection refuses other
//     sites, and Sec-Fetch-Site their reading.
//   - The page has a Content-Security-Policy with nonces that allows its own script and
//     style, connections to its own origin, and nothing else; nobody may frame it.
//   - Names are data: they travel as JSON, without control and bidirectional characters, cut
//     at 80 characters, and the page sets them as text. Ids, handles and whole numbers of
//     the game are strings, since a browser's numbers end at 2^53. What is no number is
//     "NaN", not a failure.
//   - All tabs of a browser share one stream, by a SharedWorker: with HTTP/1 it has six connections to a
//     host. Tabs with different tokens do not share. A stream follows up to 32 players.
//   - Bounds: 64 streams, each event of which must be taken within 5 s; queries of 1 KiB,
//     search texts of 256 bytes, ids of 20 digits, bodies of 64 KiB, answers of 1 MiB, events
//     of 256 KiB; 200 buffs of a player at once, of 512 in all, 100 events, 256 attributes
//     with 50 modifiers each; 400 lanes and 8,000 events of the last minute, and of what attributes were in it 4,000
//     times that something changed; 64 players followed, 8 searches and looks at the last minute at once. What does not fit is
//     left out, and "cut" says so. Each write of an answer must be taken within 5 s. Of a
//     newcomer and a reader that does not read, the newcomer stays, and one who has brought the
//     token takes the place of one who has not.
//   - A function of the game that panics ends nothing; see [Options].
//   - Nothing is kept for a slow reader but the system's 64 KiB: all share the messages. It
//     gets the latest state, and before it the event "gap" with how many views it has missed.
//
// What a handler cannot bound are connections and headers: [NewServer] does, and says exactly
// what. What is mounted
// beside the page and is for the same eyes belongs behind [Inspector.Guard].
//
// # Cost
//
// While nobody looks, a frame pays one atomic load and two comparisons, 2.5 ns. While
// somebody does, the loop takes the number of pulses of each turn, reads the other events,
// looks at some for how late they were and at 32 owners for who carries most, and ten times a
// second copies the faces of the wheel and 8 followed players, 20 µs. Of the turns of a worker
// one in 1 to 64, the more of them the rarer, pays for two looks at the clock. The number of
// browsers makes no difference to the loop: all share one View, and one piece of JSON with
// what is new in it. docs/inspect.md has what was measured.
package inspect
