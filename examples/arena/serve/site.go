package serve

import (
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/bufftick/bufftick/examples/arena/page"
	"github.com/bufftick/bufftick/replicate/js"
)

// policy allows the page to load only its own files.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler returns the handler of the page, with its WebSocket at /play.
func (s *Server) Handler() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /play", s.accept)
	files := http.FileServerFS(page.Files)
	client := http.FileServerFS(js.Files)
	mux.Handle("GET /client.js", client)
	mux.Handle("GET /predict.js", client)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if name := strings.TrimPrefix(r.URL.Path, "/"); name != "" && !fs.ValidPath(name) || strings.HasSuffix(name, ".go") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Cache-Control", "no-cache")
		files.ServeHTTP(w, r)
	})
	return mux
}

// NewServer returns an HTTP server with timeouts for clients that are not in the arena yet: the
// header must arrive within 5 s, and idle connections are closed after a minute.
func NewServer(h http.Handler) *http.Server {
	one := new(http.Protocols)
	one.SetHTTP1(true)
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, Protocols: one,
		WriteTimeout: 30 * time.Second, // for the page's files; WebSockets have their own timeouts
	}
}
