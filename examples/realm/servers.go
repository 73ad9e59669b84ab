package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats-server/v2/server"
)

// servers are PostgreSQL, the machine's own or this world's, and NATS, in this process.
type servers struct {
	own    *database       // PostgreSQL, if it is this world's
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
func openServers(ctx context.Context, address string, own bool) (_ *servers, err error) {
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
	return s, s.startNATS()
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
