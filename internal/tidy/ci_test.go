package tidy

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStepsAreDocumented: docs/ci.md has a row for each step of CI and of the night.
func TestStepsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("docs/ci.md")
	require.NoError(t, err)
	step := regexp.MustCompile(`(?m)^step_(\w+)\(\)`)
	for _, script := range []string{"run", "nightly"} {
		text, err := os.ReadFile(".ci/" + script)
		require.NoError(t, err)
		found := step.FindAllSubmatch(text, -1)
		require.NotEmpty(t, found, script)
		for _, m := range found {
			require.Regexp(t, "(?m)^\\| (`\\w+`, )*`"+string(m[1])+"`", string(page), "docs/ci.md has no row for the step of .ci/%s", script)
		}
	}
}
