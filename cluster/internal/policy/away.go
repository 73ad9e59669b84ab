package policy

// Place is the location of an owner according to the database.
type Place struct {
	Zone     string // "" if the owner is in no zone
	Arriving bool   // the owner is in transit to Zone
}

// Away decides the reply to a new command whose owner is not in the zone. If "leaves" is true, the
// owner has left the zone, but its departure is not on disk yet, so a crash would undo it. The
// parameter "at" is the location of the owner in the database, or nil if the database was not
// queried. If the result "ask" is true, Away needs the location and must be called again with it.
//
// The code is Moved only if the move is on disk, and Busy while the owner is in transit to this
// zone. So a command is redirected only to a zone that contains its owner or will
// contain it.
func Away(zone string, leaves bool, at *Place) (code Code, ask bool) {
	switch {
	case leaves:
		return Busy, false
	case at == nil:
		return 0, true
	case at.Zone == zone && at.Arriving:
		return Busy, false
	case at.Zone == zone || at.Zone == "": // the owner is unknown, or its removal from the zone is not on disk yet
		return Refused, false
	}
	return Moved, false
}
