package preview

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Picture is a list of shapes, drawn in order. The origin is at the top left.
type Picture struct {
	Title         string // describes the picture
	Width, Height float64
	Shapes        []Shape
}

// Shape is a line, an area, a disc or a text, depending on its Kind.
type Shape struct {
	Kind ShapeKind
	// Points are the corners of a Line, the outline of an Area, the centre of a Disc, or the
	// baseline position of a Text.
	Points []Point
	Radius float64 // radius of a Disc

	Fill, Stroke Color   // Fill is the colour of a Text
	Thick        float64 // stroke width
	Dashed       bool

	Text   string
	Size   float64 // font size
	Bold   bool
	Anchor Anchor

	Tip string // tooltip
}

// ShapeKind is the kind of a [Shape].
type ShapeKind uint8

// The kinds.
const (
	Line ShapeKind = iota
	Area
	Disc
	Text
)

// Anchor says which part of a Text lies at the position in Shape.Points.
type Anchor uint8

// The anchors.
const (
	Start Anchor = iota
	Middle
	End
)

// Point is a position in a picture.
type Point struct {
	X, Y float64 // distances from the left and from the top
}

// Color is 0xRRGGBB, or [None].
type Color int32

// None is the Color of a fill or stroke that is not painted.
const None Color = -1

// FontFamily is the font of the texts. It names Liberation Sans and fonts with the same widths.
const FontFamily = "Liberation Sans, Arial, Helvetica, sans-serif"

// SVG returns the picture as an SVG document with a white background. Each shape has its Tip as a
// tooltip.
func (p *Picture) SVG() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]s" height="%[2]s" viewBox="0 0 %[1]s %[2]s" font-family="%[3]s" role="img">`+"\n",
		number(p.Width), number(p.Height), FontFamily)
	fmt.Fprintf(&b, "<title>%s</title>\n", escape(p.Title))
	fmt.Fprintf(&b, `<rect width="%s" height="%s" fill="#ffffff"/>`+"\n", number(p.Width), number(p.Height))
	for i := range p.Shapes {
		p.Shapes[i].svg(&b)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func (s *Shape) svg(b *bytes.Buffer) {
	name, text := "polyline", ""
	var attr strings.Builder
	set := func(key, value string) { fmt.Fprintf(&attr, ` %s="%s"`, key, value) }
	switch s.Kind {
	case Area:
		name = "polygon"
		fallthrough
	case Line:
		var points []string
		for _, p := range s.Points {
			points = append(points, number(p.X)+","+number(p.Y))
		}
		set("points", strings.Join(points, " "))
	case Disc:
		name = "circle"
		set("cx", number(s.Points[0].X))
		set("cy", number(s.Points[0].Y))
		set("r", number(s.Radius))
	case Text:
		name, text = "text", escape(s.Text)
		set("x", number(s.Points[0].X))
		set("y", number(s.Points[0].Y))
		set("font-size", number(s.Size))
		if s.Bold {
			set("font-weight", "bold")
		}
		if s.Anchor != Start {
			set("text-anchor", []string{"start", "middle", "end"}[s.Anchor])
		}
	}
	set("fill", s.Fill.svg())
	if s.Stroke != None && s.Thick > 0 {
		set("stroke", s.Stroke.svg())
		set("stroke-width", number(s.Thick))
		if s.Dashed {
			set("stroke-dasharray", "3 3")
		}
	}
	if s.Tip != "" {
		text += "<title>" + escape(s.Tip) + "</title>"
	}
	if text == "" {
		fmt.Fprintf(b, "<%s%s/>\n", name, attr.String())
		return
	}
	fmt.Fprintf(b, "<%s%s>%s</%s>\n", name, attr.String(), text, name)
}

func (c Color) svg() string {
	if c == None {
		return "none"
	}
	return fmt.Sprintf("#%06x", uint32(c))
}

// number formats a coordinate with at most two decimals.
func number(f float64) string {
	s := strconv.FormatFloat(f, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// escape escapes a text for XML and replaces characters that XML does not allow.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case r < ' ' || r == 0xfffe || r == 0xffff:
			b.WriteRune('�')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// wide estimates the width of a text. The estimate is more likely too large than too small.
func wide(s string, size float64) float64 {
	sum := 0.0
	for _, r := range s {
		switch {
		case strings.ContainsRune("ijlIft.,:;|!'()[] /", r):
			sum += 0.33
		case strings.ContainsRune("mwMW%@", r):
			sum += 0.9
		case r >= 'A' && r <= 'Z' || r == '+' || r == '=':
			sum += 0.7
		case r > 0x2e80:
			sum++
		default:
			sum += 0.57
		}
	}
	return sum * size
}
