// Package policy decides: what a node does about its zones, what a zone does about commands that come
// twice, and what a sender does until it knows what came of one. It is pure: time is an argument, what
// is to be done is a list of values, what came of it is told by a call. There is no goroutine, clock or
// socket in it, so that the simulation (internal/sim) and the real cluster run the same code.
//
//	Node    which zones to claim, renew, drain, release, and when to stop one
//	Window  which commands have been done, and from where on nobody knows
//	Away    what becomes of a command for an owner that is not there
//	Acks    replies that wait for the end of a commit
//	Sender  commands on their way, with their retries
//
// None of these may be used by two goroutines at once.
package policy

import "time"

// Time is a node's own clock, which only goes forward, from any start. Two nodes' have nothing to do
// with one another, and neither has a calendar's.
type Time = time.Duration
