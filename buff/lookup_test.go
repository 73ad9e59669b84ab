package buff_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

func TestLookup(t *testing.T) {
	c, err := buff.NewCatalog(timed(func(s *buff.Spec) { s.ID = "poison" }), timed(func(s *buff.Spec) { s.ID = "bear_form" }))
	require.NoError(t, err)
	s, err := c.Lookup("poison")
	require.NoError(t, err)
	require.Same(t, c.Spec("poison"), s)
	for id, want := range map[string]string{
		"poisn":                   `buff: no such definition: "poisn": did you mean "poison"?`,
		"bearform":                `buff: no such definition: "bearform": did you mean "bear_form"?`,
		"stun":                    `buff: no such definition: "stun"`,
		"":                        `buff: no such definition: ""`,
		strings.Repeat("x", 1000): `buff: no such definition: "` + strings.Repeat("x", 100) + `"`,
	} {
		s, err := c.Lookup(id)
		require.Nil(t, s)
		require.ErrorIs(t, err, buff.ErrUnknownID)
		require.EqualError(t, err, want)
	}
}
