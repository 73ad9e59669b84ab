package clock

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

func rate(num, den uint32) Cause { return Cause{Rate: buff.Ratio{Num: num, Den: den}} }

var held = Cause{Held: true}

// change is a call of Set.
type change struct {
	at   WorldTime
	of   define.Whose
	what Cause
}

// TestScale_Convert_Table has a scale that starts at 100 with the inner time 1000.
func TestScale_Convert_Table(t *testing.T) {
	for name, c := range map[string]struct {
		changes        []change
		at             WorldTime
		first, reached OwnerTime // at the instant `at`
		back           WorldTime // when `first` is reached
	}{
		"before the start":            {nil, 50, 1000, 1000, 100},
		"rate 1":                      {nil, 130, 1030, 1030, 130},
		"half, between two ms":        {[]change{{100, define.OfOwner, rate(1, 2)}}, 103, 1002, 1001, 104},
		"three quarters":              {[]change{{100, define.OfOwner, rate(3, 4)}}, 102, 1002, 1001, 103},
		"double":                      {[]change{{100, define.OfOwner, rate(2, 1)}}, 103, 1006, 1006, 103},
		"rates are multiplied":        {[]change{{100, define.OfOwner, rate(1, 2)}, {100, define.OfArea, rate(4, 1)}}, 110, 1020, 1020, 110},
		"the old fraction is kept":    {[]change{{100, define.OfOwner, rate(1, 3)}, {101, define.OfOwner, rate(1, 6)}}, 105, 1001, 1001, 105},
		"paused":                      {[]change{{110, define.OfOwner, held}}, 500, 1010, math.MinInt64, Never},
		"paused by two, resumed once": {[]change{{110, define.OfOwner, held}, {120, define.OfArea, held}, {130, define.OfOwner, Cause{}}}, 500, 1010, math.MinInt64, Never},
		"resumed":                     {[]change{{110, define.OfOwner, held}, {130, define.OfOwner, Cause{}}}, 135, 1015, 1015, 135},
	} {
		t.Run(name, func(t *testing.T) {
			p := New[WorldTime, OwnerTime](100, 1000)
			for _, x := range c.changes {
				p.Set(x.at, x.of, x.what)
			}
			require.Equal(t, c.first, p.ToInner(c.at))
			require.Equal(t, c.reached, p.Reached(c.at))
			require.Equal(t, c.back, p.ToOuter(c.first))
			require.Equal(t, WorldTime(Never), p.ToOuter(Never))
			require.Equal(t, c.reached == math.MinInt64, p.Paused())
		})
	}
}

// TestScale_Nil_IsIdentity checks the scale of an owner whose time was never changed.
func TestScale_Nil_IsIdentity(t *testing.T) {
	var p *Owner
	require.Equal(t, OwnerTime(7), p.ToInner(7))
	require.Equal(t, OwnerTime(7), p.Reached(7))
	require.Equal(t, WorldTime(7), p.ToOuter(7))
	require.Equal(t, WorldTime(Never), p.ToOuter(Never))
	require.False(t, p.Paused())
}

// TestScale_Convert_Far checks that instants outside the range saturate.
func TestScale_Convert_Far(t *testing.T) {
	p := New[WorldTime, OwnerTime](0, 0)
	p.Set(0, define.OfOwner, rate(10, 1))
	require.Equal(t, OwnerTime(Never), p.ToInner(math.MaxInt64-1))
	p.Set(0, define.OfOwner, rate(1, 10))
	require.Equal(t, WorldTime(Never), p.ToOuter(math.MaxInt64-1))
}

// TestScale_Set_Invalid checks that a cause of an unknown kind panics.
func TestScale_Set_Invalid(t *testing.T) {
	p := New[WorldTime, OwnerTime](0, 0)
	require.PanicsWithValue(t, "buff: Command with invalid Whose 1", func() { p.Set(0, define.OfSource, held) })
}

// TestScale_Restore_Saved checks that a saved scale continues with the same fraction.
func TestScale_Restore_Saved(t *testing.T) {
	p := New[OwnerTime, BuffTime](0, 0)
	p.Set(0, define.OfBuff, rate(2, 6))
	inner, rest, parts := p.Save(5)
	require.Equal(t, [3]int64{1, 2, 3}, [3]int64{int64(inner), rest, parts})
	q := Restore(OwnerTime(5), inner, rest, parts, define.OfBuff, p.Cause(define.OfBuff))
	for at := OwnerTime(5); at < 50; at++ {
		require.Equal(t, p.ToInner(at), q.ToInner(at))
	}
	require.Equal(t, int64(2), q.Elapsed(9))
	require.Equal(t, int64(2), q.Skip(9, 20), "two ms pass, and no fraction remains")
	require.Equal(t, OwnerTime(20), q.Start())
	require.Equal(t, []BuffTime{1, 2, 2, 2, 3}, []BuffTime{q.ToInner(20), q.ToInner(21), q.ToInner(22), q.ToInner(23), q.ToInner(24)})
	q.Set(20, define.OfBuff, held)
	require.Zero(t, q.Skip(1000, 40))
	require.Equal(t, OwnerTime(20), q.Start(), "a paused scale does not move")
}

// TestScale_OuterZero_Phase checks the inner instant of the outer instant zero, which a pause does
// not change.
func TestScale_OuterZero_Phase(t *testing.T) {
	p := New[OwnerTime, BuffTime](100, 100)
	require.Equal(t, int64(0), p.OuterZero())
	p.Set(100, define.OfBuff, rate(1, 3))
	require.Equal(t, int64(67), p.OuterZero()) // 100 - 33 1/3, rounded up
	p.Set(100, define.OfBuff, Cause{Held: true, Rate: buff.Ratio{Num: 1, Den: 3}})
	require.Equal(t, int64(67), p.OuterZero())
}

// TestClocks_Left_Paused checks the remaining time of a paused buff, whichever scale is paused.
func TestClocks_Left_Paused(t *testing.T) {
	own, of := New[WorldTime, OwnerTime](0, 0), New[OwnerTime, BuffTime](0, 0)
	of.Set(10, define.OfBuff, held)
	require.Equal(t, int64(90), Clocks{Buff: &of}.Left(100))
	require.Equal(t, int64(90), Clocks{Owner: &own, Buff: &of}.Left(100))
	own.Set(30, define.OfOwner, held)
	require.Equal(t, int64(70), Clocks{Owner: &own}.Left(100))
	require.Equal(t, int64(90), Clocks{Owner: &own, Buff: &of}.Left(100))
	require.Zero(t, Clocks{Owner: &own}.Left(20), "the end has passed")
	require.Equal(t, WorldTime(Never), Clocks{Owner: &own, Buff: &of}.ToWorld(100))
}

// TestClocks_End_BeforeChange checks the end of a buff that ended before the last change of the
// owner's rate.
func TestClocks_End_BeforeChange(t *testing.T) {
	own := New[WorldTime, OwnerTime](0, 0)
	require.Equal(t, WorldTime(10), Clocks{}.End(10))
	own.Set(100, define.OfOwner, rate(1, 2))
	require.Equal(t, WorldTime(80), Clocks{Owner: &own}.End(90), "at the present rate")
	require.Equal(t, WorldTime(100), Clocks{Owner: &own}.ToWorld(90))
	require.Equal(t, WorldTime(120), Clocks{Owner: &own}.End(110))
}

// TestClocks_State_Causes checks the causes and the rate that an instance shows.
func TestClocks_State_Causes(t *testing.T) {
	own, of := New[WorldTime, OwnerTime](0, 0), New[OwnerTime, BuffTime](0, 0)
	check := func(held buff.Held, num, den uint32) {
		t.Helper()
		gotHeld, got := Clocks{Owner: &own, Buff: &of}.State()
		require.Equal(t, held, gotHeld)
		require.Equal(t, buff.Ratio{Num: num, Den: den}, got)
	}
	check(0, 0, 0)
	own.Set(0, define.OfOwner, rate(3, 4))
	of.Set(0, define.OfBuff, rate(2, 1))
	check(0, 3, 2)
	own.Set(0, define.OfArea, held)
	of.Set(0, ByDeath, held)
	check(buff.HeldByArea|buff.HeldByDeath, 3, 2)
	own.Set(0, define.OfOwner, rate(1, 2))
	check(buff.HeldByArea|buff.HeldByDeath, 0, 0) // 1/2 × 2 is 1
	of.Set(0, define.OfBuff, rate(999_983, 1))
	own.Set(0, define.OfOwner, rate(1, 999_979))
	own.Set(0, define.OfArea, rate(999_961, 1))
	_, got := Clocks{Owner: &own, Buff: &of}.State()
	require.LessOrEqual(t, got.Num, uint32(buff.MaxRatio))
	require.NotZero(t, got.Den)
}

// model computes a Scale with exact fractions.
type model struct {
	at     int64
	inner  *big.Rat
	causes [3]Cause
}

func (m *model) speed() *big.Rat {
	speed := big.NewRat(1, 1)
	for _, c := range m.causes {
		if c.Held {
			return new(big.Rat)
		}
		r := c.Rate.OrOne()
		speed.Mul(speed, big.NewRat(int64(r.Num), int64(r.Den)))
	}
	return speed
}

func (m *model) now(at int64) *big.Rat {
	passed := new(big.Rat).SetInt64(max(at-m.at, 0))
	return passed.Add(m.inner, passed.Mul(passed, m.speed()))
}

func floor(r *big.Rat) int64 { return new(big.Int).Div(r.Num(), r.Denom()).Int64() }

func ceil(r *big.Rat) int64 { return -floor(new(big.Rat).Neg(r)) }

// play compares a Scale with the model after random changes.
func play(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	start := rng.Int64N(1 << 40)
	p := New(OwnerTime(start), BuffTime(start/3))
	m := model{at: start, inner: new(big.Rat).SetInt64(start / 3)}
	rates := []buff.Ratio{{}, {Num: 1, Den: 2}, {Num: 3, Den: 4}, {Num: 2, Den: 3}, {Num: 7, Den: 5}, {Num: 20, Den: 1}}
	for range 40 {
		at := m.at + rng.Int64N(5000)
		w, c := []define.Whose{define.OfBuff, define.OfOwner, define.OfArea}[rng.IntN(3)], Cause{Held: rng.IntN(4) == 0, Rate: rates[rng.IntN(len(rates))]}
		p.Set(OwnerTime(at), w, c)
		m.inner, m.at = m.now(at), at
		m.causes[map[define.Whose]int{define.OfBuff: 0, define.OfOwner: 1, define.OfArea: 2}[w]] = c
		require.True(t, 0 <= p.rest && p.rest < p.den, "the invariant of rest")
		for range 5 {
			at := m.at + rng.Int64N(10_000) - 100
			exact := m.now(at)
			first := p.ToInner(OwnerTime(at))
			require.Equal(t, ceil(exact), int64(first))
			require.Equal(t, m.speed().Sign() == 0, p.Paused())
			if p.Paused() {
				require.Equal(t, BuffTime(math.MinInt64), p.Reached(OwnerTime(at)))
				require.Equal(t, OwnerTime(Never), p.ToOuter(first))
				continue
			}
			require.Equal(t, floor(exact), int64(p.Reached(OwnerTime(at))))
			back := p.ToOuter(first)
			require.GreaterOrEqual(t, p.Reached(back), first, "the instant has been reached")
			require.True(t, back == p.at || p.Reached(back-1) < first, "no earlier instant")
		}
	}
}

// TestScale_Model_Random compares scales with exact fractions.
func TestScale_Model_Random(t *testing.T) {
	for seed := range uint64(200) {
		play(t, seed)
	}
}

func FuzzScale_Model(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(play)
}
