package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// maker generates the bugs of one declaration.
type maker struct {
	*source
	file int
	in   string
	bugs []bug
}

// swaps maps operators to their replacements.
var swaps = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.OR}, token.AND_NOT: {token.AND},
	token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.OR_ASSIGN: {token.AND_ASSIGN}, token.AND_ASSIGN: {token.OR_ASSIGN}, token.AND_NOT_ASSIGN: {token.OR_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
	token.BREAK: {token.CONTINUE}, token.CONTINUE: {token.BREAK},
}

func (m *maker) visit(n ast.Node, above []ast.Node) bool {
	if len(above) > 0 && m.isRoom(n, above[len(above)-1]) {
		return false
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		m.swap(n.OpPos, n.Op)
	case *ast.IncDecStmt:
		m.swap(n.TokPos, n.Tok)
	case *ast.BranchStmt:
		if n.Label == nil {
			m.swap(n.TokPos, n.Tok)
		}
	case *ast.AssignStmt:
		m.assignment(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			m.replace(n.OpPos, n.OpPos+1, "", "dropped "+n.Op.String())
		}
	case *ast.BasicLit:
		m.literal(n)
	case *ast.ExprStmt:
		if c, ok := n.X.(*ast.CallExpr); ok {
			m.call(n.Pos(), n.End(), c)
		}
	case *ast.DeferStmt:
		m.call(n.Pos(), n.End(), n.Call)
	case *ast.CallExpr:
		m.arguments(n)
	}
	return true
}

// isRoom reports whether n is the capacity in a call of "make". A different capacity would not
// change the behaviour.
func (m *maker) isRoom(n, parent ast.Node) bool {
	c, ok := parent.(*ast.CallExpr)
	if !ok || len(c.Args) < 2 || n != c.Args[len(c.Args)-1] {
		return false
	}
	if id, ok := c.Fun.(*ast.Ident); !ok || id.Name != "make" {
		return false
	}
	t := m.info.TypeOf(c.Args[0])
	if t == nil {
		return false
	}
	_, isMap := t.Underlying().(*types.Map)
	return len(c.Args) == 3 || isMap
}

func (m *maker) swap(at token.Pos, op token.Token) {
	for _, other := range swaps[op] {
		m.replace(at, at+token.Pos(len(op.String())), other.String(), op.String()+" becomes "+other.String())
	}
}

// assignment changes the operator of an assignment, and drops an assignment that is not a
// declaration.
func (m *maker) assignment(n *ast.AssignStmt) {
	m.swap(n.TokPos, n.Tok)
	if n.Tok != token.DEFINE {
		m.replace(n.Pos(), n.End(), "_ = 0", "dropped "+short(m.text(n.Pos(), n.End())))
	}
}

// literal adds 1 to a number, and subtracts 1 from it.
func (m *maker) literal(n *ast.BasicLit) {
	if n.Kind != token.INT {
		return
	}
	v := constant.MakeFromLiteral(n.Value, token.INT, 0)
	for _, by := range []int64{1, -1} {
		to := constant.BinaryOp(v, token.ADD, constant.MakeInt64(by)).ExactString()
		if strings.HasPrefix(to, "-") {
			to = "(" + to + ")"
		}
		m.replace(n.Pos(), n.End(), to, n.Value+" becomes "+to)
	}
}

// call drops a call whose results are not used. The method "locks" handles calls of Lock and
// Unlock.
func (m *maker) call(from, to token.Pos, c *ast.CallExpr) {
	if sel, ok := c.Fun.(*ast.SelectorExpr); ok && isLock(sel.Sel.Name) {
		return
	}
	if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "panic" {
		return // a panic reports a programmer's error, after which the behaviour is undefined
	}
	m.replace(from, to, "", "dropped "+short(m.text(from, to)))
}

// arguments swaps adjacent arguments of the same type.
func (m *maker) arguments(c *ast.CallExpr) {
	if id, ok := c.Fun.(*ast.Ident); ok && (id.Name == "min" || id.Name == "max") {
		return // min and max are commutative
	}
	for k := range len(c.Args) - 1 {
		a, b := c.Args[k], c.Args[k+1]
		one, two := m.info.TypeOf(a), m.info.TypeOf(b)
		if one == nil || two == nil || !types.Identical(one, two) {
			continue
		}
		x, y := m.text(a.Pos(), a.End()), m.text(b.Pos(), b.End())
		if x == y {
			continue
		}
		m.bugs = append(m.bugs, m.bug(c.Pos(), fmt.Sprintf("swapped %s, %s", short(x), short(y)),
			m.splice(a.Pos(), a.End(), y), m.splice(b.Pos(), b.End(), x)))
	}
}

func isLock(name string) bool {
	return slices.Contains([]string{"Lock", "Unlock", "RLock", "RUnlock"}, name)
}

const lockDropped = "dropped lock "

// locks drops all calls on one lock in a function. A bug with only Lock or only Unlock dropped
// would fail at once.
func (m *maker) locks(d ast.Decl) {
	found := map[string][]splice{}
	var order []string
	at := map[string]token.Pos{}
	note := func(n ast.Node, call *ast.CallExpr) {
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !isLock(sel.Sel.Name) {
			return
		}
		name := m.text(sel.X.Pos(), sel.X.End())
		if found[name] == nil {
			order = append(order, name)
			at[name] = n.Pos()
		}
		found[name] = append(found[name], m.splice(n.Pos(), n.End(), ""))
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			if c, ok := n.X.(*ast.CallExpr); ok {
				note(n, c)
			}
		case *ast.DeferStmt:
			note(n, n.Call)
		}
		return true
	})
	for _, name := range order {
		if len(found[name]) > 1 {
			m.bugs = append(m.bugs, m.bug(at[name], lockDropped+name, found[name]...))
		}
	}
}

func (m *maker) replace(from, to token.Pos, text, what string) {
	m.bugs = append(m.bugs, m.bug(from, what, m.splice(from, to, text)))
}

func (m *maker) bug(at token.Pos, what string, splices ...splice) bug {
	return bug{file: m.file, line: m.fset.Position(at).Line, in: m.in, what: what, splices: splices}
}

func (m *maker) splice(from, to token.Pos, text string) splice {
	return splice{m.fset.Position(from).Offset, m.fset.Position(to).Offset, text}
}

func (m *maker) text(from, to token.Pos) string {
	p := m.splice(from, to, "")
	return string(m.texts[m.file][p.from:p.to])
}

// short returns code on a single line, truncated if it is long.
func short(code string) string {
	code = strings.Join(strings.Fields(code), " ")
	if len(code) > 50 {
		code = code[:50] + "…"
	}
	return code
}
