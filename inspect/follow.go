package inspect

import (
	"errors"
	"slices"
	"sync"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
)

// follows are those who follow a player, the oldest first. The engine follows
// 64 at once, and whoever has brought the token does not stand behind those who
// have not.
type follows struct {
	mu   sync.Mutex
	list []*follow
}

type follow struct {
	known bool   // has brought the token
	leave func() // of the Watch
	end   func() // ends the request
}

// follow has a player followed until the function that is returned is called; end ends the
// request that wants it, if another one takes its place.
func (in *Inspector) follow(id buff.OwnerID, known bool, end func()) (leave func(), err error) {
	s := &in.follows
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &follow{known: known, end: end}
	f.leave, err = in.watch.Follow(id, in.look())
	for known && errors.Is(err, view.ErrTooManyFollowed) {
		at := slices.IndexFunc(s.list, func(g *follow) bool { return !g.known })
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
		f.leave() // a second time, if another one took its place; that does nothing
		s.mu.Lock()
		defer s.mu.Unlock()
		if at := slices.Index(s.list, f); at >= 0 {
			s.list = slices.Delete(s.list, at, at+1)
		}
	}, nil
}
