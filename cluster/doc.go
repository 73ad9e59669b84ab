// Package cluster runs zones on many machines. PostgreSQL owns: who has a zone, since which epoch, and
// what is in it, are rows that change in one transaction. NATS only carries commands and replies. What is
// here is the policy between them: claim, renew, release, transfer. It is a module of its own, so that
// who plays on one machine does not link a database and a message server.
//
//	node, err := cluster.Join(ctx, cluster.Options{
//		Postgres: "postgres://game@db/world", NATS: conn, Node: "node-7",
//		Zones: []string{"arena", "harbour"},
//		New:   func(zone string) (cluster.Zone, error) { … }, // its engine, its store, its owners
//	})
//	…
//	err = node.Drain(ctx) // on SIGTERM: nothing is lost
//
//	client, err := cluster.NewClient(cluster.ClientOptions{NATS: conn, Catalog: catalog})
//	reply, err := client.Ask(ctx, "arena", buff.Apply(7, …), cluster.Durable)
//
// # The life of a zone
//
//	         claim (epoch + 1)           loaded                   drain: deploy, move, balance
//	free ─────────────────────▶ loading ────────▶ running ──────────────────▶ draining
//	 ▲ ▲                           │                 │                            │
//	 │ └───── failed, the third ───┘                 │ not renewed, or fenced     │ all on disk
//	 │        time: left alone                       ▼                            ▼
//	 └──────────────── the lease ends ───────────── lost                      released
//	 └────────────────────────────────────────────────────────────────────────────┘
//
// The unit is the zone: one engine, one loop, one lease. Each claim gives it a higher epoch, and a commit
// with an older one is refused ([store.ErrFenced]), whatever the process that sends it believes. The fence
// keeps what is on disk right. The lease keeps the game right: that a zone is never played by two.
//
// # The times of a lease
//
//	node      asked ───────────────────────────── stops ·····
//	            │╲ 0                               1.7 s    ╲
//	            │ ╲                                          ╲
//	database    │  renewed ──────────────────────────────── over: another may claim
//	            │    0                                      2 s, by its own clock
//
// A node notes its own time before it asks; the database counts from when it is asked, which is later.
// The node stops 300 ms before its 2 s are over, so before the database's are, as long as the two
// clocks run within 15 % of the same speed. What time they show does not matter. A process that was
// stopped, or cut off from the database, finds its time over before it plays another frame. A machine that was
// suspended as a whole may have a clock that stood still with it: it plays until it hears from the database,
// 1.7 s at most, and what it did then is refused by the fence, and nobody is told that it is on disk.
//
// # The way of a command
//
//	client                            owner of the zone                     PostgreSQL
//	hello  ──── zone.arena ─────────▶ epoch 7, its life, 812 commands on disk
//	id, since 812 ── zone.arena.7 ──▶ in the window? ─ yes ─▶ done before
//	                                  more than a window behind? ─▶ unknown
//	                                  no: the next Tick
//	       ◀──────── applied ───────  after the Tick
//	                                  the cut, and in it the id ──────────▶ commit
//	       ◀──────── durable ───────  after the commit ◀──────────────────  done
//
// A command has an id, and is sent again until it is known what came of it; the zone keeps the ids of the
// last commands that it has done, in its cut, so that none is done twice: not if a reply was lost, not
// if the zone has moved, not if its machine has died. The ids that are kept are bounded, and so the
// sender says with each command how many the zone had on disk when it was sent for the first time: where
// the zone has done a whole window of others since, its answer is that nobody knows, and not a guess.
//
// A life is one load of a zone, and a random number. A command names the life that it is for, and no other one does it: where the
// database has gone back, two owners may have the same epoch. To the next one it is sent with a count that this one has on disk.
//
// # The way of a player
//
//	arena's owner                         PostgreSQL                             harbour's owner
//	Transfer: out of arena's engine
//	the cut without it ─────────────────▶ on its way to harbour ─── arrived ───▶ (or looks each second)
//	                                          │      ◀─────────────────────────  who is on the way?
//	                                          ▼                                  into harbour's engine
//	                                      harbour's  ◀─────────────────────────  the cut with it
//
// Node.Transfer, Client.Transfer, and store.Saver.Move on the loop let a player go to another zone, wherever that is,
// with its buffs, attributes, timeouts by name and data. What is on disk changes twice, each time in one transaction
// of one zone's cut: it leaves with the first cut of its zone that has it not, fenced by that zone's
// epoch, and comes with the first cut of the other that has it. What a crash in between leads to:
//
//	arena's owner, before its cut          the player is back in arena
//	arena's owner, after it                it is on its way; harbour is told, or looks, and lets it in
//	harbour's owner, before its own cut    it is on its way still, and is let in by the next owner
//	both, the answer of a commit, the      as above: what a commit has done is not done again by the one
//	notice                                 after it, wherever the player has gone since
//
// A blob counts the uptime of the zone in which it was made. The other zone takes it with its own: for a
// Wall buff the time of the calendar has passed, for an Online one nothing has, for an Uptime one neither.
// Areas and handles are of one engine: who comes is in area 0, and its buffs have new handles.
//
// A command for an owner that its zone has not makes the zone ask the database. If the owner is in another
// zone, or on its way there, the sender is told which, and sends the command on; if it is about to leave or
// to come, it is told to come again. So a command is lost or refused for no move, and the Reply says which
// zone has done it. It is done once all the same: the zone that sends it on keeps its id first, and so will never
// do it, whichever copy of it comes late, also if the owner has come back; a sender believes that only
// of the epoch to which it has sent last; and to the next zone the command goes with an id of its own.
//
// # What happens if
//
//	a process dies            its leases end within 2 s; others claim, load, and go on from the last cut
//	it is stopped, or cut     it plays no frame more when it goes on; a commit of it that is still on its
//	off from the database     way is refused
//	it is drained             each zone is saved, released and claimed by another; senders follow
//	NATS is gone              zones go on; senders send again
//	a node is cut off from    it asks NATS for a sign of life eight times in a TTL; after half a TTL without one
//	NATS, and others are not  it takes no zone, and half a TTL later gives its own away: all is on disk
//	PostgreSQL is gone for    zones stop: two that play one zone would be worse
//	longer than a lease
//	a standby takes over      all leases end, and no zone is played for one lease; then zones are loaded from what it has. What
//	                          it had missed is lost, and the game is told: ErrLost
//	a backup is put back      as above for gateways and screens that go on: see docs/operations.md
//	a commit finds an older   the zone stops, and is loaded from what the database has
//	cut than it follows
//	commits fail, and the     the zone plays on; with Zone.MostUnsaved it stops then, and is loaded from its last cut
//	lease is renewed
//	NATS is closed for good   the node gives its zones away; a client says ErrClosed
//	a zone panics, or takes   three times without a minute of play in between, on whatever node: it is left
//	more than 10 s to load    alone until Node.Forgive
//
// # What is bounded
//
//	commands that wait for a Tick, replies that wait for a commit   Options.Waiting of each, and of one client what the others
//	                                                                leave free: told to come again, ErrShare
//	commands of a client                                            ClientOptions.Outstanding: ErrOverloaded
//	ids of commands done                                            store.Options.Window: see above
//	owners that a node looks for in the database                    Options.Waiting: told to come again
//	owners that wait to leave a zone, or are let in at once         store.MostMoves, store.MostArrivals
//	beats, claims, drains of a node at once                         4 each
//	a request to the database                                       one TTL
//	subscriptions of a client                                       MaxSubscriptions: ErrOverloaded
//	viewers of a zone                                               replicate.Options.Viewers: ErrRefused
//	packets that a subscription has not read                        64; what it says to a zone: Options.Waiting a frame
//	a command                                                       max_payload of NATS: ErrTooLarge. Packets that are longer go in parts
//	lines of Log that begin the same, of a zone                     five a minute, and then how many more there were
//
// There is a goroutine for each zone, one that looks for owners and for who comes, and one for each request
// to the database of the three kinds above; none for a command.
//
// # What there is to see
//
// Node.Info and Node.Look say what this node, and all nodes, have and have done; Node.Moves how zones went from node to
// node. Package cluster/inspect shows that on a page, with a link to the live page of each zone, and as metrics.
//
// # What players see
//
// Client.Subscribe brings the packets of package replicate from a zone to whoever has the player's connection, wherever the
// zone is played:
//
//	subscription                     zone, epoch 7                    zone, epoch 8, on another node
//	look: I am here, read 40 ── zone.arena.screens ──▶ a viewer
//	     ◀──────── definitions, then a packet after each frame in which something changes, numbered
//	look: …, read 64 (every 0.5 s, and every 16 packets)
//	look: …, read 64 ───────────────────────────────────────────────▶ a new viewer: definitions, all that is in view
//
// What is of an older epoch, or of a viewer that the zone has forgotten, is given to nobody. Of a subscription that leaves 64
// packets unread the zone sends no more; what it misses comes as a whole. To whom nothing has come for 2 s, though a zone
// says something each second, and who has read all that came, says so: what was sent is lost, and the zone goes on. One that is not heard of for 3 s is forgotten.
//
// # What is given out
//
// Gold that is paid, a kill that is counted: what must not be done twice in the world outside is kept in the cut with its
// event, and given out when that is on disk (store.Options.Effect, store.Saver.Effects). It has the event's ID, the owner and a
// number that goes with the owner from zone to zone. If the zone goes to another node before the game has said that
// it was given, it comes again there, with the same ID: who has had that ID drops it.
//
// # How it is shown
//
// Package internal/policy decides all of this without a clock, a goroutine or a socket. Package
// internal/sim plays it with nodes, clients, a database and a network in virtual time, with everything
// that can go wrong, on a seed; and it shows that each guard is needed: without the fence, the early
// stop, the guard of moved players, the ids, those of commands that were sent on, the bound of the ids, the timeline, the life of a zone, or the
// end of a zone whose cut is lost, the books do not agree.
package cluster
