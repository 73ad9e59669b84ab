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
// A session has synchronous_commit on, reads what others have committed, and may write, whatever the defaults of the server are: see
// [Configure]. So what is acknowledged is on the server's disk. That is for the server to keep: with fsync off, or a standby that is
// behind and takes over, it does not. The next commit then fails with [store.ErrLost]. A session whose server refuses to write
// is closed ([store.ErrReadOnly]); with several hosts in the address and target_session_attrs=read-write the next one finds the primary.
// docs/operations.md says which modes of PgBouncer work.
package postgres
