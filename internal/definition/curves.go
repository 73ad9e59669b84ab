package definition

import (
	"maps"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/misspelt"
)

// curveEntry is a curve of the section "curves".
type curveEntry struct {
	curve *define.Curve // nil if invalid
	src   *source
	line  int
}

// curves reads the section "curves".
func (w *definition) curves(f *ast.MappingValueNode) {
	w.entries("curves", "curves", f, func(name, field string, f *ast.MappingValueNode) {
		e := &curveEntry{src: w.src, line: at(f.Key).line}
		if first := w.loader.curves[name]; first != nil {
			w.complain("curves", at(f.Key), "%s is repeated: it is already at %s:%d", quote(name), first.src.name, first.line)
			return
		}
		w.loader.curves[name] = e
		before := w.loader.failed
		points := w.points(field, f)
		if w.loader.failed > before {
			return
		}
		c, err := define.NewCurve(name, points...)
		switch {
		case err != nil:
			w.fail(field, valueAt(f), "%v", err)
		case points[0].Level > 1:
			w.fail(field, valueAt(f), "starts at level %d: add a point at level 0 or 1", points[0].Level)
		default:
			e.curve = c
		}
	})
}

// points reads the points of a curve and returns them sorted by level.
func (w *definition) points(field string, f *ast.MappingValueNode) (points []define.Point) {
	p, before := valueAt(f), w.loader.failed
	one := func(field string, level int, n ast.Node) {
		v := 0.0
		w.places.set(field, place{position: at(n)})
		w.real(field, n, &v)
		points = append(points, define.Point{Level: level, Value: v})
	}
	if list, ok := f.Value.(*ast.SequenceNode); ok {
		for i, n := range list.Values {
			one(element(field, i), i+1, n)
		}
	} else if list, ok := Fields(f.Value); ok {
		seen := map[int]position{}
		for _, f := range list {
			level, ok := w.level(field, f.Key)
			first, again := seen[level]
			switch {
			case !ok:
			case again:
				w.complain(field, at(f.Key), "level %d is repeated: it is already in line %d", level, first.line)
			default:
				seen[level] = at(f.Key)
				one(join(field, strconv.Itoa(level)), level, f.Value)
			}
		}
	} else {
		w.fail(field, p, "want a map from levels to numbers such as {1: 10, 60: 500}, or a list from level 1 on, not %s", kindOf(f.Value))
		return nil
	}
	if w.loader.failed == before && (len(points) == 0 || len(points) > define.MaxPoints) {
		w.fail(field, p, "%d points: want 1 to %d", len(points), define.MaxPoints)
	}
	slices.SortFunc(points, func(a, b define.Point) int { return a.Level - b.Level })
	return points
}

// level reads the key of a point. In JSON, the key is a number in quotes.
func (w *definition) level(field string, key ast.Node) (int, bool) {
	text, isText := Text(key)
	if n, ok := key.(*ast.IntegerNode); ok {
		text, isText = n.Token.Value, true
	}
	level, err := strconv.Atoi(text)
	if !isText || err != nil || level < 0 || level > define.MaxLevel || strconv.Itoa(level) != text {
		w.complain(field, at(key), "want a level from 0 to %d, not %s", define.MaxLevel, Describe(key))
		return 0, false
	}
	return level, true
}

// curve reads the name of a curve.
func (d *definition) curve(field string, n ast.Node, to **define.Curve) {
	name := ""
	if d.name(field, n, false, &name); d.isBad(field) {
		return
	}
	d.afterwards(func(l *loader) {
		switch e := l.curves[name]; {
		case e != nil && e.curve != nil:
			*to = e.curve
		case e == nil && !l.blind:
			d.failRef(field, at(n), "no curve %s%s", quote(name), didYouMean(misspelt.Near(name, slices.Collect(maps.Keys(l.curves)))))
		default:
			d.spoil(field)
		}
	})
}

// spanByCurve reads a span that depends on the level.
func (d *definition) spanByCurve(field string, n ast.Node, to **define.Curve) {
	before := d.loader.failed
	d.loader.byCurve = to
	d.fields(field, at(n), n, spanFields)
	if d.loader.failed > before {
		d.places.set(field, place{position: at(n), bad: true})
	}
}

var spanFields = table{"span", []string{"curve"}, map[string]readFunc{
	"curve": func(d *definition, f string, n ast.Node) { d.curve(f, n, d.loader.byCurve) },
}}
