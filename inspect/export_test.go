package inspect

import "github.com/bufftick/bufftick/buff"

// Follow has a player followed, as a request without the token does.
func Follow(in *Inspector, id buff.OwnerID) (leave func(), err error) {
	return in.follow(id, false, func() {})
}

// Followed returns how many requests follow a player.
func Followed(in *Inspector) int {
	in.follows.mu.Lock()
	defer in.follows.mu.Unlock()
	return len(in.follows.list)
}

// Players returns for how many players the hub keeps a message.
func Players(in *Inspector) int {
	in.hub.mu.Lock()
	defer in.hub.mu.Unlock()
	return len(in.hub.players)
}

// LeftOver returns what the hub still knows when the last of its clients has gone.
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

// Effect says in a few characters what a modifier does.
var Effect = effect

// JoinAndQuit has a client that shows definitions join the hub and quit again, n times.
func JoinAndQuit(in *Inspector, n int) {
	for range n {
		c := &client{catalog: true}
		in.hub.join(c)
		in.hub.quit(c)
	}
}
