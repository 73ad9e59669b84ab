package cluster

import (
	"errors"
	"fmt"
)

// Errors of a node.
var (
	// ErrName: another node with this name is alive, or has been within the last TTL.
	ErrName = errors.New("cluster: another node has this name")

	// ErrFuture: a later version of this library has made the tables. Update the program; nothing has
	// been changed.
	ErrFuture = errors.New("cluster: the tables are of a later version")

	// ErrClosed: the node, or the client, has been closed.
	ErrClosed = errors.New("cluster: closed")

	// ErrOptions: the Options cannot be meant.
	ErrOptions = errors.New("cluster: bad options")

	// ErrWorld: the nodes of another database answer to this Prefix.
	ErrWorld = errors.New("cluster: another world has this prefix")

	// ErrUnsaved: zones were stopped before all of them was on disk. The error names them. What had been acknowledged as durable is there.
	ErrUnsaved = errors.New("cluster: zones could not be saved")
)

// Errors of a command.
var (
	// ErrZone: no node has been told of a zone of that name.
	ErrZone = errors.New("cluster: no such zone")

	// ErrOwner: no zone has an owner of that id on disk.
	ErrOwner = errors.New("cluster: no zone has the owner")

	// ErrOverloaded: too many commands of this client are under way. This one was not sent.
	ErrOverloaded = errors.New("cluster: too many commands under way")

	// ErrTooLarge: a command is larger than a message of NATS may be. It was not sent.
	ErrTooLarge = errors.New("cluster: the command is too large")

	// ErrLost: the database of a zone has gone back, and with it what the zone had acknowledged since. The game goes on with what there
	// is now.
	ErrLost = errors.New("cluster: the database has gone back, and acknowledged commands are lost")

	// ErrUnknown: nobody knows whether the command was done. Either ctx has ended while it was on its
	// way, or the zone has done a whole window of others since it was first sent.
	ErrUnknown = errors.New("cluster: nobody knows what became of the command")

	// ErrShare: the zone had as much of this client waiting as it lets one have, when ctx ended: see Options.Waiting.
	ErrShare = errors.New("cluster: the zone has too many commands of this client waiting")

	// ErrNoOwner: ctx has ended, and no node had the zone. The command was not sent.
	ErrNoOwner = errors.New("cluster: nobody plays the zone")

	// ErrRefused: the zone has refused the command, and never will do it: the rules have, or it cannot
	// be read there, because it names a buff that the node's catalog has not.
	ErrRefused = errors.New("cluster: refused")
)

func nameError(name string) error { return fmt.Errorf("%w: %q", ErrName, name) }
