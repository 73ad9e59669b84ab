package main

import (
	"bytes"
	"net/http"
	"path"
	"regexp"
	"strconv"
)

// Statsviz 0.8.2 sends user plots with "tags": null, which the script of its page does not expect.
// The script throws a TypeError, and the buttons for time ranges and categories do not work. The
// fixed script treats such plots as plots of the category "misc".
var (
	askTags   = regexp.MustCompile(`(this\.#?\w+)\.tags\.includes\(`)
	allTagged = []byte(`(${1}.tags||["misc"]).includes(`)
)

// tagged fixes the script of statsviz on its way to the browser.
func tagged(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Ext(r.URL.Path) != ".js" || r.Method != http.MethodGet {
			h.ServeHTTP(w, r)
			return
		}
		whole := r.Clone(r.Context())
		for _, part := range []string{"Range", "If-Range", "If-Modified-Since"} {
			whole.Header.Del(part)
		}
		held := &held{ResponseWriter: w, status: http.StatusOK}
		h.ServeHTTP(held, whole)
		script := askTags.ReplaceAll(held.body.Bytes(), allTagged)
		w.Header().Del("Accept-Ranges")
		w.Header().Set("Content-Length", strconv.Itoa(len(script)))
		w.WriteHeader(held.status)
		_, _ = w.Write(script) // the client may have left
	})
}

// held is a response that is buffered until it is complete.
type held struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (h *held) WriteHeader(status int)      { h.status = status }
func (h *held) Write(p []byte) (int, error) { return h.body.Write(p) }
