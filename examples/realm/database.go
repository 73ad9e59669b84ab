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

// database is a PostgreSQL of this world's own, which may be killed; the machine's may not. It syncs what it
// has committed, as is the default.
type database struct {
	bin, dir string
	port     int
	as       *syscall.SysProcAttr
	follows  string // for a standby: how it reaches its primary
	cmd      *exec.Cmd
	said     bytes.Buffer // by initdb, and by the server
	ended    chan struct{}
}

// findBinaries returns the folder of PostgreSQL's programs: of the path, or of Debian.
func findBinaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil { // the others are beside the real one
			path = real
		}
		return filepath.Dir(path), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errors.New("realm: no initdb in the path or in /usr/lib/postgresql: -chaos postgres wants a server of its own")
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// openDatabase makes one in a folder for temporary files. The server refuses to run as root, and is then the user
// postgres's.
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

// openStandby makes one that follows a primary, by way of a port of this machine.
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

// prepare finds a user and a free port.
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

// promote makes a standby the primary, as it is.
func (d *database) promote(ctx context.Context) error {
	_, err := d.ask(ctx, "select pg_promote(true, 60)")
	return err
}

// ask returns the first value of the answer to a statement, as text.
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
		return fmt.Errorf("realm: PostgreSQL does not run as root: %w", err)
	}
	uid, _ := strconv.Atoi(u.Uid) // a user has numbers here
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

// start starts the server, and returns when it has recovered.
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
		d.kill() // a process of the one before may still have been there
		if !pause(ctx, 100*time.Millisecond) {
			return fmt.Errorf("realm: PostgreSQL does not start: %s", bytes.TrimSpace(d.said.Bytes()))
		}
	}
}

// ready waits until the server answers: false if it has ended.
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

// kill ends the server and its processes as a power switch does, but for the page cache.
func (d *database) kill() {
	pid := d.cmd.Process.Pid
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid)) // where there are none they see by themselves that they are alone
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for _, child := range strings.Fields(string(children)) {
		if pid, err := strconv.Atoi(child); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	<-d.ended
}

// close ends the server and removes all that it had.
func (d *database) close() error {
	if d.cmd != nil && d.cmd.Process != nil {
		d.kill()
	}
	return os.RemoveAll(d.dir)
}
