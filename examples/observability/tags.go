package main

import (
	"bytes"
	"net/http"
	"path"
	"regexp"
	"strconv"
)

// Statsviz 0.8.2 sends plots that are not its own with "tags": null, and its page does not
// expect that: a TypeError, and the buttons for the span of time and the categories do
// nothing. What is not its own is in the category misc here.
var (
	askTags   = regexp.MustCompile(`(this\.#?\w+)\.tags\.includes\(`)
	allTagged = []byte(`(${1}.tags||["misc"]).includes(`)
)

// tagged mends the script of statsviz on its way to the browser.
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
		_, _ = w.Write(script) // whoever has left does not mind
	})
}

// held is a response that is kept until all of it is there.
type held struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (h *held) WriteHeader(status int)      { h.status = status }
func (h *held) Write(p []byte) (int, error) { return h.body.Write(p) }
