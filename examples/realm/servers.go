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

// servers are PostgreSQL, the machine's own or this world's, and NATS, in this process.
type servers struct {
	own    *database       // PostgreSQL, if it is this world's
	base   sync.Mutex      // held by a fault of own, or of what follows
	second *database       // a standby of own; nil: there is none
	chain  *proxy          // its way to own
	config *pgx.ConnConfig // of PostgreSQL
	schema string          // this world's, dropped in the end
	nats   *server.Server
	port   int // of NATS, the same when it is started again
}

// findPostgres connects to the PostgreSQL of an address or, if that is empty, of BUFFTICK_POSTGRES, of the machine's
// loopback, or of its socket.
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
	return nil, fmt.Errorf("realm: no PostgreSQL (-postgres or BUFFTICK_POSTGRES says where one is): %w", all)
}

// openServers connects to PostgreSQL, or makes one of this world's own, and starts NATS.
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

// follow makes a standby of this world's PostgreSQL.
func (s *servers) follow(ctx context.Context) (err error) {
	if s.chain, err = newProxy("127.0.0.1", fmt.Sprintf("127.0.0.1:%d", s.own.port)); err != nil {
		return err
	}
	s.second, err = openStandby(ctx, s.own, s.chain.listener.Addr().(*net.TCPAddr).Port)
	return err
}

// caughtUp waits until the standby has all that the primary has written by now.
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
			return errors.New("realm: the standby does not follow within 30 s")
		}
	}
	return err
}

// takeOver has the standby take over as it is, when it has been behind for a while: the primary is killed, and what it had written meanwhile is
// gone. seats are led to the new primary when between has looked at it.
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
		return errors.New("realm: NATS is not ready within 10 s")
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

// address is that of PostgreSQL now.
func (s *servers) address() string {
	if s.own != nil {
		return s.own.address()
	}
	return s.config.ConnString()
}

// postgresTarget is where proxies reach PostgreSQL.
func (s *servers) postgresTarget() string {
	if s.config.Host[0] == '/' {
		return filepath.Join(s.config.Host, fmt.Sprintf(".s.PGSQL.%d", s.config.Port))
	}
	return fmt.Sprintf("%s:%d", s.config.Host, s.config.Port)
}

// postgresVia is the address of PostgreSQL by way of another.
func (s *servers) postgresVia(address string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(s.config.User, s.config.Password),
		Host: address, Path: s.config.Database, RawQuery: "sslmode=disable&connect_timeout=5",
	}
	return u.String()
}

// close drops the schema, or the whole of PostgreSQL if it is this world's, and ends NATS.
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
