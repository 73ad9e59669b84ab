// Package policy makes the decisions of the cluster: which zones a node runs, whether a zone
// executes a command, and when a sender retries a command. It has no goroutines, clocks or
// sockets. Time is an argument, actions are returned as values, and the caller reports their
// results with method calls. So the simulation (internal/sim) and the real cluster run the same
// code.
//
//	Node    which zones to claim, renew, drain, release and stop
//	Window  whether a command was executed before, or may have been
//	Away    the reply to a command for an owner in another zone
//	Acks    replies that wait for a commit
//	Share   how many places of a queue each sender may use
//	Sender  pending commands and their retries
//	Screen  which packets a zone sends to a subscription
//	Watch   which packets a subscription accepts
//
// A zone owner is the node that has the lease of a zone. A life of a zone lasts from one load to
// its end, see Greeted. A loss means that the database has gone back to an earlier state, see Loss.
//
// Values of these types must not be used by several goroutines at the same time.
package policy

import "time"

// Time is a reading of a node's monotonic clock. Its zero is arbitrary, so the times of two nodes
// cannot be compared.
type Time = time.Duration
