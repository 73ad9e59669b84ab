// Package journal is the note of what has changed of the buffs of one owner: in which slots, and in what. A buff.Set
// writes it, and whoever shows buffs, to a client or on a page, reads it and empties it, so that it need
// not compare what is with what was. Of all owners of an engine it is engine.Changes.
package journal
