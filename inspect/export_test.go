package inspect

import "github.com/bufftick/bufftick/buff"

// Follow follows a player, like a request without the token.
func Follow(in *Inspector, id buff.OwnerID) (leave func(), err error) {
	return in.follow(id, false, func() {})
}

// Followed returns the number of requests that follow a player.
func Followed(in *Inspector) int {
	in.follows.mu.Lock()
	defer in.follows.mu.Unlock()
	return len(in.follows.list)
}

// Players returns the number of players for which the hub keeps a message.
func Players(in *Inspector) int {
	in.hub.mu.Lock()
	defer in.hub.mu.Unlock()
	return len(in.hub.players)
}

// LeftOver returns the state that the hub still has when its last client has left.
func LeftOver() (left []string) {
	stopped := false
	c := &client{}
	h := &hub{clients: map[*client]bool{c: true}, stop: func() { stopped = true }, frame: 7, players: map[buff.OwnerID]message{1: {}}}
	h.view.seq, h.catalog.seq, h.whole, h.latest.Frame = 3, 4, []byte("whole"), "7"
	h.quit(c)
	for what, is := range map[string]bool{
		"running": !stopped || h.stop != nil, "clients": len(h.clients) > 0, "view": h.view.seq != 0, "catalog": h.catalog.seq != 0, "whole": h.whole != nil,
		"latest": h.latest.Frame != "", "frame": h.frame != 0, "players": len(h.players) > 0,
	} {
		if is {
			left = append(left, what)
		}
	}
	return left
}

// Effect formats the effect of a modifier.
var Effect = effect

// JoinAndQuit lets a client that shows definitions join and quit the hub n times.
func JoinAndQuit(in *Inspector, n int) {
	for range n {
		c := &client{catalog: true}
		in.hub.join(c)
		in.hub.quit(c)
	}
}
