// Command playground writes the studio as a static site into a folder, which any web server can
// serve. The engine runs in the browser.
//
//	go run ./cmd/bufftick/studio/playground DIR
package main

import (
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bufftick/bufftick/cmd/bufftick/studio/web"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "playground: want the folder to write")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := fs.ReadDir(web.Page(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := fs.ReadFile(web.Page(), e.Name())
		if err != nil {
			return err
		}
		if e.Name() == "index.html" {
			text = []byte(static.Replace(string(text)))
		}
		if err := os.WriteFile(filepath.Join(dir, e.Name()), text, 0o644); err != nil {
			return err
		}
	}
	if err := copyFile(dir, "lib/wasm/wasm_exec.js", "env", "GOROOT"); err != nil {
		return err
	}
	for _, file := range []string{"LICENSE", "NOTICES.txt"} {
		if err := copyFile(dir, file, "list", "-m", "-f", "{{.Dir}}", "github.com/bufftick/bufftick"); err != nil {
			return err
		}
	}
	return writeProgram(filepath.Join(dir, "studio.wasm"))
}

// copyFile copies a file from the folder that the go command prints.
func copyFile(dir, file string, args ...string) error {
	from, err := exec.Command("go", args...).Output()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(from)), filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o644)
}

// static changes the page to a page without a server.
var static = strings.NewReplacer(
	`<html lang="en">`, `<html lang="en" data-static>`,
	`<script type="module"`, `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'">
<link rel="preload" href="studio.wasm.gz" as="fetch" crossorigin>
<script src="wasm_exec.js"></script>
<script type="module"`,
)

// writeProgram builds the engine for the browser and compresses it, so that no web server needs to.
func writeProgram(file string) error {
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, "github.com/bufftick/bufftick/cmd/bufftick/studio/wasm")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	defer os.Remove(file)
	program, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	out, err := os.Create(file + ".gz")
	if err != nil {
		return err
	}
	z, _ := gzip.NewWriterLevel(out, gzip.BestCompression) // the level is valid
	if _, err := z.Write(program); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return out.Close()
}
