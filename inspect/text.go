package inspect

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bufftick/bufftick/buff"
)

// Limits of displayed texts.
const (
	maxLine = 80   // characters of a name
	maxText = 8192 // bytes of an error
)

// line returns a name in displayable form: one line of limited length in which every character
// is visible. Bidirectional controls and invisible characters are escaped.
func line(s string) string { return shown(s, maxLine, "") }

// lines is like line, but for multi-line texts such as an error with an excerpt of the source.
func lines(s string) string { return shown(s, maxText, "\n\t") }

func shown(s string, most int, keep string) string {
	var b strings.Builder
	n := 0
	// the loop ends at the limit, so that a long text is not scanned to its end
	for i, r := range s {
		if n == most {
			b.WriteString("…")
			break
		}
		n++
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			b.WriteRune('\uFFFD')
		case strings.ContainsRune(keep, r):
			b.WriteRune(r)
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// number is a float that can always be encoded in JSON. NaN and infinities become strings.
type number float64

// MarshalJSON implements [json.Marshaler].
func (n number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strconv.AppendQuote(nil, strconv.FormatFloat(f, 'g', -1, 64)), nil
	}
	return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
}

func idText(id buff.OwnerID) string { return strconv.FormatUint(uint64(id), 10) }

// parseID parses a player's id: up to 20 digits.
func parseID(s string) (buff.OwnerID, bool) {
	if s == "" || len(s) > 20 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	id, err := strconv.ParseUint(s, 10, 64)
	return buff.OwnerID(id), err == nil
}

// pick identifies a player by id and name.
type pick struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

func (in *Inspector) pick(id buff.OwnerID) pick { return pick{idText(id), in.name(id)} }

// title returns a player's name or id for use in a sentence.
func (in *Inspector) title(id buff.OwnerID) string {
	if name := in.name(id); name != "" {
		return name
	}
	return "#" + idText(id)
}
