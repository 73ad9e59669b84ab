package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
)

// clientPage feeds lists of messages to the client of package replicate, and shows the number of
// messages. Each line of the file is a list, or the whole file is one list.
const clientPage = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>client</title><p id="said"></p>
<script type="module">
	import { check } from "./js/check.js";
	const text = await (await fetch("messages")).text();
	const said = document.querySelector("#said");
	try {
		const lists = (text.startsWith("[{") ? text.trim().split("\n") : [text]).map((list) => JSON.parse(list));
		said.textContent = check(lists) + " of " + lists.reduce((n, list) => n + list.length, 0) + " in " + lists.length;
	} catch (err) {
		said.textContent = String(err);
	}
</script>`

// readsAll feeds a file to the client of package replicate in a browser, and returns the numbers
// of lists and messages.
func readsAll(t *testing.T, file string) (lists, messages int) {
	mux := http.NewServeMux()
	mux.Handle("/js/", http.FileServer(http.Dir("../../replicate")))
	mux.HandleFunc("/messages", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(clientPage))
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	p := open(t, srv.URL, wide, tall)
	p.until(`document.querySelector("#said").textContent !== ""`)
	said := eval[string](p, `document.querySelector("#said").textContent`)
	words := strings.Fields(said)
	require.Regexp(t, `^\d+ of \d+ in \d+$`, said)
	require.Equal(t, words[0], words[2])
	return must(strconv.Atoi(words[4])), must(strconv.Atoi(words[0]))
}

// TestReplicateClient checks that in a browser, the JavaScript client of package replicate has
// the expected state after each message of the vectors.
func TestReplicateClient(t *testing.T) {
	_, n := readsAll(t, "../../replicate/testdata/vectors.json")
	require.Greater(t, n, 20)
}

// TestReplicateHistories checks the same for the random histories of package replicate, whose
// connections lose, duplicate and corrupt messages.
func TestReplicateHistories(t *testing.T) {
	file := filepath.Join(t.TempDir(), "histories.json")
	play := exec.CommandContext(t.Context(), "go", "test", "-run", "^TestJavaScript$", "./replicate", "-long="+strconv.Itoa(long.Times(1)), "-js.file", file)
	play.Dir, play.Env = "../..", append(os.Environ(), "GOWORK=off")
	out, err := play.CombinedOutput()
	require.NoError(t, err, "%s", out)
	lists, messages := readsAll(t, file)
	require.Equal(t, long.Times(20), lists)
	require.Greater(t, messages, 10*lists)
	t.Logf("%d histories, %d messages", lists, messages)
}
