package buff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// BlobJSON returns a blob in JSON, for people to read and to change. It fails with
// [ErrBlob], also if a name in it is not UTF-8, which JSON cannot hold.
func BlobJSON(blob []byte) ([]byte, error) {
	b, err := readBlob(blob, &blobScratch{})
	if err != nil {
		return nil, err
	}
	for k := range b.Buffs {
		b.Buffs[k].nameCauses()
	}
	if name, ok := b.illegible(); ok {
		return nil, fmt.Errorf("%w: the name %q is not UTF-8, which JSON cannot hold", ErrBlob, name)
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBlob, err)
	}
	return append(text, '\n'), nil
}

// ParseBlobJSON returns the blob that is written in JSON: after [BlobJSON] the same, byte
// for byte. It fails with [ErrBlob] if a field is unknown, missing or out of range.
func ParseBlobJSON(text []byte) (blob []byte, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	b := &saved{}
	if err := d.Decode(b); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBlob, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something follows the JSON", ErrBlob)
	}
	for k := range b.Buffs {
		if err := b.Buffs[k].readCauses(); err != nil {
			return nil, fmt.Errorf("%w: buffs[%d] %q: %w", ErrBlob, k, b.Buffs[k].ID, err)
		}
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	return b.append(nil), nil
}

// readCauses makes bits of the words of Hidden.
func (b *savedBuff) readCauses() error {
	for _, word := range b.Hidden {
		k := slices.Index(causeWords[:], word)
		if k < 0 {
			return fmt.Errorf("hidden: %q is not one of %v", word, causeWords)
		}
		b.causes |= 1 << k
	}
	return nil
}

// illegible returns a name that is not UTF-8, and whether there is one.
func (b *saved) illegible() (string, bool) {
	var names []string
	for k := range b.Tags {
		names = append(names, b.Tags[k].Name)
	}
	for k := range b.Immune {
		names = append(names, b.Immune[k].Name)
	}
	for k := range b.Returns {
		names = append(names, b.Returns[k].Group)
	}
	for k := range b.Timeouts {
		names = append(names, b.Timeouts[k].Name, b.Timeouts[k].Handler)
	}
	for k := range b.Buffs {
		names = append(names, b.Buffs[k].ID, b.Buffs[k].Version)
		names = b.Buffs[k].savedNumbers.names(names)
		for j := range b.Buffs[k].Async {
			names = b.Buffs[k].Async[j].savedNumbers.names(names)
		}
		for j := range b.Buffs[k].Waiting {
			names = b.Buffs[k].Waiting[j].savedNumbers.names(names)
		}
	}
	for k := range b.Bases {
		names = append(names, b.Bases[k].Name)
	}
	k := slices.IndexFunc(names, func(name string) bool { return !utf8.ValidString(name) })
	if k < 0 {
		return "", false
	}
	return names[k], true
}

func (n *savedNumbers) names(dst []string) []string {
	for _, list := range [...][]savedValue{n.Params, n.Numbers, n.Captures} {
		for _, v := range list {
			dst = append(dst, v.Name)
		}
	}
	return dst
}

// savedNumber is a float64 of which JSON keeps every bit: what it has no number for is a
// string of the 16 hexadecimal digits of its bits.
type savedNumber float64

// MarshalJSON writes the number.
func (n savedNumber) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Appendf(nil, `"%016x"`, math.Float64bits(f)), nil
	}
	return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *savedNumber) UnmarshalJSON(text []byte) error {
	if len(text) == 18 && text[0] == '"' {
		bits, err := strconv.ParseUint(string(text[1:17]), 16, 64)
		*n = savedNumber(math.Float64frombits(bits))
		return err
	}
	f, err := strconv.ParseFloat(string(text), 64)
	*n = savedNumber(f)
	return err
}
