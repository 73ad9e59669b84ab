package inspect

import (
	"errors"
	"slices"
	"sync"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
)

// follows is the list of requests that follow a player, oldest first. The engine follows up to 64
// players at a time. A client with the token takes precedence over clients without the token.
type follows struct {
	mu   sync.Mutex
	list []*follow
}

type follow struct {
	trusted bool   // the client has sent the token
	leave   func() // makes the engine stop following the player
	end     func() // ends the request
}

// follow makes the engine follow a player until leave is called. If another request replaces this
// request, end() is called, which must end this request. The parameter "known" reports whether this
// request has the token.
func (in *Inspector) follow(id buff.OwnerID, known bool, end func()) (leave func(), err error) {
	s := &in.follows
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &follow{trusted: known, end: end}
	f.leave, err = in.watch.Follow(id, in.look())
	for known && errors.Is(err, view.ErrTooManyFollowed) {
		at := slices.IndexFunc(s.list, func(g *follow) bool { return !g.trusted })
		if at < 0 {
			return nil, err
		}
		s.list[at].leave()
		s.list[at].end()
		s.list = slices.Delete(s.list, at, at+1)
		f.leave, err = in.watch.Follow(id, in.look())
	}
	if err != nil {
		return nil, err
	}
	s.list = append(s.list, f)
	return func() {
		f.leave() // a no-op if another request has already replaced this one
		s.mu.Lock()
		defer s.mu.Unlock()
		if at := slices.Index(s.list, f); at >= 0 {
			s.list = slices.Delete(s.list, at, at+1)
		}
	}, nil
}
