package definition

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDocNamesEveryField checks that the documentation of the package has a line for every field.
func TestDocNamesEveryField(t *testing.T) {
	text, err := os.ReadFile("../../buff/catalog/doc.go")
	require.NoError(t, err)
	numbers, err := os.ReadFile("../../buff/catalog/doc_numbers.go")
	require.NoError(t, err)
	text = append(text, numbers...)
	for _, part := range []table{
		specFields, stackFields, groupFields, perSourceFields, requireFields, dispelFields, chargesFields, auraFields, saveFields, onFields,
		slotFields, drFields, shieldFields, clientFields, attributeFields, modifierFields,
		{of: "on", read: map[string]readFunc{"call:": nil, "apply:": nil, "remove:": nil, "kill:": nil, "change:": nil, "damage:": nil}},
		{of: "number", read: numberFields.read},
		{of: "file", read: map[string]readFunc{
			"version": nil, "attributes": nil, "curves": nil, "tags": nil, "slots": nil, "buffs": nil, `\$schema`: nil,
		}},
	} {
		require.NotEmpty(t, part.read)
		for name := range part.read {
			line := regexp.MustCompile(`(?m)^//\t *` + name + ` .*\S`)
			switch {
			case part.of == "per_source": // is documented in one line
				line = regexp.MustCompile(`\b` + name + `: `)
			case slices.Contains(origins, name):
				line = regexp.MustCompile(`(?m)^//\t` + name + `: \S`)
			case part.of == "attribute" && name == "max":
				line = regexp.MustCompile(`(?m)^//\tmin, max  `)
			}
			require.True(t, line.Match(text), "%s of %q", name, part.of)
		}
	}
}
