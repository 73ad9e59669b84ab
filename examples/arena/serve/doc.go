// Package serve plays an arena in real time for whoever opens its page: WebSockets, and what of the
// game each of them sees.
//
//	                 ┌ one goroutine reads ─▸ in, 16 messages ─┐
//	a browser ── WS ─┤                                         ├─ Frame: the loop
//	                 └ one goroutine writes ◂─ out, 8 messages ┘
//
// A [Server] belongs to its loop: [Server.Run], or whoever calls [Server.Frame]. Connections meet it in
// two bounded queues of their own each, and in nothing else. Nobody waits for a connection: who does
// not read gets no more until there is room (package replicate drops what it would have told, and tells
// the newest state then), and is closed after a while; who writes too much waits for the loop, which
// takes some messages of each connection in a frame.
//
// A player's message is no command of the engine but a wish: the loop decides whether the hero can, and
// calls the engine then. So connections have a share of each frame, and none of the engine's Inbox.
//
//	server.go    the loop: a frame of the game, and what is sent of it
//	player.go    a connection as the loop sees it, and what its messages do
//	sight.go     who is in view
//	wire.go      the messages beside those of package replicate
//	socket.go    the two goroutines of a connection
//	address.go   how many connections an address may have
//	site.go      the page and its server
//	load.go      the same without a browser: how much is sent, and how long frames take
package serve
