// Package policy makes the decisions of the cluster: which zones a node runs, whether a zone
// executes a command, and when a sender retries one. It has no goroutines, clocks or sockets: time
// is an argument, actions are returned as values, and their results are reported by method calls.
// So the simulation (internal/sim) and the real cluster run the same code.
//
//	Node    which zones to claim, renew, drain, release and stop
//	Window  whether a command was executed before, or may have been
//	Away    the reply to a command for an owner in another zone
//	Acks    replies that wait for a commit
//	Share   how much of a queue each sender may use
//	Sender  pending commands and their retries
//	Screen  the packets from a zone to a subscription; Watch is the side of the subscription
//
// Values of these types must not be used by several goroutines at the same time.
package policy

import "time"

// Time is a reading of a node's monotonic clock. Its zero is arbitrary, so the times of two nodes
// cannot be compared.
type Time = time.Duration
