// Package client decodes the packets of package replicate. It holds a player's view of the buffs
// of the owners around it. Use it for clients in Go and for tests. To write a client in another
// language, use it as a model, together with docs/protocol.md. It has no clock and starts no
// goroutines.
//
//	c := client.New(client.Options{})
//	err := c.Receive(packet)
//	if errors.Is(err, client.ErrGap) {
//		send(c.Missed()) // a packet was lost: request the missing state
//	}
//	for o := range c.Owners() {
//		for _, b := range o.Buffs() { bar(b, b.Left(now)) }
//	}
//
// The client does not trust the server. A malformed packet causes an error, and [Options] bounds
// the client's memory.
package client
