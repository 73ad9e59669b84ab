// Package replicate shows buffs on the screens of players: it writes the bytes that a client needs
// to know what the owners in its view carry. It opens no socket; how bytes travel is the game's.
// Package client reads them; docs/protocol.md is for those who write a client in another language.
//
//	server := replicate.New(eng, replicate.Options{})
//	viewer, err := server.Join(7)             // who looks: what is the owner's own is shown to it
//	err = viewer.See(9, false)                // 9 comes into its view, and is not of its party
//	...
//	eng.Tick(dt)
//	server.Update()                           // what has changed is encoded, once
//	packet := viewer.Append(buf[:0])          // for each viewer whose connection has room
//	...
//	err = viewer.Receive(message)             // what its client has sent back
//
// # What is sent
//
// The state of a buff, and when it ends: not what it has left. One that runs down costs no bytes,
// and neither do its pulses. What holds its time, and its rate, are part of the state, so that a
// client's ring stands still when it must. What has changed comes from [engine.Changes], also
// what no event tells; owners in whom nothing has changed are not looked at.
//
// What has changed of an owner in a frame is encoded once. Each viewer that sees the owner gets a
// copy of those bytes: of all of them, if all may be seen by everybody, or of some. The sync of the
// definition says who may see a buff:
//
//	all      all who see its owner
//	owner    the viewer whose owner it is
//	party    that one, and those who see the owner as one of their party
//	source   the viewer whose owner has applied it
//	none     nobody
//
// What a viewer must not see is not in its bytes, and nothing is sent where only such things have
// changed. The place of a buff among those of its owner is: gaps let a client count what it does
// not see.
//
// # What gets lost
//
// Packets of a viewer are numbered, and each says behind which one it comes. The number of the
// packet that last told of an owner is that owner's sequence. A client that has missed one says
// which it had last; the server knows whose sequence is higher, and sends the full state of those,
// and of no others. A new connection is the same from the beginning: [Viewer.Receive] of the
// client's first message, or [Server.Join] again.
//
// Nothing queues up for a client that is slow. What it has not taken is dropped at
// [Options.Pending] bytes, and the owners that it was about come as a whole, as they are
// when it next takes a packet.
//
// # Cost
//
// An Update costs O(buffs that have changed) and 8 bytes for each view of an owner in whom
// something has; Append copies what has changed straight into the packet. A viewer for whom no
// packet is taken between two Updates costs one copy more. Nothing allocates once the lists are as long as they need to be. All methods
// are for the goroutine that calls Tick.
package replicate
