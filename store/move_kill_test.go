package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/bolt"
	"github.com/stretchr/testify/require"
)

// TestKillMoves kills a process with two zones in one store/bolt file at random moments while
// players move between them. Each player must be in exactly one place in the file, with all
// acknowledged coins and the gold of the same instant.
func TestKillMoves(t *testing.T) {
	b := newTravelBook(t)
	for n := range long.Times(6) {
		b.life(t, "Move")
		require.NoError(t, b.wrong(t), "after kill %d", n+1)
	}
	require.NotEmpty(t, b.coins)
	t.Logf("%d kills, %d acknowledgements; places found: %v", long.Times(6), b.acks, b.found)
}

// TestKillMoves_DetectsFaults checks that the test detects if players are moved with Despawn and
// Restore instead of Move.
func TestKillMoves_DetectsFaults(t *testing.T) {
	b := newTravelBook(t)
	for range 60 {
		b.life(t, "Despawn")
		if err := b.wrong(t); err != nil {
			t.Log(err)
			return
		}
	}
	t.Fatal("60 kills of a game that moves players by Despawn and Restore, and no player was lost")
}

// travelBook is the record that the parent process keeps of the acknowledged coins of each
// player.
type travelBook struct {
	path  string
	rng   *rand.Rand
	coins map[buff.OwnerID]int
	acks  int
	found map[string]int
}

func newTravelBook(t *testing.T) *travelBook {
	return &travelBook{
		path: filepath.Join(t.TempDir(), "world.db"), rng: rand.New(rand.NewPCG(3, 3)),
		coins: map[buff.OwnerID]int{}, found: map[string]int{},
	}
}

const travelEnv = "BUFFTICK_KILL_MOVES"

// life starts a victim and kills it after some acknowledgements.
func (b *travelBook) life(t *testing.T, how string) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestKillMovesVictim$")
	cmd.Env = append(os.Environ(), travelEnv+"="+how+":"+b.path)
	var text strings.Builder
	cmd.Stderr = &text
	_, err := cmd.StdinPipe() // the victim ends when its parent closes this pipe
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for n := b.rng.IntN(60); n > 0 && lines.Scan(); n-- {
		b.note(t, lines.Text(), text.String())
	}
	require.NoError(t, cmd.Process.Kill())
	for lines.Scan() {
		b.note(t, lines.Text(), text.String())
	}
	_ = cmd.Wait()
	require.NotContains(t, text.String(), "panic")
}

// note records "ID COINS", an acknowledgement. The last line of a killed process may be incomplete.
func (b *travelBook) note(t *testing.T, line, text string) {
	id, coins, _ := strings.Cut(line, " ")
	n, err := strconv.Atoi(coins)
	player, err2 := strconv.ParseUint(id, 10, 64)
	require.NoError(t, errors.Join(err, err2), "the victim said %q, %s", line, text)
	b.coins[buff.OwnerID(player)] = max(b.coins[buff.OwnerID(player)], n)
	b.acks++
}

// travellers is the number of players.
const travellers = 12

// wrong compares the file with the record.
func (b *travelBook) wrong(t *testing.T) error {
	disk, err := bolt.Open(b.path, bolt.Options{ReadOnly: true})
	if errors.Is(err, os.ErrNotExist) && len(b.coins) == 0 {
		return nil
	}
	require.NoError(t, err)
	defer disk.Close()
	in, fresh := map[buff.OwnerID][]string{}, true
	see := func(o *store.Owner, place string) error {
		in[o.ID] = append(in[o.ID], place)
		b.found[place]++
		n, err := coinsIn(o.Blob)
		if err != nil {
			return err
		}
		_, _, gold, err := store.SplitData(o.Data)
		switch {
		case err != nil:
			return err
		case string(gold) != strconv.Itoa(n):
			return fmt.Errorf("player %d has %d coins and %s gold: they are not of one instant", o.ID, n, gold)
		case n < b.coins[o.ID]:
			return fmt.Errorf("player %d has %d coins, and %d were acknowledged", o.ID, n, b.coins[o.ID])
		}
		return nil
	}
	for _, zone := range []string{"a", "b"} {
		cut, err := disk.Load(t.Context(), zone)
		if errors.Is(err, store.ErrEmpty) {
			continue
		}
		require.NoError(t, err)
		fresh = false
		for k := range cut.Owners {
			if err := see(&cut.Owners[k], zone); err != nil {
				return err
			}
		}
	}
	list, err := disk.Arrivals(t.Context(), []string{"a", "b"})
	require.NoError(t, err)
	for k := range list {
		if err := see(&list[k].Owner, "on the way to "+list[k].Zone); err != nil {
			return err
		}
	}
	if fresh && len(b.coins) == 0 {
		return nil
	}
	for id := buff.OwnerID(1); id <= travellers; id++ {
		if len(in[id]) != 1 {
			return fmt.Errorf("player %d is in %q, want one place", id, in[id])
		}
	}
	return nil
}

// TestKillMovesVictim is the process that is killed.
func TestKillMovesVictim(t *testing.T) {
	how, path, ok := strings.Cut(os.Getenv(travelEnv), ":")
	if !ok {
		t.Skip("it is a part of TestKillMoves")
	}
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(1) // the parent is dead
	}()
	disk, err := bolt.Open(path, bolt.Options{})
	require.NoError(t, err)
	w := &travelWorld{t: t, disk: disk, cat: movers(t), rng: rand.New(rand.NewPCG(rand.Uint64(), 1)), byHand: how == "Despawn"}
	for k, name := range []string{"a", "b"} {
		w.zones[k] = w.open(name)
	}
	// Make the first cut of the other zone first, so that the players are in a zone from the
	// first cut of this zone on.
	require.NoError(t, w.zones[1].SaveAll(t.Context()))
	if w.zones[0].Restored().Fresh {
		for id := buff.OwnerID(1); id <= travellers; id++ {
			require.NoError(t, w.zones[0].Engine().Spawn(id, &hero{}))
		}
	}
	require.NoError(t, w.zones[0].SaveAll(t.Context()))
	for {
		w.frame()
	}
}

// travelWorld is the game of the victim.
type travelWorld struct {
	t      *testing.T
	disk   *bolt.Store
	cat    *buff.Catalog
	rng    *rand.Rand
	zones  [2]*store.Saver
	byHand bool
	acks   []travelAck
}

// travelAck is an acknowledgement to be printed when a frame of a zone is on disk.
type travelAck struct {
	zone  int
	frame uint64
	id    buff.OwnerID
	coins int
}

func (w *travelWorld) open(zone string) *store.Saver {
	v, err := store.Open(w.t.Context(), w.disk, zone, engine.Options{Catalog: w.cat, Synchronous: true, Limits: engine.Limits{Buffs: 4096}}, store.Options{
		Every: 10 * time.Millisecond, Marshal: marshal, Unmarshal: unmarshal, Now: func() time.Time { return noon },
	})
	require.NoError(w.t, err)
	return v
}

// frame plays a frame of each zone.
func (w *travelWorld) frame() {
	for k, v := range w.zones {
		var here []buff.OwnerID
		for id := range v.Engine().OwnerIDs() {
			here = append(here, id)
		}
		if len(here) > 0 {
			w.coin(k, here[w.rng.IntN(len(here))])
			w.move(k, here[w.rng.IntN(len(here))])
		}
		v.After(v.Engine().Tick(10 * time.Millisecond))
		if w.rng.IntN(3) == 0 {
			w.arrive(k)
		}
	}
	w.acknowledge()
}

func (w *travelWorld) coin(k int, id buff.OwnerID) {
	v := w.zones[k]
	h := v.Engine().Data(id).(*hero)
	require.NoError(w.t, v.Touch(id))
	r := v.Engine().AddBuff(id, buff.Application{Spec: w.cat.Spec("coin")})
	require.NoError(w.t, r.Failure)
	h.gold++
	w.acks = append(w.acks, travelAck{k, v.Mark(store.CommandID{}), id, h.gold})
}

func (w *travelWorld) move(k int, id buff.OwnerID) {
	from, to := w.zones[k], w.zones[1-k]
	h := from.Engine().Data(id).(*hero)
	if w.byHand {
		blob, err := from.Engine().Despawn(id)
		require.NoError(w.t, err)
		blob, err = buff.MoveBlob(blob, to.Engine().Moment().Uptime)
		require.NoError(w.t, err)
		_, err = to.Engine().Restore(id, h, blob)
		require.NoError(w.t, err)
		return
	}
	frame, err := from.Move(id, []string{"b", "a"}[k])
	if errors.Is(err, engine.ErrBusy) {
		return
	}
	require.NoError(w.t, err)
	w.acks = append(w.acks, travelAck{k, frame, id, h.gold})
}

func (w *travelWorld) arrive(k int) {
	list, err := w.disk.Arrivals(context.Background(), []string{[]string{"a", "b"}[k]})
	require.NoError(w.t, err)
	w.zones[k].Arrive(list, func(_ *store.Arrival, _ buff.Restoration, err error) {
		if !errors.Is(err, engine.ErrBusy) {
			require.NoError(w.t, err)
		}
	})
}

// acknowledge prints the players whose coins are on disk.
func (w *travelWorld) acknowledge() {
	frames := [2]uint64{w.zones[0].Stats().Frame, w.zones[1].Stats().Frame}
	later := w.acks[:0]
	for _, a := range w.acks {
		if a.frame <= frames[a.zone] {
			fmt.Println(a.id, a.coins)
		} else {
			later = append(later, a)
		}
	}
	w.acks = later
}
