package prom

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/store"
)

// TestSaver checks that the values of Stats appear in the gathered metrics.
func TestSaver(t *testing.T) {
	s := NewSaver(func() store.Stats {
		return store.Stats{Age: 3 * time.Second, Alarm: true, Err: errors.New("full"), Cuts: 7, Failed: 2, Owners: 5, Bytes: 100, Total: 900, Changed: 4}
	})
	r := prometheus.NewPedanticRegistry()
	require.NoError(t, r.Register(s))
	require.Equal(t, 12, testutil.CollectAndCount(s))
	require.NoError(t, testutil.GatherAndCompare(r, strings.NewReader(`
# HELP bufftick_cut_age_seconds Game time since the last cut on disk.
# TYPE bufftick_cut_age_seconds gauge
bufftick_cut_age_seconds 3
# HELP bufftick_cut_failing Whether the last commit was not acknowledged.
# TYPE bufftick_cut_failing gauge
bufftick_cut_failing 1
# HELP bufftick_cuts_total Acknowledged commits.
# TYPE bufftick_cuts_total counter
bufftick_cuts_total 7
`), "bufftick_cut_age_seconds", "bufftick_cut_failing", "bufftick_cuts_total"))
}
