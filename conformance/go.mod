module github.com/bufftick/bufftick/conformance

go 1.26.0

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/bufftick/bufftick v0.0.0
	github.com/goccy/go-yaml v1.19.2
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/expr-lang/expr v1.17.8 // indirect
	github.com/panjf2000/ants/v2 v2.12.1 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/sync v0.20.0 // indirect
)

replace github.com/bufftick/bufftick => ..
