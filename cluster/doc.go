// Package cluster runs zones on many machines. PostgreSQL is the authority. The owner of a zone,
// its epoch and its contents are rows that change in one transaction. NATS only transports
// commands and replies. This package decides when a node claims, renews and releases zones, and
// moves players between them. It is a separate module, so that games on a single machine do not
// link a database driver and a message client.
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
//	 │        time: quarantine                       ▼                            ▼
//	 └──────────────── the lease ends ───────────── lost                      released
//	 └────────────────────────────────────────────────────────────────────────────┘
//
// Each zone has one engine, one loop and one lease. The owner of a zone is the node that holds
// its lease. (Do not confuse it with the owners of buffs, such as players, which are in the
// zone.) Each claim gives the zone a higher epoch, and a commit with an older epoch is rejected
// ([store.ErrFenced]), whatever the state of the sending process. This is called the fence; it
// protects the data on disk. The lease protects the game, because it ensures that no two nodes
// run a zone at the same time.
//
// # Timing of a lease
//
//	node      sent ────────────────────────────── stops ·····
//	            │╲ 0                               1.7 s    ╲
//	            │ ╲                                          ╲
//	database    │  renewed ──────────────────────────────── over: another may claim
//	            │    0                                      2 s, by its own clock
//
// The node counts the 2 s from the time when it sends the request, on its own clock. The database
// counts them from the time when the request arrives, which is later. The node stops the zone
// after 1.7 s, which is 300 ms early. It therefore stops before the lease ends in the database,
// as long as the speeds of the two clocks differ by less than 15 %. The clocks need not show the
// same time. A process that was suspended or disconnected from the database notices that its
// lease has expired before it runs another frame.
//
// If a whole machine was suspended, its clock may also have been stopped. In this case the node
// continues to run its zones until the database answers, for at most 1.7 s. The fence rejects all
// commits made in that time, so no client gets a Durable reply.
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
// A command has an id, and is sent again until its outcome is known. The zone saves the ids of the
// last commands with its cut (the state that one commit saves), so that no command is executed
// twice, even if a reply is lost, the zone moves, or its machine fails. The number of saved ids,
// called the window, is bounded. Therefore each command contains the number of commands that the
// zone had on disk when the command was first sent. If the zone has since executed more commands
// than the window holds, it answers that the outcome is unknown.
//
// A life is one run of a zone, from its loading to its end. It is identified by a random number. A
// command names the life for which it is meant, and no other life executes it. The epoch cannot
// identify a life, because two lives can have the same epoch if the database has gone back to an
// earlier state. When a command is sent again to the next life, the number that the command
// contains is lowered, if necessary, to the number of commands that this life has on disk. When a
// client is notified that commits were lost, its pending commands end only with a reply from the
// present life.
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
// A player moves to another zone, on any node, by Node.Transfer, Client.Transfer, or
// store.Saver.Move (which is called on the zone's loop). Its buffs, attributes, named timeouts
// and data move with it. The player leaves with the first cut of its zone that no longer contains
// it, and arrives with the first cut of the other zone that contains it. Each cut is one
// transaction, which is fenced with the epoch of its zone. A crash has these results:
//
//	arena's owner, before its cut          the player is in arena again
//	arena's owner, after its cut           the player is in transit; harbour is notified, or polls,
//	                                       and admits it
//	harbour's owner, before its own cut    the player is still in transit; the next owner admits it
//	both; or the reply to a commit or      as above: the next owner does not repeat the effect of a
//	the notification is lost               commit, even if the player has moved on since
//
// A blob records the uptime of the zone in which it was written. The other zone converts the blob
// to its own uptime: Wall buffs lose the real time in transit, whereas no time passes for Online
// and Uptime buffs. Areas and handles are valid only in one engine, so the player arrives in area
// 0, and its buffs get new handles.
//
// If a zone gets a command for an owner that it does not have, it queries the database. If the
// owner is in another zone, or in transit to it, the reply names that zone and the sender
// forwards the command. If the owner is leaving or arriving at the moment, the reply asks for a
// retry. So no command is lost or rejected because of a move. The Reply names the zone that
// executed the command.
//
// A redirected command is still executed only once. A zone that redirects a command first saves
// its id, and so never executes a late copy of it, even if the owner has come back. A sender
// accepts a redirect only from the epoch to which it last sent the command. In the next zone the
// command gets a new id.
//
// # Failures
//
//	a process dies            its leases expire within 2 s; other nodes claim the zones, load them,
//	                          and continue from the last cut
//	a process is suspended,   it runs no further frame when it continues; a commit that is still in
//	or cut off from the       flight is rejected
//	database
//	a node is drained         each zone is saved, released and claimed by another node; senders follow
//	NATS is down              zones continue; senders retry
//	a node is cut off from    it checks NATS eight times in a TTL; after half a TTL without an answer
//	NATS, others are not      it claims no zones, and after another half it saves and releases all zones
//	PostgreSQL is down for    zones stop, because otherwise two nodes could run the same zone
//	longer than a lease
//	a standby takes over      all leases end, and no zone runs for the time of one lease; then zones are
//	                          loaded from the standby. Commits that it lacks are lost, and the game is
//	                          notified with ErrLost
//	a backup is restored      as above for gateways and viewers that stay connected; see
//	                          docs/operations.md
//	the cut on disk is older  the zone stops, and is loaded from the database
//	than the last commit
//	commits fail, but the     the zone continues; with Zone.MostUnsaved it stops after that time, and
//	lease is renewed          is loaded from its last cut
//	NATS is closed for good   the node releases its zones; a client returns ErrClosed
//	a zone panics, or takes   after three times, on any nodes, without a minute of play in between, the
//	more than 10 s to load    zone is quarantined until Node.Forgive
//
// # Limits
//
//	commands that wait for a Tick      Options.Waiting; each client may have as many as remain
//	replies that wait for a commit     free; further commands are retried: ErrShare
//	commands of a client               ClientOptions.Outstanding: ErrOverloaded
//	ids of executed commands           store.Options.Window: see above
//	owners looked up in the database   Options.Waiting; further commands are retried
//	owners that leave or arrive        store.MostMoves, store.MostArrivals
//	renewals, claims, drains of a node 4 each at a time
//	a request to the database          one TTL
//	subscriptions of a client          MaxSubscriptions: ErrOverloaded
//	viewers of a zone                  replicate.Options.Viewers: ErrRefused
//	unread packets of a subscription   64
//	messages from subscriptions        Options.Waiting in each frame
//	size of a command                  max_payload of NATS: ErrTooLarge; longer packets are
//	                                   sent in parts
//	similar log lines of a zone        five a minute, then a count of the others
//
// A node has a goroutine for each zone, a goroutine that looks up owners and arrivals, and a
// goroutine for each pending renewal of leases, claim and drain. Commands need no goroutines of
// their own.
//
// # Observability
//
// Node.Info returns the state and the counters of this node; Node.Look returns the state and the
// counters of all nodes. Node.Moves lists the moves of zones between nodes. Package
// cluster/inspect shows them on a page, with a link to the live page of each zone, and as metrics.
//
// # Replication to players
//
// Client.Subscribe delivers the packets of package replicate to the process that holds the
// player's connection. They come from the zone, on whichever node it runs:
//
//	subscription                     zone, epoch 7                    zone, epoch 8, on another node
//	look: I am here, read 40 ── zone.arena.screens ──▶ a viewer
//	     ◀──────── definitions, then a packet after each frame in which something changes, numbered
//	look: …, read 64 (every 0.5 s, and every 16 packets)
//	look: …, read 64 ───────────────────────────────────────────────▶ a new viewer: definitions, full state
//
// The subscription drops packets of an older epoch, or of a viewer that the zone has removed. If a
// subscription leaves 64 packets unread, the zone stops sending. When the subscription has read
// them, the zone sends the complete state. A running zone sends at least one packet a second. If a
// subscription has read everything and receives no packet for 2 s, packets were lost. The
// subscription reports the loss, and the zone resumes sending. The zone removes a subscription
// after 3 s of silence.
//
// # Effects outside the game
//
// Effects that must not happen twice in the outside world, such as a payment or a counted kill, are
// saved in the cut together with their event, and issued when the cut is on disk
// (store.Options.Effect, store.Saver.Effects). An effect has the ID of the event, which consists of
// the owner and a number. The numbering continues when the owner moves to another zone. If the zone
// moves to another node before the game has confirmed an effect, the effect is issued again there
// with the same ID, so that the receiver can drop the duplicate.
package cluster
