package recording

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
)

const (
	magic = "bufftick recording"
	// Since version 1 attributes count from 1, since 2 the engine has a number, since 4 commands have
	// their own binary form.
	version = 5
)

// Op says what a record of a block is.
type Op uint8

// The records. Their numbers are those of the files.
const (
	Spawn Op = iota + 1
	Despawn
	Drop
	Restore
	Do   // a command, in its binary form
	Func // a timeout by function: whose, and after what
	Reload
	Tick // the last of a block, with what the inbox had: Do, Func and Run
	Run  // a function of Inbox.Run, as the calls that it made
	Readmit
)

// Header is the first block: what must be the same for the same things to happen. Limits are
// Turn, Tick, Owners, Buffs, Mailbox, Handlers, Inbox and Events of the Limits of
// engine.Options, once the defaults have been filled in.
type Header struct {
	Fingerprint uint64 // of the catalog
	Seed        uint64
	Limits      [8]int
	Epoch       int64 // ms of the calendar
	Uptime      int64 // ns
	Policy      uint8 // of catching up
	Number      uint32
}

// Code codes the header.
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

// Wrong returns what no engine can have written, "" if there is nothing. Policies are counted from 0,
// up to policies.
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
