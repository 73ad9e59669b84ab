package engine_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/history"
)

// TestOptionsEdges checks each number in the options that has limits: its default, as in its
// comment, and that the first and last valid values are accepted and the values next to them are
// refused.
func TestOptionsEdges(t *testing.T) {
	of := func(o *engine.Options) map[string]*int {
		return map[string]*int{
			"Workers": &o.Workers, "Limits.Turn": &o.Limits.Turn, "Limits.Tick": &o.Limits.Tick, "Limits.Owners": &o.Limits.Owners, "Limits.Buffs": &o.Limits.Buffs,
			"Limits.Mailbox": &o.Limits.Mailbox, "Limits.Handlers": &o.Limits.Handlers, "Trace.Every": &o.Trace.Every, "Limits.Events": &o.Limits.Events,
			"Limits.Inbox": &o.Limits.Inbox, "Trace.History": &o.Trace.History,
		}
	}
	var zero engine.Options
	require.NoError(t, engine.Complete(&zero))
	require.Equal(t, time.Second, zero.Budget)
	require.Equal(t, time.UnixMilli(0), zero.Epoch)
	for name, c := range map[string]struct{ zero, least, most int }{
		"Workers":         {runtime.GOMAXPROCS(0), 1, 65_536},
		"Limits.Turn":     {64, 1, 1 << 30},
		"Limits.Tick":     {18_000, 1, 1 << 30},
		"Limits.Owners":   {buff.MaxOwners, 1, buff.MaxOwners},
		"Limits.Buffs":    {1024, 1, buff.MaxPerOwner},
		"Limits.Mailbox":  {1024, 1, 1 << 20},
		"Limits.Handlers": {65_536, 1, 1 << 24},
		"Trace.Every":     {1200, 1, 1 << 30},
		"Limits.Events":   {1 << 20, 1, 1 << 30},
		"Limits.Inbox":    {65_536, 1, 1 << 24},
		"Trace.History":   {0, history.MinBytes, 1 << 40},
	} {
		require.Equal(t, c.zero, *of(&zero)[name], name)
		below := c.least - 1
		if below == 0 {
			below = -1 // zero means the default
		}
		for n, ok := range map[int]bool{below: false, c.least: true, c.most: true, c.most + 1: false} {
			var o engine.Options
			*of(&o)[name] = n
			err := engine.Complete(&o)
			if !ok {
				require.ErrorContains(t, err, "engine: Options."+name+" must be ", "%d", n)
				continue
			}
			require.NoError(t, err, "%s %d", name, n)
			require.Equal(t, n, *of(&o)[name])
		}
	}
	for policy, ok := range map[engine.CatchUp]bool{engine.Carry: true, engine.Dilate: true, engine.Dilate + 1: false} {
		require.Equal(t, ok, engine.Complete(&engine.Options{CatchUp: policy}) == nil, policy)
	}
	for uptime, ok := range map[time.Duration]bool{0: true, time.Nanosecond: true, -time.Nanosecond: false} {
		require.Equal(t, ok, engine.Complete(&engine.Options{Uptime: uptime}) == nil, uptime)
	}
}
