// Modzip makes the archive of a module in the same way as the module proxy, and writes it to a
// folder that serves as a GOPROXY:
//
//	modzip [-size] REPOSITORY REVISION FOLDER MODULE VERSION PROXY
//
// REVISION is a commit or tag of the repository. FOLDER is the module's folder in the repository
// ("." means the root). PROXY is the folder of the proxy, which is created if needed. With -size,
// modzip writes no file, but prints the size of the archive in bytes.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	size := flag.Bool("size", false, "only print the size")
	flag.Parse()
	if flag.NArg() < 5 || flag.NArg() != 6 && !*size {
		fmt.Fprintln(os.Stderr, "usage: modzip [-size] REPOSITORY REVISION FOLDER MODULE VERSION PROXY")
		os.Exit(2)
	}
	a := archive{repository: flag.Arg(0), revision: flag.Arg(1), folder: flag.Arg(2), of: module.Version{Path: flag.Arg(3), Version: flag.Arg(4)}}
	var err error
	if *size {
		err = a.printSize(os.Stdout)
	} else {
		err = a.write(flag.Arg(5))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "modzip:", err)
		os.Exit(1)
	}
}

type archive struct {
	repository, revision, folder string
	of                           module.Version
}

func (a *archive) zip() ([]byte, error) {
	folder := a.folder
	if folder == "." {
		folder = ""
	}
	var text bytes.Buffer
	if err := zip.CreateFromVCS(&text, a.of, a.repository, a.revision, folder); err != nil {
		return nil, fmt.Errorf("%s: %w", a.of, err)
	}
	return text.Bytes(), nil
}

func (a *archive) printSize(to io.Writer) error {
	text, err := a.zip()
	if err == nil {
		_, err = fmt.Fprintln(to, len(text))
	}
	return err
}

// write puts the four files of a module version into the proxy (see go help goproxy).
func (a *archive) write(proxy string) error {
	path, err := module.EscapePath(a.of.Path)
	if err != nil {
		return err
	}
	version, err := module.EscapeVersion(a.of.Version)
	if err != nil {
		return err
	}
	text, err := a.zip()
	if err != nil {
		return err
	}
	requirements, err := os.ReadFile(filepath.Join(a.repository, a.folder, "go.mod"))
	if err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{a.of.Version, time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"list":            []byte(a.of.Version + "\n"),
		version + ".info": info,
		version + ".mod":  requirements,
		version + ".zip":  text,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
