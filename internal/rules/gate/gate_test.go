package gate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/rules/clock"
)

// play changes Tags as the bytes say, and compares them with counts in a map.
func play(t *testing.T, script []byte) {
	var s Tags
	want := map[define.Tag]int{}
	for _, c := range script {
		tag := define.Tag(c >> 2 % 16)
		switch had := want[tag]; c % 4 {
		case 0, 1:
			require.Equal(t, had == 0, s.Add(tag))
			want[tag]++
		case 2:
			require.Equal(t, had == 1, s.Drop(tag))
			want[tag] = max(had-1, 0)
		case 3:
			s.AddTimes(tag, 3, 20)
			want[tag] = min(had+3, 20)
		}
		total := 0
		for k, x := range s {
			require.Equal(t, want[x.Tag], int(x.N))
			require.NotZero(t, x.N)
			require.True(t, k == 0 || s[k-1].Tag < x.Tag, "sorted, each tag once")
			total += int(x.N)
		}
		for tag, n := range want {
			require.Equal(t, n > 0, s.Has(tag))
			total -= n
		}
		require.Zero(t, total)
	}
}

func FuzzTags(f *testing.F) {
	f.Add([]byte{0, 4, 8, 2, 6, 0, 0, 2, 2, 2})
	f.Add([]byte{60, 63, 63, 63, 63, 63, 63, 63, 62, 3, 2})
	f.Fuzz(play)
}

// TestTags_Change_Several checks that one new or lost tag among several is a change.
func TestTags_Change_Several(t *testing.T) {
	var s Tags
	require.True(t, s.Add(1, 2))
	require.True(t, s.Add(2, 3))
	require.False(t, s.Add(1, 3))
	require.True(t, s.Drop(2, 1, 2), "tag 2 is lost")
	require.False(t, s.Drop(0, 3))
	require.Equal(t, Tags{{1, 1}, {3, 1}}, s)
}

// TestTags_Conditions_Table checks the parts of a requirement.
func TestTags_Conditions_Table(t *testing.T) {
	for _, c := range []struct {
		has, ask Tags
		all, any bool
	}{
		{nil, nil, true, false},
		{nil, Tags{{Tag: 1}}, false, false},
		{Tags{{1, 1}, {5, 2}}, Tags{{Tag: 5}, {Tag: 1}}, true, true},
		{Tags{{1, 1}, {5, 2}}, Tags{{Tag: 5}, {Tag: 2}}, false, true},
		{Tags{{1, 1}, {5, 2}}, Tags{{Tag: 2}, {Tag: 3}}, false, false},
		{Tags{{1, 1}}, nil, true, false},
	} {
		var ask []define.Tag
		for _, x := range c.ask {
			ask = append(ask, x.Tag)
		}
		require.Equal(t, c.all, c.has.HasAll(ask), "%v has all of %v", c.has, ask)
		require.Equal(t, c.any, c.has.HasAny(ask), "%v has any of %v", c.has, ask)
	}
}

// TestReturns_Find_Expiry checks when an element expires, and that a Find deletes it then.
func TestReturns_Find_Expiry(t *testing.T) {
	affected := false
	inEffect := func(*Return) bool { return affected }
	for name, c := range map[string]struct {
		now      clock.OwnerTime
		affected bool
		found    bool
	}{
		"before":              {99, false, true},
		"at the instant":      {100, false, false},
		"with an application": {1000, true, true},
		"without":             {1000, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			var r Returns
			r.Add(1, 7, 0, 10).Until = 100
			r.Add(1, 8, 0, 10).Until = 5000
			affected = c.affected
			require.Nil(t, r.Find(2, 7, c.now, inEffect), "another group")
			require.Equal(t, c.found, r.Find(1, 7, c.now, inEffect) != nil)
			require.Len(t, r, map[bool]int{true: 2, false: 1}[c.found])
			require.Equal(t, buff.OwnerID(8), r.Find(1, 8, c.now, inEffect).Source)
		})
	}
}

// TestReturns_DropExpired_Order checks which elements stay, in their order.
func TestReturns_DropExpired_Order(t *testing.T) {
	var r Returns
	for source, until := range []clock.OwnerTime{10, 50, 20, 60, 30} {
		r.Add(1, buff.OwnerID(source), until, 10)
	}
	require.Equal(t, 3, r.Past(30))
	r.Extend(1, 0, 40)
	r.Extend(1, 1, 40)
	r.Extend(9, 2, 40)
	require.Equal(t, 2, r.Past(30))
	r.DropExpired(30, func(d *Return) bool { return d.Source == 4 })
	require.Equal(t, Returns{{1, 0, 0, 40}, {1, 0, 1, 50}, {1, 0, 3, 60}, {1, 0, 4, 30}}, r)
}

// TestReturns_Add_Full checks that a new element replaces the oldest one.
func TestReturns_Add_Full(t *testing.T) {
	var r Returns
	for source := range buff.OwnerID(5) {
		r.Add(1, source, 0, 3).Count++
	}
	require.Equal(t, Returns{{1, 1, 2, 0}, {1, 1, 3, 0}, {1, 1, 4, 0}}, r)
}

// TestAppliers_Slots checks that the appliers of two slots are independent.
func TestAppliers_Slots(t *testing.T) {
	var l Appliers
	for _, a := range []Applier{{1, 4}, {2, 4}, {1, 5}, {3, 4}} {
		l.Add(a.Slot, a.Source, 3)
	}
	require.Equal(t, Appliers{{2, 4}, {1, 5}, {3, 4}}, l, "the oldest is replaced")
	require.Equal(t, []int{2, 1, 0}, []int{l.Count(4), l.Count(5), l.Count(6)})
	l.Drop(4)
	require.Equal(t, Appliers{{1, 5}}, l)
}

// TestRolls_Roll_Repeats checks that rolls depend on the seed, the owner and their number, and that
// about the right share succeeds.
func TestRolls_Roll_Repeats(t *testing.T) {
	roll := func(seed uint64, owner buff.OwnerID) (out [1000]bool, won int) {
		var r Rolls
		for k := range out {
			if out[k] = r.Roll(seed, owner, 300); out[k] {
				won++
			}
		}
		require.Equal(t, Rolls(1000), r)
		return out, won
	}
	one, won := roll(1, 2)
	again, _ := roll(1, 2)
	require.Equal(t, one, again)
	other, _ := roll(1, 3)
	require.NotEqual(t, one, other)
	other, _ = roll(2, 2)
	require.NotEqual(t, one, other)
	require.True(t, 250 < won && won < 350, "%d of 1000", won)
	var r Rolls
	require.False(t, r.Roll(1, 1, 0))
	require.True(t, r.Roll(1, 1, 1000))
}
