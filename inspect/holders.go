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
	enoughHolders = 50 // the response is sent when this number of holders has been found
	maxHolders    = enoughHolders + 256
)

// holdersJSON lists some of the players that have a buff of a definition.
type holdersJSON struct {
	List []holderJSON `json:"list"`
	Busy int          `json:"busy"`           // visited players whose buffs could not be read, because their handlers are running
	Next int          `json:"next,omitempty"` // position of the next player to visit; 0 if all have been visited
	All  int          `json:"all"`            // total number of players
}

type holderJSON struct {
	pick
	Source pick `json:"source"` // source of the oldest buff of the definition
	Buffs  int  `json:"buffs"`
	Stacks int  `json:"stacks"`
}

// serveHolders responds with players that have a buff of a definition. It visits the players from
// the given position on, until it has found enough or the time limit of a request is reached.
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
	leave, ok := in.admitSearch(w, r)
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
