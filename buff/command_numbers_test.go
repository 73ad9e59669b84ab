package buff_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/verb"
)

// TestCommandNumbers checks that numbers of more than one digit survive both forms, that the text
// has them in decimal, and that a number that the command does not have is not added.
func TestCommandNumbers(t *testing.T) {
	cat := commandCatalog(t)
	for name, list := range commandsOf(cat) {
		for _, c := range list {
			changed := []string{}
			if c.Area != 0 {
				c.Area = math.MaxUint32
				changed = append(changed, "4294967295")
			}
			if c.Owner != 0 {
				c.Owner = 9876543210
				changed = append(changed, "9876543210")
			}
			if c.Stacks > 1 {
				c.Stacks = 123
				changed = append(changed, "123")
			}
			if c.Amount > 1 {
				c.Amount = 4567890
				changed = append(changed, "4567890")
			}
			if c.Rate.Den > 1 {
				c.Rate = buff.Ratio{Num: 1234, Den: 4321}
				changed = append(changed, "1234/4321")
			}
			if c.By >= time.Second {
				c.By = 98765 * time.Millisecond
				changed = append(changed, "1m38.765s")
			}
			if c.Query.Most > 1 {
				c.Query.Most, c.Query.Source = 321, 112233
				changed = append(changed, "321", "112233")
			}
			if slices.Contains([]verb.Verb{verb.LoseSource, verb.Happened, verb.Damage, verb.Kill}, c.Verb) && c.Application.Source != 0 {
				c.Application.Source = 778899
				changed = append(changed, "778899")
			} else if c.Application.Source != 0 {
				c.Application.Source, c.Application.Level, c.Application.Stacks = 445566, 12, 1023
				changed = append(changed, "445566", "12", "1023")
			}
			text := c.String()
			for _, want := range changed {
				require.Contains(t, text, want, name)
			}
			again, err := buff.ParseCommand(text, buff.Names{Catalog: cat})
			require.NoError(t, err, text)
			require.Equal(t, c, again, text)
			data, err := c.AppendBinary(nil, cat)
			require.NoError(t, err, name)
			again = buff.Command{}
			require.NoError(t, again.UnmarshalBinary(data, cat), name)
			require.Equal(t, c, again, fmt.Sprintf("%s: %x", name, data))
		}
	}
}
