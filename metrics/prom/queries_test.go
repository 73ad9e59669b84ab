package prom

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
)

// queries returns all queries of the dashboard and the rules, by where they stand.
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

var (
	// quoted and braces are taken away before names are looked for.
	quoted = regexp.MustCompile(`"[^"]*"`)
	ranges = regexp.MustCompile(`\[\d+[smh]\]`)
	braces = regexp.MustCompile(`\{([^}]*)\}`)
	byList = regexp.MustCompile(`\b(?:by|on) \(([^)]*)\)`)
	word   = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*`)
	known  = []string{"sum", "min", "max", "rate", "increase", "histogram_quantile", "topk", "by", "on"}
)

// serves returns what is wrong with a query: metrics, labels or functions that are not
// there, brackets that do not close.
func serves(q string, have map[string]*dto.MetricFamily) (wrong []string) {
	var labels []string
	for _, m := range braces.FindAllStringSubmatch(q, -1) {
		labels = append(labels, word.FindAllString(quoted.ReplaceAllString(m[1], ""), -1)...)
	}
	bare := ranges.ReplaceAllString(quoted.ReplaceAllString(braces.ReplaceAllString(q, ""), ""), "")
	for _, m := range byList.FindAllStringSubmatch(bare, -1) {
		labels = append(labels, word.FindAllString(m[1], -1)...)
	}
	bare = byList.ReplaceAllString(bare, "")
	if strings.Count(q, "(") != strings.Count(q, ")") {
		wrong = append(wrong, "brackets that do not close")
	}
	var families []*dto.MetricFamily
	for _, name := range word.FindAllString(bare, -1) {
		base := name
		for _, part := range []string{"_bucket", "_sum", "_count"} {
			if cut, ok := strings.CutSuffix(name, part); ok && have[cut].GetType() == dto.MetricType_HISTOGRAM {
				base = cut
			}
		}
		switch f := have[base]; {
		case f != nil && (f.GetType() == dto.MetricType_HISTOGRAM) == (base == name):
			wrong = append(wrong, name+" is a histogram: which part of it?")
		case f != nil:
			families = append(families, f)
		case !slices.Contains(known, name):
			wrong = append(wrong, name+" is no metric")
		}
	}
	if families == nil {
		wrong = append(wrong, "no metric")
	}
	for _, l := range labels {
		if l != "instance" && !slices.ContainsFunc(families, func(f *dto.MetricFamily) bool { return hasLabel(f, l) }) {
			wrong = append(wrong, l+" is no label of its metrics")
		}
	}
	return wrong
}

func hasLabel(f *dto.MetricFamily, name string) bool {
	if name == "le" {
		return f.GetType() == dto.MetricType_HISTOGRAM
	}
	return slices.ContainsFunc(f.GetMetric()[0].GetLabel(), func(l *dto.LabelPair) bool { return l.GetName() == name })
}

// Every query of the dashboard and of the rules speaks of metrics and labels that there
// are, and every metric is in one of them.
func TestQueries(t *testing.T) {
	g := newGame(t)
	g.play()
	g.gather()
	have := g.gather()
	all := ""
	for where, q := range queries(t) {
		require.Empty(t, serves(q, have), "%s: %s", where, q)
		all += q + "\n"
	}
	for name := range have {
		require.Contains(t, all, name, "no query shows it")
	}
}

// The check finds what it should.
func TestQueriesAreChecked(t *testing.T) {
	g := newGame(t)
	g.play()
	have := g.gather()
	for q, want := range map[string]string{
		`rate(bufftick_evnts_total[1m])`:                 "bufftick_evnts_total is no metric",
		`sum by (kid) (rate(bufftick_events_total[1m]))`: "kid is no label of its metrics",
		`bufftick_owners{instnce="x"}`:                   "instnce is no label of its metrics",
		`rate(bufftick_frame_seconds[1m])`:               "bufftick_frame_seconds is a histogram: which part of it?",
		`sum(rate(bufftick_events_total[1m])`:            "brackets that do not close",
		`summe(bufftick_owners)`:                         "summe is no metric",
		`rate(bufftick_owners_bucket[1m])`:               "bufftick_owners_bucket is no metric",
		`1`:                                              "no metric",
	} {
		require.Contains(t, serves(q, have), want, q)
	}
}
