package buff

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// TestBlobLists: each list of an owner has room for what the catalog knows and what was kept aside, and for no more: one
// longer is refused in the bytes.
func TestBlobLists(t *testing.T) {
	for name, c := range map[string]struct {
		most int
		make func(b *saved, n int)
	}{
		"tags":   {2 * define.MaxTags, func(b *saved, n int) { b.Tags = manyTags(n) }},
		"immune": {2 * define.MaxTags, func(b *saved, n int) { b.Immune = manyTags(n) }},
		"diminishing": {2 * MaxPerOwner, func(b *saved, n int) {
			b.Returns = make([]savedReturn, n)
			for k := range b.Returns {
				b.Returns[k] = savedReturn{Group: "g", N: 1}
			}
		}},
		"timeouts": {2 * MaxPerOwner, func(b *saved, n int) {
			b.Timeouts = make([]savedTimeout, n)
			for k := range b.Timeouts {
				b.Timeouts[k] = savedTimeout{Handler: "h", Age: 1}
			}
		}},
		"bases": {2 * stat.MaxAttributes, func(b *saved, n int) {
			b.Bases = make([]savedValue, n)
			for k := range b.Bases {
				b.Bases[k] = savedValue{Name: fmt.Sprintf("a%06d", k)}
			}
		}},
		"buffs": {2 * MaxPerOwner, func(b *saved, n int) {
			b.Buffs = make([]savedBuff, n)
			for k := range b.Buffs {
				b.Buffs[k] = savedBuff{ID: "b", Age: uint64(k + 1), Stacks: 1}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := &saved{Format: blobFormat, Ages: 1 << 20}
			c.make(b, c.most)
			_, err := readBlob(b.append(nil), &blobScratch{})
			require.NoError(t, err)
			c.make(b, c.most+1)
			_, err = readBlob(b.append(nil), &blobScratch{})
			require.ErrorIs(t, err, ErrBlob)
			require.Contains(t, err.Error(), fmt.Sprint(c.most+1))
		})
	}
}

func manyTags(n int) []savedTag {
	tags := make([]savedTag, n)
	for k := range tags {
		tags[k] = savedTag{Name: fmt.Sprintf("t%06d", k), N: 1}
	}
	return tags
}
