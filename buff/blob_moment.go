package buff

// BlobMoment returns the time of the calendar and the uptime, in ms, that [Set.Save] was given for
// a blob. It fails with [ErrBlob]; of what else is in the blob it looks at the check only.
func BlobMoment(blob []byte) (wall, uptime int64, err error) {
	r := &reader{b: blob}
	r.format = r.open()
	wall, uptime = r.int(), r.int()
	return wall, uptime, r.err
}
