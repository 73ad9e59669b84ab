// Package js embeds client.js, the browser client of package replicate, so that a server can
// serve it. Pages that get the file in another way do not need this package.
//
//	http.HandleFunc("GET /client.js", func(w http.ResponseWriter, _ *http.Request) {
//		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
//		io.WriteString(w, js.Client)
//	})
package js

import _ "embed"

// Client is the source of client.js, a JavaScript module.
//
//go:embed client.js
var Client string
