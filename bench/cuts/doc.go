// Package cuts measures by how much the frames of a game become longer while the world is saved. It
// compares a game without saving, a game that saves cuts of package store in a file of store/bolt,
// and a game that simply copies all owners in one frame.
package cuts
