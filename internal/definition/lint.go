package definition

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
)

// DefaultFrame is the default of [CheckOptions].Frame.
const DefaultFrame = 50 * time.Millisecond

// CheckOptions gives [Check] facts about the game that are not in the files. The zero value is a
// usable default.
type CheckOptions struct {
	// Frame is the length of the game's frames, in whole milliseconds. The rule "off-frame" uses
	// it. Zero means DefaultFrame; a negative value turns the rule off.
	Frame time.Duration

	// Applied are the IDs of the definitions that the game itself applies. The rule "unused" warns
	// about definitions that neither the game nor another definition applies. If Applied is nil,
	// this rule is not checked.
	Applied []string

	// Every is the shortest time after which the game applies the same definition again. The rule
	// "limit-unreached" uses it. Zero means that the time is unknown; the rule then considers only
	// applications by definitions.
	Every time.Duration

	// Except lists the rules that are not checked, by their names in [Rules].
	Except []string
}

// rule is one kind of warning. Exactly one of its two functions is set.
type rule struct {
	name string
	each func(*linter, *definition) // checks one definition
	all  func(*linter)              // checks the whole catalog
}

// rules lists the rules in the order of the documentation. buff.NewCatalog rejects definitions that
// are certainly wrong, so they need no rule here.
var rules = []rule{
	{name: "never-pulses", each: (*linter).neverPulses},
	{name: "lost-tail", each: (*linter).lostTail},
	{name: "lost-beat", each: (*linter).lostBeat},
	{name: "lost-level", each: (*linter).lostLevel},
	{name: "no-damage", each: (*linter).noDamage},
	{name: "off-frame", each: (*linter).offFrame},
	{name: "beyond-wheel", each: (*linter).beyondWheel},
	{name: "no-chance", each: (*linter).noChance},
	{name: "limit-unreached", all: (*linter).limitUnreached},
	{name: "waits-offline", each: (*linter).waitsOffline},
	{name: "runs-offline", each: (*linter).runsOffline},
	{name: "tie", all: (*linter).tie},
	{name: "endless", each: (*linter).endless},
	{name: "one-stack", each: (*linter).oneStack},
	{name: "unused", all: (*linter).unused},
	{name: "loop", all: (*linter).loop},
	{name: "reads-early", each: (*linter).readsEarly},
	{name: "asks-together", all: (*linter).asksTogether},
	{name: "wrong-way", all: (*linter).wrongWay},
	{name: "act-magnitude", each: (*linter).actMagnitude},
	{name: "not-granted", each: (*linter).notGranted},
}

// Rules returns the names of the rules of [Check], in the order of the documentation of package
// buff/catalog, which explains them.
func Rules() []string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.name
	}
	return names
}

// Check is like [LoadFS], but also returns warnings about definitions that are valid but probably
// contain a mistake, according to the rules in the documentation of package buff/catalog. If fsys
// is nil, it reads the files of the operating system, like [Load].
//
// If there is an error, Check returns no catalog and no warnings, because the warnings might be
// consequences of the error. Warnings are sorted by file and line. The same files always have the
// same warnings. If there are more than MaxErrors, Check returns the first MaxErrors, followed by
// a warning that says how many were left out. The error is an [Errors], as in LoadFS.
//
// Check panics if an option names an unknown rule. It is safe for concurrent use if fsys is.
func Check(fsys fs.FS, o CheckOptions, paths ...string) (c *buff.Catalog, warnings Errors, err error) {
	for _, name := range o.Except {
		if !slices.Contains(Rules(), name) {
			panic(fmt.Sprintf("catalog: CheckOptions.Except names %q, which is no rule", name))
		}
	}
	if fsys == nil {
		fsys = disk{}
	}
	l := newLoader()
	l.read(fsys, paths, l.parse)
	if c, err = l.catalog(nil); err != nil {
		return nil, nil, err
	}
	return c, l.warnings(o), nil
}

// CheckFiles is like Check, but for the texts of files, which must be at most MaxFiles with at most
// MaxTotalSize bytes. If no file declares tags, the catalog also gets the given tags, except invalid
// tags. It is safe for concurrent use.
func CheckFiles(o CheckOptions, tags []string, files ...File) (c *buff.Catalog, warnings Errors, err error) {
	l := newLoader()
	l.extraTags = tags
	for i, f := range files {
		if l.bytes += len(f.Text); i == MaxFiles || l.bytes > MaxTotalSize {
			l.whole(f.Name, nil, "too many definitions up to this file: want at most %d files with %d bytes in total", MaxFiles, MaxTotalSize)
			break
		}
		if f.root != nil {
			l.root(l.open(f.Name, plain(f.Text)), f.root)
			continue
		}
		l.parse(f.Name, f.Text)
	}
	if c, err = l.catalog(nil); err != nil {
		return nil, nil, err
	}
	return c, l.warnings(o), nil
}

// CheckFields is like [ParseFields], but also returns the warnings of [Check]. It is safe for
// concurrent use.
func CheckFields(o CheckOptions, name string, src []byte, tags []string, fields ...*ast.MappingValueNode) (c *buff.Catalog, warnings Errors, err error) {
	l := newLoader()
	l.extraTags = tags
	l.sections(l.open(name, plain(src)), fields)
	if c, err = l.catalog(nil); err != nil {
		return nil, nil, err
	}
	return c, l.warnings(o), nil
}

// linter checks a catalog that has no errors, and collects warnings.
type linter struct {
	*loader
	CheckOptions
	rule  string // name of the rule that is being checked
	uses  map[string][]use
	ended map[string]bool // result of endedBy; nil before its first call
}

// warnings returns all warnings about the definitions.
func (l *loader) warnings(o CheckOptions) Errors {
	if o.Frame == 0 {
		o.Frame = DefaultFrame
	}
	w := &linter{loader: l, CheckOptions: o}
	w.findUses()
	for _, r := range rules {
		if slices.Contains(o.Except, r.name) {
			continue
		}
		w.rule = r.name
		if r.all != nil {
			r.all(w)
			continue
		}
		for _, d := range l.defs {
			r.each(w, d)
		}
	}
	return l.errors()
}

// warn adds a warning that a field violates the current rule.
func (l *linter) warn(d *definition, field, format string, args ...any) {
	l.add(d.src, d.place(field).position, d.spec.ID, field, format, args...).Rule = l.rule
}

// short formats a span without zero parts at its end, such as 36h or 1h30m.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}
