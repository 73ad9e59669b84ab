// Realm is a world of twelve zones on three processes that are killed while 1,200 bots play, and a book of
// what came of it:
//
//	go -C examples/realm run .
//	go -C examples/realm run . -for 5m -every 3s -chaos kill,stop,term,nats,cut
//
//	          commands            ┌─ proxy ─▶ node a1 ─ proxy ─┐
//	bots ───────────────▶ NATS ───┼─ proxy ─▶ node b1 ─ proxy ─┼──▶ PostgreSQL
//	      applied, durable        └─ proxy ─▶ node c1 ─ proxy ─┘
//
// NATS runs in this process, PostgreSQL is the machine's own (BUFFTICK_POSTGRES, or -postgres), and the nodes
// are processes of this same program. Each bot is paid one coin after the other, waits until each is
// on disk, and writes it down. Now and then it goes to another zone (-travel), and is paid from then on by
// whoever has it. In the end the nodes are drained, and the coins that the database has are
// compared with the book: fewer than were acknowledged are lost, more than were sent are doubled; and each bot is
// in one zone, or on its way into one. Otherwise the exit code is 1.
//
// -chaos chooses faults: kill (SIGKILL), stop (SIGSTOP for 4 to 12 s), term (SIGTERM: it drains, as for a
// deploy), move (it gives one zone to another node), nats (the server of NATS is stopped for 2 s), postgres (the
// server of PostgreSQL is killed with SIGKILL and started again up to 4 s later: it is then one of this world's own, in
// a folder for temporary files, never the machine's), cut (the way of one node to PostgreSQL, to NATS or to both is
// a black hole for 3 to 8 s: what is sent is not refused, it does not come for so long). With -together they come
// alone and two at once.
//
// More faults: standby (a standby of PostgreSQL takes over that is up to 1.5 s behind: what was acknowledged in that time is gone, the book takes out
// exactly that, and says how much it was), readonly (all nodes reach the standby, which only reads, for up to 4 s), closed (the connection of a node to
// NATS is closed for good; the node gives its zones away, and its process joins again), definition (definitions do not come to screens for 2 s while a zone
// moves). The first two have a PostgreSQL of this world's own, with a standby. An hour with each of them, some 850 faults:
//
//	go -C examples/realm run . -for 60m -every 500ms -pay 1s -together -chaos kill,stop,term,move,nats,postgres,cut,standby,readonly,closed,definition
//
// A screen looks at each zone for as long as the world lives, as a player's client does through cluster.Client.Subscribe. The book says
// how often it began anew and how long it stood still, and compares what it shows in the end with the
// database: the coins, and the end of a ring, of two bots of each zone, wherever they are.
//
// With -applied and without faults the bots wait for the Tick only: it shows how many commands a second that makes.
//
// With -page 127.0.0.1:0 each node shows the cluster on a page, and links to the live page of each zone; the addresses are printed.
package main
