package policy

// Place is where the database has an owner.
type Place struct {
	Zone     string // "": no zone has it
	Arriving bool   // it is on its way into that zone
}

// Away decides what becomes of a command that was never done, and whose owner its zone has not. leaves: it has been
// moved out, and that is not on disk, so that a crash brings it back. at is where the database has the owner, or
// nil if it has not been asked yet: then ask is true, and the code is of no account.
//
// Moved is said only of what is on disk, and an owner that is on its way is waited for: so a command is
// told to go where its owner is, or will be.
func Away(zone string, leaves bool, at *Place) (code Code, ask bool) {
	switch {
	case leaves:
		return Busy, false
	case at == nil:
		return 0, true
	case at.Zone == zone && at.Arriving:
		return Busy, false
	case at.Zone == zone || at.Zone == "": // a logout is not on disk yet, or there is no such owner
		return Refused, false
	}
	return Moved, false
}
