package replay

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/recording"
)

// TestOptions checks that each limit of a recording becomes the limit of the same name in the
// replay.
func TestOptions(t *testing.T) {
	cat, err := buff.NewCatalog()
	require.NoError(t, err)
	var rec bytes.Buffer
	o := engine.Options{
		Catalog: cat, Limits: engine.Limits{Turn: 11, Tick: 12, Owners: 13, Buffs: 14, Mailbox: 15, Handlers: 16, Inbox: 17, Events: 18},
		Seed: 19, Epoch: time.UnixMilli(20), Uptime: 21, CatchUp: engine.Dilate, Number: 22, Synchronous: true, Trace: engine.Trace{Record: &rec},
	}
	e, err := engine.New(o)
	require.NoError(t, err)
	require.NoError(t, e.Close(t.Context()))
	h, err := header(recording.Read(&rec))
	require.NoError(t, err)
	var is engine.Options
	set(&is, &h)
	require.EqualValues(t, -1, is.Budget)
	o.Catalog, o.Budget, o.Synchronous, o.Trace.Record = nil, -1, false, nil
	require.Equal(t, o, is)
}
