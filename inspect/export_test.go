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
