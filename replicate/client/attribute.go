package client

import "math"

// Attribute is the value of an attribute of an owner.
type Attribute struct {
	// Name is the name in the server's catalog, such as "health", or two names for a share, such as
	// "health/max_health".
	Name  string
	Value float64
}

// Attributes returns the attributes of the owner that the server sends to this client, in
// unspecified order. The slice is valid until the next call to Receive.
func (o *Owner) Attributes() []Attribute { return o.values }

// Attribute returns the value of the attribute with the given name, and whether the client has it.
func (o *Owner) Attribute(name string) (value float64, ok bool) {
	for _, x := range o.values {
		if x.Name == name {
			return x.Value, true
		}
	}
	return 0, false
}

// Limits of the protocol.
const (
	maxAttributes = 64
	maxName       = 128
)

// attribute is the name of an attribute, and the unit of its values.
type attribute struct {
	name string // empty if unknown
	step float64
}

// attribute decodes the name of an attribute. Once known, it does not change until a Reset.
func (c *Client) attribute(r *reader) error {
	end := r.length()
	number, step, name := r.upTo(maxAttributes-1), math.Float64frombits(r.fixed()), r.text()
	if !(step > 0 && step <= math.MaxFloat64) || !isName(name) {
		r.bad = true
	}
	r.skipTo(end)
	if !r.bad && c.attributes[number].name == "" {
		c.attributes[number] = attribute{name, step}
	}
	return r.failed()
}

func isName(s string) bool {
	for k := range len(s) {
		if s[k] <= ' ' || s[k] > '~' {
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

// value decodes the value of an attribute.
func (c *Client) value(o *Owner, r *reader) error {
	number, n := r.upTo(maxAttributes-1), r.signed()
	a := c.attributes[number]
	if a.name == "" {
		r.bad = true
	}
	if r.bad {
		return r.failed()
	}
	x := Attribute{a.name, float64(n) * a.step}
	for k := range o.values {
		if o.values[k].Name == a.name {
			o.values[k] = x
			return nil
		}
	}
	o.values = append(o.values, x)
	return nil
}
