package prom

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/store"
)

// queries returns all queries of the dashboard and the rules. The keys name their places.
func queries(t *testing.T) map[string]string {
	out := map[string]string{}
	var board struct {
		Templating struct {
			List []struct{ Name, Query string }
		}
		Panels []struct {
			Title   string
			Targets []struct{ RefID, Expr string }
		}
	}
	text, err := os.ReadFile("dashboard.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &board))
	for _, p := range board.Panels {
		require.NotEmpty(t, p.Targets, p.Title)
		for _, q := range p.Targets {
			out["dashboard: "+p.Title+" "+q.RefID] = q.Expr
		}
	}
	for _, v := range board.Templating.List {
		if strings.HasPrefix(v.Query, "label_values(") {
			out["dashboard: variable "+v.Name] = strings.Split(strings.TrimPrefix(v.Query, "label_values("), ",")[0]
		}
	}
	var rules struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	text, err = os.ReadFile("alerts.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalWithOptions(text, &rules, yaml.Strict()))
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			require.NotEmpty(t, r.Annotations["summary"], r.Alert)
			require.Contains(t, []string{"page", "ticket"}, r.Labels["severity"], r.Alert)
			out["alert: "+r.Alert] = r.Expr
		}
	}
	return out
}

// TestQueries checks that the queries of the dashboard and the rules use only existing metrics
// and labels, and that each metric of an engine and a store is used in at least one query.
func TestQueries(t *testing.T) {
	g := newGame(t)
	g.play()
	g.gather()
	g.registry.MustRegister(NewSaver(func() store.Stats { return store.Stats{} }))
	all, have := "", g.gather()
	for where, q := range queries(t) {
		require.NoError(t, check(q, have), "%s: %s", where, q)
		all += q + "\n"
	}
	for name := range have {
		require.Contains(t, all, name, "no query shows it")
	}
}

// TestAlertsOfNormalPlay checks that no alert depends on metrics that also increase in a healthy
// game. For example, a player who logs out drops timeouts. It also checks that an alert fires
// when a process is dead and has no metrics any more.
func TestAlertsOfNormalPlay(t *testing.T) {
	all := queries(t)
	for where, q := range all {
		if strings.HasPrefix(where, "alert: ") {
			require.NotContains(t, q, "bufftick_despawn_dropped_total", where)
			require.NotContains(t, q, "bufftick_undelivered_total", where)
			require.NotContains(t, q, "bufftick_dropped_total", where)
		}
	}
	require.Equal(t, "last_over_time(bufftick_up[15m]) unless bufftick_up", all["alert: BufftickGone"])
	require.Equal(t, "absent(bufftick_up)", all["alert: BufftickNobody"])
}

// TestCheck_DetectsFaults checks that check reports faulty queries.
func TestCheck_DetectsFaults(t *testing.T) {
	g := newGame(t)
	g.play()
	have := g.gather()
	for q, want := range map[string]string{
		`rate(bufftick_evnts_total[1m])`:                 "bufftick_evnts_total is no metric",
		`sum by (kid) (rate(bufftick_events_total[1m]))`: "kid is no label of its metrics",
		`bufftick_owners{instnce="x"}`:                   "instnce is no label of its metrics",
		`rate(bufftick_frame_seconds[1m])`:               "bufftick_frame_seconds is a histogram: which part of it?",
		`sum(rate(bufftick_events_total[1m])`:            "the query ends too early",
		`sum(rate(bufftick_events_total[1m])))`:          ") is not expected",
		`summe(bufftick_owners)`:                         "summe is no function that this reader knows",
		`rate(bufftick_owners_bucket[1m])`:               "bufftick_owners_bucket is no metric",
		`1`:                                              "the query is a scalar",
		`rate(bufftick_owners[1m])`:                      "rate of a gauge",
		`rate(bufftick_events_total)`:                    "rate takes a range, not a vector",
		`rate(bufftick_events_total[1])`:                 "1 where a time is wanted",
		`sum(bufftick_events_total)`:                     "bufftick_events_total only grows: a rate or an increase is wanted",
		`bufftick_refused_total > 0`:                     "bufftick_refused_total only grows: a rate or an increase is wanted",
		`bufftick_events_total[1m]`:                      "the query is a range",
		`histogram_quantile(0.99, sum(rate(bufftick_frame_seconds_bucket[1m])))`:          "histogram_quantile without buckets by le",
		`histogram_quantile(sum by (le) (rate(bufftick_frame_seconds_bucket[1m])))`:       "histogram_quantile takes 2 arguments",
		`sum(rate(bufftick_events_total[1m])) / bufftick_owners`:                          "the sides of / have the labels [] and [instance job]: nothing would match",
		`sum by (kind) (rate(bufftick_events_total[1m])) > on (instance) bufftick_owners`: "instance is no label of both sides",
		`bufftick_owners{instance=~x}`:                                                    "x where a text is wanted",
		`last_over_time(bufftick_refused_total[5m])`:                                      "bufftick_refused_total only grows: a rate or an increase is wanted",
		`absent(bufftick_owners[5m])`:                                                     "absent takes a vector, not a range",
		`bufftick_owners ! 3`:                                                             `what is "! 3"?`,
	} {
		require.EqualError(t, check(q, have), want, q)
	}
}
