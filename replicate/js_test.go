package replicate

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/replicate/client"
)

var scriptFile = flag.String("js.file", "", "where TestJavaScript leaves its histories, for a client elsewhere")

// node runs a program of the folder js.
func node(t *testing.T, program string, args ...string) string {
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node: the client in JavaScript is not tested")
	}
	out, err := exec.CommandContext(t.Context(), path, append([]string{"js/" + program}, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

// TestJavaScriptVectors: the client in JavaScript knows what that in Go does, after each message.
func TestJavaScriptVectors(t *testing.T) {
	t.Log(node(t, "vectors.js", "testdata/vectors.json"))
}

// TestTypes: a game in TypeScript can be written with client.d.ts, and what must not pass does not.
func TestTypes(t *testing.T) {
	if long.Times(1) < 100 {
		t.Skip("downloads the TypeScript compiler from npm: -long=100")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("there is no npm: the types of the client in JavaScript are not checked")
	}
	compile := func(args ...string) ([]byte, error) {
		args = append([]string{"exec", "--yes", "--package", "typescript@5.9.3", "--", "tsc"}, args...)
		return exec.CommandContext(t.Context(), npm, args...).CombinedOutput()
	}
	if out, err := compile("--version"); err != nil {
		t.Skipf("npm has no tsc, nor gets one: the types of the client in JavaScript are not checked\n%s", out)
	}
	out, err := compile("--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "js/types.ts")
	require.NoError(t, err, "%s", out)
}

// TestJavaScriptSize: 10 KB at most, without a dependency.
func TestJavaScriptSize(t *testing.T) {
	code, err := os.ReadFile("js/client.js")
	require.NoError(t, err)
	require.Less(t, len(code), 10_000)
	require.NotContains(t, string(code), "import ")
	require.NotContains(t, string(code), "require(")
}

// TestJavaScriptFuzz: no bytes make it throw what it does not say, or keep more than its limits.
func TestJavaScriptFuzz(t *testing.T) {
	t.Log(node(t, "fuzz.js", "testdata/vectors.json", strconv.Itoa(long.Times(2000)), strconv.FormatUint(long.Seed(), 10)))
}

// TestJavaScript: and so it does over lines that lose, double and spoil.
func TestJavaScript(t *testing.T) {
	file := *scriptFile
	if file == "" {
		file = filepath.Join(t.TempDir(), "histories.json")
	}
	writeHistories(t, file, long.Times(20))
	t.Log(node(t, "vectors.js", file))
}

// TestProtocol: a client in Python, which was written from docs/protocol.md alone, knows what that in Go does: so the
// page is enough for who writes one in a language that has none.
func TestProtocol(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3: docs/protocol.md is not judged by a client that was written from it")
	}
	file := filepath.Join(t.TempDir(), "histories.json")
	writeHistories(t, file, min(long.Times(20), 5_000))
	for _, lists := range []string{"testdata/vectors.json", file} {
		out, err := exec.CommandContext(t.Context(), python, "-B", "testdata/decoder.py", lists).CombinedOutput()
		require.NoError(t, err, "%s", out)
		t.Log(strings.TrimSpace(string(out)))
	}
}

// writeHistories writes what a client is told in random histories, and what it knows after each message: one list
// in a line.
func writeHistories(t *testing.T, file string, n int) {
	t.Helper()
	out, err := os.Create(file)
	require.NoError(t, err)
	defer out.Close()
	lists := json.NewEncoder(out)
	for k := range uint64(n) {
		require.NoError(t, lists.Encode(history(t, long.Seed()+k)))
	}
	require.NoError(t, out.Close())
}

// history is one of them.
func history(t *testing.T, seed uint64) []vector {
	w := openWorld(t, seed, optionsOf(seed))
	for id := range buff.OwnerID(crowd) {
		if w.one(2) {
			require.NoError(t, w.eng.Spawn(1+id, nil))
		}
	}
	s, seat := &script{t: t, c: client.New(client.Options{})}, &seat{}
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
			if w.one(10) {
				s.receive("spoiled", spoil(w.dice, p, seat.viewer.number))
			}
		}
		if w.one(15) {
			s.receive("definitions", w.srv.Definitions())
		}
		if w.one(30) {
			s.receive("spoiled definitions", spoil(w.dice, w.srv.Definitions(), 127))
		}
		if w.one(3) {
			require.NoError(t, seat.viewer.Receive(s.c.Missed()))
		}
	}
	require.NoError(t, w.eng.Close(t.Context()))
	return s.out
}

// spoil changes a packet's number to one that there has been, and a byte behind it, or cuts it off there.
func spoil(dice *rand.Rand, message []byte, last uint64) []byte {
	m := slices.Clone(message)
	m[1] = byte(dice.Uint64N(min(last, 127) + 1))
	if len(m) > 3 {
		at := 2 + dice.IntN(len(m)-2)
		if m[at] ^= 1 << dice.IntN(7); dice.IntN(2) == 0 { // not its eighth bit: numbers stay short
			m = m[:at]
		}
	}
	return m
}
