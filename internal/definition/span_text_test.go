package definition

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBadSpans checks that the error about a span says exactly the mistake in it.
func TestBadSpans(t *testing.T) {
	for text, want := range map[string]string{
		"+":       "is not a span",
		"-":       "is not a span",
		"+-1s":    "is not a span",
		"1s+2s":   "unknown unit \"s+\"",
		"+1s-2s":  "is not a span",
		"-1s-2s":  "is not a span",
		"s":       "is not a span",
		".":       "is not a span",
		".s":      "is not a span",
		"1.2.3s":  "is not a span",
		"1s1.2.3": "is not a span",
		"12":      "has no unit",
		"1.5":     "has no unit",
		"-1.5":    "has no unit",
		"1h30":    "has no unit",
		"1.5x":    "unknown unit \"x\"",
		"3d":      "unknown unit \"d\"",
		"1s3w":    "unknown unit \"w\"",
		"1.5 s":   "has a space in it: write 1.5s",
		"1 h 30m": "has a space in it: write 1h30m",

		"9999999999999h":     "is too long",
		"9999999999999.5h":   "is too long",
		"1m9999999999999.5h": "is too long",
		"9999999999999h1m":   "is too long",
		"-9999999999999h1.s": "is too long",
	} {
		_, err := Parse("a.yaml", fmt.Appendf(nil, "buffs: {a: {duration: 1s, period: %q}}", text))
		require.ErrorContains(t, err, want, text)
	}
}

// TestTooManyErrorsNamesOnlyTheFile checks that the last error of a truncated list names the file,
// not the definition and field of the first omitted error.
func TestTooManyErrorsNamesOnlyTheFile(t *testing.T) {
	text := "buffs:\n"
	for k := range MaxErrors + 10 {
		text += fmt.Sprintf("  a%d: {duration: 0s}\n", k)
	}
	_, err := Parse("bad.yaml", []byte(text))
	require.Len(t, err, MaxErrors+1)
	last, before := err.(Errors)[MaxErrors], err.(Errors)[MaxErrors-1]
	require.Equal(t, []string{"", ""}, []string{last.Buff, last.Field})
	require.Equal(t, []string{fmt.Sprintf("a%d", MaxErrors-1), "duration"}, []string{before.Buff, before.Field})
	require.Equal(t, "bad.yaml", last.File)
	require.Equal(t, MaxErrors+2, last.Line)
	require.Equal(t, fmt.Sprintf("too many errors: this one and %d more are not shown", 9), last.Text)
}
