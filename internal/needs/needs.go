// Package needs finds programs that tests run, such as node. Without the program a test is skipped,
// except in CI, where it fails: .ci/run installs the programs.
package needs

import (
	"os"
	"os/exec"
	"testing"
)

// Program returns the path of a program, which is in a package of Debian.
func Program(t testing.TB, name, debian string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s not found, and in CI every test runs (apt-get install %s)", name, debian)
	}
	t.Skipf("%s not found (apt-get install %s)", name, debian)
	return ""
}
