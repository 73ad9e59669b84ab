// Package e2e opens the page of package inspect in a real, headless Chromium: its tests
// are all there is. The page of examples/arena is opened here too. They need chromium in the PATH, or its path in CHROME_BIN; without
// one they are skipped, but fail where CI is set.
//
//	go test ./...                 the tests
//	go test ./... -shots          and the pictures in shots/ are taken anew
//	go test -run TestArenaFrames -frames -v
//	                              how many frames of the arena the browser draws
package e2e
