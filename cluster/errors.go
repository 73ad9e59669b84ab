package cluster

import (
	"errors"
	"fmt"
)

// Errors of a node.
var (
	// ErrName means that another node with this name is alive, or was alive within the last TTL.
	ErrName = errors.New("cluster: another node has this name")

	// ErrFuture means that the tables were created by a later version of this library. Nothing
	// has been changed; update the program.
	ErrFuture = errors.New("cluster: the tables were created by a later version")

	// ErrClosed means that the node or the client has been closed.
	ErrClosed = errors.New("cluster: closed")

	// ErrOptions means that the Options are invalid.
	ErrOptions = errors.New("cluster: bad options")

	// ErrWorld means that nodes of another database use this Prefix.
	ErrWorld = errors.New("cluster: another world uses this prefix")

	// ErrUnsaved means that zones were stopped before all their changes were on disk. The error
	// names the zones. Commands that were acknowledged as Durable are on disk.
	ErrUnsaved = errors.New("cluster: zones could not be saved")
)

// Errors of a command.
var (
	// ErrZone means that no node has been configured with a zone of that name.
	ErrZone = errors.New("cluster: no such zone")

	// ErrOwner means that, on disk, the owner is neither in a zone nor in transit to one.
	ErrOwner = errors.New("cluster: no zone has the owner")

	// ErrOverloaded means that too many commands of this client are pending. The command was not
	// sent.
	ErrOverloaded = errors.New("cluster: too many pending commands")

	// ErrTooLarge means that the command exceeds the maximum size of a NATS message. It was not
	// sent.
	ErrTooLarge = errors.New("cluster: the command is too large")

	// ErrLost means that the database of a zone has gone back to an earlier state. Changes since
	// that state are lost, even if the zone had acknowledged them. The game continues from the
	// present state of the database.
	ErrLost = errors.New("cluster: the database has lost commits, and acknowledged commands are lost")

	// ErrUnknown means that it is unknown whether the command was executed. Either ctx ended while
	// the command was in flight, or the zone has since executed so many other commands that it no
	// longer keeps the id of this command (see store.Options.Window).
	ErrUnknown = errors.New("cluster: the outcome of the command is unknown")

	// ErrShare means that, when ctx ended, the zone already had the maximum number of waiting
	// commands of this client; see Options.Waiting.
	ErrShare = errors.New("cluster: too many commands of this client are waiting in the zone")

	// ErrNoOwner means that ctx ended while no node was running the zone. The command was not
	// sent.
	ErrNoOwner = errors.New("cluster: no node runs the zone")

	// ErrRefused means that the zone rejected the command and will never execute it: either the
	// rules denied it, or the node cannot decode it because its catalog lacks a buff that the
	// command names.
	ErrRefused = errors.New("cluster: refused")
)

func nameError(name string) error { return fmt.Errorf("%w: %q", ErrName, name) }
