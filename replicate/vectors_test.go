package replicate

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/replicate/client"
)

// rewriting reports whether testdata should be regenerated, according to the flag -rewrite of
// package datadriven.
func rewriting() bool { return flag.Lookup("rewrite").Value.String() == "true" }

// vector is one message to a client and the client's state after it. Numbers that may exceed
// 2^53 are strings.
type vector struct {
	About   string  `json:"about"`
	Message string  `json:"message"`         // in hexadecimal
	Error   string  `json:"error,omitempty"` // "gap", "format" or "limit"
	Answer  string  `json:"answer"`          // message that the client would send to request the missing state
	State   *screen `json:"state"`
}

// screen is the state of a client.
type screen struct {
	Now         int64         `json:"now"`
	Fingerprint string        `json:"fingerprint"` // 16 digits
	Known       bool          `json:"known"`       // the client has the definitions
	Owners      []screenOwner `json:"owners"`      // by id
}

type screenOwner struct {
	ID         string            `json:"id"`
	Dead       bool              `json:"dead"`
	Attributes map[string]string `json:"attributes,omitempty"` // a float64 as 16 hexadecimal digits
	Buffs      []screenBuff      `json:"buffs"`                // by slot
}

type screenBuff struct {
	Slot      int       `json:"slot"`
	Spec      uint32    `json:"spec"`
	Name      string    `json:"name"` // id of the definition; "" if unknown
	Title     string    `json:"title"`
	Facts     []int64   `json:"facts"` // of the definition: see docs/protocol.md
	Source    string    `json:"source"`
	Stacks    int       `json:"stacks"`
	Magnitude string    `json:"magnitude"`
	Level     int       `json:"level"`
	Charges   int       `json:"charges"`
	Shield    string    `json:"shield"`
	Waiting   int       `json:"waiting"`
	Hidden    bool      `json:"hidden"`
	Held      int       `json:"held"`
	Rate      [2]uint32 `json:"rate"`
	Left      *int64    `json:"left"`  // ms left now; null if the buff has no end
	Later     *int64    `json:"later"` // ms left a second later
}

func screenOf(c *client.Client) *screen {
	f, known := c.Fingerprint()
	s := &screen{Now: int64(c.Now()), Fingerprint: hex.EncodeToString(bigEndian(f)), Known: known, Owners: []screenOwner{}}
	for o := range c.Owners() {
		x := screenOwner{ID: strconv.FormatUint(uint64(o.ID()), 10), Dead: o.Dead(), Buffs: []screenBuff{}, Attributes: map[string]string{}}
		for _, a := range o.Attributes() {
			x.Attributes[a.Name] = fmt.Sprintf("%016x", math.Float64bits(a.Value))
		}
		for _, b := range o.Buffs() {
			y := screenBuff{
				Slot: b.Slot, Spec: b.Spec, Source: strconv.FormatUint(uint64(b.Source), 10), Stacks: b.Stacks,
				Magnitude: strconv.FormatInt(b.Magnitude, 10), Level: b.Level, Charges: b.Charges, Shield: strconv.FormatInt(b.Shield, 10),
				Waiting: b.Waiting, Hidden: b.Hidden, Held: int(b.Held), Rate: [2]uint32{max(b.Rate.Num, 1), max(b.Rate.Den, 1)}, Facts: []int64{},
			}
			if spec := c.Spec(b.Spec); spec != nil {
				y.Name = spec.ID
				y.Facts = append(y.Facts, flag01(spec.Hide), int64(spec.Polarity), spec.Duration.Milliseconds(), int64(spec.By), int64(spec.Limit))
				y.Title = spec.Name
			}
			if ms, ends := b.Left(c.Now()); ends {
				later, _ := b.Left(c.Now().After(time.Second))
				y.Left, y.Later = &ms, &later
			}
			x.Buffs = append(x.Buffs, y)
		}
		slices.SortFunc(x.Buffs, func(a, b screenBuff) int { return a.Slot - b.Slot })
		s.Owners = append(s.Owners, x)
	}
	slices.SortFunc(s.Owners, func(a, b screenOwner) int { return len(a.ID)*1000 - len(b.ID)*1000 + compareText(a.ID, b.ID) })
	return s
}

func flag01(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func bigEndian(v uint64) []byte {
	b := make([]byte, 8)
	for k := range b {
		b[7-k] = byte(v >> (8 * k))
	}
	return b
}

// script makes the vectors.
type script struct {
	t   *testing.T
	c   *client.Client
	out []vector
}

func (s *script) receive(about string, message []byte) {
	err := s.c.Receive(message)
	v := vector{About: about, Message: hex.EncodeToString(message), Answer: hex.EncodeToString(s.c.Missed()), State: screenOf(s.c)}
	switch {
	case errors.Is(err, client.ErrGap):
		v.Error = "gap"
	case errors.Is(err, client.ErrLimit):
		v.Error = "limit"
	case err != nil:
		v.Error = "format"
	}
	s.out = append(s.out, v)
}

// TestVectors generates testdata/vectors.json, with which a client in another language is
// tested message by message; see js/vectors.js.
func TestVectors(t *testing.T) {
	s := &script{t: t, c: client.New(client.Options{})}
	storyOfVectors(s)
	hostileVectors(s)
	got, err := json.MarshalIndent(s.out, "", " ")
	require.NoError(t, err)
	got = append(got, '\n')
	if rewriting() {
		require.NoError(t, os.WriteFile("testdata/vectors.json", got, 0o644))
	}
	want, err := os.ReadFile("testdata/vectors.json")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "the protocol has changed: change its version and all clients, then run go test ./replicate -run TestVectors -rewrite")
}

func storyOfVectors(s *script) {
	t := s.t
	e := engineOf(t,
		buff.Spec{ID: "poison", Name: "Deadly <Poison>", Duration: 12 * time.Second, Period: 3 * time.Second, Polarity: define.Negative, Stack: define.Stacking{By: define.ByTarget, Limit: 5}, Client: define.Client{Icon: "poison.png", Priority: 3}, Params: []define.Param{{Name: "damage", Value: define.Number{Const: 7.5}}}},
		buff.Spec{ID: "armour", Kind: define.Infinite, Polarity: define.Positive, Client: define.Client{Priority: -2}},
		buff.Spec{ID: "ward", Duration: time.Hour, Shield: define.Shield{On: true, Pool: 5_000_000_000}, Charges: define.Charges{N: 300}},
		buff.Spec{ID: "queue", Duration: 5 * time.Second, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue, Limit: 4}},
		buff.Spec{ID: "mine", Duration: 5 * time.Second, Client: define.Client{Sync: define.SyncOwner, Hide: true}},
	)
	const far = 1<<64 - 2
	spec := e.Catalog().Spec
	for _, id := range []buff.OwnerID{1, 2, far} {
		require.NoError(t, e.Spawn(id, nil))
	}
	srv := New(e, Options{Attributes: attributesSent})
	v, err := srv.Join(1)
	require.NoError(t, err)
	frame := func(about string, dt time.Duration) {
		e.Tick(dt)
		srv.Update()
		if p := v.Append(nil); len(p) > 0 {
			s.receive(about, p)
		}
	}
	require.NoError(t, v.See(1))
	require.NoError(t, v.See(far))
	frame("two owners without buffs come into view", 1234*time.Millisecond)
	s.receive("the definitions", srv.Definitions())
	poison := e.AddBuff(1, buff.Application{Spec: spec("poison"), Source: 2, Magnitude: -40, Level: 3}).Handle
	e.AddBuff(far, buff.Application{Spec: spec("armour"), Source: far})
	ward := e.AddBuff(far, buff.Application{Spec: spec("ward"), Source: 2}).Handle
	e.AddBuff(1, buff.Application{Spec: spec("mine"), Source: 1})
	e.AddBuff(far, buff.Application{Spec: spec("mine"), Source: 1})
	frame("buffs start, one of which this viewer may not see", 0)
	e.AddBuff(1, buff.Application{Spec: spec("poison"), Source: 2, Magnitude: 60})
	frame("another stack, with a new end", 500*time.Millisecond)
	e.Do(buff.PauseBuff(poison))
	e.Do(buff.Pause(far))
	frame("a buff is paused, and an owner with all its buffs", 100*time.Millisecond)
	e.Do(buff.ResumeBuff(poison))
	e.Do(buff.SetBuffRate(poison, buff.Ratio{Num: 3, Den: 2}))
	e.Do(buff.Resume(far))
	e.Do(buff.SetRate(far, buff.Ratio{Num: 1, Den: 2}))
	frame("they resume at other rates", time.Second)
	e.Do(buff.Absorb(far, 1_234_567_890, 0))
	e.Do(buff.ConsumeCharges(ward, 7))
	e.Do(buff.Inhibit(poison))
	for k := range int64(3) {
		e.AddBuff(1, buff.Application{Spec: spec("queue"), Source: 2, Magnitude: k})
	}
	frame("a shield absorbs, charges are used, a buff is hidden, and applications are queued", 50*time.Millisecond)
	e.Do(buff.Kill(1))
	frame("an owner dies", 50*time.Millisecond)
	e.Do(buff.AddBase(1, e.Catalog().MustAttr("health"), -33))
	e.Do(buff.AddBase(far, e.Catalog().MustAttr("health"), -99.9))
	e.Do(buff.AddBase(far, e.Catalog().MustAttr("speed"), 0.3))
	frame("damage: the viewer sees numbers of its own owner, and of another one only the share", 50*time.Millisecond)
	e.Do(buff.AddBase(far, e.Catalog().MustAttr("speed"), 0.1))
	frame("a change below the step", 50*time.Millisecond)
	require.NoError(t, v.See(2))
	v.Unsee(1)
	frame("one owner enters the view and another leaves it", 50*time.Millisecond)
	s.receive("a duplicate packet", unhex(t, s.out[len(s.out)-1].Message))
	e.Do(buff.Remove(ward))
	e.Tick(50 * time.Millisecond)
	srv.Update()
	v.Append(nil) // lost
	e.AddBuff(2, buff.Application{Spec: spec("armour"), Source: 2})
	frame("the previous packet was lost", 50*time.Millisecond)
	require.NoError(t, v.Receive(s.c.Missed()))
	frame("the repair", 50*time.Millisecond)
	e.AddBuff(2, buff.Application{Spec: spec("poison"), Source: 2})
	e.Tick(50 * time.Millisecond)
	srv.Update()
	e.AddBuff(2, buff.Application{Spec: spec("poison"), Source: 2})
	frame("two frames in one packet", 70*time.Millisecond)
	s.receive("a Beat without changes", v.Beat(nil))
	require.NoError(t, e.Drop(2))
	frame("an owner leaves the game", time.Second)
}

func unhex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

// hostileVectors adds messages that no server sends.
func hostileVectors(s *script) {
	for _, m := range []struct{ about, hex string }{
		{"empty message", ""},
		{"another version", "2001"},
		{"no time", "1001"},
		{"an unterminated number", "10ffffffffffffffffffff"},
		{"a repair that follows itself", "11646464"},
		{"a local number out of range", "116400e807fdffffff0f01"},
		{"a change of an unknown owner", "116400e80700010102"},
		{"a change of an unknown buff", "116400e8070105010102"},
		{"a rate of zero", "116400e807010501018105020a0001"},
		{"a slot out of range", "116400e80701050182208001"},
		{"truncated", "116400e8070105010181"},
		{"truncated definitions", "12000000000000000001"},
		{"too many definitions", "120000000000000000ffffffff0f"},
		{"definitions whose count is truncated", "120000000000000000ffffff"},
		{"a packet number above 2^53", "10ffffffffffffffff0fe807"},
		{"an attribute whose name is not ASCII", "1001000f0c01000000000000f03f02c3a4"},
		{"an attribute without a step", "1001000f0b0100000000000000000161"},
		{"an attribute number out of range", "1001000f0b40000000000000f03f0161"},
		{"an unknown attribute", "1001000105010002030a"},
		{"a definition that is shorter than its fields", "1001000b020101"},
		{"a part of a later version", "100100ff0102aabb"},
		{"then a valid packet", "116400e80701050101810507a01f"},
		{"the same owner under a second local number", "116564e80705050101810507a01f"},
		{"the first local number is free now", "116665e8070001010203"},
	} {
		s.receive(m.about, unhex(s.t, m.hex))
	}
}
