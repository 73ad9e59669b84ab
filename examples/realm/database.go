package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// database is a private PostgreSQL server, which a fault may kill. The server syncs commits to
// disk, as it does by default.
type database struct {
	bin, dir string
	port     int
	as       *syscall.SysProcAttr
	follows  string // for a standby: the connection string of its primary
	cmd      *exec.Cmd
	said     bytes.Buffer // output of initdb and of the server
	ended    chan struct{}
}

// findBinaries returns the directory of PostgreSQL's programs. It searches PATH, and then the
// directory in which Debian installs them.
func findBinaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil { // initdb may be a link; the other programs are next to the real initdb
			path = real
		}
		return filepath.Dir(path), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errors.New("realm: no initdb in PATH or in /usr/lib/postgresql: -chaos postgres needs a private server")
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// openDatabase starts a server in a temporary directory. PostgreSQL refuses to run as root. If this
// process runs as root, the server runs as user postgres.
func openDatabase(ctx context.Context) (_ *database, err error) {
	d := &database{as: childAttr()}
	if d.bin, err = findBinaries(); err != nil {
		return nil, err
	}
	if d.dir, err = os.MkdirTemp("", "realm-postgres"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	if err := d.prepare(); err != nil {
		return nil, err
	}
	out, err := d.command("initdb", "-D", d.data(), "-U", "postgres", "-A", "trust", "--no-locale", "-E", "UTF8").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("realm: initdb: %w: %s", err, bytes.TrimSpace(out))
	}
	return d, d.start(ctx)
}

// openStandby starts a standby that reaches its primary through the given local port.
func openStandby(ctx context.Context, primary *database, via int) (_ *database, err error) {
	d := &database{as: childAttr(), bin: primary.bin, follows: fmt.Sprintf("host=127.0.0.1 port=%d user=postgres", via)}
	if d.dir, err = os.MkdirTemp("", "realm-postgres"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	if err := d.prepare(); err != nil {
		return nil, err
	}
	out, err := d.command("pg_basebackup", "-h", "127.0.0.1", "-p", strconv.Itoa(primary.port), "-U", "postgres", "-D", d.data(), "-R", "-X", "stream", "-c", "fast").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("realm: pg_basebackup: %w: %s", err, bytes.TrimSpace(out))
	}
	return d, d.start(ctx)
}

// prepare selects the user and a free port for the server.
func (d *database) prepare() error {
	if os.Getuid() == 0 {
		if err := d.unprivileged(); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	d.port = l.Addr().(*net.TCPAddr).Port
	return l.Close()
}

// promote makes a standby the primary, without waiting for it to catch up.
func (d *database) promote(ctx context.Context) error {
	_, err := d.ask(ctx, "select pg_promote(true, 60)")
	return err
}

// ask runs a statement and returns the first value of the result as text.
func (d *database) ask(ctx context.Context, statement string) (text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	db, err := pgx.Connect(ctx, d.address())
	if err != nil {
		return "", err
	}
	defer db.Close(ctx)
	err = db.QueryRow(ctx, "select ("+strings.TrimPrefix(statement, "select ")+")::text").Scan(&text)
	return text, err
}

func (d *database) unprivileged() error {
	u, err := user.Lookup("postgres")
	if err != nil {
		return fmt.Errorf("realm: PostgreSQL cannot run as root: %w", err)
	}
	uid, _ := strconv.Atoi(u.Uid) // numeric on Unix
	gid, _ := strconv.Atoi(u.Gid)
	d.as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(d.dir, uid, gid)
}

func (d *database) data() string { return filepath.Join(d.dir, "data") }

func (d *database) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(d.bin, program), args...)
	cmd.Dir, cmd.SysProcAttr = d.dir, d.as
	return cmd
}

func (d *database) address() string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", d.port)
}

// start starts the server and returns when it accepts connections.
func (d *database) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		d.said.Reset()
		args := []string{"-D", d.data(), "-p", strconv.Itoa(d.port), "-k", d.dir, "-c", "listen_addresses=127.0.0.1", "-c", "wal_keep_size=256MB"}
		if d.follows != "" {
			args = append(args, "-c", "primary_conninfo="+d.follows)
		}
		d.cmd = d.command("postgres", args...)
		d.cmd.Stdout, d.cmd.Stderr = &d.said, &d.said
		if err := d.cmd.Start(); err != nil {
			return err
		}
		cmd, ended := d.cmd, make(chan struct{})
		d.ended = ended
		go func() {
			_ = cmd.Wait()
			close(ended)
		}()
		if d.ready(ctx) {
			return nil
		}
		d.kill() // a process of the previous server may still hold the data directory
		if !pause(ctx, 100*time.Millisecond) {
			return fmt.Errorf("realm: starting PostgreSQL: %s", bytes.TrimSpace(d.said.Bytes()))
		}
	}
}

// ready waits until the server accepts connections. It returns false if the server ends instead.
func (d *database) ready(ctx context.Context) bool {
	for pause(ctx, 20*time.Millisecond) {
		select {
		case <-d.ended:
			return false
		default:
		}
		if db, err := pgx.Connect(ctx, d.address()); err == nil {
			return db.Close(ctx) == nil
		}
	}
	return false
}

// kill ends the server and its processes. The effect is that of a power failure, except that the
// page cache survives.
func (d *database) kill() {
	pid := d.cmd.Process.Pid
	// Without the list of children in /proc, the children end when they notice the end of the
	// server.
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for _, child := range strings.Fields(string(children)) {
		if pid, err := strconv.Atoi(child); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	<-d.ended
}

// close ends the server and removes its directory.
func (d *database) close() error {
	if d.cmd != nil && d.cmd.Process != nil {
		d.kill()
	}
	return os.RemoveAll(d.dir)
}
