package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain runs a node instead of the tests if the environment variable envNode is set, because
// node processes also run the test binary.
func TestMain(m *testing.M) {
	if os.Getenv(envNode) != "" {
		if err := runNode(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var (
	rounds = flag.Int("realm.rounds", 1, "rounds of all faults in TestRealm")
	seed   = flag.Uint64("realm.seed", 1, "random seed of TestRealm")
)

// address skips the test if there is no PostgreSQL, except in CI.
func address(t *testing.T) {
	db, err := findPostgres(t.Context(), "")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	require.NoError(t, db.Close(t.Context()))
}

// TestRealm injects every fault into three processes and compares the book with the database.
func TestRealm(t *testing.T) {
	address(t)
	var out strings.Builder
	kinds := slices.Clone(faults)
	if _, err := findBinaries(); err != nil && os.Getenv("CI") == "" {
		t.Log(err)
		kinds = slices.DeleteFunc(kinds, func(kind string) bool { return slices.Contains(ownDatabase, kind) })
	}
	v, err := run(t.Context(), &out, options{
		nodes: 3, zones: 6, bots: 120, play: time.Hour, rounds: *rounds, every: 200 * time.Millisecond, pay: 50 * time.Millisecond, travel: 0.05,
		chaos: strings.Join(kinds, ","), together: true, seed: *seed,
	})
	t.Log(out.String())
	require.NoError(t, err)
	for _, kind := range kinds {
		require.Contains(t, out.String(), fmt.Sprintf("%s:%d", kind, 2**rounds))
	}
	require.Zero(t, v.lost)
	require.Zero(t, v.doubled)
	require.Zero(t, v.nowhere+v.twice)
	require.Contains(t, out.String(), "moves of bots")
	require.Regexp(t, `restarted [1-9]\d* times`, out.String())
	require.Regexp(t, `coins and rings of \d+ bots match the database, 0 differ`, out.String())
	require.Greater(t, v.acked, int64(120))
}

// TestAudit checks that the audit finds errors. If the book has a coin that was never paid, the
// coin counts as lost. If a paid coin is missing from the book, the coin counts as doubled, unless
// a payment has an unknown outcome.
func TestAudit(t *testing.T) {
	address(t)
	s, err := openServers(t.Context(), "", false, false)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.close()) }()
	n, err := openNodes(s, []place{{host: "127.0.0.1"}}, 1, 3)
	require.NoError(t, err)
	b := newBook(1, 3, 0)
	c := &chaos{nodes: n, tell: t.Logf}
	require.NoError(t, playAll(t.Context(), s, b, c, options{play: 3 * time.Second, pay: 50 * time.Millisecond}))
	require.NoError(t, n.close())
	audit := func() verdict {
		v, err := b.audit(context.Background(), s.address(), s.schema)
		require.NoError(t, err)
		return v
	}
	sound := audit()
	require.Positive(t, sound.acked)
	require.Zero(t, sound.lost+sound.doubled+sound.unknown+sound.inDoubt)
	b.bots[0].acked += 2
	b.bots[1].acked -= 3
	b.bots[2].acked--
	b.bots[2].unknown = 1
	require.Equal(t, verdict{acked: sound.acked - 2, unknown: 1, lost: 2, doubled: 3, inDoubt: 1}, audit())
	b.bots = append(b.bots, &bot{zone: "zone-0", id: botID(5, 5)})
	require.EqualValues(t, 1, audit().nowhere)
}

func TestBadInput(t *testing.T) {
	_, err := run(t.Context(), nil, options{nodes: 3, zones: 12, bots: 1200, play: time.Second, pay: time.Second, chaos: "kill,fire"})
	require.EqualError(t, err, "realm: -chaos fire: want none, or a list of kill,stop,term,move,nats,postgres,cut,standby,readonly,closed,definition")
	_, err = run(t.Context(), nil, options{nodes: 3, zones: 12, bots: 11, play: time.Second, pay: time.Second, chaos: "none"})
	require.ErrorContains(t, err, "3 nodes, 12 zones, 11 bots: want at least one of each")
	_, err = run(t.Context(), nil, options{nodes: 3, zones: 12, bots: 1200, play: time.Second, pay: time.Microsecond, chaos: "none"})
	require.ErrorContains(t, err, "-pay 1µs: want a positive time, a time of at least 0, and at least 1ms")
	_, err = run(t.Context(), nil, options{nodes: 3, zones: 12, bots: 1200, play: time.Second, pay: time.Second, chaos: "kill", applied: true})
	require.ErrorContains(t, err, "-applied with -chaos kill")
	_, err = run(t.Context(), nil, options{nodes: 3, zones: 1, bots: 3, play: time.Second, pay: time.Second, travel: 0.1, chaos: "none"})
	require.ErrorContains(t, err, "-travel 0.1 with 1 zones")
	_, err = run(t.Context(), nil, options{nodes: 1, zones: 1, bots: 1, play: time.Second, pay: time.Second, chaos: "none", postgres: "postgres://nobody@127.0.0.1:1/none?connect_timeout=2"})
	require.ErrorContains(t, err, "realm: no PostgreSQL found; set -postgres or BUFFTICK_POSTGRES")
}
