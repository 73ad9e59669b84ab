package compile

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/bufftick/bufftick/buff/define"
)

// checker compiles definitions and collects their errors.
type checker struct {
	catalog *Catalog
	current *Program
	errs    define.SpecErrors

	// The first valid definition of each class of slots (classes) and of each group of diminishing
	// returns (returns). All other definitions of the same class or group must have the same
	// settings.
	classes, returns map[string]*Program

	numbers map[string]int // how often each name is used by numbers of the current definition: see unique

	list      string // the list of the action whose number is evaluated when it runs; "" for other numbers
	late      bool   // the current number is evaluated after the application
	readsBuff bool   // a number of the current action reads the running buff
}

func (k *checker) failf(field, format string, args ...any) {
	id := k.current.ID
	if id == "" {
		id = fmt.Sprintf("#%d", k.current.Compiled().Index+1)
	}
	k.errs = append(k.errs, &define.SpecError{ID: id, Field: field, Text: fmt.Sprintf(format, args...)})
}

// id registers the definition under its ID.
func (k *checker) id(s *Program) {
	k.current = s
	switch {
	case s.ID == "":
		k.failf("id", "missing")
	case !isWord(s.ID):
		k.failf("id", "must not have spaces or control characters") // an ID is one word of a log line
	case k.catalog.ByID[s.ID] != nil:
		k.failf("id", "defined twice")
	default:
		k.catalog.ByID[s.ID] = s
	}
}

// lineageOf returns the lineage of an ID. All definitions with this ID have the same lineage, in
// this catalog and its predecessors. The number of lineages is limited because engines keep
// counters for each lineage.
func (k *checker) lineageOf(id string) uint32 {
	lines := &k.catalog.Lineages
	if _, known := lines.Index[id]; !known && len(lines.List) >= define.MaxLineage {
		k.failf("id", "more than %d definitions in a catalog and those that it took the place of", define.MaxLineage)
		return 0
	}
	return uint32(lines.number(id))
}

// isWord reports whether a name has no spaces and no control characters.
func isWord(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}

// spec checks and compiles one definition. It continues after an error, to find all errors at once.
// Therefore no check may rely on the success of an earlier check.
func (k *checker) spec(s *Program) {
	k.current = s
	clear(k.numbers)
	k.words(s)
	k.kind(s)
	k.period(s)
	if s.Kind == define.Instant {
		k.instant(s)
	} else {
		k.stack(s)
		k.exclusive(s)
		k.diminishing(s)
		k.dispel(s)
		k.charges(s)
		k.shield(s)
		k.aura(s)
		k.save(s)
		k.pairs(s)
	}
	if s.Chance < define.ChanceNever || s.Chance > 1000 {
		k.failf("chance", "must be from 1 to 1000 per mille, or ChanceNever, not %d", s.Chance)
	}
	k.params(s)
	k.modifiers(s)
	k.scaling(s)
	k.vars(s)
	k.hooks(s)
	k.every(s)
	k.rate(s)
	k.links(s)
	k.inputs(s)
	k.compile(s)
	k.catalog.Aligned = k.catalog.Aligned || s.Align == define.AlignOwner
	k.fates(s)
}

// whole checks that a span is not negative, is in whole milliseconds and is at most
// define.MaxDuration.
func (k *checker) whole(field string, d time.Duration) {
	switch {
	case d < 0:
		k.failf(field, "must be above zero, not %v", d)
	case d%time.Millisecond != 0:
		k.failf(field, "must be whole milliseconds, not %v", d)
	case d > define.MaxDuration:
		k.failf(field, "%v is above the limit of %v", d, define.MaxDuration)
	}
}

// beat checks a period: a span that is zero or at least define.MinPeriod.
func (k *checker) beat(field string, d time.Duration) {
	if d > 0 && d < define.MinPeriod {
		k.failf(field, "%v is below the floor of %v", d, define.MinPeriod)
	}
	k.whole(field, d)
}

// within checks that a number is in a range.
func (k *checker) within(field string, n, least, most int) {
	if n < least || n > most {
		k.failf(field, "must be from %d to %d, not %d", least, most, n)
	}
}

// ref returns the program with that ID. If there is none, it records an error and returns nil.
func (k *checker) ref(field, id string) *Program {
	s := k.catalog.ByID[id]
	if s == nil {
		k.failf(field, "no definition %q", id)
	}
	return s
}

// element returns the field name of element i of a list.
func element(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }
