package serve

import (
	"encoding/binary"
	"encoding/json"
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/examples/arena/game"
)

// Kinds of messages. The first byte of a message is its kind; the comments describe the other
// bytes. Kinds from 0x10 to 0x2f belong to package replicate. Numbers are little-endian.
const (
	msgHello = 0x01 // a hello as JSON
	// now float64, flags, count uint16; then for each unit: id, x, y uint16, facing, flags uint8,
	// target uint16
	msgScene = 0x02
	msgFacts = 0x03 // count uint16; then for each fact: kind, what uint8, source, target, amount uint16
	msgPong  = 0x04 // the 8 bytes of the ping, now float64
	// now float64, number of owners uint8; then for each owner: id uint16, number of buffs uint8;
	// then for each of its buffs: slot uint16, remaining ms float64 (-1 for an endless buff)
	msgTruth = 0x05
	// ability, refusal uint8, 0 if the ability was cast; key uint16 of the cast; time float64 of the
	// packet that contains the effects. Sent before this packet.
	msgAnswer = 0x06

	askPlay  = 0x30 // the token of the hero that the player had before; may be empty
	askWatch = 0x31 // id uint16 of the unit to watch; 0 means the King
	askWalk  = 0x32 // direction x, y int8
	askGo    = 0x33 // destination x, y uint16
	askAim   = 0x34 // id uint16 of the target; 0 means no target
	askCast  = 0x35 // ability uint8, key uint16
	askPing  = 0x36 // 8 bytes, returned in the pong
	askPause = 0x37 // 1 to pause the arena; 0 to resume its time
)

// Bits of the flags of a unit, and bits of the flags of a whole scene.
const (
	flagDead   = 1 << 0
	flagMoving = 1 << 1
	flagPlayed = 1 << 2

	flagPaused = 1 << 0 // a flag of the scene; the other three are flags of a unit
)

// grain is the number of steps per pace in the positions that are sent.
const grain = 700

// maxMessage is the maximum length of a client message.
const maxMessage = 48

// hello is the first message to a page. It is sent again when the player gets another hero.
type hello struct {
	You    buff.OwnerID `json:"you"` // the player's hero; 0 for a spectator
	Token  string       `json:"token,omitempty"`
	King   buff.OwnerID `json:"king"`
	Width  float64      `json:"width"`
	Height float64      `json:"height"`
	Grain  int          `json:"grain"`
	Icons  []string     `json:"icons"`
	Skills []skill      `json:"skills"`
	Units  []person     `json:"units"`
}

type skill struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Text  string   `json:"text"`
	Aim   game.Aim `json:"aim"`
	Range float64  `json:"range"`
}

type person struct {
	ID    buff.OwnerID `json:"id"`
	Name  string       `json:"name"`
	Class string       `json:"class"`
	Side  game.Side    `json:"side"`
	Squad int          `json:"squad"`
}

// appendHello appends a hello message with the units of an arena.
func appendHello(p []byte, w *game.World, arena int, you buff.OwnerID, token string) []byte {
	h := hello{
		You: you, Token: token, King: w.King(arena).ID, Width: game.Width, Height: game.Height, Grain: grain,
		Icons: game.Icons[:],
	}
	for _, s := range game.Skills {
		h.Skills = append(h.Skills, skill{s.ID, s.Name, s.Text, s.Aim, s.Range})
	}
	units := w.Units()
	for k := range units {
		if u := &units[k]; u.Arena == arena {
			h.Units = append(h.Units, person{u.ID, u.Name, u.Class.String(), u.Side, u.Squad})
		}
	}
	text, err := json.Marshal(h)
	if err != nil {
		panic("serve: " + err.Error()) // cannot fail for numbers and names
	}
	return append(append(p, msgHello), text...)
}

// appendScene appends the positions of the units in view.
func appendScene(p []byte, w *game.World, arena int, seen []*game.Unit) []byte {
	p = appendFloat(append(p, msgScene), float64(w.Now()))
	flags := byte(0)
	if w.Paused(arena) {
		flags |= flagPaused
	}
	p = append(p, flags)
	p = appendShort(p, len(seen))
	for _, u := range seen {
		p = appendShort(p, int(u.ID))
		p = appendShort(p, int(u.X*grain))
		p = appendShort(p, int(u.Y*grain))
		turn := math.Mod(u.Facing/(2*math.Pi)+2, 1)
		flags = 0
		if u.Dead {
			flags |= flagDead
		}
		if u.Moving {
			flags |= flagMoving
		}
		if u.Played {
			flags |= flagPlayed
		}
		p = append(p, byte(turn*256), flags)
		p = appendShort(p, int(u.Target))
	}
	return p
}

func appendFact(p []byte, f *game.Fact) []byte {
	p = append(p, byte(f.Kind), f.What)
	p = appendShort(p, int(f.Source))
	p = appendShort(p, int(f.Target))
	return appendShort(p, int(f.Amount))
}

func appendShort(p []byte, v int) []byte { return binary.LittleEndian.AppendUint16(p, uint16(v)) }

func appendFloat(p []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(p, math.Float64bits(v))
}
