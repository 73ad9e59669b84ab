package recording

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
)

const (
	magic = "bufftick recording"
	// Attributes are numbered from 1 since version 1, the engine has a number since version 2, and
	// commands have a binary form since version 4.
	version = 5
)

// Op is the kind of a record in a block.
type Op uint8

// The kinds of records. Their values are part of the format.
const (
	Spawn Op = iota + 1
	Despawn
	Drop
	Restore
	Do   // a command, in its binary form
	Func // a timeout with a function: its owner and its delay
	Reload
	Tick // a Tick, with its Inbox commands: Do, Func and Run; the last record of a block
	Run  // a function passed to Inbox.Run, recorded as the calls that it made
	Readmit
)

// Header is the first block: everything that a replay must have in common with the recorded run.
// Limits holds Turn, Tick, Owners, Buffs, Mailbox, Handlers, Inbox and Events of
// engine.Options.Limits, with defaults filled in.
type Header struct {
	Fingerprint uint64 // fingerprint of the catalog
	Seed        uint64
	Limits      [8]int
	Epoch       int64 // Options.Epoch as a Unix time in ms
	Uptime      int64 // Options.Uptime in ns
	Policy      uint8 // Options.CatchUp
	Number      uint32
}

// Code encodes or decodes the header: see the type Code.
func (h *Header) Code(c *Code) {
	m, v := magic, version
	Bytes(c, &m)
	Number(c, &v)
	if c.Reading && (m != magic || v != version) {
		c.Failf("it begins with %.20q, version %d; this engine reads %q, version %d", m, v, magic, version)
		return
	}
	Number(c, &h.Fingerprint)
	Number(c, &h.Seed)
	for i := range h.Limits {
		Number(c, &h.Limits[i])
	}
	Number(c, &h.Epoch)
	Number(c, &h.Uptime)
	Number(c, &h.Policy)
	Number(c, &h.Number)
}

// Wrong returns a description of a value that no engine can have written, or "" if all values are
// possible. The parameter `policies` is the number of catch-up policies.
func (h *Header) Wrong(policies uint8) string {
	most := [...]int{1 << 30, 1 << 30, buff.MaxOwners, buff.MaxPerOwner, 1 << 20, 1 << 24, 1 << 24, 1 << 30}
	for i, n := range h.Limits {
		if n < 1 || n > most[i] {
			return fmt.Sprintf("limit %d of the options is %d, want 1 to %d", i+1, n, most[i])
		}
	}
	switch {
	case h.Uptime < 0:
		return fmt.Sprintf("an uptime of %d", h.Uptime)
	case h.Number == 0:
		return "an engine without a number"
	case h.Policy > policies:
		return fmt.Sprintf("the rule %d of catching up", h.Policy)
	}
	return ""
}
