package state

// BlobMoment returns the calendar time and the uptime, in ms, that the engine had when it made the blob. It
// fails with [Err]. Except for these values it verifies only the checksum of the blob.
func BlobMoment(blob []byte) (wall, uptime int64, err error) {
	o, err := DecodePlace(blob)
	return o.Wall, o.Uptime, err
}

// BlobZone returns the zone that the owner was in when the engine made the blob. It fails with [Err].
// Except for this value it verifies only the checksum of the blob.
func BlobZone(blob []byte) (zone uint32, err error) {
	o, err := DecodePlace(blob)
	return o.Zone, err
}
