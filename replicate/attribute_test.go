package replicate

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/replicate/client"
)

// TestAttributes_Secret checks that the bytes of a viewer do not depend on attributes that it may not
// see, and that a member of the party gets them.
func TestAttributes_Secret(t *testing.T) {
	packets := map[[2]bool][]byte{} // by: secret changes, party
	for _, secret := range []bool{false, true} {
		for _, party := range []bool{false, true} {
			e := engineOf(t, buff.Spec{ID: "a", Duration: time.Minute})
			require.NoError(t, e.Spawn(2, nil))
			s := New(e, Options{Attributes: []Attribute{{Name: "max_health", Sync: define.SyncParty}, {Name: "speed"}}})
			v, err := s.Join(1)
			require.NoError(t, err)
			require.NoError(t, v.see(2, party))
			for k := range 20 {
				if secret {
					e.Do(buff.SetBase(2, e.Catalog().MustAttr("max_health"), float64(1e9+k)))
				}
				if k%5 == 0 {
					e.Do(buff.AddBase(2, e.Catalog().MustAttr("speed"), 2))
				}
				e.Tick(50 * time.Millisecond)
				s.Update()
				packets[[2]bool{secret, party}] = v.Append(packets[[2]bool{secret, party}])
			}
		}
	}
	secret := string(binary.AppendVarint(nil, 1e9+3))
	require.Equal(t, packets[[2]bool{false, false}], packets[[2]bool{true, false}])
	require.Contains(t, string(packets[[2]bool{true, true}]), secret)
	require.NotContains(t, string(packets[[2]bool{true, false}]), secret)
}

// TestAttributes_PerFrame checks that the changes of a frame cost one value, that a change below the
// step costs nothing, and that a share is 0 only if the value is.
func TestAttributes_PerFrame(t *testing.T) {
	e := engineOf(t, buff.Spec{ID: "a", Duration: time.Minute})
	require.NoError(t, e.Spawn(1, nil))
	health := e.Catalog().MustAttr("health")
	s := New(e, Options{Attributes: []Attribute{{Name: "health", Of: "max_health"}}})
	v, err := s.Join(1)
	require.NoError(t, err)
	require.NoError(t, v.See(1))
	c := client.New(client.Options{})
	require.NoError(t, c.Receive(v.Append(nil)))
	frame := func(damage ...float64) (size int, shown float64) {
		for _, d := range damage {
			require.NoError(t, e.Do(buff.AddBase(1, health, -d)).Err())
		}
		e.Tick(50 * time.Millisecond)
		s.Update()
		p := v.Append(nil)
		if len(p) > 0 {
			require.NoError(t, c.Receive(p))
		}
		shown, ok := c.Owner(1).Attribute("health/max_health")
		require.True(t, ok)
		return len(p), shown
	}
	size, shown := frame(1, 2, 3, 4, 20)
	require.Equal(t, 10, size)
	require.InDelta(t, 0.7, shown, 1e-9)
	size, _ = frame(0.25, 0.25, 0.25)
	require.Zero(t, size)
	_, shown = frame(69)
	require.InDelta(t, 0.01, shown, 1e-9)
	_, shown = frame(1)
	require.Zero(t, shown)
	_, ok := c.Owner(1).Attribute("health")
	require.False(t, ok)
}

// TestAttributes_Options checks that invalid options panic.
func TestAttributes_Options(t *testing.T) {
	for _, a := range [][]Attribute{
		{{Name: "mana"}},
		{{Name: "health", Of: "mana"}},
		{{Name: "health", Step: -1}},
		{{Name: "health", Sync: define.SyncSource}},
		make([]Attribute, MaxAttributes+1),
	} {
		require.Panics(t, func() { New(engineOf(t, buff.Spec{ID: "a", Duration: time.Minute}), Options{Attributes: a}) })
	}
}

// TestAttributes_BetweenUpdates changes a value after an Update, sends it to a new viewer in a full
// state, and changes it back. The new viewer must get the old value again.
func TestAttributes_BetweenUpdates(t *testing.T) {
	e := engineOf(t, buff.Spec{ID: "a", Duration: time.Minute})
	require.NoError(t, e.Spawn(1, nil))
	speed := e.Catalog().MustAttr("speed")
	s := New(e, Options{Attributes: []Attribute{{Name: "speed"}}})
	clients := [2]*client.Client{client.New(client.Options{}), client.New(client.Options{})}
	var viewers [2]*Viewer
	shown := func(k int) float64 {
		if p := viewers[k].Append(nil); len(p) > 0 {
			require.NoError(t, clients[k].Receive(p))
		}
		v, _ := clients[k].Owner(1).Attribute("speed")
		return v
	}
	for k := range viewers {
		v, err := s.Join(9)
		require.NoError(t, err)
		viewers[k] = v
		require.NoError(t, v.See(1))
		require.Equal(t, []float64{5, 50}[k], shown(k))
		if k == 0 {
			s.Update()
		}
		e.Do(buff.SetBase(1, speed, []float64{50, 5}[k]))
	}
	e.Tick(0)
	s.Update()
	require.Equal(t, 5.0, shown(0))
	require.Equal(t, 5.0, shown(1))
}
