// Package journal records which buffs of one owner have changed, and how. An owner of an engine
// writes a Journal. Code that displays buffs, to a client or on a page, reads and empties the
// Journal, and so need not compare the present state with an earlier state. For all owners of an
// engine, use engine.Changes.
package journal
