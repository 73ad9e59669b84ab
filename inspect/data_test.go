package inspect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/inspect"
)

// TestPage checks that the page is a single response below 100 kB without external resources.
func TestPage(t *testing.T) {
	g := newGame(t, inspect.Options{})
	resp := g.request("GET", "", "")
	page := answer(t, resp)
	require.Less(t, len(page), 100_000)
	require.NotContains(t, page, "@nonce@")
	require.NotContains(t, page, "@script@")
	require.Empty(t, regexp.MustCompile(`(?i)(src|href)="(https?:)?//`).FindString(page))
	require.NotContains(t, page, "innerHTML")
	require.NotContains(t, page, "insertAdjacentHTML")
	require.NotContains(t, page, "eval(")
	require.NotContains(t, page, ` style="`, "the policy would refuse it")
	nonce := regexp.MustCompile(`nonce="([^"]{20,})"`).FindStringSubmatch(page)
	require.Contains(t, resp.Header.Get("Content-Security-Policy"), "'nonce-"+nonce[1]+"'")
	require.NotContains(t, answer(t, g.request("GET", "", "")), nonce[1], "a nonce is used once")

	under, err := http.Get(g.srv.URL + "/under/anything/else?snapshot")
	require.NoError(t, err)
	defer under.Body.Close()
	require.Equal(t, 200, under.StatusCode, "any path is good")
}

// TestSnapshot checks the data of the first page.
func TestSnapshot(t *testing.T) {
	g := newGame(t, inspect.Options{Budget: 16 * time.Millisecond, Name: func(id buff.OwnerID) string { return fmt.Sprint("P", id) }})
	defer g.stream("?stream").resp.Body.Close()
	for {
		v := g.get("?snapshot")
		if len(v["times"].([]any)) == 0 {
			continue // no frame has ended yet
		}
		require.Equal(t, 50.0, v["owners"])
		require.Equal(t, 100.0, v["buffs"])
		require.Equal(t, 16.0, v["budget"])
		require.Equal(t, 2.0, v["workers"])
		require.IsType(t, "", v["frame"], "counters are texts where they may grow beyond 2^53")
		require.Len(t, v["faces"], 4)
		require.Len(t, v["faces"].([]any)[0].(map[string]any)["slots"], 100)
		require.Len(t, v["faces"].([]any)[3].(map[string]any)["slots"], 12)
		first := v["most"].([]any)[0].(map[string]any)
		require.Equal(t, "P"+first["id"].(string), first["name"])
		return
	}
}

// TestPlayer checks the data of a player's page.
func TestPlayer(t *testing.T) {
	g := newGame(t, inspect.Options{Attributes: func(data any) []inspect.Attribute {
		return []inspect.Attribute{{Name: data.(string), Base: 1, Value: math.NaN(), Modifiers: []inspect.Modifier{{From: "x", Text: "y"}}}}
	}})
	p := g.get("?player=9")
	require.Equal(t, true, p["present"])
	require.Equal(t, 4.0, p["carried"])
	b := p["buffs"].([]any)[0].(map[string]any)
	require.Equal(t, "1152921504606846976", b["magnitude"], "to its last digit")
	require.Equal(t, "100", b["source"].(map[string]any)["id"])
	require.InDelta(t, 3.6e6, b["left"], 60_000)
	require.LessOrEqual(t, b["next"], 100.0)
	require.Equal(t, "NaN", p["attributes"].([]any)[0].(map[string]any)["value"])
	require.Equal(t, "data of 9", p["attributes"].([]any)[0].(map[string]any)["name"])
	require.Equal(t, false, g.get("?player=18446744073709551615")["present"])
}

// TestResponses_SizeLimit checks that a player's buffs are returned in pages, and that no
// response is larger than 1 MiB, whatever the names are.
func TestResponses_SizeLimit(t *testing.T) {
	long := strings.Repeat("\x01", 100)
	var many []inspect.Attribute
	for i := range 300 {
		a := inspect.Attribute{Name: long}
		for range 1 + 60/(i+1) {
			a.Modifiers = append(a.Modifiers, inspect.Modifier{From: long, Text: long})
		}
		many = append(many, a)
	}
	for _, o := range []inspect.Options{{}, {Name: func(buff.OwnerID) string { return long }, Attributes: func(any) []inspect.Attribute { return many }}} {
		g := newGame(t, o)
		for n := range buff.OwnerID(236) {
			require.NoError(t, g.eng.Inbox().AddBuff(9, buff.Application{Spec: g.eng.Catalog().Spec("venom"), Source: 1000 + n}))
		}
		for g.get("?player=9")["carried"] != 240.0 {
		}
		var handles []any
		from := 0.0
		for {
			body := answer(t, g.request("GET", fmt.Sprintf("?player=9&from=%v", from), ""))
			require.LessOrEqual(t, len(body), 1<<20)
			var p map[string]any
			require.NoError(t, json.Unmarshal([]byte(body), &p))
			require.Equal(t, o.Name != nil, p["cut"] == true)
			for _, b := range p["buffs"].([]any) {
				handles = append(handles, b.(map[string]any)["handle"])
			}
			if p["next"] == nil {
				break
			}
			require.Greater(t, p["next"], from)
			from = p["next"].(float64)
		}
		require.Len(t, handles, 240)
		slices.SortFunc(handles, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		require.Len(t, slices.Compact(handles), 240, "each is on one page")
		for range 3 {
			require.LessOrEqual(t, len(g.stream("?stream&player=9").next("player")), 256<<10)
		}
	}
}

// TestEngineAttributes checks that the page shows the attributes of the engine if
// Options.Attributes is nil.
func TestEngineAttributes(t *testing.T) {
	cat, err := buff.Build(buff.Definitions{
		Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "power", Base: 10}}, {Attribute: stat.Attribute{Name: "speed", Base: 4}}},
		Specs: []buff.Spec{
			{ID: "might", Name: "Might", Duration: time.Hour, Modifiers: []define.Modifier{{Attr: "power", Op: stat.Add, Value: define.Const(5)}, {Attr: "speed", Op: stat.Override, Value: define.Const(1)}}},
			{ID: "wrath", Duration: time.Hour, Modifiers: []define.Modifier{{Attr: "power", Op: stat.MulAdd, Value: define.Const(0.5)}}},
		},
	})
	require.NoError(t, err)
	eng, err := engine.New(engine.Options{Catalog: cat, Synchronous: true})
	require.NoError(t, err)
	require.NoError(t, eng.Spawn(7, nil))
	eng.AddBuff(7, buff.Application{Spec: cat.Spec("might"), Source: 9})
	eng.AddBuff(7, buff.Application{Spec: cat.Spec("wrath")})
	page := inspect.Handler(eng)
	w := httptest.NewRecorder()
	done := make(chan struct{})
	go func() {
		defer close(done)
		r := httptest.NewRequest("GET", "http://127.0.0.1/?player=7", nil)
		r.RemoteAddr = "127.0.0.1:1"
		page.ServeHTTP(w, r)
	}()
	for ticking := true; ticking; {
		select {
		case <-done:
			ticking = false
		default:
			eng.Tick(0)
		}
	}
	require.Contains(t, w.Body.String(), `"attributes":[{"name":"power","base":10,"value":22.5,"modifiers":[{"from":"Might of #9","text":"+5"},{"from":"wrath","text":"+50 %"}]},`+
		`{"name":"speed","base":4,"value":1,"modifiers":[{"from":"Might of #9","text":"= 1"}]}]`)
}

// TestPlayerStream checks that a player's stream contains the player's events, with the reasons
// of denials.
func TestPlayerStream(t *testing.T) {
	t.Parallel()
	g := newGame(t, inspect.Options{})
	s := g.stream("?stream&player=5")
	require.Contains(t, s.next("hello"), `"title":"bufftick"`)
	require.Contains(t, s.next("player"), `"carried":0`)
	once := g.eng.Catalog().Spec("once")
	for range 2 {
		require.NoError(t, g.eng.Inbox().AddBuff(5, buff.Application{Spec: once}))
	}
	for !strings.Contains(s.next("player"), `"kind":"deny","spec":"once","source":{"id":"0"},"why":"limit"`) {
	}
	require.NoError(t, g.eng.Inbox().AddBuff(5, buff.Application{Spec: g.eng.Catalog().Spec("trap")}))
	for !strings.Contains(s.next("player"), `"busy":true`) {
	}
	for !strings.Contains(s.next("view"), `"stuck":[{"id":"5","spec":"trap"`) {
	}
}

// TestSearch checks the search for players by id and by name.
func TestSearch(t *testing.T) {
	g := newGame(t, inspect.Options{Name: func(id buff.OwnerID) string { return fmt.Sprintf("Knight %d of Nine", id) }})
	names := func(query string) (out []string) {
		for _, p := range g.get("?search=" + query)["players"].([]any) {
			out = append(out, p.(map[string]any)["id"].(string))
		}
		return out
	}
	require.Equal(t, []string{"33"}, names("kNIGHT+33"))
	require.Equal(t, []string{"7", "17", "27", "37", "47"}, names("7+of"))
	require.Empty(t, names("dragon"))
	require.Len(t, names("knight"), 20)
	require.Contains(t, names("12"), "12")
	own := newGame(t, inspect.Options{Search: func(text string, most int) []buff.OwnerID { return []buff.OwnerID{3, 4} }})
	require.Contains(t, answer(t, own.request("GET", "?search=x", "")), `[{"id":"3"},{"id":"4"}]`)
}

// TestCatalog checks the data of the pages of definitions.
func TestCatalog(t *testing.T) {
	t.Parallel()
	g := newGame(t, inspect.Options{})
	c := g.get("?catalog")
	require.Len(t, c["specs"], 3)
	require.Len(t, g.get("?catalog&from=2")["specs"], 1)
	venom := c["specs"].([]any)[0].(map[string]any)
	require.Equal(t, "1h", venom["lasts"])
	require.Contains(t, fmt.Sprint(venom["fields"]), "[stack.by source]")
	require.Equal(t, "1h30m", c["specs"].([]any)[1].(map[string]any)["lasts"])

	s := g.stream("?stream&catalog")
	for !strings.Contains(s.next("catalog"), `"live":[100,0,0],"refused":[0,0,0]`) {
	}
	for range 3 {
		require.NoError(t, g.eng.Inbox().AddBuff(5, buff.Application{Spec: g.eng.Catalog().Spec("once")}))
	}
	for !strings.Contains(s.next("catalog"), `"denied":[{"spec":"once","why":"limit","n":2}]`) {
	}
}

// TestDefinitionsAsWritten checks that a definition is shown with the fields and values of its
// file, not with those of the Go struct.
func TestDefinitionsAsWritten(t *testing.T) {
	schema := catalog.Schema()
	cat, err := catalog.Load("../examples/mmo/buffs")
	require.NoError(t, err)
	eng, err := engine.New(engine.Options{
		Catalog: cat, Synchronous: true, Handlers: nothing(cat), Epoch: time.Unix(0, 0), Members: func(engine.AuraQuery, func(buff.OwnerID)) {},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, eng.Close(t.Context())) }()
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "http://127.0.0.1/?catalog", nil)
	r.RemoteAddr = "127.0.0.1:1"
	inspect.Handler(eng).ServeHTTP(w, r)
	var got struct {
		Specs []struct{ Fields [][2]string }
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
	values := map[string][]string{}
	for _, s := range got.Specs {
		for _, f := range s.Fields {
			values[f[0]] = append(values[f[0]], f[1])
			for i, word := range strings.Split(f[0], ".") {
				if named := f[0] != "on.act.by" && strings.HasPrefix(f[0], "on.act."); i == 2 && named || i == 1 && (strings.HasPrefix(f[0], "params.") || strings.HasPrefix(f[0], "vars.")) || strings.Trim(word, "0123456789") == "" {
					continue
				}
				if !strings.Contains(schema, `"`+word+`": {`) {
					t.Errorf("%s is no field of the format: %s", f[0], word)
				}
			}
			require.NotRegexp(t, `&\{|<nil>|0x`, f[1], f[0])
		}
	}
	for name, value := range map[string]string{
		"duration": "instant", "modifiers.0.value": "-0.15", "on.pulse.0": "change vigour by -1 per stack", "charges.on_refresh": "add",
		"on.apply.0": "change vigour by 0.1 * owner.max_health", "on.remove.expired.0": "apply mend", "client.show": "false",
	} {
		require.Contains(t, values[name], value, name)
	}
}

// nothing returns handlers without effect for all names that a catalog uses.
func nothing(cat *buff.Catalog) engine.Handlers {
	out := engine.Handlers{}
	for _, name := range cat.Handlers() {
		out[name] = func(*engine.Context, buff.Event) {}
	}
	return out
}

// TestChartHasAllKinds checks that the chart of events includes every kind of event.
func TestChartHasAllKinds(t *testing.T) {
	page := answer(t, newGame(t, inspect.Options{}).request("GET", "", ""))
	groups := regexp.MustCompile(`(?s)const groups = \[.*?\n\];`).FindString(page)
	require.NotEmpty(t, groups)
	for kind := buff.Applied; int(kind) < len(view.View{}.Counts); kind++ {
		require.Contains(t, groups, fmt.Sprintf("%q", kind))
	}
}

// TestReloads checks that the last 20 reloads are kept, newest first, with the lines of their
// errors.
func TestReloads(t *testing.T) {
	t.Parallel()
	n := 0
	g := newGame(t, inspect.Options{Token: token, Reload: func() (any, error) {
		if n++; n%2 == 0 {
			return nil, errors.New("buffs/a.yaml:3:5: wrong\n   3 | duration: x\n       ^")
		}
		return fmt.Sprintf("reload %d", n), nil
	}})
	s := g.stream("?stream&catalog")
	for range 24 {
		resp := g.request("POST", "?act", `{"act":"reload"}`, "Content-Type: application/json", "Authorization: Bearer "+token)
		require.Equal(t, http.StatusAccepted, resp.StatusCode)
	}
	g.page.Reloaded(nil, fmt.Errorf("%s", strings.Repeat("long ", 1<<18)))
	var got struct {
		Reloads []struct {
			OK   bool
			Text string
		}
	}
	for len(got.Reloads) != 20 || !strings.HasPrefix(got.Reloads[0].Text, "long") {
		require.NoError(t, json.Unmarshal([]byte(s.next("catalog")), &got))
	}
	require.Less(t, len(got.Reloads[0].Text), 9000)
	require.False(t, got.Reloads[1].OK)
	require.Contains(t, got.Reloads[1].Text, "\n   3 | duration: x\n       ^")
	require.Equal(t, "reload 23", got.Reloads[2].Text)
}

// TestActions checks the effect of each action.
func TestActions(t *testing.T) {
	g := newGame(t, inspect.Options{Token: token})
	post := func(body string) {
		t.Helper()
		resp := g.request("POST", "?act", body, "Content-Type: application/json", "Authorization: Bearer "+token)
		require.Equal(t, http.StatusAccepted, resp.StatusCode)
	}
	s := g.stream("?stream&player=9")
	post(`{"act":"pause","player":"9"}`)
	for !strings.Contains(s.next("player"), `"paused":true`) {
	}
	post(`{"act":"resume","player":"9"}`)
	for !strings.Contains(s.next("player"), `"paused":false`) {
	}
	handle := regexp.MustCompile(`"handle":"(\d+)"`).FindStringSubmatch(s.next("player"))[1]
	post(`{"act":"remove","handle":"` + handle + `"}`)
	for !strings.Contains(s.next("player"), `"carried":3`) {
	}
	require.Contains(t, s.next("player"), `"why":"cancelled"`)
	post(`{"act":"remove","handle":"` + handle + `"}`) // no effect, because the handle is stale
	post(`{"act":"remove","handle":"18446744073709551615"}`)
}

// TestNames checks that names are shown unchanged if they are valid text, and are escaped or cut
// otherwise.
func TestNames(t *testing.T) {
	names := map[buff.OwnerID]string{
		0: "a\nb\r\nevent: x", 1: "\u202Eabc\u2069", 2: "\xff\xfe", 3: strings.Repeat("é", 100), 4: "Ærøskøbing 王", 5: "<b>&amp;", 6: "x\u2028y\x00",
	}
	g := newGame(t, inspect.Options{Name: func(id buff.OwnerID) string { return names[id] }})
	for id, want := range map[buff.OwnerID]string{
		0: "a⟨U+000A⟩b⟨U+000D⟩⟨U+000A⟩event: x", 1: "⟨U+202E⟩abc⟨U+2069⟩", 2: "\uFFFD\uFFFD", 3: strings.Repeat("é", 80) + "…", 4: "Ærøskøbing 王", 5: "<b>&amp;", 6: "x⟨U+2028⟩y⟨U+0000⟩",
	} {
		body := answer(t, g.request("GET", fmt.Sprintf("?player=%d", id), ""))
		require.NotContains(t, body, "<", "JSON that could begin a tag")
		require.NotContains(t, body, "\n")
		var got struct{ Name string }
		require.NoError(t, json.Unmarshal([]byte(body), &got))
		require.Equal(t, want, got.Name)
	}
}
