package rules

import (
	"fmt"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/stretchr/testify/require"
)

// TestBlob_ListLimits checks that each list of an owner has room for the entries that the catalog
// knows plus those that are set aside, and that a list with one more entry is rejected.
func TestBlob_ListLimits(t *testing.T) {
	for name, c := range map[string]struct {
		most int
		make func(b *state.Owner, n int)
	}{
		"tags":   {2 * define.MaxTags, func(b *state.Owner, n int) { b.Tags = manyTags(n) }},
		"immune": {2 * define.MaxTags, func(b *state.Owner, n int) { b.Immune = manyTags(n) }},
		"diminishing": {2 * buff.MaxPerOwner, func(b *state.Owner, n int) {
			b.Returns = make([]state.Return, n)
			for k := range b.Returns {
				b.Returns[k] = state.Return{Group: "g", N: 1}
			}
		}},
		"timeouts": {2 * buff.MaxPerOwner, func(b *state.Owner, n int) {
			b.Timeouts = make([]state.Timeout, n)
			for k := range b.Timeouts {
				b.Timeouts[k] = state.Timeout{Handler: "h", Age: 1}
			}
		}},
		"bases": {2 * stat.MaxAttributes, func(b *state.Owner, n int) {
			b.Bases = make([]state.Value, n)
			for k := range b.Bases {
				b.Bases[k] = state.Value{Name: fmt.Sprintf("a%06d", k)}
			}
		}},
		"buffs": {2 * buff.MaxPerOwner, func(b *state.Owner, n int) {
			b.Buffs = make([]state.Buff, n)
			for k := range b.Buffs {
				b.Buffs[k] = state.Buff{ID: "b", Age: uint64(k + 1), Stacks: 1}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := &state.Owner{Format: state.Format, Ages: 1 << 20}
			c.make(b, c.most)
			_, err := state.Decode(b.Append(nil), &state.Memory{})
			require.NoError(t, err)
			c.make(b, c.most+1)
			_, err = state.Decode(b.Append(nil), &state.Memory{})
			require.ErrorIs(t, err, buff.ErrBlob)
			require.Contains(t, err.Error(), fmt.Sprint(c.most+1))
		})
	}
}

func manyTags(n int) []state.Tag {
	tags := make([]state.Tag, n)
	for k := range tags {
		tags[k] = state.Tag{Name: fmt.Sprintf("t%06d", k), N: 1}
	}
	return tags
}
