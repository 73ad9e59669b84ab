package sheet

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/stat"
)

// TestSum compares both ways of adding with numbers of unlimited precision.
func TestSum(t *testing.T) {
	wides := 0
	for seed := range uint64(rounds(20000)) {
		d := seeded(seed, 400)
		values := make([]float64, d.roll(24))
		ops := make([]operand, len(values))
		for i := range values {
			values[i] = d.number()
			if i > 0 && d.roll(4) == 0 {
				values[i] = -values[i-1] // most of the sum cancels
			}
			ops[i].value = values[i]
		}
		start := d.number()
		want, _ := plus(start, values).Float64()
		cut := len(ops) / 2
		require.Equal(t, want, sum(start, ops[:cut], ops[cut:]), "seed %d: %v + %v", seed, start, values)
		require.Equal(t, want, wideSum(start, ops[:cut], ops[cut:]), "seed %d, wide: %v + %v", seed, start, values)
		rand.New(rand.NewPCG(seed, 3)).Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
		sameBits(t, unsigned(want), unsigned(sum(start, ops, nil)), "seed %d shuffled", seed)

		p := pair{head: start}
		for _, o := range ops {
			p.add(o.value)
		}
		if p.inexact {
			wides++
		}
	}
	require.NotZero(t, wides, "the long way was never needed")
}

// TestSumBorders checks sums at the ends of the range, and halfway between two numbers.
func TestSumBorders(t *testing.T) {
	const tiny = math.SmallestNonzeroFloat64
	for _, c := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"nothing", []float64{0}, 0},
		{"the least", []float64{tiny}, tiny},
		{"the least, away again", []float64{tiny, 1, -1, -tiny}, 0},
		{"below normal", []float64{0x1p-1022, -tiny}, 0x1p-1022 - tiny},
		{"a tie goes to the even one below", []float64{1, 0x1p-53}, 1},
		{"a tie goes to the even one above", []float64{1 + 0x1p-52, 0x1p-53}, 1 + 0x1p-51},
		{"a tie broken far below", []float64{1, 0x1p-53, tiny}, 1 + 0x1p-52},
		{"a tie broken far below, downwards", []float64{1 + 0x1p-52, 0x1p-53, -tiny}, 1 + 0x1p-52},
		{"the same below zero", []float64{-1, -0x1p-53, -tiny}, -1 - 0x1p-52},
		{"a tie of the least numbers", []float64{0x1p-1021, tiny}, 0x1p-1021},
		{"a tie of the least numbers, upwards", []float64{0x1p-1021 + 2*tiny, tiny}, 0x1p-1021 + 4*tiny},
		{"small survives great", []float64{stat.MaxValue, tiny, -stat.MaxValue}, tiny},
		{"ten tenths", []float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 1},
	} {
		ops := make([]operand, len(c.values))
		for i, v := range c.values {
			ops[i].value = v
		}
		require.Equal(t, c.want, sum(0, ops, nil), c.name)
		require.Equal(t, c.want, wideSum(0, ops, nil), c.name)
	}

	all := make([]operand, stat.MaxModifiers)
	for i := range all {
		all[i].value = -stat.MaxValue
	}
	want, _ := times(stat.MaxValue, -(stat.MaxModifiers + 1)).Float64()
	require.Equal(t, want, wideSum(-stat.MaxValue, all, nil), "as much as there can be, which no float64 multiplication rounds")
	require.InEpsilon(t, want, sum(-stat.MaxValue, all, nil), 1e-15)
}

// TestNothingFused checks that every product of floating-point numbers in the package is the operand
// of a conversion, which forbids the compiler to fuse it with a sum.
func TestNothingFused(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	fset := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			f, err := parser.ParseFile(fset, path, nil, 0)
			require.NoError(t, err)
			files = append(files, f)
		}
	}
	isInteger := func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.BasicLit:
			return e.Kind == token.INT
		case *ast.Ident:
			return e.Name == "limbBits"
		case *ast.CallExpr:
			name, ok := e.Fun.(*ast.Ident)
			return ok && name.Name == "int"
		}
		return false
	}
	found, converted := 0, map[ast.Expr]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "float64" {
					converted[n.Args[0]] = true
				}
			case *ast.AssignStmt:
				require.NotEqual(t, token.MUL_ASSIGN, n.Tok, "%v: a product without a conversion", fset.Position(n.Pos()))
			case *ast.BinaryExpr:
				if n.Op == token.MUL && !isInteger(n.X) && !isInteger(n.Y) {
					found++
					require.True(t, converted[n], "%v: a product without a conversion", fset.Position(n.Pos()))
				}
			}
			return true
		})
	}
	require.Equal(t, 1, found, "products")
}
