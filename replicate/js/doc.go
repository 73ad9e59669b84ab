// Package js embeds the JavaScript client of package replicate, so that a server can serve it to
// browsers. Pages that install the npm package @bufftick/client, which this folder is, do not
// need this package.
//
//	files := http.FileServerFS(js.Files)
//	http.Handle("GET /client.js", files)
//	http.Handle("GET /predict.js", files)
package js

import "embed"

// Files holds client.js and predict.js, two JavaScript modules.
//
//go:embed client.js predict.js
var Files embed.FS
