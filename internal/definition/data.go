package definition

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/recovered"
)

// Loader loads catalogs for a game that has something of its own in its definitions: data. The zero
// Loader is that of [Load], [LoadFS], [Reload] and [ReloadFS], which say what its methods do.
type Loader struct {
	// Data is a value of the type, a struct or a map, that data of a definition is read into, as
	// Ability{}; [buff.Spec].Data is such a value then. Fields have the names of their yaml tags or,
	// without one, of the fields in lower case; a time.Duration is a span. A field that the type does
	// not have, or of another kind, is an error with its place. What the value itself says is what a
	// definition has that leaves a field out; one without data has nil. If Data is nil, any data will
	// do and Spec.Data is a map[string]any; anything but a struct or a map panics.
	Data any
}

// Load is [Load] with the Loader's data. Any goroutine may call it.
func (o Loader) Load(paths ...string) (*buff.Catalog, error) { return o.LoadFS(disk{}, paths...) }

// LoadFS is [LoadFS] with the Loader's data. Any goroutine may call it, if fsys allows that.
func (o Loader) LoadFS(fsys fs.FS, paths ...string) (*buff.Catalog, error) {
	return o.ReloadFS(nil, fsys, paths...)
}

// Reload is [Reload] with the Loader's data. Any goroutine may call it.
func (o Loader) Reload(prev *buff.Catalog, paths ...string) (*buff.Catalog, error) {
	return o.ReloadFS(prev, disk{}, paths...)
}

// ReloadFS is [ReloadFS] with the Loader's data; without a catalog before, it is LoadFS. Any
// goroutine may call it, if fsys allows that.
func (o Loader) ReloadFS(prev *buff.Catalog, fsys fs.FS, paths ...string) (*buff.Catalog, error) {
	if o.Data != nil {
		if k := reflect.TypeOf(o.Data).Kind(); k != reflect.Struct && k != reflect.Map {
			panic(fmt.Sprintf("catalog: Loader.Data is a %T, and must be a struct or a map", o.Data))
		}
	}
	l := newLoader()
	l.data = o.Data
	l.read(fsys, paths, l.parse)
	return l.catalog(prev)
}

// data reads what a game has of its own in a definition.
func (d *definition) data(field string, n ast.Node) {
	if _, ok := Fields(n); !ok {
		d.fail(field, at(n), "want a map, not %s", kindOf(n))
		return
	}
	into := reflect.New(reflect.TypeFor[map[string]any]())
	if of := d.loader.data; of != nil {
		into = reflect.New(reflect.TypeOf(of))
		into.Elem().Set(reflect.ValueOf(of))
	}
	if err := decode(n, into.Interface()); err != nil {
		p, text := at(n), err.Error()
		if e := yaml.Error(nil); errors.As(err, &e) {
			text = e.GetMessage()
			if t := e.GetToken(); t != nil && t.Position != nil {
				p = position{t.Position.Line, t.Position.Column}
			}
		}
		if e := (*yaml.TypeError)(nil); errors.As(err, &e) {
			text = "want " + e.DstType.String() + ", not " + e.SrcType.String()
		}
		d.fail(field, p, "%s", firstLine(text))
		return
	}
	d.spec.Data = into.Elem().Interface()
}

// decode reads a node into a value of the game's type, whose own methods may panic.
func decode(n ast.Node, into any) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errors.New("what reads it panicked: " + recovered.Text(v))
		}
	}()
	return yaml.NodeToValue(n, into, yaml.Strict())
}

func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return text
}
