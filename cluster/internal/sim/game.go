package sim

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/engine"
)

// state is the saved state of a player: the ids of all commands executed for it, in order, and the
// blob of the engine.
type state struct {
	log  []policy.ID
	blob []byte // nil without the real engine
}

// game is the game of a zone.
type game interface {
	enter(player int, s state) error
	leave(player int) state
	// do executes a command and returns its number among the player's commands, starting at 1.
	do(player int, id policy.ID) (place int, err error)
	save(player int) (state, error)
	has(player int) bool
	players() []int
	tick()
}

// book is a game that only records the ids of the commands of each player.
type book map[int][]policy.ID

func (b book) enter(player int, s state) error {
	b[player] = slices.Clip(s.log)
	return nil
}

func (b book) leave(player int) state {
	s := state{log: b[player]}
	delete(b, player)
	return s
}

func (b book) do(player int, id policy.ID) (int, error) {
	b[player] = append(b[player], id)
	return len(b[player]), nil
}

func (b book) save(player int) (state, error) { return state{log: slices.Clip(b[player])}, nil }
func (b book) has(player int) bool            { _, ok := b[player]; return ok }
func (b book) tick()                          {}

func (b book) players() (all []int) {
	for p := range b {
		all = append(all, p)
	}
	slices.Sort(all)
	return all
}

// engineGame is a game on the real engine: each command adds a stack of an infinite buff. The
// number of stacks must be equal to the number of recorded commands.
type engineGame struct {
	book
	eng *engine.Engine
}

var (
	marked, _ = buff.NewCatalog(buff.Spec{ID: "mark", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget, Limit: 30000}})
	mark      = marked.Spec("mark")
)

func newEngineGame() *engineGame {
	eng, err := engine.New(engine.Options{Catalog: marked, Synchronous: true, Number: 1, Epoch: time.Unix(1, 0)})
	if err != nil {
		panic(err)
	}
	return &engineGame{book{}, eng}
}

func (p *engineGame) enter(player int, s state) error {
	_ = p.book.enter(player, s)
	if s.blob == nil {
		return p.eng.Spawn(owner(player), nil)
	}
	if _, err := p.eng.Restore(owner(player), nil, s.blob); err != nil {
		return err
	}
	return p.check(player)
}

func owner(player int) buff.OwnerID { return buff.OwnerID(player + 1) }

// check compares the stacks of a player with its recorded commands.
func (p *engineGame) check(player int) error {
	list, err := p.eng.Buffs(owner(player))
	if err != nil {
		return err
	}
	stacks := 0
	for b := range list.All() {
		stacks += int(b.Stacks)
	}
	if stacks != len(p.book[player]) {
		return fmt.Errorf("player %d has %d stacks and %d recorded commands", player, stacks, len(p.book[player]))
	}
	return nil
}

func (p *engineGame) leave(player int) state {
	s := p.book.leave(player)
	blob, err := p.eng.Despawn(owner(player))
	if err != nil {
		panic(err)
	}
	s.blob = blob
	return s
}

func (p *engineGame) do(player int, id policy.ID) (int, error) {
	if r := p.eng.AddBuff(owner(player), buff.Application{Spec: mark}); r.Failure != nil {
		return 0, r.Failure
	}
	n, _ := p.book.do(player, id)
	return n, p.check(player)
}

func (p *engineGame) save(player int) (state, error) {
	s, _ := p.book.save(player)
	blob, err := p.eng.Save(owner(player))
	s.blob = blob
	return s, err
}

func (p *engineGame) tick() { p.eng.Tick(frameTime) }

func (p *engineGame) close() { _ = p.eng.Close(context.Background()) }
