// Package serve runs an arena in real time for browsers, over WebSockets. Each player receives the
// part of the game that is in view.
//
//	                 ┌ one goroutine reads ─▸ in, 16 messages ─┐
//	a browser ── WS ─┤                                         ├─ Frame: the loop
//	                 └ one goroutine writes ◂─ out, 8 messages ┘
//
// A [Server] belongs to its loop, which is the goroutine that calls [Server.Run] or [Server.Frame].
// Each connection shares only two bounded queues with the loop. The loop never waits for a
// connection. If a client does not read, the queue of messages for this client becomes full. The
// client then gets no more messages until the queue has room; package replicate skips the changes
// in between and sends the newest state. If the queue stays full, the connection is closed. A
// client that sends too much has to wait, because the loop takes only a few messages from each
// connection per frame.
//
// A player's message is a request, not a command for the engine. The loop decides whether the hero
// can fulfil the request, and then calls the engine. Connections therefore do not use the engine's
// Inbox. Instead, the number of requests per frame is limited for each connection.
//
//	server.go    the loop: a frame of the game and its messages
//	player.go    a connection as seen by the loop, and its requests
//	sight.go     the units in view
//	wire.go      the messages, except the messages of package replicate
//	socket.go    the two goroutines of a connection
//	address.go   the limit on connections per address
//	site.go      the page and its server
//	load.go      a load test without browsers, which measures frame times and bytes sent
package serve
