package viewers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNoRival means that Colyseus is not available, because npm or node is not installed, or npm's
// registry cannot be reached.
var ErrNoRival = errors.New("there is no Colyseus here")

// rivalSeconds is the number of seconds of the game that the Colyseus server plays. The first
// second is not counted.
const rivalSeconds = 5

// Rival is the cost of a Colyseus server.
type Rival struct {
	Cost
	Versions string
	Setting  float64 // fraction of a processor used to change the room's state; part of Share
	First    float64 // processor seconds of the first patch, when all owners come into view
	Memory   int64   // memory use in bytes, including all views
}

// printed is the output of colyseus/server.js. Times are µs of processor time.
type printed struct {
	Versions                               string
	Viewers, Frames, Bytes, Packets, Wrong int
	Changes, Patches, First                float64
	Memory                                 int64
}

// Colyseus runs the same game in a room of a Colyseus server. A room cannot handle 4,000 viewers,
// so the number of viewers is Options.RivalViewers. Colyseus runs npm to install the modules of the
// server into a temporary folder.
func Colyseus(ctx context.Context, o Options) (*Rival, error) {
	dir, err := os.MkdirTemp("", "bufftick-colyseus")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"package.json", "package-lock.json", "server.js"} {
		data, err := os.ReadFile(filepath.Join(o.Rival, name))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return nil, err
		}
	}
	if out, err := command(ctx, dir, "npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		return nil, fmt.Errorf("%w: npm install: %w\n%s", ErrNoRival, err, out)
	}
	stream := filepath.Join(dir, "stream.json")
	file, err := os.Create(stream)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(o.writeStream(file, o.RivalViewers, rivalSeconds), file.Close()); err != nil {
		return nil, err
	}
	out, err := command(ctx, dir, "node", "server.js", stream)
	if err != nil {
		return nil, fmt.Errorf("the Colyseus server: %w\n%s", err, out)
	}
	var p printed
	if err := json.Unmarshal(out, &p); err != nil {
		return nil, fmt.Errorf("the Colyseus server: %w\n%s", err, out)
	}
	if p.Wrong > 0 {
		return nil, fmt.Errorf("a client of the Colyseus server has %d buffs wrong", p.Wrong)
	}
	seconds := float64(p.Frames) / float64(framesASecond)
	each := 1 / seconds / float64(p.Viewers)
	share := (p.Changes + p.Patches) / 1e6 / seconds
	return &Rival{
		Cost: Cost{
			Way: "Colyseus", Viewers: p.Viewers, Share: Spread{share, share, share}, After: Spread{share, share, share},
			Bytes: float64(p.Bytes) * each, Packets: float64(p.Packets) * each,
		},
		Versions: p.Versions, Setting: p.Changes / 1e6 / seconds, First: p.First / 1e6, Memory: p.Memory,
	}, nil
}

// command runs a program and returns its output.
func command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRival, err)
	}
	c := exec.CommandContext(ctx, path, args...)
	c.Dir = dir
	out, err := c.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		out = append(out, exit.Stderr...)
	}
	return out, err
}
