// Package cuts measures what the frames of a game pay for being saved: none, by cuts of package
// store in a file of store/bolt, and as one would do it without, all owners in one frame.
package cuts
