package judge

// Formulas, as the documentation of the format describes them. The parser and the evaluator share
// no code with the engine.

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/scanner"
)

// formula is a parsed formula.
type formula struct {
	text  string
	names [][]string
	root  expression
}

// expression is a node of a formula. It returns false as its second result if a name in it has no
// value. A condition has the value 1 if it is true and 0 if it is false.
type expression func(in *scope) (x float64, ok bool)

// scope resolves the names of a formula.
type scope struct {
	read func(path []string) (x float64, ok bool)
	lets map[string]float64
}

// UnmarshalJSON parses the text of a formula, or a plain number.
func (f *formula) UnmarshalJSON(text []byte) error {
	f.text = string(text)
	if unquoted, err := strconv.Unquote(f.text); err == nil {
		f.text = unquoted
	}
	p := &parser{}
	p.scan.Init(strings.NewReader(f.text))
	p.scan.Error = func(*scanner.Scanner, string) {}
	p.scan.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanFloats | scanner.ScanStrings
	p.next()
	f.root = p.sequence()
	f.names = p.names
	if p.token != scanner.EOF {
		p.fail()
	}
	if p.failed {
		return notCovered("formula %q", f.text)
	}
	return nil
}

// evaluate returns the value of a formula. It returns false as its second result if a name has no
// value, or if the value is not a finite number.
func (f *formula) evaluate(read func(path []string) (float64, bool)) (x float64, ok bool) {
	x, ok = f.root(&scope{read, map[string]float64{}})
	return x, ok && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// parser is a recursive-descent parser with one token of lookahead.
type parser struct {
	scan   scanner.Scanner
	token  rune
	word   string
	names  [][]string
	failed bool
}

func (p *parser) next() { p.token = p.scan.Scan(); p.word = p.scan.TokenText() }
func (p *parser) fail() { p.failed, p.token = true, scanner.EOF }

// accept reports whether the next token is the given word or character, and if so consumes it.
func (p *parser) accept(word string) bool {
	if p.word != word || p.token == scanner.EOF {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(word string) {
	if !p.accept(word) {
		p.fail()
	}
}

// sequence parses "let x = a; b", or a choice.
func (p *parser) sequence() expression {
	if !p.accept("let") {
		return p.choice()
	}
	name := p.word
	p.next()
	p.expect("=")
	value := p.choice()
	p.expect(";")
	rest := p.sequence()
	return func(in *scope) (float64, bool) {
		x, ok := value(in)
		if !ok {
			return 0, false
		}
		in.lets[name] = x
		return rest(in)
	}
}

// choice parses "a ? b : c". Only the chosen branch is evaluated.
func (p *parser) choice() expression {
	condition := p.or()
	if !p.accept("?") {
		return condition
	}
	yes := p.choice()
	p.expect(":")
	no := p.choice()
	return func(in *scope) (float64, bool) {
		switch x, ok := condition(in); {
		case !ok:
			return 0, false
		case x != 0:
			return yes(in)
		}
		return no(in)
	}
}

func (p *parser) or() expression {
	left := p.and()
	for p.accept("or") {
		left = lazy(left, p.and(), true)
	}
	return left
}

func (p *parser) and() expression {
	left := p.not()
	for p.accept("and") {
		left = lazy(left, p.not(), false)
	}
	return left
}

// lazy returns the expression of a logical operator. If the truth value of operand a equals the
// parameter "decides", that value is the result. Otherwise operand b is evaluated.
func lazy(a, b expression, decides bool) expression {
	return func(in *scope) (float64, bool) {
		if x, ok := a(in); !ok || (x != 0) == decides {
			return x, ok
		}
		return b(in)
	}
}

func (p *parser) not() expression {
	if !p.accept("not") {
		return p.comparison()
	}
	operand := p.not()
	return func(in *scope) (float64, bool) {
		x, ok := operand(in)
		return boolValue(x == 0), ok
	}
}

func boolValue(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// comparison parses "a < b", or a chain such as "1 < level < 10".
func (p *parser) comparison() expression {
	operands := []expression{p.sum()}
	var operators []string
	for {
		operator := p.word
		if !slices.Contains([]string{"<", ">", "=", "!"}, operator) || p.token == scanner.EOF {
			break
		}
		p.next()
		if p.accept("=") {
			operator += "="
		} else if operator == "=" || operator == "!" {
			p.fail()
		}
		operators = append(operators, operator)
		operands = append(operands, p.sum())
	}
	if len(operators) == 0 {
		return operands[0]
	}
	return func(in *scope) (float64, bool) {
		left, ok := operands[0](in)
		if !ok {
			return 0, false
		}
		for i, operator := range operators {
			right, ok := operands[i+1](in)
			if !ok {
				return 0, false
			}
			holds := map[string]bool{
				"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right, "==": left == right, "!=": left != right,
			}[operator]
			if !holds {
				return 0, true
			}
			left = right
		}
		return 1, true
	}
}

func (p *parser) sum() expression {
	return p.chain(p.product, map[string]func(a, b float64) float64{
		"+": func(a, b float64) float64 { return a + b },
		"-": func(a, b float64) float64 { return a - b },
	})
}

func (p *parser) product() expression {
	return p.chain(p.sign, map[string]func(a, b float64) float64{
		"*": func(a, b float64) float64 { return a * b },
		"/": func(a, b float64) float64 { return a / b },
		"%": math.Mod,
	})
}

// chain parses operands that are joined by left-associative operators of one precedence.
func (p *parser) chain(operand func() expression, operators map[string]func(a, b float64) float64) expression {
	left := operand()
	for {
		apply := operators[p.word]
		if apply == nil || p.token == scanner.EOF {
			return left
		}
		p.next()
		a, b := left, operand()
		left = func(in *scope) (float64, bool) {
			x, ok := a(in)
			if !ok {
				return 0, false
			}
			y, ok := b(in)
			return apply(x, y), ok
		}
	}
}

func (p *parser) sign() expression {
	if p.accept("-") {
		operand := p.sign()
		return func(in *scope) (float64, bool) {
			x, ok := operand(in)
			return -x, ok
		}
	}
	return p.operand()
}

// operand parses a number, a parenthesis, a call, or a name such as level, owner.power or
// owner["fire-power"].
func (p *parser) operand() expression {
	word := p.word
	switch p.token {
	case scanner.Int, scanner.Float:
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			p.fail()
		}
		p.next()
		return func(*scope) (float64, bool) { return x, true }
	case '(':
		p.next()
		inner := p.choice()
		p.expect(")")
		return inner
	case scanner.Ident:
		p.next()
		if p.accept("(") {
			return p.call(word)
		}
		return p.name(word)
	}
	p.fail()
	return nil
}

func (p *parser) name(word string) expression {
	path := []string{word}
	for {
		switch {
		case p.accept("."):
			path = append(path, p.word)
			p.next()
			continue
		case p.accept("["):
			part, err := strconv.Unquote(p.word)
			if err != nil {
				p.fail()
			}
			path = append(path, part)
			p.next()
			p.expect("]")
			continue
		}
		break
	}
	if len(path) > 1 || slices.Contains([]string{"level", "magnitude", "stacks"}, word) || runNames[word] {
		p.names = append(p.names, path)
	}
	return func(in *scope) (float64, bool) {
		if x, ok := in.lets[word]; ok && len(path) == 1 {
			return x, true
		}
		return in.read(path)
	}
}

// functions are the functions of the format.
var functions = map[string]func(all []float64) float64{
	"min":   func(all []float64) float64 { return slices.Min(all) },
	"max":   func(all []float64) float64 { return slices.Max(all) },
	"floor": func(all []float64) float64 { return math.Floor(all[0]) },
	"ceil":  func(all []float64) float64 { return math.Ceil(all[0]) },
	"abs":   func(all []float64) float64 { return math.Abs(all[0]) },
	"round": func(all []float64) float64 { return math.Round(all[0]) },
}

func (p *parser) call(name string) expression {
	apply := functions[name]
	if apply == nil {
		p.fail()
	}
	arguments := []expression{p.choice()}
	for p.accept(",") {
		arguments = append(arguments, p.choice())
	}
	p.expect(")")
	return func(in *scope) (float64, bool) {
		all := make([]float64, len(arguments))
		for i, argument := range arguments {
			x, ok := argument(in)
			if !ok {
				return 0, false
			}
			all[i] = x
		}
		return apply(all), true
	}
}

// String returns the text of the formula.
func (f *formula) String() string { return fmt.Sprintf("%q", f.text) }
