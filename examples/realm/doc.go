// Realm runs a world of twelve zones on three processes that are killed while 1,200 bots play, and
// checks that no acknowledged payment is lost:
//
//	go -C examples/realm run .
//	go -C examples/realm run . -for 5m -every 3s -chaos kill,stop,term,nats,cut
//
//	          commands            ┌─ proxy ─▶ node a1 ─ proxy ─┐
//	bots ───────────────▶ NATS ───┼─ proxy ─▶ node b1 ─ proxy ─┼──▶ PostgreSQL
//	      applied, durable        └─ proxy ─▶ node c1 ─ proxy ─┘
//
// NATS runs in this process. PostgreSQL is an existing server (-postgres or BUFFTICK_POSTGRES). The
// nodes are processes of this program. Each bot is paid one coin after another, waits until each
// payment is durable, and records it in a book. Sometimes the bot moves to another zone (-travel),
// which pays the bot from then on. At the end the nodes are drained and the book is compared with
// the database. If a purse has fewer coins than were acknowledged, payments were lost. If it has
// more coins than were sent, payments were applied twice. Each bot must be in exactly one zone, or
// in transit to one zone. If a check fails, the exit code is 1.
//
// Values of -chaos:
//
//   - kill: SIGKILL
//   - stop: SIGSTOP for 4 to 12 s
//   - term: SIGTERM; the node drains, as in a deploy
//   - move: the node moves one zone to another node
//   - nats: the NATS server is stopped for 2 s
//   - postgres: a private PostgreSQL server in a temporary directory is killed with SIGKILL and
//     restarted up to 4 s later
//   - cut: traffic from one node to PostgreSQL, NATS or both is held back for 3 to 8 s, without
//     closing connections
//   - standby: a PostgreSQL standby that lags by up to 1.5 s takes over. Payments acknowledged in
//     this time are lost; the book removes exactly these payments and reports their number
//   - readonly: all nodes are connected to the read-only standby for up to 4 s
//   - closed: a node's connection to NATS is closed permanently; the node hands off its zones and
//     its process joins again
//   - definition: screens receive no definitions for 2 s while a zone moves
//
// The faults "standby" and "readonly" use a private PostgreSQL server with a standby. With
// -together, each fault happens alone, and also at the same time as another fault. An hour with all
// kinds of faults, about 850 faults in total:
//
//	go -C examples/realm run . -for 60m -every 500ms -pay 1s -together -chaos kill,stop,term,move,nats,postgres,cut,standby,readonly,closed,definition
//
// For each zone, a screen subscribes to the zone through cluster.Client.Subscribe for the whole
// run, as a player's client would. The report gives the number of restarts and pauses of the
// screens. At the end, the content of the screens is compared with the database. A screen shows the
// coins and the end of the buff "day" of two bots of each zone, if they are in the screen's zone.
//
// With -applied and -chaos none, bots wait only for the Tick and not for the disk. Such a run
// measures the rate of commands.
//
// With -page 127.0.0.1:0 each node serves a page of the cluster with links to the live page of
// each zone. The addresses are printed.
package main
