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
	enoughHolders = 50 // number after which a response is sent
	maxHolders    = enoughHolders + 256
)

// holdersJSON is a part of the holders of a definition.
type holdersJSON struct {
	List []holderJSON `json:"list"`
	Busy int          `json:"busy"`           // visited players with unknown buffs, because their handlers run
	Next int          `json:"next,omitempty"` // position of the next player
	All  int          `json:"all"`            // total number of players
}

type holderJSON struct {
	pick
	Source pick `json:"source"` // of the oldest of these buffs
	Buffs  int  `json:"buffs"`
	Stacks int  `json:"stacks"`
}

// serveHolders responds with the holders of a definition, from a position among the players
// on, as many as are found within the time limit of a request.
func (in *Inspector) serveHolders(w http.ResponseWriter, r *http.Request, query url.Values) {
	from, err := strconv.Atoi(cmp.Or(query.Get("from"), "0"))
	if err != nil || from < 0 {
		refuse(w, refusal{http.StatusBadRequest, "from must be a position among the players"})
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
