// Package cuts measures what saving costs the frames of a game: without saving, with cuts of
// package store in a file of store/bolt, and with a simple copy of all owners in one frame.
package cuts
