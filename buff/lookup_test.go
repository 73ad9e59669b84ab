package buff_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

func TestLookup(t *testing.T) {
	c, err := buff.NewCatalog(buff.Spec{ID: "poison", Duration: time.Second}, buff.Spec{ID: "bear_form", Duration: time.Second})
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

func TestCatalog_Must(t *testing.T) {
	c, err := buff.Build(buff.Definitions{
		Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "health"}}},
		Tags:       []string{"poison"},
		Acts:       []string{"move"},
		Specs:      []buff.Spec{{ID: "venom", Duration: time.Second}},
	})
	require.NoError(t, err)
	require.Same(t, c.Spec("venom"), c.MustSpec("venom"))
	require.NotZero(t, c.MustAttr("health"))
	require.NotZero(t, c.MustTag("poison"))
	require.NotZero(t, c.MustAct("move"))

	const no = "buff: the catalog has no such name: "
	require.PanicsWithValue(t, no+`definition "venim": did you mean "venom"?`, func() { c.MustSpec("venim") })
	require.PanicsWithValue(t, no+`attribute "helth": did you mean "health"?`, func() { c.MustAttr("helth") })
	require.PanicsWithValue(t, no+`tag "poisson": did you mean "poison"?`, func() { c.MustTag("poisson") })
	require.PanicsWithValue(t, no+`act "fly"`, func() { c.MustAct("fly") })
}
