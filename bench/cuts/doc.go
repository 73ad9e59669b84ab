// Package cuts measures how much saving the world slows down the frames of a game. It compares a
// game without saving, a game that saves cuts of package store in a file of store/bolt, and a game
// that simply copies all owners in one frame.
package cuts
