package buff_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// TestCascades: what applies itself more than once is refused, unless something may refuse it.
func TestCascades(t *testing.T) {
	twice := []buff.Action{{Do: define.DoApply, Name: "a"}, {Do: define.DoApply, Name: "a"}}
	for name, c := range map[string]struct {
		spoil func(*buff.Spec)
		fails bool
	}{
		"two":           {func(*buff.Spec) {}, true},
		"one":           {func(s *buff.Spec) { s.On.RemoveAny = twice[:1] }, false},
		"a chance":      {func(s *buff.Spec) { s.Chance = 999 }, false},
		"a sure chance": {func(s *buff.Spec) { s.Chance = 1000 }, true},
		"a condition":   {func(s *buff.Spec) { s.Require.Apply.None = []string{"full"} }, false},
		"a share":       {func(s *buff.Spec) { s.PerSource.Limit = 3 }, false},
	} {
		a := buff.Spec{ID: "a", Duration: time.Second, Tags: []string{"full"}, On: buff.Hooks{RemoveAny: twice}}
		c.spoil(&a)
		_, err := buff.NewCatalog(a)
		if c.fails {
			require.ErrorContains(t, err, "multiply without a limit", name)
		} else {
			require.NoError(t, err, name)
		}
	}
}
