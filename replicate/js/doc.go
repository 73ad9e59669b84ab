// Package js is the client of package replicate for a browser: client.js beside it, as it travels with
// a server that is to hand it out. A page that gets it in another way does not need this package.
//
//	http.HandleFunc("GET /client.js", func(w http.ResponseWriter, _ *http.Request) {
//		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
//		io.WriteString(w, js.Client)
//	})
package js

import _ "embed"

// Client is the text of client.js, a module of JavaScript.
//
//go:embed client.js
var Client string
