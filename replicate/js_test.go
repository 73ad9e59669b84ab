package replicate

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/replicate/client"
)

var scriptHistories = flag.Int("js.histories", 60, "random histories of TestJavaScript")

// node runs js/vectors.js on a file of messages.
func node(t *testing.T, file string) string {
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node: the client in JavaScript is not tested")
	}
	out, err := exec.CommandContext(t.Context(), path, "js/vectors.js", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

// TestJavaScriptVectors: the client in JavaScript knows what that in Go does, after each message.
func TestJavaScriptVectors(t *testing.T) {
	t.Log(node(t, "testdata/vectors.json"))
}

// TestJavaScriptSize: 10 KB at most, without a dependency.
func TestJavaScriptSize(t *testing.T) {
	code, err := os.ReadFile("js/client.js")
	require.NoError(t, err)
	require.Less(t, len(code), 10_000)
	require.NotContains(t, string(code), "import ")
	require.NotContains(t, string(code), "require(")
}

// TestJavaScript: and so it does over lines that lose, swap and double.
func TestJavaScript(t *testing.T) {
	file := filepath.Join(t.TempDir(), "histories.json")
	out, err := os.Create(file)
	require.NoError(t, err)
	defer out.Close()
	lists := json.NewEncoder(out)
	for seed := range uint64(*scriptHistories) {
		w := newWorld(t, seed, optionsOf(seed))
		s := &script{t: t, c: client.New(client.Options{})}
		seat := &seat{}
		require.NoError(t, w.sit(seat, w.owner()))
		for range 60 {
			for range w.dice.IntN(4) {
				w.act(t)
			}
			w.eng.Tick(1 << (20 + w.dice.IntN(9))) // up to half a second
			w.srv.Update()
			if id := w.owner(); w.one(2) {
				_ = seat.viewer.See(id, w.one(2)) // there may be none, or too many
			} else if w.one(3) {
				seat.viewer.Unsee(id)
			}
			if p := seat.viewer.Append(nil); len(p) > 0 && !w.one(10) {
				s.receive("", p)
				if w.one(10) {
					s.receive("twice", p)
				}
			}
			if w.one(15) {
				s.receive("definitions", w.srv.Definitions())
			}
			if w.one(3) {
				require.NoError(t, seat.viewer.Receive(s.c.Missed()))
			}
		}
		require.NoError(t, lists.Encode(s.out))
	}
	require.NoError(t, out.Close())
	t.Log(node(t, file))
}
