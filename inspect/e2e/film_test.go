package e2e

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// film is an animation of a tab in 255 colours. Each frame contains only the part that differs
// from the previous frame.
type film struct {
	frames []image.Image
	at     []float64 // in ms
}

// shoot takes frames, as fast as the browser provides them.
func (f *film) shoot(t *testing.T, p *tab, frames int) {
	t.Helper()
	for range frames {
		at := eval[float64](p, `arena.link.now`)
		data, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		require.NoError(t, err)
		m, err := png.Decode(bytes.NewReader(data))
		require.NoError(t, err)
		f.frames, f.at = append(f.frames, m), append(f.at, at)
	}
}

// write writes the film as a GIF.
func (f *film) write(t *testing.T, path string) {
	t.Helper()
	palette := append(color.Palette{color.Transparent}, paletteOf(f.frames)...)
	near := map[[3]uint8]uint8{}
	index := func(m image.Image, x, y int) uint8 {
		r, g, b, _ := m.At(x, y).RGBA()
		key := [3]uint8{uint8(r >> 10), uint8(g >> 10), uint8(b >> 10)}
		k, known := near[key]
		if !known {
			k = uint8(1 + palette[1:].Index(color.RGBA{key[0]<<2 | 2, key[1]<<2 | 2, key[2]<<2 | 2, 255}))
			near[key] = k
		}
		return k
	}
	out := &gif.GIF{}
	var last []uint8
	for k, m := range f.frames {
		b := m.Bounds()
		p := image.NewPaletted(b, palette)
		now := make([]uint8, 0, b.Dx()*b.Dy())
		for y := range b.Dy() {
			for x := range b.Dx() {
				v := index(m, b.Min.X+x, b.Min.Y+y)
				now = append(now, v)
				if last == nil || last[len(now)-1] != v {
					p.Pix[y*p.Stride+x] = v
				}
			}
		}
		last = now
		delay := 12
		if k+1 < len(f.at) {
			delay = max(3, int((f.at[k+1]-f.at[k])/10))
		}
		out.Image, out.Delay, out.Disposal = append(out.Image, p), append(out.Delay, delay), append(out.Disposal, gif.DisposalNone)
	}
	var file bytes.Buffer
	require.NoError(t, gif.EncodeAll(&file, out))
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o644))
	t.Logf("%s: %d frames in %.1f s, %d bytes", path, len(f.frames), (f.at[len(f.at)-1]-f.at[0])/1000, file.Len())
}

// paletteOf returns 255 colours for some images, using median cut. It repeatedly splits the box
// with the widest side at its median.
func paletteOf(frames []image.Image) (out color.Palette) {
	var all [][3]uint8
	for k := 0; k < len(frames); k += 1 + len(frames)/4 {
		b := frames[k].Bounds()
		for y := b.Min.Y; y < b.Max.Y; y += 3 {
			for x := b.Min.X; x < b.Max.X; x += 3 {
				r, g, b, _ := frames[k].At(x, y).RGBA()
				all = append(all, [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)})
			}
		}
	}
	boxes := [][][3]uint8{all}
	for len(boxes) < 255 {
		best, side, widest := -1, 0, 0
		for k, box := range boxes {
			if c, w := widestSide(box); w > widest {
				best, side, widest = k, c, w
			}
		}
		if best < 0 {
			break
		}
		box := boxes[best]
		slices.SortFunc(box, func(a, b [3]uint8) int { return int(a[side]) - int(b[side]) })
		boxes[best] = box[:len(box)/2]
		boxes = append(boxes, box[len(box)/2:])
	}
	for _, box := range boxes {
		var sum [3]int
		for _, c := range box {
			for k := range sum {
				sum[k] += int(c[k])
			}
		}
		n := max(len(box), 1)
		out = append(out, color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255})
	}
	return out
}

// widestSide returns the colour component with the widest range in a box, and the range weighted
// by the number of pixels.
func widestSide(box [][3]uint8) (side, width int) {
	if len(box) < 2 {
		return 0, 0
	}
	least, most := box[0], box[0]
	for _, c := range box {
		for k, v := range c {
			least[k], most[k] = min(least[k], v), max(most[k], v)
		}
	}
	weight := 1
	for n := len(box); n > 64; n /= 4 {
		weight++
	}
	for k := range least {
		if w := int(most[k]-least[k]) * weight; most[k] > least[k] && w > width {
			side, width = k, w
		}
	}
	return side, width
}

// TestArenaFilm takes the animation for the documentation. The game waits for the film, so that a
// tenth of a second passes between two frames, on the server and for the page, however long the
// browser needs for a screenshot.
func TestArenaFilm(t *testing.T) {
	if !*shots {
		t.Skip("only with -shots")
	}
	a := newArenaOf(t, (*arena).drive)
	a.frames <- 440
	p := open(t, a.url+"#watch", 880, 540)
	p.theme("dark")
	eval[any](p, `document.querySelector("#line").hidden = true`)
	for range 200 {
		if a.frames <- 1; eval[bool](p, `arena.view.seen > 25 && arena.client.known && document.querySelector("#kinghealth").textContent.includes("/")`) {
			break
		}
	}
	eval[any](p, `performance.now = () => arena.film, Object.defineProperty(arena.link, "now", {get: () => arena.film}), arena.film = arena.world.at, 0`)
	var f film
	for k := range 32 {
		a.frames <- 2
		p.until(`arena.world.at >= arena.film + 100 && (arena.film = arena.world.at, true)`)
		eval[any](p, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done(0)))))`)
		if k >= 6 { // start when the first projectiles have landed
			f.shoot(t, p, 1)
		}
	}
	f.write(t, "shots/arena.gif")
}
