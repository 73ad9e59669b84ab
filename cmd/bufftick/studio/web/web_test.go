package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/cmd/bufftick/studio"
)

// TestEditor checks that codemirror.js is the file that editor/build.sh makes.
func TestEditor(t *testing.T) {
	text, err := fs.ReadFile(Page(), "codemirror.js")
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	require.Equal(t, "183982b18774bcbbe4200a5c2ef1dfb11b837f01910ea00f6ab31e0cd9abfaf9", hex.EncodeToString(sum[:]))
	licences, err := fs.ReadFile(Page(), "codemirror.LICENSES.txt")
	require.NoError(t, err)
	require.Contains(t, string(licences), "MIT License")
}

func newServer(t *testing.T) (*Server, string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("buffs: {a: {duration: 1s}} # kept\n"), 0o640))
	s, err := NewServer(dir)
	require.NoError(t, err)
	return s, dir
}

// post calls a method as the page does, after a change of the request.
func post(t *testing.T, s *Server, method string, request any, change func(*http.Request)) (status int, text string) {
	t.Helper()
	body, err := json.Marshal(request)
	require.NoError(t, err)
	r := httptest.NewRequest(http.MethodPost, "/api/"+method, strings.NewReader(string(body)))
	r.RemoteAddr, r.Host = "127.0.0.1:4000", "127.0.0.1:7070"
	r.Header.Set("X-Studio-Token", s.Token)
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestServer_Refuses(t *testing.T) {
	s, _ := newServer(t)
	status, _ := post(t, s, "files", nil, nil)
	require.Equal(t, http.StatusOK, status)
	for name, change := range map[string]func(*http.Request){
		"another machine": func(r *http.Request) { r.RemoteAddr = "10.0.0.7:4000" },
		"host":            func(r *http.Request) { r.Host = "evil.example:7070" },
		"origin":          func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:9999") },
		"site":            func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"no token":        func(r *http.Request) { r.Header.Del("X-Studio-Token") },
		"wrong token":     func(r *http.Request) { r.Header.Set("X-Studio-Token", "x") },
		"get":             func(r *http.Request) { r.Method = http.MethodGet },
	} {
		status, text := post(t, s, "files", nil, change)
		require.GreaterOrEqual(t, status, 400, name)
		require.NotContains(t, text, "a.yaml", name)
	}
}

func TestServer_Save(t *testing.T) {
	s, dir := newServer(t)
	at := filepath.Join(dir, "a.yaml")
	require.NoError(t, os.Chmod(at, 0o666)) // more than the usual umask leaves to a new file
	var was studio.Text
	_, text := post(t, s, "read", studio.NameRequest{Name: "a.yaml"}, nil)
	require.NoError(t, json.Unmarshal([]byte(text), &was))
	save := func(name, text, version string) (int, string) {
		return post(t, s, "save", studio.SaveRequest{Name: name, Text: text, Version: version}, nil)
	}
	status, _ := save("a.yaml", "buffs: {b: {duration: 1s}}\n", was.Version)
	require.Equal(t, http.StatusOK, status)
	now, err := os.ReadFile(at)
	require.NoError(t, err)
	require.Equal(t, "buffs: {b: {duration: 1s}}\n", string(now))
	info, err := os.Stat(at)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o666), info.Mode().Perm())

	status, _ = save("a.yaml", "mine", was.Version)
	require.Equal(t, http.StatusConflict, status)
	status, _ = save("a.yaml", "mine", "")
	require.Equal(t, http.StatusConflict, status)
	status, _ = save("new/b.yaml", "buffs: {}\n", "")
	require.Equal(t, http.StatusOK, status)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "no temporary file is left")

	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "gone")))
	status, text = save("gone/c.yaml", "buffs: {}\n", "")
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Contains(t, text, "gone/c.yaml cannot be saved: ")
}

func TestServer_NoEscape(t *testing.T) {
	s, dir := newServer(t)
	outside := filepath.Join(t.TempDir(), "out.yaml")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link.yaml")))
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(dir, "away")))
	for _, name := range []string{"../x.yaml", "/etc/x.yaml", "link.yaml", "away/out.yaml", "away/new.yaml", "a/../../x.yaml", "run.sh", ""} {
		status, _ := post(t, s, "save", studio.SaveRequest{Name: name, Text: "x", Version: studio.VersionOf([]byte("secret"))}, nil)
		require.GreaterOrEqual(t, status, 400, name)
		status, _ = post(t, s, "save", studio.SaveRequest{Name: name, Text: "x"}, nil)
		require.GreaterOrEqual(t, status, 400, name)
		status, text := post(t, s, "read", studio.NameRequest{Name: name}, nil)
		require.GreaterOrEqual(t, status, 400, name)
		require.NotContains(t, text, "secret")
	}
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "secret", string(text))
}

// TestServer_BadFiles checks that unreadable files are listed with their problem, and spoil nothing else.
func TestServer_BadFiles(t *testing.T) {
	s, dir := newServer(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "big.yaml"), make([]byte, 10<<20), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "latin.yaml"), []byte("a: \xe9"), 0o600))
	_, text := post(t, s, "files", nil, nil)
	var list []studio.Entry
	require.NoError(t, json.Unmarshal([]byte(text), &list))
	require.Len(t, list, 3)
	require.Contains(t, list[1].Problem, "larger than")
	require.Contains(t, list[2].Problem, "UTF-8")
	status, _ := post(t, s, "read", studio.NameRequest{Name: "a.yaml"}, nil)
	require.Equal(t, http.StatusOK, status)
	_, text = post(t, s, "check", studio.CheckRequest{Name: "a.yaml"}, nil)
	require.Contains(t, text, "larger than")
}

// TestServer_ManyDefinitions checks and plays one of nearly 10,000 definitions, the limit of a catalog.
func TestServer_ManyDefinitions(t *testing.T) {
	s, dir := newServer(t)
	for i := range 20 {
		var b strings.Builder
		b.WriteString("buffs:\n")
		for k := range 499 { // with the definition of newServer at most 10,000
			fmt.Fprintf(&b, "  b%d_%d: {duration: 3s}\n", i, k)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("many%d.yaml", i)), []byte(b.String()), 0o600))
	}
	var check studio.CheckResult
	_, text := post(t, s, "check", studio.CheckRequest{Name: "many7.yaml"}, nil)
	require.NoError(t, json.Unmarshal([]byte(text), &check))
	require.Empty(t, check.Findings)
	require.Len(t, check.Definitions, 499)
	_, text = post(t, s, "play", studio.PlayRequest{Name: "many7.yaml", Script: "- {at: 0, apply: b19_498}"}, nil)
	require.Contains(t, text, "3000 remove b19_498 why=expired")
}

// TestServer_Save_Fails checks that a file that cannot be written is an error with its name. The text
// stays in the page.
func TestServer_Save_Fails(t *testing.T) {
	s, dir := newServer(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "folder"), nil, 0o600)) // a file, so that nothing can be created in it
	status, text := post(t, s, "save", studio.SaveRequest{Name: "folder/b.yaml", Text: "x"}, nil)
	require.GreaterOrEqual(t, status, 400)
	require.Contains(t, text, "folder")
	require.NoError(t, os.RemoveAll(dir))
	status, text = post(t, s, "save", studio.SaveRequest{Name: "b.yaml", Text: "x"}, nil)
	require.GreaterOrEqual(t, status, 400)
	require.Contains(t, text, "b.yaml")
}

// TestServer_Game checks a call of the live page of a game.
func TestServer_Game(t *testing.T) {
	s, _ := newServer(t)
	live := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(`{"query":"` + r.URL.RawQuery + `"}`))
	}))
	defer live.Close()
	status, _ := post(t, s, "game", gameRequest{Player: "7"}, nil)
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Error(t, s.Attach("not a url", ""))
	require.NoError(t, s.Attach(live.URL+"/debug/buffs", "secret"))
	_, text := post(t, s, "game", gameRequest{Player: "7&act"}, nil)
	require.JSONEq(t, `{"query":"player=7%26act"}`, text)
	_, text = post(t, s, "game", gameRequest{Reload: true}, nil)
	require.JSONEq(t, `{"query":"act"}`, text)
}
