// Package postgres keeps zones in PostgreSQL: a [store.Store] for games of many processes, with
// pgx. It is a module of its own, so that who does not want a database does not link one.
//
//	s, err := postgres.Open(ctx, "postgres://game@db/world", postgres.Options{})
//
// A commit is one statement, and one way to the server and back: a function there sees that the
// epoch of the zone is that of the writer, while it holds the zone's row, and writes all of the
// batch. So a process that has lost its zone, and does not know it, writes nothing, however long
// its statement has been on its way. Open takes the zone by the same row.
//
// Owners are unique in the whole schema: an owner that is in another zone is not dragged back
// by a late commit ([store.ErrElsewhere]).
//
// The session has synchronous_commit on, whatever the server's default is: what is acknowledged
// is on the server's disk. That is for the server to keep: with fsync off, or a replica that lags
// and is made the primary, it is not. The next commit then says [store.ErrLost].
package postgres
