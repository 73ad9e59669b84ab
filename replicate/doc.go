// Package replicate shows buffs on players' screens. It encodes the bytes that a game client
// needs to display the buffs of the owners in its view. It opens no sockets: the game transports
// the packets. Package client decodes them. To write a client in another language, see
// docs/protocol.md.
//
//	server := replicate.New(eng, replicate.Options{})
//	viewer, err := server.Join(7) // the viewer plays owner 7
//	err = viewer.See(9, false)    // owner 9 enters its view and is not in its party
//	...
//	eng.Tick(dt)
//	server.Update()                  // encodes each change once
//	packet := viewer.Append(buf[:0]) // for each viewer whose connection can accept a packet
//	...
//	err = viewer.Receive(message) // a message that its client sent back
//
// # What is sent
//
// Packets carry the state of a buff and the time when it ends, not its remaining time. So neither
// passing time nor pulses cost any bytes. The state includes the reasons why a buff is paused and
// its rate, so that the client can stop its countdown. Changes come from [engine.Changes], which
// also covers changes that emit no event. Owners without changes are not visited.
//
// The changes of an owner in a frame are encoded once. Each viewer that sees the owner gets a
// copy of those bytes, or of the part that it may see. The sync field of the definition decides
// which viewers may see a buff:
//
//	all      every viewer that sees the owner
//	owner    only viewers that play the owner
//	party    the same, and viewers that see the owner as a party member
//	source   only viewers that play the source of the buff
//	none     no viewer
//
// Buffs that a viewer may not see are not in a viewer's bytes, and a change that affects only such
// buffs sends nothing. But slot numbers are not hidden: from the gaps, a client can count the
// buffs that it does not see.
//
// # Lost packets
//
// The packets of a viewer are numbered, and each packet contains the number of the packet that it
// follows. The number of the last packet with data about an owner is that owner's sequence. A
// client that has missed a packet reports the last one that it received. The server then sends the
// full state of the owners with a higher sequence, and no other owners. A new connection works the
// same way: pass the client's first message to [Viewer.Receive], or call [Server.Join] again.
//
// No queue builds up for a slow client. At [Options.Pending] bytes the queued changes are
// dropped, and the affected owners are sent in full, in their current state, when the client
// next accepts a packet.
//
// # Cost
//
// An Update costs O(changed buffs), and 8 bytes for each view of a changed owner. Append copies
// the changes straight into the packet. A viewer that takes no packet between two Updates costs
// one more copy. Nothing allocates once the buffers have grown to their working size. All
// methods must be called by the goroutine that calls Tick.
package replicate
