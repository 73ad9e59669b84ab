package inspect_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/inspect"
	"github.com/bufftick/bufftick/internal/recovered/recoveredtest"
)

// ends lists the ways in which a function of the game may fail to return, with the expected
// report of each.
var ends = recoveredtest.Ends("ended its goroutine and is not called again")

// TestNameFails checks that if Name fails, only that name is missing. All streams continue, also
// of that player, and report the fault.
func TestNameFails(t *testing.T) {
	t.Parallel()
	for _, c := range ends {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			g := newGame(t, inspect.Options{Name: func(id buff.OwnerID) string {
				if id == 1<<64-1 {
					calls.Add(1)
					c.Do()
				}
				return "P"
			}})
			good := g.stream("?stream&player=7")
			require.Contains(t, good.next("player"), `"name":"P"`)
			bad := g.stream("?stream&player=18446744073709551615")
			for range 2 {
				good.next("view")
			}
			require.Contains(t, bad.next("player"), `"id":"18446744073709551615","now"`)
			for {
				if v := good.next("view"); strings.Contains(v, `"faults":[{"what":"Options.Name","n":`) {
					require.Contains(t, v, c.Said)
					break
				}
			}
			require.Positive(t, calls.Load())
			good.resp.Body.Close()
			bad.resp.Body.Close()

			resp, err := http.Get(g.url("?player=18446744073709551615"))
			if c.Name == "Goexit" { // Name was called once, in the stream
				require.EqualValues(t, 1, calls.Load())
			}
			require.NoError(t, err)
			resp.Body.Close()
			require.Equal(t, http.StatusOK, resp.StatusCode)
			g.get("?search=p")
			g.get("?snapshot")
		})
	}
}

// TestSearchFails checks that the response has status 500 if Search fails.
func TestSearchFails(t *testing.T) {
	for _, c := range ends {
		if c.Name == "Goexit" {
			continue // see TestGoexitInRequest
		}
		t.Run(c.Name, func(t *testing.T) {
			g := newGame(t, inspect.Options{Search: func(string, int) []buff.OwnerID { c.Do(); return nil }})
			good := g.stream("?stream")
			resp := g.request("GET", "?search=x", "")
			require.Equal(t, http.StatusInternalServerError, resp.StatusCode)
			require.Contains(t, body(t, resp), "Options.Search "+c.Said)
			good.next("view")
			good.resp.Body.Close()
		})
	}
}

// TestReloadFails checks that if Reload fails, the response has status 500 and the failure is
// recorded. The next reload is executed.
func TestReloadFails(t *testing.T) {
	t.Parallel()
	for _, c := range ends {
		if c.Name == "Goexit" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			g := newGame(t, inspect.Options{Token: token, Reload: func() (any, error) {
				if calls++; calls == 1 {
					c.Do()
				}
				return recoveredtest.Bomb{}, recoveredtest.Bomb{}
			}})
			good := g.stream("?stream&catalog")
			require.Equal(t, http.StatusInternalServerError, g.act("reload"))
			for !strings.Contains(good.next("catalog"), "Options.Reload "+c.Said) {
			}
			require.Equal(t, http.StatusAccepted, g.act("reload"))
			for !strings.Contains(good.next("catalog"), "a recoveredtest.Bomb, whose text panics") {
			}
			good.resp.Body.Close()
		})
	}
}

// TestGoexitInRequest checks that a function that ends the goroutine of a request ends only that
// request.
func TestGoexitInRequest(t *testing.T) {
	g := newGame(t, inspect.Options{
		Token:  token,
		Search: func(string, int) []buff.OwnerID { runtime.Goexit(); return nil },
		Reload: func() (any, error) { runtime.Goexit(); return nil, nil },
	})
	_, err := http.Get(g.url("?search=x"))
	require.Error(t, err, "the connection is closed")
	resp := g.request("GET", "?search=x", "")
	require.Equal(t, http.StatusInternalServerError, resp.StatusCode)
	require.Contains(t, body(t, resp), "Options.Search ended its goroutine and is not called again")

	r, err := http.NewRequest("POST", g.url("?act"), strings.NewReader(`{"act":"reload"}`))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	_, err = http.DefaultClient.Do(r) //nolint:bodyclose // there is none
	require.Error(t, err)
	require.Equal(t, http.StatusInternalServerError, g.act("reload"))
}

// TestAttributesFail checks that if Attributes fails, only that player's page shows the fault. If
// Attributes calls runtime.Goexit, it ends the loop's goroutine, which cannot be prevented.
func TestAttributesFail(t *testing.T) {
	for _, c := range ends {
		if c.Name == "Goexit" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			g := newGame(t, inspect.Options{Attributes: func(any) []inspect.Attribute { c.Do(); return nil }})
			require.Contains(t, "panicked: "+g.get("?player=7")["fault"].(string), c.Said)
		})
	}
}

// TestAlarmFails checks that if Alarm fails, the fault is listed and the views continue.
func TestAlarmFails(t *testing.T) {
	t.Parallel()
	for _, c := range ends {
		t.Run(c.Name, func(t *testing.T) {
			g := newGame(t, inspect.Options{Alarm: func() string { c.Do(); return "" }})
			good := g.stream("?stream")
			for {
				if v := good.next("view"); strings.Contains(v, `"faults":[{"what":"Options.Alarm","n":`) {
					require.Contains(t, v, c.Said)
					break
				}
			}
			good.next("view")
			good.resp.Body.Close()
		})
	}
}

// TestDoFails checks that an error or a failure of Do is the answer to an action.
func TestDoFails(t *testing.T) {
	var did []string
	said := errors.New("not while the boss lives")
	g := newGame(t, inspect.Options{Token: token, Do: func(c buff.Command) error {
		did = append(did, c.Verb.String())
		if c.Verb == verb.Resume {
			panic("no books")
		}
		return said
	}})
	ask := func(what string) (int, string) {
		resp := g.request("POST", "?act", what, "Content-Type: application/json", "Authorization: Bearer "+token)
		return resp.StatusCode, strings.TrimSpace(body(t, resp))
	}
	code, text := ask(`{"act":"pause","player":"9"}`)
	require.Equal(t, "503 not while the boss lives", fmt.Sprint(code, " ", text))
	code, text = ask(`{"act":"resume","player":"9"}`)
	require.Equal(t, "500 Options.Do panicked: no books", fmt.Sprint(code, " ", text))
	said = nil
	code, _ = ask(`{"act":"remove","handle":"9"}`)
	require.Equal(t, http.StatusAccepted, code)
	require.Equal(t, []string{"pause", "resume", "remove"}, did)
	code, _ = ask(`{"act":"check"}`)
	require.Equal(t, http.StatusAccepted, code)
	require.Len(t, did, 3)
	require.Equal(t, false, g.get("?player=9")["paused"], "the engine was not asked")
}

// TestReloadedFails checks that a report whose String method panics does no harm.
func TestReloadedFails(t *testing.T) {
	g := newGame(t, inspect.Options{})
	g.page.Reloaded(recoveredtest.Bomb{}, nil)
	g.page.Reloaded(nil, recoveredtest.Bomb{})
	var none *recoveredtest.Bomb
	g.page.Reloaded(none, none)
	s := g.stream("?stream&catalog")
	require.Equal(t, 2, strings.Count(s.next("catalog"), "a recoveredtest.Bomb, whose text panics"))
	s.resp.Body.Close()
}

// body returns the body of a response.
func body(t *testing.T, resp *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(data)
}

// act requests an action with the token, and returns the status of the response.
func (g *game) act(what string) int {
	g.t.Helper()
	resp := g.request("POST", "?act", `{"act":"`+what+`"}`, "Content-Type: application/json", "Authorization: Bearer "+token)
	return resp.StatusCode
}

// TestAllGameFunctionsTested checks that there is a test for the failure of every function in
// Options.
func TestAllGameFunctionsTested(t *testing.T) {
	tested := map[string]string{
		"Name": "TestNameFails", "Search": "TestSearchFails", "Do": "TestDoFails", "Attributes": "TestAttributesFail", "Reload": "TestReloadFails", "Alarm": "TestAlarmFails",
	}
	of := reflect.TypeFor[inspect.Options]()
	seen := 0
	for i := range of.NumField() {
		if f := of.Field(i); f.Type.Kind() == reflect.Func || f.Type.Kind() == reflect.Interface {
			require.Contains(t, tested, f.Name, "it may panic: see type foreign, and add a test and a row")
			seen++
		}
	}
	require.Equal(t, len(tested), seen)
	for i := range reflect.TypeFor[*inspect.Inspector]().NumMethod() {
		m := reflect.TypeFor[*inspect.Inspector]().Method(i)
		for k := 1; k < m.Type.NumIn(); k++ {
			switch m.Type.In(k).Kind() {
			case reflect.Func, reflect.Interface:
				// Guard and ServeHTTP run on goroutines of package net/http, which recovers from
				// panics, and Attend runs on a goroutine of the game.
				require.Contains(t, []string{"Attend", "Reloaded", "Guard", "ServeHTTP"}, m.Name)
			}
		}
	}
}
