package inspect

import (
	"crypto/rand"
	"embed"
	"fmt"
	"hash/crc32"
	"net/http"
	"strings"
)

//go:embed page
var files embed.FS

// page is the HTML page with its style and script, split at the places where nonces are inserted.
var page = assemble()

// nonceMark is the placeholder for a nonce in page/index.html.
const nonceMark = "@nonce@"

// worker is the script of the SharedWorker. Its address contains a version, so that a tab with a
// newer page does not share the worker of older tabs.
var worker = file("worker.js")

var workerVersion = fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(worker)))

// scripts are the parts of the page's script, in order.
var scripts = []string{"dom.js", "clock.js", "chart.js", "overview.js", "player.js", "past.js", "catalog.js", "incidents.js", "main.js"}

func assemble() []string {
	var script strings.Builder
	for _, name := range scripts {
		script.WriteString(file(name))
	}
	html := strings.NewReplacer("@style@", file("style.css"), "@script@", strings.ReplaceAll(script.String(), "@worker@", workerVersion)).Replace(file("index.html"))
	return strings.Split(html, nonceMark)
}

func file(name string) string {
	text, err := files.ReadFile("page/" + name)
	if err != nil {
		panic("inspect: " + err.Error()) // embedded files always exist
	}
	return string(text)
}

func (in *Inspector) servePage(w http.ResponseWriter) {
	nonce := rand.Text()
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+nonce+"'; style-src 'nonce-"+nonce+
		"'; img-src data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(strings.Join(page, nonce))) // the client may have left
}

// serveWorker serves the script that shares a stream between tabs. It contains no game data.
func serveWorker(w http.ResponseWriter) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; connect-src 'self'; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	_, _ = w.Write([]byte(worker))
}
