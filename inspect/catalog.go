package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// countsJSON is what changes about the definitions.
type countsJSON struct {
	Version string       `json:"version"` // of the catalog: with another, the page asks for it again
	Live    []int        `json:"live"`    // by place in the catalog
	Refused []uint64     `json:"refused"` // likewise, since the engine was made
	Denied  []deniedJSON `json:"denied"`  // since somebody looks, by reason
	Reloads []reloadJSON `json:"reloads"`
}

type deniedJSON struct {
	Spec string `json:"spec"`
	Why  string `json:"why"`
	N    uint64 `json:"n"`
}

// Bounds of the counts.
const (
	maxLive   = 5_000
	maxDenied = 1000
)

func (in *Inspector) countsOf(v *engine.View) countsJSON {
	n := min(len(v.Live), maxLive)
	out := countsJSON{Version: version(v.Catalog), Live: v.Live[:n], Refused: v.Refused[:n], Denied: []deniedJSON{}, Reloads: in.reloads.all()}
	denied := slices.SortedFunc(slices.Values(v.Denied), func(a, b engine.Denial) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Spec.ID, b.Spec.ID), cmp.Compare(a.Why, b.Why))
	})
	for _, d := range denied[:min(len(denied), maxDenied)] {
		out.Denied = append(out.Denied, deniedJSON{line(d.Spec.ID), d.Why.String(), d.Count})
	}
	return out
}

// cut leaves the half of the longest list out, and reports whether there was one.
func (c *countsJSON) cut() bool {
	switch {
	case len(c.Denied)+len(c.Reloads) == 0:
		return false
	case len(c.Denied) > 10*len(c.Reloads):
		c.Denied = c.Denied[:len(c.Denied)/2]
	default:
		c.Reloads = c.Reloads[:len(c.Reloads)/2]
	}
	return true
}

// version tells one catalog from the next.
func version(c *buff.Catalog) string { return fmt.Sprintf("%p", c) }

type catalogJSON struct {
	Version string     `json:"version"`
	Specs   []specJSON `json:"specs"`
	Next    int        `json:"next,omitempty"` // where the rest begins
}

type specJSON struct {
	ID     string      `json:"id"`
	Name   string      `json:"name,omitempty"`
	Note   string      `json:"note,omitempty"`
	Side   string      `json:"side"`
	Kind   string      `json:"kind"`
	Lasts  string      `json:"lasts"`
	Period string      `json:"period"`
	Fields [][2]string `json:"fields"`
}

// serveCatalog answers with the definitions from a place on, as many as an answer holds.
func (in *Inspector) serveCatalog(w http.ResponseWriter, text string) {
	from, err := strconv.Atoi(cmp.Or(text, "0"))
	c := in.eng.Catalog()
	if err != nil || from < 0 || from > c.Len() {
		refuse(w, refusal{http.StatusBadRequest, "from is a place in the catalog"})
		return
	}
	out := catalogJSON{Version: version(c), Specs: []specJSON{}}
	size, place := 0, 0
	for s := range c.All() {
		if place++; place <= from {
			continue
		}
		j := specOf(s)
		data, err := json.Marshal(j)
		if err != nil {
			panic("inspect: " + err.Error())
		}
		if size += len(data) + 1; size > maxAnswer*3/4 && len(out.Specs) > 0 {
			out.Next = place - 1
			break
		}
		out.Specs = append(out.Specs, j)
	}
	serveJSON(w, out)
}

func specOf(s *buff.Spec) specJSON {
	out := specJSON{ID: line(s.ID), Name: line(s.Name), Note: line(s.Note), Side: s.Polarity.String(), Kind: s.Kind.String(), Fields: [][2]string{}}
	if s.Duration > 0 {
		out.Lasts = span(s.Duration)
	}
	if s.Period > 0 {
		out.Period = span(s.Period)
	}
	walk(reflect.ValueOf(*s), "", func(name, value string) {
		if len(out.Fields) < maxFields {
			name, value = asWritten(name, value)
			out.Fields = append(out.Fields, [2]string{line(name), line(value)})
		}
	})
	return out
}
