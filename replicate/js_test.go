package replicate

import (
	"encoding/binary"
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
	"github.com/bufftick/bufftick/internal/needs"
	"github.com/bufftick/bufftick/replicate/client"
)

var scriptFile = flag.String("js.file", "", "file to which TestJavaScript writes its histories, for another client")

// node runs a program in directory js.
func node(t *testing.T, program string, args ...string) string {
	path := needs.Program(t, "node", "nodejs")
	out, err := exec.CommandContext(t.Context(), path, append([]string{"js/" + program}, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

// TestJavaScriptVectors compares the JavaScript client with the Go client after each message
// of the vectors.
func TestJavaScriptVectors(t *testing.T) {
	t.Log(node(t, "vectors.js", "testdata/vectors.json"))
}

// TestTypeScript type-checks js/types.ts against client.d.ts.
func TestTypeScript(t *testing.T) {
	if long.Times(1) < 100 {
		t.Skip("downloads the TypeScript compiler from npm: -long=100")
	}
	npm := needs.Program(t, "npm", "npm")
	compile := func(args ...string) ([]byte, error) {
		args = append([]string{"exec", "--yes", "--package", "typescript@5.9.3", "--", "tsc"}, args...)
		return exec.CommandContext(t.Context(), npm, args...).CombinedOutput()
	}
	if out, err := compile("--version"); err != nil {
		t.Skipf("npm cannot install tsc: the types of the JavaScript client are not checked\n%s", out)
	}
	out, err := compile("--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "js/types.ts")
	require.NoError(t, err, "%s", out)
}

// TestJavaScriptSize checks that the JavaScript client has at most 10 KB and no dependencies, and
// that prediction adds at most 5 KB.
func TestJavaScriptSize(t *testing.T) {
	code, err := os.ReadFile("js/client.js")
	require.NoError(t, err)
	require.LessOrEqual(t, len(code), 10<<10)
	require.NotContains(t, string(code), "import ")
	require.NotContains(t, string(code), "require(")
	code, err = os.ReadFile("js/predict.js")
	require.NoError(t, err)
	require.Less(t, len(code), 5_000)
}

// TestPrediction plays games with random lag, loss, refusals and changes, and prints how often a
// buff on the screen jumps with and without prediction.
func TestPrediction(t *testing.T) {
	t.Log(node(t, "predictions.js", "testdata/predictions.json") + "\n" + node(t, "jumps.js", strconv.FormatUint(long.Seed(), 10), strconv.Itoa(long.Times(2))))
}

// TestJavaScriptFuzz checks that no message makes the client throw an undocumented error or
// exceed its limits.
func TestJavaScriptFuzz(t *testing.T) {
	t.Log(node(t, "fuzz.js", "testdata/vectors.json", strconv.Itoa(long.Times(2000)), strconv.FormatUint(long.Seed(), 10)))
}

// TestJavaScript compares the JavaScript client with the Go client on connections that lose,
// duplicate and corrupt packets.
func TestJavaScript(t *testing.T) {
	file := *scriptFile
	if file == "" {
		file = filepath.Join(t.TempDir(), "histories.json")
	}
	writeHistories(t, file, long.Times(20))
	t.Log(node(t, "vectors.js", file))
}

// TestProtocolPage compares a Python client, which was written from docs/protocol.md alone,
// with the Go client. It shows that the page is complete.
func TestProtocolPage(t *testing.T) {
	python := needs.Program(t, "python3", "python3")
	file := filepath.Join(t.TempDir(), "histories.json")
	writeHistories(t, file, min(long.Times(20), 5_000))
	for _, lists := range []string{"testdata/vectors.json", file} {
		out, err := exec.CommandContext(t.Context(), python, "-B", "testdata/decoder.py", lists).CombinedOutput()
		require.NoError(t, err, "%s", out)
		t.Log(strings.TrimSpace(string(out)))
	}
}

// writeHistories writes random histories, one on each line, and after each a list of corrupted
// messages. Both are lists of messages, with the client's state after each message.
func writeHistories(t *testing.T, file string, n int) {
	t.Helper()
	out, err := os.Create(file)
	require.NoError(t, err)
	defer out.Close()
	var sent [][]byte
	for seed := range uint64(20) {
		for _, m := range sentIn(t, seed) {
			sent = append(sent, slices.DeleteFunc(m[:], func(b []byte) bool { return len(b) == 0 })...)
		}
	}
	lists := json.NewEncoder(out)
	for k := range uint64(n) {
		seed := long.Seed() + k
		require.NoError(t, lists.Encode(history(t, seed)))
		require.NoError(t, lists.Encode(corrupted(t, seed, sent)))
	}
	require.NoError(t, out.Close())
}

// corrupted returns a list of messages from other connections, corrupted in several places, half of
// them with an additional number of up to 64 bits.
func corrupted(t *testing.T, seed uint64, sent [][]byte) []vector {
	dice := rand.New(rand.NewPCG(seed, 10))
	s := &script{t: t, c: client.New(client.Options{})}
	for range 20 {
		m := corruptOneOf(dice, nil, sent)
		if len(m) > 1 && dice.IntN(2) == 0 {
			number := binary.AppendUvarint(nil, dice.Uint64()>>dice.IntN(64))
			m = slices.Insert(m, 1+dice.IntN(len(m)-1), number...)
		}
		s.receive("corrupted", m)
	}
	return s.out
}

// history returns one random history.
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
			_ = seat.viewer.see(id, w.one(2)) // the owner may be missing, or the view full
		} else if w.one(3) {
			seat.viewer.Unsee(id)
		}
		if p := seat.viewer.Append(nil); len(p) > 0 && !w.one(10) {
			s.receive("", p)
			if w.one(10) {
				s.receive("twice", p)
			}
			if w.one(10) {
				s.receive("corrupt", corrupt(w.dice, p, seat.viewer.number))
			}
		}
		if w.one(15) {
			s.receive("definitions", w.srv.Definitions())
		}
		if w.one(30) {
			s.receive("corrupt definitions", corrupt(w.dice, w.srv.Definitions(), 127))
		}
		if w.one(3) {
			require.NoError(t, seat.viewer.Receive(s.c.Missed()))
		}
	}
	require.NoError(t, w.eng.Close(t.Context()))
	return s.out
}

// corrupt sets the number of a packet to an earlier number, and corrupts another byte or
// truncates the packet there.
func corrupt(dice *rand.Rand, message []byte, last uint64) []byte {
	m := slices.Clone(message)
	m[1] = byte(dice.Uint64N(min(last, 127) + 1))
	if len(m) > 3 {
		at := 2 + dice.IntN(len(m)-2)
		// keep the eighth bit, so that numbers stay short
		if m[at] ^= 1 << dice.IntN(7); dice.IntN(2) == 0 {
			m = m[:at]
		}
	}
	return m
}
