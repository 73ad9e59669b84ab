package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
)

// JSON returns the owner in JSON. It fails if a name is not valid UTF-8, because JSON cannot
// represent such a name.
func (o *Owner) JSON() ([]byte, error) {
	c := coder{mode: checking, utf8: true, mem: &noMemory}
	if c.owner(o); c.bad != nil {
		return nil, c.bad
	}
	text, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", Err, err)
	}
	return append(text, '\n'), nil
}

// ParseJSON returns the owner that the JSON text describes. It fails if a field is unknown, missing
// or out of range.
func ParseJSON(text []byte) (*Owner, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	o := &Owner{}
	if err := d.Decode(o); err != nil {
		return nil, fmt.Errorf("%w: %w", Err, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something follows the JSON", Err)
	}
	return o, o.Check()
}

// legible records an error for a name with invalid UTF-8.
func (c *coder) legible(name string) {
	if c.utf8 && c.bad == nil && !utf8.ValidString(name) {
		c.bad = fmt.Errorf("%w: the name %q is not UTF-8, which JSON cannot hold", Err, name)
	}
}

// Float is a float64 that keeps every bit in JSON: NaN and the infinities are strings of the 16
// hexadecimal digits of their bits.
type Float float64

// MarshalJSON writes the number.
func (n Float) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Appendf(nil, `"%016x"`, math.Float64bits(f)), nil
	}
	return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
}

// UnmarshalJSON reads the output of MarshalJSON.
func (n *Float) UnmarshalJSON(text []byte) error {
	if len(text) == 18 && text[0] == '"' {
		bits, err := strconv.ParseUint(string(text[1:17]), 16, 64)
		*n = Float(math.Float64frombits(bits))
		return err
	}
	f, err := strconv.ParseFloat(string(text), 64)
	*n = Float(f)
	return err
}
