package bolt

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCompactChild is the process that compacts a file.
func TestCompactChild(t *testing.T) {
	path := os.Getenv("BOLT_COMPACT_FILE")
	if path == "" {
		t.Skip("it is run by TestCompact_Killed")
	}
	_, _, err := Compact(path)
	require.NoError(t, err)
}

// fileCall is a system call of Compact that changes a file or a directory.
type fileCall struct{ name, path string }

var fileCalls = map[uint64]string{
	syscall.SYS_OPENAT: "open", syscall.SYS_PWRITE64: "write", syscall.SYS_FTRUNCATE: "truncate",
	syscall.SYS_FSYNC: "sync", syscall.SYS_FDATASYNC: "sync", syscall.SYS_FCHMOD: "chmod", syscall.SYS_FCHOWN: "chown",
	syscall.SYS_RENAMEAT: "rename", syscall.SYS_RENAME: "rename", syscall.SYS_UNLINKAT: "unlink",
	syscall.SYS_FLOCK: "lock",
}

// compactTraced compacts a file in a child process, and kills the child after n system calls on
// files in the directory of path. It returns these calls, and whether the child was killed.
func compactTraced(t *testing.T, path string, n int) (calls []fileCall, killed bool) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestCompactChild$")
	cmd.Env = append(os.Environ(), "BOLT_COMPACT_FILE="+path)
	s := &tracer{inside: map[int]bool{}}
	s.do = func(_ int, regs *syscall.PtraceRegs) error {
		c := fileCall{name: fileCalls[regs.Orig_rax]}
		switch c.name {
		case "":
			return nil
		case "open", "rename", "unlink":
			c.path = s.text(regs.Rsi)
			if regs.Orig_rax == syscall.SYS_RENAME {
				c.path = s.text(regs.Rdi)
			}
		default:
			c.path = s.fd(regs.Rdi)
		}
		if !strings.HasPrefix(c.path, filepath.Dir(path)) {
			return nil
		}
		if calls = append(calls, c); len(calls) == n {
			return errKill
		}
		return nil
	}
	err := s.start(cmd)
	if errors.Is(err, errKill) {
		return calls, true
	}
	require.NoError(t, err)
	return calls, false
}

// text reads a zero-terminated string from the memory of the command.
func (s *tracer) text(at uint64) string {
	b := make([]byte, 4096)
	for len(b) > 0 && s.peek(b, int64(at)) != nil { // the end of the mapping
		b = b[:len(b)/2]
	}
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}

// TestCompact_Killed kills a process that compacts a file after each of its system calls on a
// file. Each time, there must be a complete file with the same contents at the path, and the next
// Compact must remove the temporary file of the killed process.
func TestCompact_Killed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	want := loosePages(t, path, 400)
	loose, err := os.ReadFile(path)
	require.NoError(t, err)
	old, replaced := 0, 0
	for n := 1; ; n++ {
		require.NoError(t, os.WriteFile(path, loose, 0o600))
		_, killed := compactTraced(t, path, n)
		require.NoError(t, sameContents(path, want), "after %d calls", n)
		if fileSize(t, path) == int64(len(loose)) {
			old++
		} else {
			replaced++
		}
		_, _, err := Compact(path)
		require.NoError(t, err)
		require.NoFileExists(t, path+".compact")
		require.NoError(t, sameContents(path, want))
		if !killed {
			break
		}
	}
	require.Greater(t, old, 10)
	require.Greater(t, replaced, 1)
	t.Logf("killed after each of %d calls: %d times the old file, %d times the new one", old+replaced-1, old, replaced)
}

// TestCompact_PowerLoss checks that the new file is synced after its last change and before it is
// renamed, that the directory is synced after that, and that the old file is never written to.
func TestCompact_PowerLoss(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	loosePages(t, path, 400)
	calls, _ := compactTraced(t, path, -1)
	state := "new"
	for _, c := range calls {
		switch {
		case c.name == "rename":
			require.Equal(t, fileCall{"rename", path + ".compact"}, c)
			require.Equal(t, "synced", state, "%v", calls)
			state = "renamed"
		case c.name == "sync" && c.path == path+".compact" && state != "renamed":
			state = "synced"
		case c.name == "sync" && c.path == filepath.Dir(path) && state == "renamed":
			state = "done"
		case c.name == "write" || c.name == "truncate" || c.name == "chmod" || c.name == "chown":
			require.Equal(t, path+".compact", c.path)
			require.Contains(t, []string{"new", "changed", "synced"}, state)
			state = "changed"
		}
	}
	require.Equal(t, "done", state, "%v", calls)
}
