// Package postgres stores zones in PostgreSQL. It implements [store.Store] for games that consist
// of many processes, and uses pgx. It is a separate module, so that games without a database do
// not depend on pgx.
//
//	s, err := postgres.Open(ctx, "postgres://game@db/world", postgres.Options{})
//
// A commit is one statement and one round trip. A server-side function locks the zone's row,
// checks that the writer's epoch is the current epoch, and applies the batch. So a process that
// has lost its zone without noticing cannot write, however long its statement was delayed. Open
// acquires the zone with a lock on the same row.
//
// Owners are unique in the whole schema, so a late commit cannot move an owner back from another
// zone ([store.ErrElsewhere]).
//
// Whatever the server's defaults are, sessions set synchronous_commit to on, use the isolation
// level read committed, and may write; see [Configure]. So acknowledged cuts are on the server's
// disk. The server may still lose some of them if fsync is off, or if a standby with older data
// takes over. The next commit then returns [store.ErrLost]. A session is closed if its server
// refuses to write ([store.ErrReadOnly]). If the address has several hosts and
// target_session_attrs=read-write, the next session finds the primary. docs/operations.md lists
// the supported PgBouncer modes.
package postgres
