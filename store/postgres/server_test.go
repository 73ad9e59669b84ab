//go:build linux

package postgres

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/store"
)

// server is a private PostgreSQL server that tests may kill.
type server struct {
	t    *testing.T
	dir  string
	bin  string
	port int
	as   *syscall.SysProcAttr

	mu sync.Mutex
	up bool
}

// newServer creates a server from Debian's binaries in a temporary directory.
func newServer(t *testing.T) *server {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	require.NoError(t, err)
	if len(found) == 0 && os.Getenv("CI") == "" {
		t.Skip("no binaries of PostgreSQL in /usr/lib/postgresql")
	}
	require.NotEmpty(t, found, "no binaries of PostgreSQL in /usr/lib/postgresql")
	// Wait for killed processes here rather than in process 1.
	const setChildSubreaper = 36
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
	require.Zero(t, errno)
	dir, err := os.MkdirTemp("", "bufftick-postgres")
	require.NoError(t, err)
	s := &server{t: t, dir: dir, bin: filepath.Dir(found[len(found)-1])}
	if os.Getuid() == 0 { // the server does not run as root
		u, err := user.Lookup("postgres")
		require.NoError(t, err)
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		require.NoError(t, os.Chown(dir, uid, gid))
		s.as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.port = l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())
	t.Cleanup(func() {
		s.kill()
		os.RemoveAll(dir)
	})
	out, err := s.run("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "--no-locale", "-E", "UTF8").CombinedOutput()
	require.NoError(t, err, "%s", out)
	s.start()
	return s
}

func (s *server) data() string { return filepath.Join(s.dir, "data") }

func (s *server) run(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir, cmd.SysProcAttr = s.dir, s.as
	return cmd
}

// start starts the server, unless it is running, and waits until it has recovered.
func (s *server) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.up {
		return
	}
	s.up = true
	options := fmt.Sprintf("-p %d -k %s -c listen_addresses=127.0.0.1 -c shared_buffers=8MB -c max_connections=20", s.port, s.dir)
	cmd := s.run("pg_ctl", "start", "-w", "-D", s.data(), "-l", filepath.Join(s.dir, "log"), "-o", options)
	err := cmd.Run()
	log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	require.NoError(s.t, err, "%s", log)
}

// kill kills the server and all its processes, like a power failure, except that the page cache
// survives.
func (s *server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.up = false
	b, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		return
	}
	main, _, _ := strings.Cut(string(b), "\n")
	pid, err := strconv.Atoi(main)
	if err != nil || pid <= 1 {
		return
	}
	all := []int{pid}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		b, _ := os.ReadFile(path)
		// "pid (name) state parent …"
		if fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])); len(fields) > 1 && fields[1] == main {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			all = append(all, child)
		}
	}
	for _, pid := range all {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	for _, pid := range all {
		_, _ = syscall.Wait4(pid, nil, 0, nil)
	}
}

func (s *server) address() string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", s.port)
}

// TestServerKilled kills the server at many byte positions of a commit and restarts it.
func TestServerKilled(t *testing.T) {
	if !long.On() {
		t.Skip("it starts a server: -long")
	}
	server := newServer(t)
	direct, err := Open(ctx, server.address(), Options{})
	require.NoError(t, err)
	defer direct.Close()
	p := newProxy(t, fmt.Sprintf("127.0.0.1:%d", server.port))
	through, err := Open(ctx, fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable", p.listener.Addr()), Options{})
	require.NoError(t, err)
	defer through.Close()
	const rounds = 20
	faults(t, through, func() *Store { return direct }, rounds, func(round int) {
		kill := func() {
			server.kill()
			p.cut()
		}
		switch round % 4 {
		case 1:
			p.arm(1+round*6200/rounds, false, kill)
		case 2:
			p.arm(1+round, true, kill)
		}
	}, func(round int) {
		p.arm(-1, false, nil)
		server.start()
		direct.pool.Reset()
		through.pool.Reset()
	})
}

// TestDiskFull fills a tablespace of 4 MB. The commit that fills it must have no effect, and the
// next commit must succeed when there is room again.
func TestDiskFull(t *testing.T) {
	if !long.On() {
		t.Skip("it starts a server: -long")
	}
	server := newServer(t)
	if server.as == nil {
		t.Skip("only root can mount a small disk")
	}
	small := filepath.Join(server.dir, "small")
	require.NoError(t, os.Mkdir(small, 0o777))
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, fmt.Sprintf("size=4m,mode=0700,uid=%d,gid=%d", server.as.Credential.Uid, server.as.Credential.Gid)); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	defer func() { require.NoError(t, syscall.Unmount(small, syscall.MNT_DETACH)) }()
	s, err := Open(ctx, server.address(), Options{})
	require.NoError(t, err)
	defer s.Close()
	for _, statement := range []string{
		fmt.Sprintf("create tablespace small location '%s'", small),
		"alter table SCHEMA.owners set tablespace small",
	} {
		_, err := s.pool.Exec(ctx, s.sql(statement))
		require.NoError(t, err)
	}
	cut, err := s.Open(ctx, "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	acked := uint64(0)
	var full error
	for frame := uint64(1); full == nil; frame++ {
		require.Less(t, frame, uint64(3000), "the disk never fills up")
		if full = s.Commit(ctx, faultBatch(cut.Epoch, acked, frame)); full == nil {
			acked = frame
		}
	}
	require.ErrorContains(t, full, "No space left")
	now, err := s.Load(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, acked, now.Frame)
	_, err = s.pool.Exec(ctx, s.sql("vacuum full SCHEMA.owners"))
	if err != nil { // there is no room even for this, so extend the disk
		require.NoError(t, syscall.Mount("tmpfs", small, "tmpfs", syscall.MS_REMOUNT, "size=64m"))
	}
	require.NoError(t, s.Commit(ctx, faultBatch(cut.Epoch, acked, acked+2)))
	t.Logf("full after %d commits", acked)
}
