package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
)

// countsJSON holds the counts for each definition. They change all the time, so they are sent
// separately from the catalog. The lists are indexed by position in the catalog. Their last entry
// is for everything without a definition, such as timeouts and commands of the game.
type countsJSON struct {
	Version string `json:"version"` // version of the catalog; if it has changed, the page requests the catalog again
	At      int64  `json:"at"`      // time of the counts, in ms on the inspector's clock

	Live    []int               `json:"live"`
	Refused []uint64            `json:"refused"` // denied applications since the engine was created
	Kinds   map[string][]uint64 `json:"kinds"`   // events since the first client connected, by kind; kinds without events are omitted
	Calls   []uint64            `json:"calls"`   // estimated number of finished handlers since the first client connected
	Took    []int64             `json:"took"`    // total time of handlers, µs
	P50     []int64             `json:"p50"`     // median time of handlers, µs
	P99     []int64             `json:"p99"`     // 99th percentile of the time of handlers, µs

	Denied  []deniedJSON `json:"denied"` // denied applications since the first client connected, by reason
	Reloads []reloadJSON `json:"reloads"`
	Cut     bool         `json:"cut,omitempty"` // data was omitted
}

type deniedJSON struct {
	Spec string `json:"spec"`
	Why  string `json:"why"`
	N    uint64 `json:"n"`
}

// Limits of the counts.
const (
	maxLive   = 5_000
	maxDenied = 1000
)

// countsOf combines the counts of a View with the counts of each definition. After a reload, the
// View and the counts may briefly be from different catalogs; the next message corrects this.
func (in *Inspector) countsOf(v *view.View, specs []view.SpecStats, at time.Duration) countsJSON {
	n := min(len(v.Live), maxLive)
	out := countsJSON{
		Version: version(v.Catalog), At: at.Milliseconds(), Live: v.Live[:n], Refused: v.Refused[:n], Kinds: map[string][]uint64{},
		Denied: []deniedJSON{}, Reloads: in.reloads.all(),
	}
	if len(specs) == len(v.Live)+1 && n == len(v.Live) {
		out.count(specs)
	}
	denied := slices.SortedFunc(slices.Values(v.Denied), func(a, b view.Denial) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Spec.ID, b.Spec.ID), cmp.Compare(a.Why, b.Why))
	})
	for _, d := range denied[:min(len(denied), maxDenied)] {
		out.Denied = append(out.Denied, deniedJSON{line(d.Spec.ID), d.Why.String(), d.Count})
	}
	return out
}

// count adds the counts of each definition.
func (c *countsJSON) count(specs []view.SpecStats) {
	for i := range specs {
		s := &specs[i]
		for kind := buff.Applied; int(kind) < len(s.Events); kind++ {
			if s.Events[kind] == 0 {
				continue
			}
			name := kind.String()
			if c.Kinds[name] == nil {
				c.Kinds[name] = make([]uint64, len(specs))
			}
			c.Kinds[name][i] = s.Events[kind]
		}
		p50, p99 := int64(0), int64(0)
		if s.Times != nil {
			p50, p99 = s.Times.Quantile(0.5).Microseconds(), s.Times.Quantile(0.99).Microseconds()
		}
		c.Calls, c.Took = append(c.Calls, s.Handlers), append(c.Took, s.Took.Microseconds())
		c.P50, c.P99 = append(c.P50, p50), append(c.P99, p99)
	}
}

// cut removes half of the longest list. If the lists are short, it removes the counts by kind. It
// reports whether it has removed anything.
func (c *countsJSON) cut() bool {
	c.Cut = true
	switch {
	case len(c.Denied) > 10*len(c.Reloads):
		c.Denied = c.Denied[:len(c.Denied)/2]
	case len(c.Reloads) > 0:
		c.Reloads = c.Reloads[:len(c.Reloads)/2]
	case len(c.Denied) > 0:
		c.Denied = nil
	case len(c.Kinds) > 0:
		c.Kinds = nil
	default:
		return false
	}
	return true
}

// version identifies a catalog.
func version(c *buff.Catalog) string { return fmt.Sprintf("%p", c) }

type catalogJSON struct {
	Version string     `json:"version"`
	Specs   []specJSON `json:"specs"`
	Next    int        `json:"next,omitempty"` // position of the first definition of the next part; 0 if there is none
}

type specJSON struct {
	ID     string      `json:"id"`
	Name   string      `json:"name,omitempty"`
	Place  string      `json:"place,omitempty"` // file and line of the definition
	Note   string      `json:"note,omitempty"`
	Side   string      `json:"side"`
	Kind   string      `json:"kind"`
	Lasts  string      `json:"lasts"`
	Period string      `json:"period"`
	Fields [][2]string `json:"fields"`
}

// serveCatalog responds with definitions, as many as fit into one response. The parameter "text" is
// the position of the first definition.
func (in *Inspector) serveCatalog(w http.ResponseWriter, text string) {
	from, err := strconv.Atoi(cmp.Or(text, "0"))
	c := in.eng.Catalog()
	if err != nil || from < 0 || from > c.Len() {
		refuse(w, refusal{http.StatusBadRequest, "from must be a position in the catalog"})
		return
	}
	out := catalogJSON{Version: version(c), Specs: []specJSON{}}
	size, place := 0, 0
	for s := range c.All() {
		if place++; place <= from {
			continue
		}
		j := specOf(s)
		j.Place = lines(c.Place(s))
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
			name, value = fileSyntax(name, value)
			out.Fields = append(out.Fields, [2]string{line(name), line(value)})
		}
	})
	return out
}
