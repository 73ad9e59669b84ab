package inspect_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
)

// One line mounts the page.
func Example() {
	eng, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())

	mux := http.NewServeMux()
	mux.Handle("/debug/buffs", inspect.Handler(eng))

	srv := httptest.NewServer(mux) // a game: inspect.NewServer(mux), listening on 127.0.0.1
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/debug/buffs")
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status, resp.Header.Get("Content-Type"))
	// Output: 200 OK text/html; charset=utf-8
}
