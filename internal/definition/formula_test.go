package definition

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/expr-lang/expr"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/define"
)

// testScope returns the names that the formulas of these tests may use.
func testScope(t testing.TB) scope {
	c, err := define.NewCurve("dmg", define.Point{Level: 1, Value: 10}, define.Point{Level: 60, Value: 600})
	require.NoError(t, err)
	return scope{
		attrs:  map[string]float64{"health": 500, "max_health": 1000, "power": 40},
		curves: map[string]*curveEntry{"dmg": {curve: c}},
	}
}

func mustCompile(t testing.TB, text string) *formula {
	t.Helper()
	f, wrong := compileFormula(text, testScope(t))
	require.Nil(t, wrong, "%s: %v", text, wrong)
	return f
}

// inputs returns the inputs of f: the given numbers of the application, and each value that f
// reads from the map.
func inputs(f *formula, level, stacks, magnitude float64, reads map[string]float64) define.Inputs {
	in := define.Inputs{Level: level, Stacks: stacks, Magnitude: magnitude}
	for _, r := range f.reads {
		in.Reads = append(in.Reads, reads[r.Name])
	}
	return in
}

func TestFormulaValues(t *testing.T) {
	reads := map[string]float64{"health": 200, "max_health": 1000, "power": 41, "bonus": 7}
	for text, want := range map[string]float64{
		"5 + 0.4 * level":                        9,
		"level / 4":                              2.5,
		"7 / 2":                                  3.5,
		"-level + +3":                            -7,
		"2 + 3 * 4 - 1":                          13,
		"(2 + 3) * 4":                            20,
		"10 - 3 - 2":                             5,
		"7 % 4":                                  3,
		"level % 3":                              1,
		"-7 % 4":                                 -3,
		"5.5 % 2":                                1.5,
		"stacks * magnitude":                     60,
		"owner.health / 2":                       100,
		"source.power + owner.power":             82,
		"caller.bonus":                           7,
		"curve.dmg":                              100,
		"min(3, level, 5)":                       3,
		"max(3, level, 5)":                       10,
		"floor(2.7) + ceil(2.1)":                 5,
		"abs(-3) + round(2.5)":                   6,
		"round(-2.5)":                            -3,
		"level | max(20)":                        20,
		"1e3 + 0x10 + 1_000":                     2016,
		"level > 5 ? 1 : 2":                      1,
		"level > 5 and stacks < 2 ? 1 : 2":       2,
		"level > 50 or not (stacks < 2) ? 1 : 2": 1,
		"1 < level < 5 ? 1 : 2":                  2,
		"1 < level <= 10 ? 1 : 2":                1,
		"level == 10 and stacks != 10 ? 3 : 4":   3,
		"owner.health < 0.3 * owner.max_health ? 50 : 5":        50,
		"let x = level + 1; let y = x * x; y - x":               110,
		"(let x = 2; x * x) + 1":                                5,
		"if level > 5 { 3 } else if level > 2 { 2 } else { 1 }": 3,
		"true ? (false ? 1 : 2) : 3":                            2,
		`owner["health"] /* of the owner */ + 1 // more`:        201,
	} {
		f := mustCompile(t, text)
		v, err := f.Eval(inputs(f, 10, 3, 20, reads))
		require.NoError(t, err, text)
		require.Equal(t, want, v, text)
		require.Equal(t, text, f.String())
	}
}

// TestFormulaReads checks that the inputs are in the order of Reads, and that each is listed once.
func TestFormulaReads(t *testing.T) {
	f := mustCompile(t, "source.power + caller.power + owner.power + source.power")
	require.Equal(t, []define.Read{
		{Of: define.OfSource, Name: "power"}, {Kind: define.ReadCaller, Name: "power"}, {Name: "power"},
	}, f.Reads())
	v, err := f.Eval(define.Inputs{Reads: []float64{1000, 100, 10}})
	require.NoError(t, err)
	require.Equal(t, 2110.0, v)
}

// TestFormulaNotFinite checks that a formula may still fail at run time.
func TestFormulaNotFinite(t *testing.T) {
	for _, text := range []string{"1 / stacks", "stacks / stacks", "-1 / stacks", "magnitude * 1e300 * 10", "1 % stacks"} {
		f := mustCompile(t, text)
		_, err := f.Eval(define.Inputs{Stacks: 0, Magnitude: 2})
		require.ErrorIs(t, err, errNotFinite, text)
	}
}

// TestFormulaLimits checks that each limit has its own error.
func TestFormulaLimits(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("1", 1001):                                 "1001 characters: a formula may have at most 1000",
		"1" + strings.Repeat("+1", 150):                           "too long: at most 200 names, numbers and operators",
		strings.Repeat("1+(", 70) + "1" + strings.Repeat(")", 70): "nested too deeply: at most 64 intermediate values are allowed",
		// Each level is on both sides of an and, and so occurs twice: 2^60 parts.
		strings.Repeat("1<((", 60) + "1" + strings.Repeat(")?1:0)<1", 60): "too long: at most 200 names, numbers and operators",
	} {
		_, wrong := compileFormula(text, testScope(t))
		require.NotNil(t, wrong, text)
		require.Equal(t, want, wrong.text, text)
	}
}

// TestFormulaAgainstExpr checks that this package computes the same values as package expr.
func TestFormulaAgainstExpr(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	g := formulaGenerator{rng}
	compared := 0
	for range 3000 {
		text := g.number(4)
		f, wrong := compileFormula(text, testScope(t))
		require.Nil(t, wrong, "%s: %v", text, wrong)
		level, stacks, magnitude := float64(rng.IntN(5)), float64(1+rng.IntN(4)), rng.Float64()*10-2
		reads := map[string]float64{"health": float64(rng.IntN(1000)), "max_health": 1000, "power": rng.NormFloat64() * 40, "bonus": 2.5}
		env := map[string]any{
			"level": level, "stacks": stacks, "magnitude": magnitude,
			"owner": reads, "source": reads, "caller": reads,
			"curve": map[string]float64{"dmg": testScope(t).curves["dmg"].curve.At(int(level))},
		}
		program, err := expr.Compile(text, expr.Env(env), expr.AsFloat64(), expr.Optimize(false))
		require.NoError(t, err, text)
		want, err := expr.Run(program, env)
		require.NoError(t, err, text)
		in := inputs(f, level, stacks, magnitude, reads)
		got := f.run(&in)
		if math.IsNaN(got) {
			continue // min and max of expr lose a NaN, which is an error in this package
		}
		compared++
		require.Equal(t, want, got, text)
	}
	require.Greater(t, compared, 2000)
}

// formulaGenerator generates formulas of the common part of both languages: % needs whole numbers
// in expr.
type formulaGenerator struct{ *rand.Rand }

func (g formulaGenerator) one(list ...string) string { return list[g.IntN(len(list))] }

func (g formulaGenerator) number(depth int) string {
	if depth == 0 {
		return g.one("1", "2.5", "0.1", "7", "level", "stacks", "magnitude", "owner.health", "source.power", "owner.max_health", "caller.bonus", "curve.dmg")
	}
	a, b := g.number(depth-1), g.number(depth-1)
	switch g.IntN(9) {
	case 0:
		return fmt.Sprintf("-(%s)", a)
	case 1:
		return fmt.Sprintf("%s(%s)", g.one("floor", "ceil", "abs", "round"), a)
	case 2:
		return fmt.Sprintf("%s(%s, %s, %s)", g.one("min", "max"), a, b, g.number(0))
	case 3:
		return fmt.Sprintf("(%s ? %s : %s)", g.truth(depth-1), a, b)
	case 4:
		return fmt.Sprintf("(let v%d = %s; v%d * %s)", depth, a, depth, b)
	}
	return fmt.Sprintf("(%s %s %s)", a, g.one("+", "-", "*", "/"), b)
}

func (g formulaGenerator) truth(depth int) string {
	if depth > 0 && g.IntN(2) == 0 {
		return fmt.Sprintf("(%s %s %s)", g.truth(depth-1), g.one("and", "or", "&&", "||"), g.truth(depth-1))
	}
	if g.IntN(4) == 0 {
		return fmt.Sprintf("not (%s)", g.truth(0))
	}
	return fmt.Sprintf("%s %s %s", g.number(0), g.one("<", "<=", ">", ">=", "==", "!="), g.number(0))
}

// TestFormulaShared checks that goroutines can share a formula, and that evaluating it allocates
// nothing.
func TestFormulaShared(t *testing.T) {
	f := mustCompile(t, "let x = level * 2; x + owner.health * (x > 10 ? 2 : 1)")
	var group sync.WaitGroup
	for level := range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			in := inputs(f, float64(level), 1, 0, map[string]float64{"health": 100})
			for range 1000 {
				v, err := f.Eval(in)
				if err != nil || v != float64(2*level)+100 {
					panic(fmt.Sprint(v, err))
				}
			}
		}()
	}
	group.Wait()
	in := inputs(f, 5, 1, 0, map[string]float64{"health": 100})
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = f.Eval(in) }))
}

// BenchmarkFormula evaluates an ordinary formula, and one of the maximum length.
func BenchmarkFormula(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"ordinary", "magnitude * (1 + 0.1*level) * stacks + (owner.health < owner.max_health*0.3 ? 5 : 0)"},
		{"longest", "level" + strings.Repeat("*1.1+1", 49)},
	} {
		f := mustCompile(b, c.text)
		in := inputs(f, 10, 3, 20, map[string]float64{"health": 200, "max_health": 1000})
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Eval(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("compile", func(b *testing.B) {
		in := testScope(b)
		b.ReportAllocs()
		for b.Loop() {
			if _, wrong := compileFormula("magnitude * (1 + 0.1*level) * stacks + (owner.health < owner.max_health*0.3 ? 5 : 0)", in); wrong != nil {
				b.Fatal(wrong)
			}
		}
	})
}
