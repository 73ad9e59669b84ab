package catalog

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The documentation of the package has a line for every field.
func TestDocNamesEveryField(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	for _, part := range []table{
		specFields, stackFields, groupFields, perSourceFields, requireFields, dispelFields, chargesFields, auraFields, saveFields, onFields,
	} {
		require.NotEmpty(t, part.read)
		for name := range part.read {
			line := regexp.MustCompile(`(?m)^//\t *` + name + ` .*\S`)
			if part.of == "per_source" { // stands in one line
				line = regexp.MustCompile(`\b` + name + `: `)
			}
			require.True(t, line.Match(text), "%s of %q", name, part.of)
		}
	}
}
