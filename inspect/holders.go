package inspect

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	enoughHolders = 50 // after which an answer is sent
	maxHolders    = enoughHolders + 256
)

// holdersJSON is some of those who carry a definition.
type holdersJSON struct {
	List []holderJSON `json:"list"`
	Busy int          `json:"busy"`           // players looked at of whom it is not known: their handlers run
	Next int          `json:"next,omitempty"` // where the rest of the players begins
	All  int          `json:"all"`            // players, for how far it has come
}

type holderJSON struct {
	pick
	Source pick `json:"source"` // of the oldest of them
	Buffs  int  `json:"buffs"`
	Stacks int  `json:"stacks"`
}

// serveHolders answers with who carries a definition, from a place among the players on: as many as
// are found within the time that one request may take.
func (in *Inspector) serveHolders(w http.ResponseWriter, r *http.Request, query url.Values) {
	from, err := strconv.Atoi(cmp.Or(query.Get("from"), "0"))
	if err != nil || from < 0 {
		refuse(w, refusal{http.StatusBadRequest, "from is a place among the players"})
		return
	}
	spec, err := in.eng.Catalog().Lookup(query.Get("holders"))
	if err != nil {
		refuse(w, refusal{http.StatusNotFound, line(err.Error())})
		return
	}
	leave, ok := in.admitLook(w, r)
	if !ok {
		return
	}
	defer leave()
	ctx, cancel := context.WithTimeout(r.Context(), 5*patience)
	defer cancel()
	out := holdersJSON{List: []holderJSON{}}
	for began := time.Now(); ; {
		h, err := in.watch.Holders(ctx, spec, from)
		if err != nil {
			refuse(w, refusal{http.StatusServiceUnavailable, line(err.Error())})
			return
		}
		for _, x := range h.List {
			out.List = append(out.List, holderJSON{in.pick(x.Owner), in.pick(x.Source), x.Buffs, x.Stacks})
		}
		from = h.Next
		out.Busy, out.Next, out.All = out.Busy+h.Busy, h.Next, h.All
		if from == 0 || len(out.List) >= enoughHolders || time.Since(began) >= in.searchFor {
			serveJSON(w, out)
			return
		}
	}
}
