// Package client reads what package replicate writes: it is what a player's machine knows of the
// buffs of the owners in view. It is for clients in Go, for tests, and to be read by who writes one in
// another language, with docs/protocol.md. It has no clock and no goroutine.
//
//	c := client.New(client.Options{})
//	err := c.Receive(packet)
//	if errors.Is(err, client.ErrGap) {
//		send(c.Missed()) // something was lost: the server makes it good
//	}
//	for o := range c.Owners() {
//		for _, b := range o.Buffs() { bar(b, b.Left(now)) }
//	}
//
// It takes packets from a server that it does not trust: what is not a packet is an error, and memory
// is bounded by [Options].
package client
