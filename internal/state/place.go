package state

// BlobMoment returns the calendar time and the uptime, in ms, at which the engine made the blob. It
// verifies the checksum of the blob, but does not read or check any other field. It fails with
// [Err].
func BlobMoment(blob []byte) (wall, uptime int64, err error) {
	o, err := DecodePlace(blob)
	return o.Wall, o.Uptime, err
}

// BlobZone returns the zone that the owner was in when the engine made the blob. It verifies the
// checksum of the blob, but does not read or check any other field. It fails with [Err].
func BlobZone(blob []byte) (zone uint32, err error) {
	o, err := DecodePlace(blob)
	return o.Zone, err
}
