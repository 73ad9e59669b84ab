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
	"github.com/bufftick/bufftick/internal/needs"
)

// clientPage checks the client of package replicate, and shows the number of messages. Each line of
// the file "messages" is a list, or the whole file is one list.
const clientPage = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>client</title><p id="said"></p>
<script type="importmap">{"imports": {"@bufftick/client": "./js/client.js", "@bufftick/client/predict": "./js/predict.js"}}</script>
<script type="module">
	import { Client, left } from "@bufftick/client";
	import { Predictor } from "@bufftick/client/predict";
	import { check, checkPredictions } from "./check.js";
	const file = async (name) => (await fetch(name)).text();
	const said = document.querySelector("#said"), modules = { Client, Predictor, left };
	try {
		const text = await file("messages");
		const lists = (text.startsWith("[{") ? text.trim().split("\n") : [text]).map((list) => JSON.parse(list));
		const cases = checkPredictions(modules, JSON.parse(await file("predictions.json")));
		said.textContent = check(modules, lists) + " of " + lists.reduce((n, list) => n + list.length, 0) + " in " + lists.length + ", " + cases + " cases";
	} catch (err) {
		said.textContent = String(err);
	}
</script>`

const client = "../../replicate/js"

// readsAll feeds a file to the client of package replicate in a browser, and returns the numbers
// of lists and messages. The client is in the folder dir.
func readsAll(t *testing.T, dir, file string) (lists, messages int) {
	mux := http.NewServeMux()
	mux.Handle("/js/", http.StripPrefix("/js/", http.FileServer(http.Dir(dir))))
	for name, path := range map[string]string{"messages": file, "check.js": client + "/check.js", "predictions.json": "../../replicate/testdata/predictions.json"} {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, path) })
	}
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(clientPage))
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	p := open(t, srv.URL, wide, tall)
	p.until(`document.querySelector("#said").textContent !== ""`)
	said := eval[string](p, `document.querySelector("#said").textContent`)
	words := strings.Fields(said)
	require.Regexp(t, `^\d+ of \d+ in \d+, \d\d cases$`, said)
	require.Equal(t, words[0], words[2])
	return must(strconv.Atoi(strings.TrimSuffix(words[4], ","))), must(strconv.Atoi(words[0]))
}

// TestReplicateClient checks that in a browser, the JavaScript client of package replicate has
// the expected state after each message of the vectors.
func TestReplicateClient(t *testing.T) {
	_, n := readsAll(t, client, "../../replicate/testdata/vectors.json")
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
	lists, messages := readsAll(t, client, file)
	require.Equal(t, 2*long.Times(20), lists, "each history, and a list of corrupted messages after it")
	require.Greater(t, messages, 10*lists)
	t.Logf("%d histories, %d messages", lists, messages)
}

// packageProgram is what a program that has installed the package would do. Its arguments are
// check.js and the folder of the vectors.
const packageProgram = `
import { readFileSync } from "node:fs";
import { Client, left } from "@bufftick/client";
import { Predictor } from "@bufftick/client/predict";
const { check, checkPredictions } = await import(process.argv[2]);
const file = (name) => JSON.parse(readFileSync(process.argv[3] + "/" + name, "utf8"));
const modules = { Client, Predictor, left };
console.log(check(modules, [file("vectors.json")]), "messages,", checkPredictions(modules, file("predictions.json")), "cases");
`

// TestPackage packs the JavaScript client with npm, installs the package in a project outside the
// tree without a network, and checks it there with the vectors, in node and in a browser.
func TestPackage(t *testing.T) {
	npm := needs.Program(t, "npm", "npm")
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "npm_config_offline=true", "npm_config_update_notifier=false", "npm_config_cache="+filepath.Join(dir, "cache"))
		out, err := cmd.Output()
		require.NoError(t, err, "%s %q: %s", name, args, out)
		return strings.TrimSpace(string(out))
	}
	replicate := must(filepath.Abs("../../replicate"))
	archive := run(npm, "pack", "--silent", filepath.Join(replicate, "js"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private": true, "type": "module"}`), 0o600))
	run(npm, "install", "--no-audit", "--no-fund", "./"+archive)
	installed := filepath.Join(dir, "node_modules", "@bufftick", "client")
	var names []string
	for _, e := range must(os.ReadDir(installed)) {
		names = append(names, e.Name())
	}
	require.ElementsMatch(t, []string{"LICENSE", "README.md", "client.d.ts", "client.js", "package.json", "predict.d.ts", "predict.js"}, names)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "program.js"), []byte(packageProgram), 0o600))
	t.Log(run("node", "program.js", filepath.Join(replicate, "js", "check.js"), filepath.Join(replicate, "testdata")))
	_, n := readsAll(t, installed, filepath.Join(replicate, "testdata", "vectors.json"))
	require.Greater(t, n, 20)
}
