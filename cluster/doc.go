// Package cluster runs zones on many machines. PostgreSQL is the authority: the owner of a zone,
// its epoch and its contents are rows that change in one transaction. NATS only carries commands
// and replies. This package implements the policy between them: claim, renew, release and
// transfer. It is a separate module, so that games on a single machine do not link a database
// driver and a message client.
//
//	node, err := cluster.Join(ctx, cluster.Options{
//		Postgres: "postgres://game@db/world", NATS: conn, Node: "node-7",
//		Zones: []string{"arena", "harbour"},
//		New:   func(zone string) (cluster.Zone, error) { … }, // its engine, its store, its owners
//	})
//	…
//	err = node.Drain(ctx) // on SIGTERM: saves everything
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
// The unit is the zone: one engine, one loop, one lease. Each claim gives the zone a higher
// epoch, and a commit with an older epoch is rejected ([store.ErrFenced]), whatever state the
// sending process is in. The fence protects the data on disk. The lease protects the game: no two
// nodes run a zone at the same time.
//
// # Timing of a lease
//
//	node      sent ────────────────────────────── stops ·····
//	            │╲ 0                               1.7 s    ╲
//	            │ ╲                                          ╲
//	database    │  renewed ──────────────────────────────── over: another may claim
//	            │    0                                      2 s, by its own clock
//
// A node reads its own clock before it sends the request; the database counts from the time when
// the request arrives, which is later. The node stops 300 ms before its 2 s end, and so before
// the database's 2 s end, as long as the two clocks run at the same speed within 15 %. The times
// that they show do not matter. A process that was stopped, or cut off from the database, finds
// its lease expired before it runs another frame.
//
// If a whole machine was suspended, its clock may have been stopped too. Then the node runs until
// the database answers, at most 1.7 s. The fence rejects its commits of that time, and no client
// gets a Durable reply for them.
//
// # The path of a command
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
// A command has an id, and is sent again until its outcome is known. The zone saves the ids of
// the last commands with its cut, so that no command is executed twice, even if a reply is lost,
// the zone moves, or its machine fails. The number of saved ids is bounded. Therefore the sender
// adds to each command how many commands the zone had on disk when this one was first sent. If
// the zone has executed more than a whole window of commands since then, it answers that the
// outcome is unknown.
//
// A life is one load of a zone, identified by a random number. A command names the life it is
// meant for, and no other life executes it, because after the database has gone back two owners
// of a zone can have the same epoch. When the command is sent to the next life, its count is one
// that this life has on disk. Once a client has been notified of a loss, a command that it had
// sent before ends only with a reply of the present life.
//
// # The path of a player
//
//	arena's owner                         PostgreSQL                             harbour's owner
//	Transfer: out of arena's engine
//	the cut without it ─────────────────▶ in transit to harbour ─── arrived ───▶ (or polls each second)
//	                                          │      ◀─────────────────────────  arrivals?
//	                                          ▼                                  into harbour's engine
//	                                      harbour's  ◀─────────────────────────  the cut with it
//
// Node.Transfer, Client.Transfer, and store.Saver.Move on the loop move a player to another zone,
// on any node, with its buffs, attributes, named timeouts and data. The data on disk changes
// twice, each time in the transaction of one zone's cut: the player leaves with the first cut of
// its zone that no longer contains it, fenced by that zone's epoch, and arrives with the first
// cut of the other zone that contains it. A crash in between has these results:
//
//	arena's owner, before its cut          the player is in arena again
//	arena's owner, after its cut           the player is in transit; harbour is notified, or polls,
//	                                       and admits it
//	harbour's owner, before its own cut    the player is still in transit; the next owner admits it
//	both, the reply to a commit, the       as above: the next owner does not repeat the effect of a
//	notification                           commit, even if the player has moved on since
//
// A blob records the uptime of the zone in which it was written. The other zone converts it to
// its own: for a Wall buff the real time in transit has passed; for Online and Uptime buffs no
// time has passed. Areas and handles belong to one engine: the player arrives in area 0, and its
// buffs get new handles.
//
// If a zone gets a command for an owner that it does not have, it queries the database. If the
// owner is in another zone, or in transit to it, the reply names that zone and the sender forwards
// the command. If the owner is just leaving or arriving, the reply asks for a retry. So no command
// is lost or rejected because of a move, and the Reply names the zone that executed it.
//
// The command is still executed only once. A zone that redirects a command first saves its id,
// and so never executes a late copy of it, even if the owner has come back. A sender accepts a
// redirect only from the epoch to which it sent last. In the next zone the command gets a new id.
//
// # Failures
//
//	a process dies            its leases expire within 2 s; other nodes claim the zones, load them,
//	                          and continue from the last cut
//	it is stopped, or cut     it runs no further frame when it continues; a commit that is still in
//	off from the database     flight is rejected
//	it is drained             each zone is saved, released and claimed by another node; senders follow
//	NATS is down              zones continue; senders retry
//	a node is cut off from    it checks NATS eight times in a TTL; after half a TTL without an answer
//	NATS, others are not      it claims no zone, and after another half it saves and releases its own
//	PostgreSQL is down for    zones stop: two nodes running one zone would be worse
//	longer than a lease
//	a standby takes over      all leases end, and no zone runs for the time of one lease; then zones are
//	                          loaded from the standby. Commits that it lacks are lost, and the game is
//	                          notified with ErrLost
//	a backup is restored      as above for gateways and viewers that stay connected; see
//	                          docs/operations.md
//	a commit finds an older   the zone stops, and is loaded from the database
//	cut than its predecessor
//	commits fail, but the     the zone continues; with Zone.MostUnsaved it stops after that time, and
//	lease is renewed          is loaded from its last cut
//	NATS is closed for good   the node releases its zones; a client returns ErrClosed
//	a zone panics, or takes   three times without a minute of play in between, on any node: the zone
//	more than 10 s to load    is quarantined until Node.Forgive
//
// # Limits
//
//	commands that wait for a Tick      Options.Waiting; a client gets at most as many as are
//	replies that wait for a commit     left free: others must retry, ErrShare
//	commands of a client               ClientOptions.Outstanding: ErrOverloaded
//	ids of executed commands           store.Options.Window: see above
//	owners looked up in the database   Options.Waiting: others must retry
//	owners that leave or arrive        store.MostMoves, store.MostArrivals
//	beats, claims, drains of a node    4 each at a time
//	a request to the database          one TTL
//	subscriptions of a client          MaxSubscriptions: ErrOverloaded
//	viewers of a zone                  replicate.Options.Viewers: ErrRefused
//	unread packets of a subscription   64
//	messages from subscriptions        Options.Waiting in a frame
//	size of a command                  max_payload of NATS: ErrTooLarge; longer packets are
//	                                   sent in parts
//	similar lines of Log of a zone     five a minute, then a count of the others
//
// A node has one goroutine for each zone, one that looks up owners and arrivals, and one for each
// pending request to the database of the three kinds above. Commands have no goroutines.
//
// # Observability
//
// Node.Info returns the state and the counters of this node, and Node.Look those of all nodes;
// Node.Moves lists the moves of zones between nodes. Package cluster/inspect shows them on a
// page, with a link to the live page of each zone, and as metrics.
//
// # Replication to players
//
// Client.Subscribe delivers the packets of package replicate from a zone to the process that
// holds the player's connection, on whichever node the zone runs:
//
//	subscription                     zone, epoch 7                    zone, epoch 8, on another node
//	look: I am here, read 40 ── zone.arena.screens ──▶ a viewer
//	     ◀──────── definitions, then a packet after each frame in which something changes, numbered
//	look: …, read 64 (every 0.5 s, and every 16 packets)
//	look: …, read 64 ───────────────────────────────────────────────▶ a new viewer: definitions, full state
//
// Packets of an older epoch, or of a viewer that the zone has removed, are dropped. If a
// subscription leaves 64 packets unread, the zone stops sending, and later sends the missed state
// as a whole. A running zone sends something every second. A subscription that has read
// everything and has received no packet for 2 s reports this: its packets were lost, and the zone
// resumes sending. The zone removes a subscription after 3 s of silence.
//
// # Effects outside the game
//
// Effects that must not happen twice in the outside world, such as a payment or a counted kill,
// are saved in the cut together with their event, and issued when the cut is on disk
// (store.Options.Effect, store.Saver.Effects). An effect has the event's ID, the owner, and a
// number that stays with the owner from zone to zone. If the zone moves to another node before
// the game has confirmed an effect, it is issued again there with the same ID, so that the
// receiver can drop the duplicate.
//
// # How it is tested
//
// Package internal/policy makes all these decisions without a clock, a goroutine or a socket.
// Package internal/sim runs it from a seed, with nodes, clients, a database and a network in
// virtual time and with every kind of failure. It also shows that each guard is necessary, such as
// the fence, the early stop, the window of ids, or the life of a zone: without any one of them, at
// least 1 of 10 seeds ends in an inconsistency.
package cluster
