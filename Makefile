# The studio as a static site, in the folder playground, for any web server.
.PHONY: playground
playground:
	go run ./cmd/bufftick/studio/playground playground
