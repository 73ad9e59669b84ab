package main

import (
	"bytes"
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/bufftick/bufftick/buff/preview"
)

// sharpness is that of a PNG: two of its points for one of the picture.
const sharpness = 2 * 72

// asPNG paints the timeline with the canvas of gonum/plot: it has the letters, Liberation
// Sans, for which the picture is measured.
func asPNG(t *preview.Timeline) ([]byte, error) {
	pic := t.Picture()
	p := painter{
		canvas: vgimg.NewWith(vgimg.UseWH(vg.Length(pic.Width), vg.Length(pic.Height)), vgimg.UseDPI(sharpness)),
		height: pic.Height,
		fonts:  font.NewCache(liberation.Collection()),
	}
	for i := range pic.Shapes {
		p.paint(&pic.Shapes[i])
	}
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: p.canvas}.WriteTo(&b)
	return b.Bytes(), err
}

// bold is the weight of bold letters, counted from normal ones at 0.
const bold = 3

// painter paints shapes on a canvas, on which up is up.
type painter struct {
	canvas *vgimg.Canvas
	height float64
	fonts  *font.Cache
}

func (p *painter) at(q preview.Point) vg.Point {
	return vg.Point{X: vg.Length(q.X), Y: vg.Length(p.height - q.Y)}
}

func (p *painter) paint(s *preview.Shape) {
	if s.Kind == preview.Text {
		p.text(s)
		return
	}
	var path vg.Path
	if s.Kind == preview.Disc {
		c := p.at(s.Points[0])
		path.Move(vg.Point{X: c.X + vg.Length(s.Radius), Y: c.Y})
		path.Arc(c, vg.Length(s.Radius), 0, 6.283185307179586)
		path.Close()
	} else {
		for i, q := range s.Points {
			if i == 0 {
				path.Move(p.at(q))
				continue
			}
			path.Line(p.at(q))
		}
		if s.Kind == preview.Area {
			path.Close()
		}
	}
	if s.Fill != preview.None {
		p.canvas.SetColor(rgb(s.Fill))
		p.canvas.Fill(path)
	}
	if s.Stroke != preview.None && s.Thick > 0 {
		p.canvas.SetColor(rgb(s.Stroke))
		p.canvas.SetLineWidth(vg.Length(s.Thick))
		var dashes []vg.Length
		if s.Dashed {
			dashes = []vg.Length{3, 3}
		}
		p.canvas.SetLineDash(dashes, 0)
		p.canvas.Stroke(path)
	}
}

func (p *painter) text(s *preview.Shape) {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if s.Bold {
		f.Weight = bold
	}
	face := p.fonts.Lookup(f, vg.Length(s.Size))
	at := p.at(s.Points[0])
	switch width := face.Width(s.Text); s.Anchor {
	case preview.Middle:
		at.X -= width / 2
	case preview.End:
		at.X -= width
	}
	p.canvas.SetColor(rgb(s.Fill))
	p.canvas.FillString(face, at, s.Text)
}

func rgb(c preview.Color) color.Color {
	return color.NRGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 255}
}
