package tidy

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// undocumented finds exported names of the libraries without a doc comment, and
// doc comments that do not begin with the name, or an article and the name. In a
// group of constants or variables the group's comment may speak for all. Fields
// without an empty line between them are a block, in which at least one must have
// a comment, above or behind; the only method of an interface may leave it to the
// comment of the interface.
func undocumented(tr *tree) []string {
	var out []string
	for _, s := range tr.all() {
		if s.test || !isLibrary(s.dir) {
			continue
		}
		for _, d := range s.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
					out = append(out, tr.opening(d.Name, d.Doc, d.Name.Name)...)
				}
			case *ast.GenDecl:
				out = append(out, tr.undocumentedSpecs(d)...)
			}
		}
	}
	return out
}

func (tr *tree) undocumentedSpecs(d *ast.GenDecl) []string {
	var out []string
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if !spec.Name.IsExported() {
				continue
			}
			doc := spec.Doc
			if doc == nil && !d.Lparen.IsValid() {
				doc = d.Doc
			}
			out = append(out, tr.opening(spec.Name, doc, spec.Name.Name)...)
			out = append(out, tr.undocumentedFields(spec)...)
		case *ast.ValueSpec:
			var names []string
			for _, n := range spec.Names {
				if n.IsExported() {
					names = append(names, n.Name)
				}
			}
			grouped := d.Lparen.IsValid()
			switch {
			case names == nil, spec.Doc == nil && spec.Comment != nil:
			case spec.Doc == nil && grouped && d.Doc != nil:
			case spec.Doc == nil && !grouped:
				out = append(out, tr.opening(spec, d.Doc, names...)...)
			default:
				out = append(out, tr.opening(spec, spec.Doc, names...)...)
			}
		}
	}
	return out
}

// opening finds fault with a doc comment that is missing or begins with none of
// the names.
func (tr *tree) opening(n ast.Node, doc *ast.CommentGroup, names ...string) []string {
	if strings.TrimSpace(doc.Text()) == "" {
		return []string{tr.at(n, "%s is exported and has no doc comment", names[0])}
	}
	words := strings.Fields(doc.Text())
	if len(words) > 1 && slices.Contains([]string{"A", "An", "The"}, words[0]) && !slices.Contains(names, words[0]) {
		words = words[1:]
	}
	if !slices.Contains(names, strings.TrimRight(words[0], ",:")) {
		return []string{tr.at(n, "the doc comment of %s does not begin with its name", names[0])}
	}
	return nil
}

func (tr *tree) undocumentedFields(spec *ast.TypeSpec) []string {
	var fields *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	default:
		return nil
	}
	if _, ok := spec.Type.(*ast.InterfaceType); ok && len(fields.List) == 1 {
		return nil
	}
	var out, silent []string // silent: of the block that is being read
	spoken, last := false, -1
	for _, f := range fields.List {
		start := f.Pos()
		if f.Doc != nil {
			start = f.Doc.Pos()
		}
		if tr.line(start) > last+1 {
			out, silent, spoken = append(out, silent...), nil, false
		}
		last = tr.line(f.End())
		if spoken = spoken || f.Doc != nil || f.Comment != nil; spoken {
			silent = nil
			continue
		}
		for _, name := range f.Names {
			if name.IsExported() {
				silent = append(silent, tr.at(name, "%s.%s is exported and has no doc comment", spec.Name.Name, name.Name))
			}
		}
	}
	return append(out, silent...)
}

// receiver returns the name of the type that the method belongs to.
func receiver(fn *ast.FuncDecl) string {
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// callers are the three things a method of the engine may say about who may call
// it; lanes are the types whose methods must say one of them.
var (
	callers = []string{"Only the loop goroutine may call it.", "Any goroutine may call it.", "Only inside the handler."}
	lanes   = []string{"Context", "Engine", "Inbox"}
)

func unsaidCaller(tr *tree) []string {
	var out []string
	said := map[string]bool{}
	for _, s := range tr.dirs["engine"] {
		for _, d := range s.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || s.test || fn.Recv == nil || !fn.Name.IsExported() || !slices.Contains(lanes, receiver(fn)) {
				continue
			}
			said[receiver(fn)] = true
			doc, n := strings.Join(strings.Fields(fn.Doc.Text()), " "), 0
			for _, phrase := range callers {
				n += strings.Count(doc, phrase)
			}
			if n != 1 {
				out = append(out, tr.at(fn.Name, "%s.%s says %d times who may call it, in one of the fixed phrases: want once", receiver(fn), fn.Name.Name, n))
			}
		}
	}
	for _, lane := range lanes {
		if !said[lane] {
			out = append(out, "engine: no exported method of "+lane+" was found")
		}
	}
	return out
}

// untaught finds libraries without a doc.go that holds the package's comment or
// without an Example whose output is checked, and programs without a package
// comment. A library that has no code beside its doc.go needs no Example.
func untaught(tr *tree) []string {
	var out []string
	for _, dir := range tr.sorted() {
		var doc, main, code, example bool
		name := ""
		for _, s := range tr.dirs[dir] {
			example = example || s.test && hasExample(s.ast)
			if s.test {
				continue
			}
			name = s.ast.Name.Name
			main = main || name == "main"
			code = code || path.Base(s.path) != "doc.go"
			begins := strings.TrimSpace(s.ast.Doc.Text()) != ""
			if isLibrary(dir) || dir == "." {
				begins = path.Base(s.path) == "doc.go" && strings.HasPrefix(s.ast.Doc.Text(), "Package "+name+" ")
			}
			doc = doc || begins
		}
		switch {
		case name == "": // tests only
		case !doc && isLibrary(dir):
			out = append(out, dir+": no doc.go that begins with \"Package "+name+"\"")
		case !doc:
			out = append(out, dir+": no package comment")
		case code && !example && isLibrary(dir):
			out = append(out, dir+": no Example with an Output comment")
		}
	}
	return out
}

// hasExample reports whether the file has an Example that go test runs.
func hasExample(f *ast.File) bool {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Example") && outputComment(f, fn) != nil {
			return true
		}
	}
	return false
}

// outputComment returns the comment in the function that begins with "Output:"
// or "Unordered output:", or nil.
func outputComment(f *ast.File, fn *ast.FuncDecl) *ast.CommentGroup {
	for _, c := range f.Comments {
		text := strings.ToLower(c.Text())
		if spans(fn, c.Pos()) && (strings.HasPrefix(text, "output:") || strings.HasPrefix(text, "unordered output:")) {
			return c
		}
	}
	return nil
}

func spans(fn *ast.FuncDecl, p token.Pos) bool { return fn.Pos() <= p && p < fn.End() }
