package game

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
)

// names holds the names of players and bosses, such as "Warrior Ragnar Ashdown, raid 3". They are
// shown in lists. The important part of a name comes first, because a list may cut off the end of
// the name. Names never change.
type names struct{ players, bosses []string }

var (
	given = []string{
		"Ragnar", "Sunna", "Thora", "Ivar", "Bela", "Mirko", "Odessa", "Wulf", "Cassia", "Hanno", "Sigrun", "Pell",
		"Anselm", "Brida", "Corvin", "Dagny", "Edda", "Falk", "Greta", "Hauke", "Isolde", "Jorun", "Kaspar", "Lioba",
	}
	family = []string{
		"Ashdown", "Blackwater", "Copperfield", "Dunmore", "Eastmark", "Fenwick", "Greymantle", "Hollow", "Ironwood", "Jessamy",
		"Kettlewell", "Longstride", "Marrow", "Nightingale", "Oakenhelm", "Pyke", "Quill", "Ravensworth", "Stonebrook", "Thistle",
		"Underhill", "Vane", "Winterbourne", "Yarrow",
	}
	beasts = []string{
		"Old Ironhide", "the Drowned King", "Mother Ash", "Vorrak the Burning", "the Pale Stag", "Queen of Thorns", "Gloomfang",
		"the Bell Ringer", "Karst the Unmoved", "Sister Plague", "the Hollow Knight", "Emberwing",
		"Black Annis", "Thornback", "the Tin Prophet", "Frostmaw", "Lady Moth", "the Ferryman", "Rotgut", "Skarn the Elder",
		"the Weeping Tower", "Nine-Eyes", "Grandfather Toad", "the Lantern Saint",
	}
)

func newNames(players []player, raids []raid) *names {
	n := &names{}
	for i := range players {
		p := &players[i]
		n.players = append(n.players, fmt.Sprintf("%s, raid %d", playerName(i, p.class), p.raid.boss-firstBoss+1))
	}
	for i := range raids {
		n.bosses = append(n.bosses, fmt.Sprintf("Boss %s, raid %d", bossName(i), i+1))
	}
	return n
}

// playerName returns the name of the i-th player.
func playerName(i int, c *class) string {
	// Both lists repeat. The second list is shifted by one name at each repetition of the first,
	// so that full names repeat only after 576 players.
	name := fmt.Sprintf("%s %s %s", c.title(), given[i%len(given)], family[(i+i/len(given))%len(family)])
	if again := i / (len(given) * len(family)); again > 0 {
		name += fmt.Sprintf(" %d", again+1)
	}
	return name
}

func bossName(i int) string { return beasts[i%len(beasts)] }

func (n *names) name(id buff.OwnerID) string {
	// A viewer can ask for any 64-bit id. Compare it as unsigned: as an int it may be negative.
	switch {
	case id >= firstBoss && id-firstBoss < buff.OwnerID(len(n.bosses)):
		return n.bosses[id-firstBoss]
	case id >= 1 && id <= buff.OwnerID(len(n.players)):
		return n.players[id-1]
	}
	return ""
}
