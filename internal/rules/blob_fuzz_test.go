package rules

import (
	"errors"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/stretchr/testify/require"
)

// FuzzRestore restores arbitrary bytes, both directly and as the contents of a blob with a valid
// head and checksum. Restore must either fail and leave the Owner unchanged, or make an Owner that
// works.
func FuzzRestore(f *testing.F) {
	c := blobCatalog(f)
	for times := range 3 {
		blob, _ := fullSet(f, c, times).Save(nil, c, blobMoment, 0)
		f.Add(blob, int64(0), int64(0))
		f.Add(blob[blobHead:len(blob)-blobCheck], int64(20_000), int64(-5))
		other, _ := fullSet(f, c, times).Save(nil, c, buff.Moment{}, 0)
		f.Add(other[blobHead:len(other)-blobCheck], int64(1)<<62, int64(1)<<40)
	}
	f.Fuzz(func(t *testing.T, data []byte, now, away int64) {
		tryBlob(t, c, data, now, away)
		tryBlob(t, c, seal(append(appendBlobHead(nil, state.Format), data...), 0), now, away)
	})
}

func tryBlob(t *testing.T, c *buff.Catalog, blob []byte, now, away int64) {
	s, turn := NewOwner(7, 3, 0, 50), &Turn{Catalog: c}
	at := buff.Moment{Now: blobMoment.Now, Wall: blobMoment.Wall, Uptime: blobMoment.Uptime}
	at.Now = at.Now.Add(now % state.Farthest)
	at.Wall, at.Uptime = at.Wall+away, at.Uptime+away
	turn.Now = at.Now
	r, err := s.Restore(turn, at, blob, nil)
	if err != nil {
		require.True(t, errors.Is(err, buff.ErrBlob) || errors.Is(err, buff.ErrFull), "%v", err)
		require.Zero(t, s.Len()+s.Timeouts()+len(turn.Events))
		require.True(t, s.gates() == nil && s.timeScale() == nil)
		return
	}
	require.GreaterOrEqual(t, r.Restored, s.Len(), "what was restored may have gone at once")
	if text, err := buff.BlobJSON(blob); err == nil {
		parsed, err := buff.ParseBlobJSON(text)
		require.NoError(t, err)
		require.Equal(t, blob, parsed, "a second blob for the same contents")
	}
	once, _ := s.Save(nil, c, at, 0)
	back, again := NewOwner(7, 3, 0, 50), &Turn{Catalog: c, Now: at.Now}
	_, err = back.Restore(again, at, once, nil)
	require.True(t, err == nil || s.ages > state.MaxAges, "what was restored and saved cannot be restored: %v", err)
	turn.Call = func(*Turn, *Call) reason.Reason { return reason.None }
	for range 20 {
		turn.Now = turn.Now.Add(500)
		for range 20 {
			if s.Run(turn, turn.Now, 10) {
				break
			}
		}
	}
}
