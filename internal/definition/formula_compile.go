package definition

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/misspelt"
)

// formulaError is an error in a formula. The `at` field is the index of the wrong character.
type formulaError struct {
	at   int
	text string
}

// scope holds the names that a formula may use.
type scope struct {
	attrs  map[string]float64     // bases of the attributes by name; nil if they are unknown
	curves map[string]*curveEntry // curves by name
	truth  bool                   // the formula is a condition, such as owner.gold >= 100
}

// formulaCompiler compiles one formula.
type formulaCompiler struct {
	*formula
	scope  scope
	nodes  int
	depth  int // stack depth at the current step
	locals []local
	err    *formulaError // the first error
	silent bool          // the formula uses an invalid curve, which has been reported
}

// local is a name defined by let.
type local struct {
	name  string
	place int32
	kind  kind
}

// kind is the type of an expression.
type kind uint8

const (
	wrong kind = iota // the expression has an error, which has been reported
	isNumber
	isTruth
)

func (k kind) String() string {
	if k == isTruth {
		return "true or false"
	}
	return "a number"
}

// compileFormula returns the compiled formula or its error. Both results are nil if the formula
// uses an invalid curve, because the error in that curve has already been reported.
func compileFormula(text string, in scope) (*formula, *formulaError) {
	if n := utf8.RuneCountInString(text); n > maxFormula {
		return nil, &formulaError{0, fmt.Sprintf("%d characters: a formula may have at most %d", n, maxFormula)}
	}
	if strings.TrimSpace(text) == "" {
		return nil, &formulaError{0, "empty: want a formula such as 5 + 0.4 * level"}
	}
	tree, err := parseFormula(text)
	if err != nil {
		return nil, err
	}
	c := formulaCompiler{formula: &formula{text: text}, scope: in}
	if in.truth {
		c.want(tree, isTruth)
	} else {
		c.want(tree, isNumber)
	}
	switch {
	case c.err != nil:
		return nil, c.err
	case c.silent:
		return nil, nil
	}
	return c.formula, nil
}

// parseFormula returns the syntax tree of a text.
func parseFormula(text string) (root ast.Node, failed *formulaError) {
	defer func() { // the parser is third-party code, which may panic
		if r := recover(); r != nil {
			root, failed = nil, &formulaError{0, fmt.Sprintf("not understood: %v", r)}
		}
	}()
	tree, err := parser.Parse(text)
	if err == nil {
		return tree.Node, nil
	}
	var e *file.Error
	if !errors.As(err, &e) {
		return nil, &formulaError{0, brief(err.Error())}
	}
	return nil, &formulaError{e.From, plainFormula(e.Message)}
}

// plainFormula rewrites a message of the parser so that game designers understand it.
func plainFormula(message string) string {
	if token, ok := strings.CutPrefix(message, "unexpected token "); ok {
		if token == "EOF" {
			return "the formula ends too early: is something missing here?"
		}
		if _, quoted, ok := strings.Cut(token, "("); ok {
			return strings.TrimSuffix(quoted, ")") + " is not expected here: is an operator or a bracket missing?"
		}
	}
	if strings.Contains(message, "value out of range") {
		return "the number is too large: write it as 1e20"
	}
	return brief(message)
}

func (c *formulaCompiler) fail(n ast.Node, format string, args ...any) kind {
	return c.failAt(n.Location().From, format, args...)
}

func (c *formulaCompiler) failAt(at int, format string, args ...any) kind {
	if c.err == nil {
		c.err = &formulaError{at, fmt.Sprintf(format, args...)}
	}
	return wrong
}

// emit adds a step, which changes the stack depth by `higher`. The change may be negative.
func (c *formulaCompiler) emit(n ast.Node, s step, higher int) {
	c.steps = append(c.steps, s)
	if c.depth += higher; c.depth > maxFormulaStack {
		c.fail(n, "nested too deeply: at most %d intermediate values are allowed", maxFormulaStack)
	}
}

// want compiles an expression that must have the given kind.
func (c *formulaCompiler) want(n ast.Node, k kind) {
	if got := c.node(n); got != k && got != wrong {
		c.fail(n, "want %v here, not %v", k, got)
	}
}

// node compiles an expression and returns its kind.
func (c *formulaCompiler) node(n ast.Node) kind {
	if c.err != nil {
		return wrong
	}
	// Count the calls and not the nodes, because an expression such as `b` in `a < b < c` is
	// compiled twice.
	if c.nodes++; c.nodes > maxFormulaNodes {
		return c.fail(n, "too long: at most %d names, numbers and operators", maxFormulaNodes)
	}
	switch n := n.(type) {
	case *ast.IntegerNode:
		c.emit(n, step{op: pushConst, v: float64(n.Value)}, 1)
		return isNumber
	case *ast.FloatNode:
		c.emit(n, step{op: pushConst, v: n.Value}, 1)
		return isNumber
	case *ast.BoolNode:
		c.emit(n, step{op: pushConst, v: truth(n.Value)}, 1)
		return isTruth
	case *ast.IdentifierNode:
		return c.name(n)
	case *ast.MemberNode:
		return c.member(n)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ConditionalNode:
		return c.conditional(n, n.Cond, n.Exp1, n.Exp2)
	case *ast.VariableDeclaratorNode:
		return c.let(n)
	case *ast.BuiltinNode:
		return c.call(n, n.Name, n.Arguments)
	case *ast.CallNode:
		if f, ok := n.Callee.(*ast.IdentifierNode); ok {
			return c.call(n, f.Value, n.Arguments)
		}
	}
	return c.fail(n, "not allowed in a formula: use numbers, names, + - * / %%, comparisons, and, or, not, a ? b : c, %s", orList(functions))
}

// functions are the functions that a formula may call.
var functions = []string{"min", "max", "floor", "ceil", "abs", "round"}

// roots are the names that may precede a dot. The values describe what may follow the dot.
var roots = map[string]string{
	"owner": "an attribute", "source": "an attribute", "caller": "a name set by the application", "curve": "a curve", "var": "a variable of the buff",
}

// name compiles a name without a dot.
func (c *formulaCompiler) name(n *ast.IdentifierNode) kind {
	for i := len(c.locals) - 1; i >= 0; i-- {
		if l := c.locals[i]; l.name == n.Value {
			c.emit(n, step{op: pushLocal, n: l.place}, 1)
			return l.kind
		}
	}
	switch n.Value {
	case "level":
		c.emit(n, step{op: pushLevel}, 1)
	case "stacks":
		c.emit(n, step{op: pushStacks}, 1)
	case "magnitude":
		c.emit(n, step{op: pushMagnitude}, 1)
	case "amount":
		return c.read(n, define.Read{Kind: define.ReadAmount})
	case "left":
		return c.read(n, define.Read{Kind: define.ReadLeft})
	case "age":
		return c.read(n, define.Read{Kind: define.ReadAge})
	case "absorbed":
		return c.read(n, define.Read{Kind: define.ReadAbsorbed})
	default:
		if what := roots[n.Value]; what != "" {
			return c.fail(n, "want %s after %s, as in %s.NAME", what, n.Value, n.Value)
		}
		return c.fail(n, "unknown name %s%s", quote(n.Value), c.instead(n.Value))
	}
	return isNumber
}

// instead returns a hint for an unknown name.
func (c *formulaCompiler) instead(name string) string {
	if _, ok := c.scope.attrs[name]; ok {
		return fmt.Sprintf(": write owner.%s or source.%s", name, name)
	}
	if c.scope.curves[name] != nil {
		return ": write curve." + name
	}
	known := []string{"level", "stacks", "magnitude", "amount", "left", "age", "absorbed", "owner", "source", "caller", "curve", "var"}
	if near := misspelt.Near(name, known); near != "" {
		return didYouMean(near)
	}
	return ": want level, stacks, magnitude, owner.ATTRIBUTE, source.ATTRIBUTE, caller.NAME, curve.NAME or, in an action, amount, left, age, absorbed or var.NAME"
}

// member compiles a name with a dot.
func (c *formulaCompiler) member(n *ast.MemberNode) kind {
	root, ok := n.Node.(*ast.IdentifierNode)
	property, isName := n.Property.(*ast.StringNode)
	if !ok || !isName || n.Optional || roots[root.Value] == "" {
		if ok && isName && roots[root.Value] == "" {
			return c.fail(root, "unknown name %s before the dot%s", quote(root.Value),
				didYouMean(misspelt.Near(root.Value, []string{"owner", "source", "caller", "curve", "var"})))
		}
		return c.fail(n, "want owner.NAME, source.NAME, caller.NAME, curve.NAME or var.NAME")
	}
	name := property.Value
	switch root.Value {
	case "curve":
		return c.curve(n, name)
	case "caller":
		return c.read(n, define.Read{Kind: define.ReadCaller, Name: name})
	case "var":
		return c.read(n, define.Read{Kind: define.ReadVar, Name: name})
	case "source":
		return c.attr(n, define.Read{Of: define.OfSource, Name: name})
	}
	return c.attr(n, define.Read{Name: name})
}
