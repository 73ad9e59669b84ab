package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats-server/v2/server"
)

// servers holds the PostgreSQL server, which is an existing server or a private server, and the
// NATS server, which runs in this process.
type servers struct {
	own    *database       // private PostgreSQL; nil if an existing server is used
	base   sync.Mutex      // held by a fault while it uses "own", "second" or "chain"
	second *database       // standby of "own"; nil if there is none
	chain  *proxy          // proxy through which the standby reaches the private PostgreSQL
	config *pgx.ConnConfig // how to connect to PostgreSQL
	schema string          // schema of this run, dropped by the method "close"
	nats   *server.Server
	port   int // port of NATS, kept across restarts
}

// findPostgres connects to PostgreSQL at the given address. If the address is empty, it uses the
// environment variable BUFFTICK_POSTGRES. If the variable is also empty, it tries the loopback
// address and the Unix socket.
func findPostgres(ctx context.Context, address string) (*pgx.Conn, error) {
	tried := []string{address}
	if env := os.Getenv("BUFFTICK_POSTGRES"); address == "" && env != "" {
		tried = []string{env}
	} else if address == "" {
		tried = []string{"postgres://postgres@127.0.0.1:5432/test?sslmode=disable", "host=/var/run/postgresql user=postgres dbname=test"}
	}
	var all error
	for _, a := range tried {
		wait, cancel := context.WithTimeout(ctx, 5*time.Second)
		c, err := pgx.Connect(wait, a)
		cancel()
		if err == nil {
			return c, nil
		}
		all = errors.Join(all, err)
	}
	return nil, fmt.Errorf("realm: no PostgreSQL found; set -postgres or BUFFTICK_POSTGRES: %w", all)
}

// openServers starts NATS, and connects to an existing PostgreSQL server or starts a private one.
func openServers(ctx context.Context, address string, own, standby bool) (_ *servers, err error) {
	s := &servers{schema: fmt.Sprintf("realm_%d_%d", os.Getpid(), time.Now().Unix()), port: server.RANDOM_PORT}
	if own {
		if s.own, err = openDatabase(ctx); err != nil {
			return nil, err
		}
		address = s.own.address()
		defer func() {
			if err != nil {
				err = errors.Join(err, s.own.close())
			}
		}()
	}
	db, err := findPostgres(ctx, address)
	if err != nil {
		return nil, err
	}
	defer db.Close(ctx)
	s.config = db.Config()
	if standby {
		if err := s.follow(ctx); err != nil {
			return nil, err
		}
	}
	return s, s.startNATS()
}

// follow starts a standby of the private PostgreSQL server.
func (s *servers) follow(ctx context.Context) (err error) {
	if s.chain, err = newProxy("127.0.0.1", fmt.Sprintf("127.0.0.1:%d", s.own.port)); err != nil {
		return err
	}
	s.second, err = openStandby(ctx, s.own, s.chain.listener.Addr().(*net.TCPAddr).Port)
	return err
}

// caughtUp waits until the standby has replayed everything that the primary has written so far.
func (s *servers) caughtUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	at, err := s.own.ask(ctx, "select pg_current_wal_flush_lsn()")
	for err == nil {
		var has string
		if has, err = s.second.ask(ctx, "select coalesce(pg_last_wal_replay_lsn() >= '"+at+"', false)"); err == nil && has == "true" {
			return nil
		}
		if !pause(ctx, 20*time.Millisecond) {
			return errors.New("realm: the standby did not catch up within 30 s")
		}
	}
	return err
}

// takeOver makes the standby the primary. First it waits until the standby has all commits, and
// then stops the replication. After the duration "behind", it kills the primary, so the commits of
// this duration are lost. It calls "quiet" and promotes the standby. Then it calls "between" with
// the address of the new primary, and "lead" with the address to which the nodes must connect.
// Finally it starts another standby.
func (s *servers) takeOver(ctx context.Context, behind time.Duration, quiet func(), between func(address string) error, lead func(to string)) error {
	if err := s.caughtUp(ctx); err != nil {
		return err
	}
	s.chain.cut(time.Hour)
	pause(ctx, behind)
	s.own.kill()
	quiet()
	if err := s.second.promote(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	old := s.own
	s.own, s.second = s.second, nil
	s.own.follows = ""
	s.chain.close()
	s.config.Port = uint16(s.own.port)
	if err := between(s.own.address()); err != nil {
		return err
	}
	lead(s.postgresTarget())
	if err := old.close(); err != nil {
		return err
	}
	return s.follow(context.WithoutCancel(ctx))
}

func (s *servers) startNATS() error {
	n, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: s.port, NoLog: true, NoSigs: true})
	if err != nil {
		return fmt.Errorf("realm: NATS: %w", err)
	}
	n.Start()
	if !n.ReadyForConnections(10 * time.Second) {
		return errors.New("realm: NATS was not ready within 10 s")
	}
	u, err := url.Parse(n.ClientURL())
	if err != nil {
		return err
	}
	s.nats = n
	s.port, err = strconv.Atoi(u.Port())
	return err
}

func (s *servers) stopNATS() {
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
}

// address returns the current address of PostgreSQL.
func (s *servers) address() string {
	if s.own != nil {
		return s.own.address()
	}
	return s.config.ConnString()
}

// postgresTarget returns the address at which proxies reach PostgreSQL.
func (s *servers) postgresTarget() string {
	if s.config.Host[0] == '/' {
		return filepath.Join(s.config.Host, fmt.Sprintf(".s.PGSQL.%d", s.config.Port))
	}
	return fmt.Sprintf("%s:%d", s.config.Host, s.config.Port)
}

// postgresVia returns the connection string for PostgreSQL through a proxy at address.
func (s *servers) postgresVia(address string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(s.config.User, s.config.Password),
		Host: address, Path: s.config.Database, RawQuery: "sslmode=disable&connect_timeout=5",
	}
	return u.String()
}

// close stops NATS. It drops the schema of an existing PostgreSQL server, or stops a private
// server.
func (s *servers) close() error {
	s.stopNATS()
	if s.second != nil {
		s.chain.close()
		if err := s.second.close(); err != nil {
			return err
		}
	}
	if s.own != nil {
		return s.own.close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	db, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return err
	}
	defer db.Close(ctx)
	_, err = db.Exec(ctx, "drop schema if exists "+s.schema+" cascade")
	return err
}
