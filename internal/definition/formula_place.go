package definition

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/misspelt"
)

// formulaAt returns the position in the source that corresponds to a character of a text node. The
// text starts at the position begin. It may be plain, quoted or a block, on one or several lines.
func (s *source) formulaAt(n ast.Node, begin position, text string, character int) position {
	p := begin
	if _, isBlock := n.(*ast.LiteralNode); isBlock {
		p = position{begin.line + 1, 1}
	}
	first, _ := s.line(p.line)
	raw := []rune(first)
	// The source differs from the text only in white space, line breaks, quotes and escapes, so
	// each non-space character of the text is the next equal character in the source.
	found := p
	for i, r := range []rune(text) {
		if i > character {
			break
		}
		if unicode.IsSpace(r) {
			found.column++ // an estimate, because white space in the source may differ
			continue
		}
		for p.column > len(raw) || raw[p.column-1] != r {
			if p.column++; p.column > len(raw) {
				next, ok := s.line(p.line + 1)
				if !ok {
					return begin
				}
				raw, p = []rune(next), position{p.line + 1, 1}
			}
		}
		found = p
		p.column++
	}
	if character >= len([]rune(text)) {
		found.column++ // the error is after the end of the formula
	}
	return found
}

// formula reads a formula, which is compiled after all files have been read.
func (d *definition) formula(field string, n ast.Node) {
	text := ""
	if d.text(field, n, &text); d.isBad(field) {
		return
	}
	to := d.loader.number
	d.places.set(field, place{position: at(n), attrs: true})
	to.From = define.FromFormula
	d.afterwards(func(l *loader) {
		in := l.scope()
		in.truth = strings.HasSuffix(field, ".if")
		f, wrong := compileFormula(text, in)
		switch {
		case wrong != nil:
			src, begin := d.loader.resolve(d.src, at(n))
			p := src.formulaAt(n, begin, text, wrong.at)
			p.line += at(n).line - begin.line
			d.fail(field, p, "%s", wrong.text)
		case f == nil:
			d.places.set(field, place{position: at(n), bad: true})
		default:
			to.Formula = f
			if why := f.try(l.attrs.bases); why != "" {
				d.fail(field, at(n), "%s", why)
			}
		}
	})
}

// samples returns the values of a formula at three levels, with all attributes at their bases. If
// the formula has other inputs, samples returns nil.
func (f *formula) samples(bases map[string]float64) (values []float64) {
	if f.names(pushMagnitude) || f.names(pushStacks) || slices.ContainsFunc(f.reads, func(r define.Read) bool { return r.Kind != define.ReadAttribute }) {
		return nil
	}
	in := define.Inputs{Stacks: 1, Reads: make([]float64, len(f.reads))}
	for i, r := range f.reads {
		in.Reads[i] = bases[r.Name]
	}
	for _, level := range []float64{0, 1, 60} {
		in.Level = level
		if v, err := f.Eval(in); err == nil {
			values = append(values, v)
		}
	}
	return values
}

// names reports whether a formula has a step with the given operation, such as pushMagnitude.
func (f *formula) names(op opcode) bool {
	return slices.ContainsFunc(f.steps, func(s step) bool { return s.op == op })
}

// try evaluates a formula at three levels. All attributes have their bases, and all other inputs
// are 1. If a result is invalid, try returns a description of it; otherwise it returns "".
func (f *formula) try(bases map[string]float64) string {
	in := define.Inputs{Stacks: 1, Magnitude: 1, Reads: make([]float64, len(f.reads))}
	for i, r := range f.reads {
		if in.Reads[i] = 1; r.Kind == define.ReadAttribute {
			in.Reads[i] = bases[r.Name]
		}
	}
	for _, level := range []float64{0, 1, 60} {
		in.Level = level
		if _, err := f.Eval(in); err != nil {
			return fmt.Sprintf("gives %v at level %v with all attributes at their bases: want a number within ±%v; is something divided by zero?",
				f.run(&in), level, float64(stat.MaxValue))
		}
	}
	return ""
}

// noAttribute returns the text of the error about an unknown attribute.
func noAttribute(name string, known map[string]float64) string {
	if len(known) == 0 {
		return fmt.Sprintf("no attribute %s: the catalog has none; declare it under \"attributes:\"", quote(name))
	}
	names := make([]string, 0, len(known))
	for n := range known {
		names = append(names, n)
	}
	return fmt.Sprintf("no attribute %s%s", quote(name), didYouMean(misspelt.Near(name, names)))
}

// isAmount reports whether r reads the amount of an act.
func isAmount(r define.Read) bool { return r.Kind == define.ReadAmount }
