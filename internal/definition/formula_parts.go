package definition

import (
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/misspelt"
)

// attr compiles an expression that reads an attribute.
func (c *formulaCompiler) attr(n ast.Node, r define.Read) kind {
	if _, ok := c.scope.attrs[r.Name]; !ok && c.scope.attrs != nil {
		return c.fail(n, "%s", noAttribute(r.Name, c.scope.attrs))
	}
	return c.read(n, r)
}

// read compiles an expression that reads an input. Equal inputs share one entry of c.reads.
func (c *formulaCompiler) read(n ast.Node, r define.Read) kind {
	i := slices.Index(c.reads, r)
	if i < 0 {
		i = len(c.reads)
		c.reads = append(c.reads, r)
	}
	c.emit(n, step{op: pushRead, n: int32(i)}, 1)
	return isNumber
}

// curve compiles an expression that reads the value of a curve at the buff's level.
func (c *formulaCompiler) curve(n ast.Node, name string) kind {
	e := c.scope.curves[name]
	if e == nil {
		return c.fail(n, "no curve %s%s", quote(name), didYouMean(misspelt.Near(name, slices.Collect(maps.Keys(c.scope.curves)))))
	}
	if e.curve == nil {
		c.silent = true
		return isNumber
	}
	i := slices.Index(c.curves, e.curve)
	if i < 0 {
		i = len(c.curves)
		c.curves = append(c.curves, e.curve)
	}
	c.emit(n, step{op: pushCurve, n: int32(i)}, 1)
	return isNumber
}

func (c *formulaCompiler) unary(n *ast.UnaryNode) kind {
	switch n.Operator {
	case "-":
		c.want(n.Node, isNumber)
		c.emit(n, step{op: negate}, 0)
		return isNumber
	case "+":
		c.want(n.Node, isNumber)
		return isNumber
	case "not", "!":
		c.want(n.Node, isTruth)
		c.emit(n, step{op: invert}, 0)
		return isTruth
	}
	return c.fail(n, "the operator %s is not allowed in a formula", quote(n.Operator))
}

// arithmetic and comparisons are the operators on two numbers.
var (
	arithmetic  = map[string]opcode{"+": add, "-": sub, "*": mul, "/": div, "%": mod}
	comparisons = map[string]opcode{"==": equal, "!=": unequal, "<": less, "<=": lessEqual, ">": greater, ">=": greaterEqual}
)

func (c *formulaCompiler) binary(n *ast.BinaryNode) kind {
	if op, ok := arithmetic[n.Operator]; ok {
		c.want(n.Left, isNumber)
		c.want(n.Right, isNumber)
		c.emit(n, step{op: op}, -1)
		return isNumber
	}
	if op, ok := comparisons[n.Operator]; ok {
		c.want(n.Left, isNumber)
		c.want(n.Right, isNumber)
		c.emit(n, step{op: op}, -1)
		return isTruth
	}
	switch n.Operator {
	case "and", "&&":
		return c.conditional(n, n.Left, n.Right, &ast.BoolNode{Value: false})
	case "or", "||":
		return c.conditional(n, n.Left, &ast.BoolNode{Value: true}, n.Right)
	case "**", "^":
		return c.fail(n, "powers are not supported: write x * x, or use a curve")
	}
	return c.fail(n, "the operator %s is not allowed in a formula", quote(n.Operator))
}

// conditional compiles "condition ? yes : no". Only one of the branches is evaluated.
func (c *formulaCompiler) conditional(n, condition, yes, no ast.Node) kind {
	c.want(condition, isTruth)
	test := len(c.steps)
	c.emit(n, step{op: jumpIfNot}, -1)
	depth := c.depth
	k := c.node(yes)
	end := len(c.steps)
	c.emit(n, step{op: jump}, 0)
	c.steps[test].n = int32(len(c.steps))
	c.depth = depth
	if k != wrong {
		c.want(no, k)
	}
	c.steps[end].n = int32(len(c.steps))
	return k
}

// let compiles "let name = value; expression". The value stays on the stack while the expression is
// evaluated.
func (c *formulaCompiler) let(n *ast.VariableDeclaratorNode) kind {
	switch _, isRoot := roots[n.Name]; {
	case isRoot, n.Name == "level", n.Name == "stacks", n.Name == "magnitude", n.Name == "amount", n.Name == "left", n.Name == "age", n.Name == "absorbed":
		return c.fail(n, "%s is already defined: use another name", quote(n.Name))
	}
	k := c.node(n.Value)
	c.locals = append(c.locals, local{n.Name, int32(c.depth - 1), k})
	result := c.node(n.Expr)
	c.locals = c.locals[:len(c.locals)-1]
	c.emit(n, step{op: slide}, -1)
	return result
}

// call compiles a function call.
func (c *formulaCompiler) call(n ast.Node, name string, args []ast.Node) kind {
	op, ok := map[string]opcode{"floor": floor, "ceil": ceil, "abs": abs, "round": round, "min": least, "max": greatest}[name]
	switch several := op == least || op == greatest; {
	case !ok:
		hint := didYouMean(misspelt.Near(name, functions))
		if hint == "" {
			hint = ": want " + orList(functions)
		}
		return c.fail(n, "unknown function %s%s", quote(name), hint)
	case !several && len(args) != 1:
		return c.fail(n, "%s takes one number, not %d", name, len(args))
	case several && len(args) == 0:
		return c.fail(n, "%s takes numbers", name)
	}
	for i, a := range args {
		c.want(a, isNumber)
		if i > 0 {
			c.emit(n, step{op: op}, -1)
		}
	}
	if op != least && op != greatest {
		c.emit(n, step{op: op}, 0)
	}
	return isNumber
}
