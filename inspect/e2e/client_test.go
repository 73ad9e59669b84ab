package e2e

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// clientPage lets the client of package replicate read its vectors, and shows how many there were.
const clientPage = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>client</title><p id="said"></p>
<script type="module">
	import { check } from "./js/check.js";
	const list = await (await fetch("testdata/vectors.json")).json();
	document.querySelector("#said").textContent = check([list]) + " of " + list.length;
</script>`

// The client of package replicate knows in a browser what it knows in node and what the one in Go does, after each
// message of the vectors.
func TestReplicateClient(t *testing.T) {
	mux := http.NewServeMux()
	files := http.FileServer(http.Dir("../../replicate"))
	mux.Handle("/js/", files)
	mux.Handle("/testdata/", files)
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(clientPage))
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	p := open(t, srv.URL, wide, tall)
	p.until(`document.querySelector("#said").textContent !== ""`)
	require.Regexp(t, `^(\d+) of \d+$`, eval[string](p, `document.querySelector("#said").textContent`))
	require.True(t, eval[bool](p, `(([n, all]) => n === all && Number(n) > 20)(document.querySelector("#said").textContent.split(" of "))`))
}
