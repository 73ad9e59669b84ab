// Package e2e tests the pages of package inspect and of examples/arena in a headless Chromium. It
// contains only tests. They need chromium in PATH, or its path in CHROME_BIN. Without Chromium
// they are skipped, or fail if CI is set.
//
//	go test ./...                 the tests
//	go test ./... -shots          also take new screenshots for shots/
//	go test -run TestArenaFrames -frames -v
//	                             measure the frame rate of the arena in the browser
package e2e
