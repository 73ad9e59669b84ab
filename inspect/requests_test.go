package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
)

// resting returns an Inspector of an engine that is not ticked.
func resting(t *testing.T, o Options, specs ...buff.Spec) *Inspector {
	t.Helper()
	cat, err := buff.NewCatalog(specs...)
	require.NoError(t, err)
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{History: history.DefaultBytes}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close(t.Context())) })
	in, err := New(e, o)
	require.NoError(t, err)
	return in
}

// TestCatalogPages checks that the pages of the catalog contain each definition once, in order. A
// page that starts at the end is empty, and a page that starts after the end is refused.
func TestCatalogPages(t *testing.T) {
	var specs []buff.Spec
	note := strings.Repeat("n", maxLine)
	for k := range 3500 {
		specs = append(specs, buff.Spec{ID: fmt.Sprintf("b%04d", k), Name: note, Note: note, Duration: time.Hour + 30*time.Minute, Period: time.Minute + time.Second})
	}
	in := resting(t, Options{}, specs...)
	ask := func(from string) (*httptest.ResponseRecorder, catalogJSON) {
		w := httptest.NewRecorder()
		in.serveCatalog(w, from)
		var out catalogJSON
		if w.Code == http.StatusOK {
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out))
		}
		return w, out
	}
	var ids []string
	pages := 0
	for from := ""; ; pages++ {
		w, out := ask(from)
		require.Equal(t, http.StatusOK, w.Code)
		require.LessOrEqual(t, w.Body.Len(), maxAnswer*3/4+len(`{"version":"0x0000000000000000","specs":[],"next":12345}`))
		if out.Next != 0 {
			require.Greater(t, w.Body.Len(), maxAnswer*3/4-500, "a page is as full as it can be")
		}
		for _, s := range out.Specs {
			ids = append(ids, s.ID)
			require.Equal(t, []string{"1h30m", "1m1s", "neutral", "timed"}, []string{s.Lasts, s.Period, s.Side, s.Kind})
		}
		if out.Next == 0 {
			break
		}
		require.Equal(t, len(ids), out.Next)
		from = fmt.Sprint(out.Next)
	}
	require.GreaterOrEqual(t, pages, 1, "more than one page")
	require.Len(t, ids, len(specs))
	for k, id := range ids {
		require.Equal(t, specs[k].ID, id)
	}
	_, last := ask(fmt.Sprint(len(specs) - 1))
	require.Len(t, last.Specs, 1)
	_, none := ask(fmt.Sprint(len(specs)))
	require.Empty(t, none.Specs)
	for _, wrong := range []string{fmt.Sprint(len(specs) + 1), "-1", "x"} {
		w, _ := ask(wrong)
		require.Equal(t, http.StatusBadRequest, w.Code, wrong)
	}
}

// TestSearchLimits checks that the length of a search text is limited, and that at most maxFound
// results are returned, with a note that there are more.
func TestSearchLimits(t *testing.T) {
	var found []buff.OwnerID
	in := resting(t, Options{Search: func(string, int) []buff.OwnerID { return found }}, buff.Spec{ID: "b", Duration: time.Second})
	ask := func(text string) (int, foundJSON) {
		w := httptest.NewRecorder()
		in.serveSearch(w, httptest.NewRequest(http.MethodGet, "/", nil), url.Values{"search": {text}})
		var out foundJSON
		if w.Code == http.StatusOK {
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out))
		}
		return w.Code, out
	}
	for n, want := range map[int]foundJSON{0: {More: false}, 1: {More: false}, maxFound: {More: false}, maxFound + 1: {More: true}, maxFound + 2: {More: true}, 1000: {More: true}} {
		found = nil
		for k := range n {
			found = append(found, buff.OwnerID(k+100))
		}
		code, out := ask("x")
		require.Equal(t, http.StatusOK, code)
		require.Len(t, out.Players, min(n, maxFound))
		require.Equal(t, want.More, out.More, "%d", n)
		for k, p := range out.Players {
			require.Equal(t, fmt.Sprint(k+100), p.ID)
		}
	}
	for text, want := range map[string]int{
		"": http.StatusBadRequest, "  ": http.StatusBadRequest, "x": http.StatusOK,
		strings.Repeat("x", maxSearch): http.StatusOK, strings.Repeat("x", maxSearch+1): http.StatusBadRequest,
	} {
		code, _ := ask(text)
		require.Equal(t, want, code, "%d bytes", len(text))
	}

	for range maxSearches {
		in.looking <- struct{}{}
	}
	code, _ := ask("x")
	require.Equal(t, http.StatusServiceUnavailable, code, "as many as there may be look already")
	w := httptest.NewRecorder()
	in.serveHistory(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody), url.Values{"history": {"7"}})
	require.Equal(t, http.StatusServiceUnavailable, w.Code, "who asks for the last minute is one of them")
	require.Contains(t, w.Body.String(), "too many searches")
}

// TestSearchOfMany checks that a search that takes longer than one request continues in the next
// request, and finds the last of many players even if other names contain its name. A search for
// the page's notation of a player finds that player. If the loop does not answer, the search
// fails instead of returning no players.
func TestSearchOfMany(t *testing.T) {
	const last = 20_000
	in := resting(t, Options{Name: func(id buff.OwnerID) string {
		if id == last {
			return "Bela"
		}
		return "Belalia"
	}}, buff.Spec{ID: "b", Duration: time.Second})
	in.searchFor = 0 // each request searches only once
	for id := range buff.OwnerID(last + 1) {
		require.NoError(t, in.eng.Spawn(id, nil))
	}
	ask := func(query string) (out foundJSON) {
		w, done := httptest.NewRecorder(), make(chan struct{})
		go func() {
			defer close(done)
			r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/?"+query, nil)
			r.RemoteAddr = "127.0.0.1:1"
			in.ServeHTTP(w, r)
		}()
		for {
			select {
			case <-done:
				require.Equal(t, http.StatusOK, w.Code, w.Body)
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out))
				return out
			default:
				in.eng.Tick(0)
			}
		}
	}
	looks, out := 1, ask("search=bELA")
	require.Len(t, out.Players, maxFound)
	require.True(t, out.More)
	for ; len(out.Same) == 0; looks++ {
		require.NotZero(t, out.Next)
		out = ask(fmt.Sprint("search=bELA&from=", out.Next))
	}
	require.Equal(t, []pick{{"20000", "Bela"}}, out.Same)
	require.Zero(t, out.Next)
	require.Greater(t, looks, 3)

	for _, query := range []string{"search=%2381", "search=Belalia+%2381", "search=+%2381+"} {
		require.Equal(t, foundJSON{Same: []pick{{"81", "Belalia"}}, Players: []pick{}}, ask(query), query)
	}
	require.Equal(t, foundJSON{Same: []pick{}, Players: []pick{}}, ask("search=%23999999"))
	require.Equal(t, []pick{{"7", "Belalia"}}, ask("search=7").Same)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{"x", "81", "#81"} {
		w := httptest.NewRecorder()
		in.serveSearch(w, httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx), url.Values{"search": {text}})
		require.Equal(t, http.StatusServiceUnavailable, w.Code, text)
	}
}

// TestQueryLimits checks that a query of maxQuery bytes is accepted and a longer query is not,
// and that a player's id and a position in its buffs must be whole numbers.
func TestQueryLimits(t *testing.T) {
	in := resting(t, Options{}, buff.Spec{ID: "b", Duration: time.Second})
	for n, want := range map[int]bool{maxQuery - 1: true, maxQuery: true, maxQuery + 1: false} {
		r := httptest.NewRequest(http.MethodGet, "/?a="+strings.Repeat("x", n-2), nil)
		r.Host, r.RemoteAddr = "localhost", "127.0.0.1:1"
		_, no := in.admit(r)
		require.Equal(t, want, no == nil, "%d: %+v", n, no)
	}
	for _, wrong := range []string{"player=", "player=x", "player=-1", "player=18446744073709551616", "player=1&from=-1", "player=1&from=x"} {
		query, err := url.ParseQuery(wrong)
		require.NoError(t, err)
		w := httptest.NewRecorder()
		in.servePlayer(w, httptest.NewRequest(http.MethodGet, "/", nil), query)
		require.Equal(t, http.StatusBadRequest, w.Code, wrong)
	}
}

// TestTopicsSentOnce checks that a client gets the current state of each topic once. A client
// that has missed views gets the complete latest view, and the numbers of views missed since its
// last view and in total.
func TestTopicsSentOnce(t *testing.T) {
	h := &hub{players: map[buff.OwnerID]message{}}
	h.latest = viewJSON{First: "7"}
	whole := string(event("view", h.latest))
	c := &client{}
	news := func(c *client) (out []string) {
		for _, m := range h.news(c) {
			out = append(out, string(m))
		}
		return out
	}
	gap := func(skipped, sum string) string { return string(event("gap", gapJSON{skipped, sum})) }
	require.Empty(t, news(c), "there is no view yet")
	h.view = message{seq: 1, data: []byte("v1")}
	require.Equal(t, []string{"v1"}, news(c))
	require.Empty(t, news(c))
	h.view = message{seq: 2, data: []byte("v2")}
	require.Equal(t, []string{"v2"}, news(c), "none was missed")
	h.view = message{seq: 5, data: []byte("v5")}
	require.Equal(t, []string{gap("2", "2"), whole}, news(c))
	h.view = message{seq: 7, data: []byte("v7")}
	require.Equal(t, []string{gap("1", "3"), whole}, news(c))
	require.Equal(t, []string{whole}, news(&client{}), "one who has just come has missed nothing")

	h.players[4], h.catalog = message{seq: 6, data: []byte("p4")}, message{seq: 7, data: []byte("c")}
	require.Empty(t, news(c), "it looks at neither")
	c.players, c.catalog = map[buff.OwnerID]*uint64{4: new(uint64)}, true
	require.Equal(t, []string{"p4", "c"}, news(c))
	require.Empty(t, news(c))
	h.players[4] = message{seq: 8, data: []byte("p4'")}
	require.Equal(t, []string{"p4'"}, news(c))
}

// TestModifierEffects checks the text of the effect of a modifier, for each op.
func TestModifierEffects(t *testing.T) {
	for op, want := range map[stat.Op]string{
		stat.Add: "+0.25", stat.MulAdd: "+25 %", stat.MulCompound: "× 1.25", stat.FinalAdd: "+0.25 at the end", stat.Override: "= 0.25",
	} {
		require.Equal(t, want, effect(op, 0.25))
	}
	require.Equal(t, "-3", effect(stat.Add, -3))
	require.Equal(t, "-40 %", effect(stat.MulAdd, -0.4))
	in := &Inspector{}
	require.Equal(t, modifierJSON{"an unknown buff", "+1 in channel 2"}, in.modifierOf(view.Modifier{Op: stat.Add, Value: 1, Channel: 2}))
	spec := &buff.Spec{ID: "slow"}
	require.Equal(t, modifierJSON{"slow", "+1"}, in.modifierOf(view.Modifier{Spec: spec, Op: stat.Add, Value: 1}))
	require.Equal(t, modifierJSON{"slow of #7", "+1"}, in.modifierOf(view.Modifier{Spec: spec, Source: 7, Op: stat.Add, Value: 1}))
}
