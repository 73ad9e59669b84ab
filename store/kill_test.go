package store_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/bolt"
	"github.com/stretchr/testify/require"
)

// victim is the process that TestKill kills: a game with a store/bolt file. It executes the
// commands whose ids it reads from standard input and prints the durable ones.
type victim struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
	text strings.Builder
}

const victimEnv = "BUFFTICK_KILL"

func start(t *testing.T, path, how string) *victim {
	v := &victim{cmd: exec.Command(os.Args[0], "-test.run=^TestKillVictim$")}
	v.cmd.Env = append(os.Environ(), victimEnv+"="+how+":"+path)
	v.cmd.Stderr = &v.text
	in, err := v.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := v.cmd.StdoutPipe()
	require.NoError(t, err)
	v.in, v.out = in, bufio.NewScanner(out)
	require.NoError(t, v.cmd.Start())
	return v
}

// book is the record that the parent process keeps of requested and acknowledged commands.
type book struct {
	path  string
	asked int // number of requested commands, whose ids start at 1
	acked map[uint64]bool
}

// life runs a victim until it has acknowledged n commands, and kills it.
func (b *book) life(t *testing.T, how string, rng *rand.Rand) {
	v := start(t, b.path, how)
	for id := 1; id <= b.asked; id++ {
		if !b.acked[uint64(id)] {
			fmt.Fprintln(v.in, id) // retry, because it is unknown whether the command was executed
		}
	}
	for range 5 {
		b.ask(v)
	}
	for n := rng.IntN(25); n > 0 && v.out.Scan(); n-- {
		id, err := strconv.ParseUint(v.out.Text(), 10, 64)
		require.NoError(t, err, "the victim said %q, %s", v.out.Text(), &v.text)
		b.note(id)
		b.ask(v)
	}
	require.NoError(t, v.cmd.Process.Kill())
	for v.out.Scan() { // read what the victim printed before it died
		if id, err := strconv.ParseUint(v.out.Text(), 10, 64); err == nil {
			b.note(id)
		}
	}
	_ = v.cmd.Wait()
	require.NotContains(t, v.text.String(), "panic")
}

// ask requests one more command.
func (b *book) ask(v *victim) {
	b.asked++
	fmt.Fprintln(v.in, b.asked)
}

// note records an acknowledgement. The id 0 only shows that the victim is alive.
func (b *book) note(id uint64) {
	if id > 0 {
		b.acked[id] = true
	}
}

// wrong compares the file with the book.
func (b *book) wrong(t *testing.T) error {
	disk, err := bolt.Open(b.path, bolt.Options{ReadOnly: true})
	if err != nil && len(b.acked) == 0 && errors.Is(err, os.ErrNotExist) {
		return nil // the victim died before its first cut
	}
	require.NoError(t, err)
	defer disk.Close()
	cut, err := disk.Load(t.Context(), "arena")
	if errors.Is(err, store.ErrEmpty) {
		if len(b.acked) > 0 {
			return errors.New("nothing is on disk, and something was acknowledged")
		}
		return nil
	}
	if err != nil {
		return err
	}
	done := map[uint64]bool{}
	for _, id := range cut.Commands {
		n := number(id)
		if done[n] || n > uint64(b.asked) {
			return fmt.Errorf("command %d is there twice, or nobody asked for it", n)
		}
		done[n] = true
	}
	for id := range b.acked {
		if !done[id] {
			return fmt.Errorf("command %d was acknowledged, and is lost", id)
		}
	}
	return b.count(cut, len(done))
}

// count checks the number of coins, which is the initial number plus one for each executed
// command.
func (b *book) count(cut *store.Cut, done int) error {
	sum := 0
	for _, o := range cut.Owners {
		n, err := coinsIn(o.Blob)
		if err != nil {
			return err
		}
		_, _, gold, err := store.SplitData(o.Data)
		if err != nil {
			return err
		}
		if string(gold) != strconv.Itoa(n) {
			return fmt.Errorf("owner %d has %d coins and %s gold: they are not of one instant", o.ID, n, gold)
		}
		sum += n
	}
	if want := stormOwners*stormCoins + done; sum != want {
		return fmt.Errorf("%d coins, and %d should be: %d commands were done", sum, want, done)
	}
	return nil
}

func coinsIn(blob []byte) (n int, err error) {
	text, err := buff.BlobJSON(blob)
	if err != nil {
		return 0, err
	}
	var b struct {
		Buffs []struct {
			Buff   string
			Stacks int
		}
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return 0, err
	}
	for _, x := range b.Buffs {
		if x.Buff == "coin" {
			n += x.Stacks
		}
	}
	return n, nil
}

func number(id store.CommandID) (n uint64) {
	_, _ = fmt.Sscan(strings.TrimRight(string(id[:]), "\x00"), &n)
	return n
}

// killsOfAWorld is the number of kills after which a new world starts. Each life adds about
// seventeen coins. A single owner may get all coins and can have 4,096 buffs; further coins would
// be denied.
const killsOfAWorld = 50

// TestKill kills a process at random moments and starts another one from its file. Acknowledged
// commands must have been executed once, and other commands at most once. No coin may be lost or
// duplicated, and an owner's gold must be equal to its number of coins.
func TestKill(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	asked, acked := 0, 0
	for n := 0; n < long.Times(6); {
		b := &book{path: filepath.Join(t.TempDir(), "world.db"), acked: map[uint64]bool{}}
		for range min(killsOfAWorld, long.Times(6)-n) {
			b.life(t, "", rng)
			n++
			require.NoError(t, b.wrong(t), "after kill %d", n)
		}
		asked, acked = asked+b.asked, acked+len(b.acked)
	}
	require.Positive(t, acked)
	t.Logf("%d kills, %d commands asked for, %d acknowledged: none lost, none doubled, no cut torn", long.Times(6), asked, acked)
}

// TestKill_DetectsFaults checks that TestKill detects if owners are copied in different frames
// without copy on write.
func TestKill_DetectsFaults(t *testing.T) {
	b := &book{path: filepath.Join(t.TempDir(), "world.db"), acked: map[uint64]bool{}}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		b.life(t, "spread", rng)
		if err := b.wrong(t); err != nil {
			t.Log(err)
			return
		}
	}
	t.Fatal("50 kills of a game that copies its owners in different frames, and no cut was wrong")
}

// TestKillVictim is the process that is killed.
func TestKillVictim(t *testing.T) {
	how, path, ok := strings.Cut(os.Getenv(victimEnv), ":")
	if !ok {
		t.Skip("it is a part of TestKill")
	}
	disk, err := bolt.Open(path, bolt.Options{})
	require.NoError(t, err)
	g := newStorm(t, disk, rand.Uint64())
	g.every = 10 // ms of game time
	g.open()
	if how == "spread" {
		g.stays = true
		g.v.Close()
		spread(t, g, disk)
		return
	}
	var mu sync.Mutex
	go func() {
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			go ask(&mu, g, in.Text())
		}
		os.Exit(1) // the parent is dead, so nothing would kill this process
	}()
	for {
		g.frame() // until this process is killed
	}
}

// ask executes a command and prints its id once it is durable.
func ask(mu *sync.Mutex, g *storm, text string) {
	var id store.CommandID
	copy(id[:], text)
	n, _ := strconv.ParseUint(text, 10, 64)
	r, err := buff.Result{Failure: engine.ErrUnknownOwner}, error(nil)
	for errors.Is(r.Failure, engine.ErrUnknownOwner) { // the owner has logged out
		r, err = g.v.Durable(context.Background(), id, buff.Apply(buff.OwnerID(n%stormOwners), buff.Application{Spec: g.cat.Spec("coin")}))
	}
	if err == nil || errors.Is(err, store.ErrDone) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(n)
	}
}

// spread saves a few owners in each frame in their current state, which is the fault that the
// Saver avoids.
func spread(t *testing.T, g *storm, disk store.Store) {
	cut, err := disk.Open(t.Context(), "arena")
	if err != nil {
		require.ErrorIs(t, err, store.ErrEmpty)
	}
	g.frame()
	for frame := cut.Frame; ; {
		b := store.Batch{Whole: true, Head: store.Head{Zone: "arena", Epoch: cut.Epoch}}
		for id := range buff.OwnerID(stormOwners) {
			blob, err := g.v.Engine().Save(id)
			require.NoError(t, err)
			data, _ := marshal(id, g.v.Engine().Data(id), []byte{0})
			b.Owners = append(b.Owners, store.Owner{ID: id, Blob: blob, Data: data})
			if id%20 == 0 {
				g.frame()
			}
		}
		frame++
		b.Frame = frame
		require.NoError(t, disk.Commit(t.Context(), &b))
		fmt.Println(0) // the parent kills this process after some of these lines
	}
}
