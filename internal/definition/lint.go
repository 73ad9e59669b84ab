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

// CheckOptions gives [Check] facts about the game that the files do not have. The zero value is a
// sensible default.
type CheckOptions struct {
	// Frame is the length of the game's frames, for the rule off-frame: whole milliseconds. If
	// zero, DefaultFrame; a negative one turns the rule off.
	Frame time.Duration

	// Applied are the IDs of the definitions that the game itself applies. A definition that
	// neither the game nor another definition applies breaks the rule unused. If nil, the rule is
	// not checked.
	Applied []string

	// Every is the shortest time between two applications of one definition by the game, for the
	// rule limit-unreached. If zero, it is unknown, and only applications by definitions count.
	Every time.Duration

	// Except are names of [Rules] that are not checked.
	Except []string
}

// rule is one kind of warning.
type rule struct {
	name string
	each func(*linter, *definition) // checks one definition
	all  func(*linter)              // or the catalog
}

// rules are in the order of the documentation. A definition that is certainly wrong is not a
// warning, but an error of NewCatalog.
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
	{name: "dr-percent", each: (*linter).drPercent},
	{name: "not-granted", each: (*linter).notGranted},
}

// Rules returns the names of the rules of [Check], in the order of the package documentation, which
// explains them.
func Rules() []string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.name
	}
	return names
}

// Check is [LoadFS] with warnings about definitions that are valid but probably a mistake,
// according to the rules in the package documentation. If fsys is nil, it reads the files of
// the operating system, like [Load].
//
// Warnings are returned only with a catalog: if there is an error there are none, since they
// might be its consequences. They are sorted by file and line, at most MaxErrors plus one that
// counts the rest, and are the same each time for the same files. The error is an [Errors], as
// in LoadFS. Check panics if an option names an unknown rule. It is safe for concurrent use if
// fsys is.
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

// CheckFields is [ParseFields] with the warnings of [Check]. It is safe for concurrent use.
func CheckFields(o CheckOptions, name string, src []byte, tags []string, fields ...*ast.MappingValueNode) (c *buff.Catalog, warnings Errors, err error) {
	l := newLoader()
	l.extraTags = tags
	l.sections(l.open(name, plain(src)), fields)
	if c, err = l.catalog(nil); err != nil {
		return nil, nil, err
	}
	return c, l.warnings(o), nil
}

// linter looks for warnings in a catalog without errors.
type linter struct {
	*loader
	CheckOptions
	rule  string // the name of the rule that is checked
	uses  map[string][]use
	ended map[string]bool // IDs of definitions that others end
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

// warn reports a breach of the rule at a field.
func (l *linter) warn(d *definition, field, format string, args ...any) {
	l.add(d.src, d.place(field).position, d.spec.ID, field, format, args...).Rule = l.rule
}

// short writes a span without trailing zeros: 36h, 1h30m.
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
