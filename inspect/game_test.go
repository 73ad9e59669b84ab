package inspect_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// Ignore the goroutines of the default pool that ants starts when it is imported.
func TestMain(m *testing.M) {
	if addr := os.Getenv(clientsOf); addr != "" {
		beClients(addr)
		return
	}
	// The parallel tests wait for streams, which send once in 100 ms or less often.
	flag.Parse()
	_ = flag.Set("test.parallel", "16")
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// game is an engine whose loop ticks in real time, and a server with its page.
type game struct {
	t    *testing.T
	eng  *engine.Engine
	page *inspect.Inspector
	srv  *httptest.Server
	gate chan struct{} // closed at the end, so that blocked handlers return

	ticks atomic.Uint64 // number of calls of Tick, each of which returned the expected frame number
}

const token = "0123456789abcdef"

func call(name string) []define.Action { return []define.Action{{Do: define.DoCall, Name: name}} }

// newGame starts a game with a few players. Its loop and its server end with the test.
func newGame(t *testing.T, o inspect.Options) *game {
	t.Helper()
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "venom", Name: "Venom", Polarity: define.Negative, Tags: []string{"debuff.poison"}, Duration: time.Hour, Period: 100 * time.Millisecond, Stack: define.Stacking{By: define.BySource, Limit: 5}},
		buff.Spec{ID: "once", Duration: 90 * time.Minute, Stack: define.Stacking{By: define.ByTarget, Overflow: define.OverflowDeny}},
		buff.Spec{ID: "trap", Kind: define.Instant, On: define.Hooks{Exec: call("hang")}},
	)
	require.NoError(t, err)
	g := &game{t: t, gate: make(chan struct{})}
	g.eng, err = engine.New(engine.Options{Catalog: cat, Workers: 2, Budget: time.Millisecond, Handlers: engine.Handlers{
		"hang": func(*engine.Context, buff.Event) { <-g.gate },
	}})
	require.NoError(t, err)
	for id := range buff.OwnerID(50) {
		require.NoError(t, g.eng.Spawn(id, "data of "+fmt.Sprint(id)))
		for n := range id % 5 {
			g.eng.AddBuff(id, buff.Application{Spec: cat.Spec("venom"), Source: 100 + n, Magnitude: 1 << 60})
		}
	}
	g.page, err = inspect.New(g.eng, o)
	require.NoError(t, err)
	g.start()
	return g
}

func (g *game) start() {
	mux := http.NewServeMux()
	mux.Handle("/debug/buffs", g.page)
	mux.Handle("/under/", http.StripPrefix("/under", g.page))
	g.srv = httptest.NewUnstartedServer(nil)
	g.srv.Config = inspect.NewServer(mux)
	g.srv.Start()
	stop := make(chan struct{})
	var loop sync.WaitGroup
	loop.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				if n := g.eng.Tick(5 * time.Millisecond).Number; n != g.ticks.Add(1) {
					panic(fmt.Sprintf("frame %d is not the next", n))
				}
				g.page.Frame(time.Millisecond)
			}
		}
	})
	g.t.Cleanup(func() {
		g.srv.CloseClientConnections()
		g.srv.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		close(stop)
		loop.Wait()
		close(g.gate)
		require.NoError(g.t, g.eng.Close(context.Background()))
	})
}

func (g *game) url(query string) string { return g.srv.URL + "/debug/buffs" + query }

// request sends a request, with headers in the form "Name: value".
func (g *game) request(method, query, body string, headers ...string) *http.Response {
	g.t.Helper()
	r, err := http.NewRequestWithContext(g.t.Context(), method, g.url(query), strings.NewReader(body))
	require.NoError(g.t, err)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		} else {
			r.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(g.t, err)
	g.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// answer returns the body of a response, whose status must be OK.
func answer(t *testing.T, resp *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Less(t, resp.StatusCode, 300, "%s", data)
	return string(data)
}

// get returns the decoded JSON response to a query.
func (g *game) get(query string) map[string]any {
	g.t.Helper()
	var out map[string]any
	require.NoError(g.t, json.Unmarshal([]byte(answer(g.t, g.request("GET", query, ""))), &out))
	return out
}

// stream is a client that reads server-sent events.
type stream struct {
	t    *testing.T
	resp *http.Response
	rest []byte
}

func (g *game) stream(query string, headers ...string) *stream {
	g.t.Helper()
	resp := g.request("GET", query, "", headers...)
	require.Equal(g.t, http.StatusOK, resp.StatusCode)
	require.Equal(g.t, "text/event-stream", resp.Header.Get("Content-Type"))
	return &stream{t: g.t, resp: resp}
}

// next returns the data of the next event of the given kind.
func (s *stream) next(kind string) string {
	s.t.Helper()
	buf := make([]byte, 64<<10)
	for {
		for {
			at := strings.Index(string(s.rest), "\n\n")
			if at < 0 {
				break
			}
			ev := string(s.rest[:at])
			s.rest = s.rest[at+2:]
			if data, ok := strings.CutPrefix(ev, "event: "+kind+"\ndata: "); ok {
				return data
			}
		}
		n, err := s.resp.Body.Read(buf)
		require.NoError(s.t, err)
		s.rest = append(s.rest, buf[:n]...)
	}
}
