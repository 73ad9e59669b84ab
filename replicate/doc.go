// Package replicate shows buffs on players' screens. It encodes packets with which a game client
// displays the buffs of the owners in its view. It opens no sockets, so the game must transport
// the packets. Package client decodes them. To write a client in another language, see
// docs/protocol.md.
//
//	server := replicate.New(eng, replicate.Options{})
//	viewer, err := server.Join(7) // the viewer plays owner 7
//	err = viewer.See(9)           // owner 9 enters the view; SeeParty is for the viewer's party
//	...
//	eng.Tick(dt)
//	server.Update()                  // encodes each change once
//	packet := viewer.Append(buf[:0]) // for each viewer whose connection can accept a packet
//	...
//	err = viewer.Receive(message) // a message from the viewer's client
//
// # What is sent
//
// A packet contains the state of a buff and the time when it ends, not its remaining time. So no
// packet is needed when time passes or when a pulse has no other effect. The state includes the
// rate of the buff's time and the reasons why it is paused, so that the client can adjust its
// countdown. Changes come from [engine.Changes], which also covers changes that emit no event.
// Owners without changes are not visited.
//
// The changes of an owner in a frame are encoded once. Each viewer that sees the owner gets a copy
// of the encoded changes, or of the part that it may see. The sync field of the definition decides
// which viewers may see a buff:
//
//	all      every viewer that sees the owner
//	owner    only viewers that play the owner
//	party    viewers that play the owner or see it as a party member
//	source   only viewers that play the source of the buff
//	none     no viewer
//
// A viewer's packets do not contain buffs that the viewer must not see, and no packet is sent for a
// change that affects only these buffs. Slot numbers are not hidden, so a client can use the gaps
// to count the buffs that it does not see.
//
// The first packet with a buff also contains its definition: the id, name, icon and other facts
// that a client displays. After a reload, the definitions that have changed are sent again.
//
// [Options.Attributes] adds attributes of owners, such as health, mana or speed, each for all
// viewers, the party or the owner. A value is sent when it has changed, once in a frame.
//
// # Lost packets
//
// The packets of a viewer are numbered, and each packet contains the number of the packet that it
// follows. A client that has missed a packet reports the number of the last packet that it
// received. For each owner, the server knows the last packet that contained data about it. It
// sends the full state of the owners for which this packet is later than the reported packet, and
// of no other owners. A new connection works the same way: pass the client's first message to
// [Viewer.Receive], or call [Server.Join] again.
//
// The queue for a slow client is bounded. When it exceeds [Options.Pending] bytes, the queued
// changes are dropped. When the client next accepts a packet, it gets the full current state of
// the affected owners.
//
// # Cost
//
// An Update costs O(changed buffs), plus 8 bytes for each viewer of a changed owner. Append copies
// the changes directly into the packet. If a viewer takes no packet between two Updates, its
// changes are copied again. No call allocates once the buffers have grown to their working size.
// All methods must be called by the goroutine that calls Tick.
package replicate
