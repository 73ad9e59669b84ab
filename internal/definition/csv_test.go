package definition

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/stretchr/testify/require"
)

// TestPlacesInTables checks that the text that an error points at is the text of the value,
// however the cell is written.
func TestPlacesInTables(t *testing.T) {
	for _, text := range []string{
		"id,duration,first\na,1s,WRONG\n",
		"id,duration,first\r\na,1s,WRONG",
		"\ufeffid,duration,first\na,1s, WRONG \n",
		"id,duration,first\na,1s,\"WRONG\"\n",
		"id,duration,first\na,1s,\" WRONG\" \n",
		"id,duration,first\na,1s,\"\"\"WRONG\"\"\"\n",
		"id,name,duration,first\na,\"x\"\"y\ny\"\"\"\"z\",1s,WRONG\n",
		"id,name,duration,first\n毒药,\"剧\n毒\",1s,WRONG\n",
		"id,duration,on.apply\na,1s,{call: x};{WRONG: x}\n",
		"id,duration,on.apply\na,1s,\"{call: \"\"x\"\"}; {\"\"remove\"\": \"\"a\"\",\n\n 'reason': death};\t{WRONG: 毒}\"\n",
		"id,duration,on.apply\na,1s,\"[{call: \"\"x\"\"},\n  {call: \"\"毒\"\"}, {WRONG: x}]\"\n",
		"id,duration,on.apply\na,1s,\"[{call:\tx},\t{WRONG: x}]\"\n",
	} {
		_, err := Parse("x.csv", []byte(text))
		require.Len(t, err, 1, "%q", text)
		e := err.(Errors)[0]
		lines := strings.Split(plain([]byte(text)), "\n")
		rest := []rune(lines[e.Line-1])[e.Column-1:]
		require.Regexp(t, `^["']*WRONG`, string(rest), "%q\n%v", text, e)
	}
}

// TestTreeOfTable checks that a table has the same tree as a YAML file.
func TestTreeOfTable(t *testing.T) {
	const text = "id,duration,stack.by\na,1s,target\n"
	root, err := Tree("x.CSV", []byte(text))
	require.NoError(t, err)
	fields, _ := Fields(root)
	require.Len(t, fields, 1)
	c, err := ParseNode("x.csv", []byte(text), fields[0].Value)
	require.NoError(t, err)
	require.NotNil(t, c.Spec("a"))
	require.IsType(t, &ast.MappingNode{}, fields[0].Value)

	_, err = Tree("x.csv", []byte("id,on.apply\na,[\n"))
	require.EqualError(t, err, "x.csv:2:3: buff \"a\": on.apply: this '[' is never closed: if there is a comma in a cell, the cell must be in quotes\n   2 | a,[\n     |   ^")
}

var hostileTables = []struct{ name, text, want string }{
	{"gigabyte", strings.Repeat("a", MaxFileSize+1), "1048577 bytes: a file may have at most 1048576"},
	{"columns", strings.Repeat(",", 1_000_000), "more than 500 columns"},
	{"cell", strings.Repeat("a", 1_000_000), "more than 10000 characters in one cell"},
	{"rows", "id,duration\n" + strings.Repeat("a,1s\n", 200_000), `defined twice: it is already at big.csv:2:1`},
	{"blank rows", "id,duration\n" + strings.Repeat(",\n", 500_000), ""},
	{"quotes", strings.Repeat(`"`, 1_000_000), "more than 10000 characters in one cell"},
	{"quoted lines", "id,duration\n" + strings.Repeat("\"\n\n\n\n\n\",\"\"\n", 90_000), ""},
	{"dots", strings.Repeat(".", 9_000), ""},
	{"deep", "id," + strings.Repeat("a.", 40) + "b\n", "more than 8 words in one name"},
	{"deep columns", deepColumns(), `unknown field "c0"`},
	{"brackets", "id,params\n" + strings.Repeat("a,"+strings.Repeat("[", 9_000)+"\n", 100), ""},
	{"small brackets", "id,params" + rowsOf("{}"), "missing: want instant, infinite or a span such as 12s, 1500ms, 30m or 36h"},
	{"quoted scalars", "id,chance" + rowsOf(`"""1"""`), "missing: want instant, infinite or a span such as 12s, 1500ms, 30m or 36h"},
	{"lists", "id,duration,tags\n" + strings.Repeat("a,1s,"+strings.Repeat("a;", 4_500)+"\n", 100), `"a" is in the list already`},
	{"bracketed lists", "id,duration,tags\n" + strings.Repeat("a,1s,"+strings.Repeat("[];", 3_000)+"\n", 100), `"[]" is in the list already`},
	{"tabs", "id,params\n" + strings.Repeat("a,{"+strings.Repeat("\t", 9_000)+"}\n", 100), ""},
	{"tabs in quotes", "id,params\n" + strings.Repeat("a,{a: '"+strings.Repeat("\t", 9_000)+"'}\n", 100), ""},
	{"doubled", "id,params\n" + strings.Repeat("a,\"{"+strings.Repeat(`""a"": 1, `, 1_000)+"}\"\n", 90), ""},
	{"names", "id,duration," + strings.Repeat("zz,", 400) + "\n", `the column "zz" is repeated: it is already column 3`},
	{"cells", "id" + columnsOf("chance", 0) + strings.Repeat("\n"+strings.Repeat("a,", 499), 1000), ""},
	{"wrong", "id,duration" + rowsOf("x"), `"x" is not a span: want instant, infinite or a span such as 12s, 1500ms, 30m or 36h`},
}

func rowsOf(cell string) string {
	var b strings.Builder
	for i := 0; b.Len() < MaxFileSize-30; i++ {
		fmt.Fprintf(&b, "\na%d,%s", i, cell)
	}
	return b.String()
}

func columnsOf(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",%s%d", name, i)
	}
	return b.String()
}

// deepColumns returns a table in which each cell is deep inside a map of its own.
func deepColumns() string {
	var b strings.Builder
	b.WriteString("id")
	for i := range 499 {
		fmt.Fprintf(&b, ",c%d%s", i, strings.Repeat(".a", 7))
	}
	for i := range 900 {
		fmt.Fprintf(&b, "\na%d%s", i, strings.Repeat(",x", 499))
	}
	return b.String()
}

func TestHostileTables(t *testing.T) {
	for _, h := range hostileTables {
		t.Run(h.name, func(t *testing.T) {
			_, err := Parse("big.csv", []byte(h.text))
			if h.want == "" && err == nil {
				return
			}
			e := firstError(t, err)
			if h.want != "" {
				require.Contains(t, e.Text, h.want)
			}
			require.Less(t, len(e.Error()), 1000)
		})
	}
}

// BenchmarkHostileTables measures how long it takes to refuse each table. None may take a second.
func BenchmarkHostileTables(b *testing.B) {
	for _, h := range hostileTables {
		b.Run(h.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := Parse("big.csv", []byte(h.text))
				_ = err // some of them load
			}
		})
	}
}

// FuzzCSV checks that any text is a table or has errors that keep their guarantees, and that the
// errors are the same each time.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{
		"", "\ufeff", ",", "\"", "id", "id,duration\na,1s", "##var,id,duration\n##type,a,b\n,a,1s\n", "id;duration\na;1s",
		"id,duration,on.pulse,period\na,9s,\"[{call: \"\"x\"\"},\n{kill: true}]\",1s\n", "id,tags\na,b;c;\"\"\"d\"\"\"\n",
		"id,catchup,catchup.coalesce\na,all,3\n", "id,params.dmg,params\na,{const: 1},{dmg: {caller: x}}\n", "id,a.b.c,a.b\n1,2,3\n",
		"id,duration\na,\"{curve: x}\"\nb,[\nc,{\nd,'\n", "id,chance\na,-.inf\nb,0x1f\nc,~\nd,1e9\n", "id,on.apply\na,{call: \tx};\t[{}]\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, e := range checkParse(t, "f.csv", src) {
			line := strings.Split(plain(src), "\n")[e.Line-1]
			require.LessOrEqual(t, e.Column, len([]rune(line))+1, "%v", e)
		}
	})
}

// TestTableInDocs checks that the table in the documentation is valid.
func TestTableInDocs(t *testing.T) {
	text, err := os.ReadFile("../../buff/catalog/doc_csv.go")
	require.NoError(t, err)
	var table strings.Builder
	for line := range strings.Lines(string(text)) {
		if row, ok := strings.CutPrefix(line, "//\t"); ok {
			table.WriteString(row)
		}
	}
	c, err := Parse("x.csv", []byte(table.String()))
	require.NoError(t, err)
	require.Equal(t, 5, c.Spec("venom").Stack.Limit)
	require.Equal(t, []string{"debuff.poison", "debuff.dot"}, c.Spec("venom").Tags)
	require.Equal(t, []string{"hurt"}, c.Handlers())
}
