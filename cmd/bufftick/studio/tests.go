package studio

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/internal/scenario"
	"github.com/bufftick/bufftick/wheel"
)

// TestResult is the result of one scenario.
type TestResult struct {
	File   string   `json:"file"`
	Number int      `json:"number"` // index in the file
	Title  string   `json:"title"`
	State  string   `json:"state"` // failed, error, passed, or none: there is no "want"
	Diff   []string `json:"diff,omitempty"`
	Text   string   `json:"text,omitempty"` // the error
}

// order is the order of the states in the list.
var order = []string{"failed", "error", "none", "passed"}

// maxResults bounds the cache of results.
const maxResults = 2000

// tests runs all scenarios of the folder.
func (s *Studio) tests(ctx context.Context, r Edits) (any, error) {
	files, err := s.now(r.Open)
	if err != nil {
		return nil, err
	}
	all := VersionOf([]byte(versions(files)))
	out := []TestResult{}
	for _, f := range files {
		if !s.isScenario(f) {
			continue
		}
		key := f.Name + " " + f.Version
		if bytes.Contains(f.Text, []byte("load:")) {
			key += " " + all
		}
		s.mu.Lock()
		list, known := s.results[key]
		s.mu.Unlock()
		if !known {
			if list, err = s.test(ctx, files, f); err != nil {
				return nil, err
			}
			s.mu.Lock()
			if len(s.results) >= maxResults {
				clear(s.results)
			}
			s.results[key] = list
			s.mu.Unlock()
		}
		out = append(out, list...)
	}
	slices.SortStableFunc(out, func(a, b TestResult) int {
		return cmp.Compare(slices.Index(order, a.State), slices.Index(order, b.State))
	})
	return out, nil
}

// versions returns the names and versions of all files.
func versions(files []File) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintln(&b, f.Name, f.Version)
	}
	return b.String()
}

// test runs the scenarios of one file. It fails only if the context has ended.
func (s *Studio) test(ctx context.Context, files []File, f File) ([]TestResult, error) {
	list, err := s.parse(files, f.Name, string(f.Text))
	if err != nil {
		return []TestResult{{File: f.Name, Title: f.Name, State: "error", Text: err.Error()}}, nil
	}
	var out []TestResult
	for i, sc := range list {
		t := TestResult{File: f.Name, Number: i, Title: cmp.Or(sc.Name, sc.ID), State: "passed"}
		if len(sc.Faults) > 0 {
			t.State, t.Text = "error", sc.Faults.Error()
			out = append(out, t)
			continue
		}
		log, err := follow(ctx, sc, 0, 0)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			t.State, t.Text = "error", err.Error()
		case sc.Want == nil:
			t.State = "none"
		case !slices.Equal(log, sc.Want):
			t.State, t.Diff = "failed", scenario.Diff(sc.Want, log)
		}
		out = append(out, t)
	}
	return out, nil
}

// follow runs a scenario and returns its log.
func follow(ctx context.Context, sc *scenario.Scenario, seed uint64, until wheel.Time) ([]string, error) {
	events := 0
	return sc.Follow(options(seed), scenario.Run{Frame: scenario.LongestFrame, Until: until, See: func(m scenario.Moment) error {
		if events += m.Frame.Len(); events > maxEvents {
			return fmt.Errorf("more than %d events by %v: make the script shorter", maxEvents, m.Frame.Now)
		}
		return ctx.Err()
	}})
}

// KeepRequest asks to save a script as a scenario.
type KeepRequest struct {
	PlayRequest
	Title string `json:"title"`
}

// KeepResult is the new scenario.
type KeepResult struct {
	File string `json:"file"`
}

var notInNames = regexp.MustCompile(`[^\p{L}\p{N}]+`)

// keep saves a script and its log as a scenario next to the folder of the definitions.
func (s *Studio) keep(ctx context.Context, r KeepRequest) (any, error) {
	files, err := s.now(r.Open)
	if err != nil {
		return nil, err
	}
	sc, findings := s.scenarioOf(files, &r.PlayRequest)
	if len(findings) > 0 {
		return nil, errors.New("the script has errors: " + findings[0].Text)
	}
	line, _, err := record(ctx, sc, 0, wheel.Time(r.Until))
	if err != nil {
		return nil, err
	}
	log, err := follow(ctx, sc, 0, wheel.Time(line.End))
	if err != nil {
		return nil, err
	}
	id := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(r.Title), "-"), "-")
	if id == "" {
		return nil, errors.New("give the test a name")
	}
	dir := path.Dir(r.Name)
	folder := path.Join(path.Dir(dir), "scenarios")
	if dir == "." {
		folder = "scenarios"
	}
	load, err := filepath.Rel(folder, dir)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("id: %q\nname: %q\n", id, strings.TrimSpace(r.Title)) + scriptText(filepath.ToSlash(load), r.Script)
	if sc.Seen() {
		text += frames
	}
	text += "want:\n"
	for _, line := range log {
		text += fmt.Sprintf("  - %s\n", quoted(line))
	}
	if len(log) == 0 {
		text = strings.TrimSuffix(text, "\n") + " []\n"
	}
	name := path.Join(folder, id+".yaml")
	_, err = s.store.Save(name, []byte(text), "")
	if errors.Is(err, ErrChanged) {
		return nil, fmt.Errorf("there is already a test %s: choose another name", name)
	}
	return KeepResult{name}, err
}

// quoted returns a line of a log as YAML, with quotes only if they are needed.
func quoted(line string) string {
	if strings.Contains(line, ": ") || strings.Contains(line, " #") || strings.HasSuffix(line, ":") {
		return fmt.Sprintf("%q", line)
	}
	return line
}
