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

// Loader loads catalogs whose definitions contain game-specific data. Each method is documented at
// the function with the same name. The zero Loader behaves like these functions.
type Loader struct {
	// Data is a value of the struct or map type into which the data field of a definition is
	// decoded, such as Ability{}. [buff.Spec].Data then has this type. Struct fields are named by
	// their yaml tags or, without a tag, by their lower-case names; a time.Duration is written as a
	// span. A field that the type does not have, or a value of the wrong kind, is reported as an
	// error with its position. Fields that a definition omits have the values that they have in
	// Data. For a definition without data, Spec.Data is nil.
	//
	// If Data is nil, any data is accepted, and Spec.Data is a map[string]any. The methods panic if
	// Data is neither a struct nor a map.
	Data any

	// Tags are tags that the catalog also gets if no file declares tags, except invalid tags.
	Tags []string
}

// Load is like the function [Load], but decodes data as [Loader].Data specifies. It is safe for
// concurrent use.
func (o Loader) Load(paths ...string) (*buff.Catalog, error) { return o.LoadFS(disk{}, paths...) }

// LoadFS is like the function [LoadFS], but decodes data as [Loader].Data specifies. It is safe for
// concurrent use if fsys is.
func (o Loader) LoadFS(fsys fs.FS, paths ...string) (*buff.Catalog, error) {
	return o.ReloadFS(nil, fsys, paths...)
}

// Reload is like the function [Reload], but decodes data as [Loader].Data specifies. It is safe for
// concurrent use.
func (o Loader) Reload(prev *buff.Catalog, paths ...string) (*buff.Catalog, error) {
	return o.ReloadFS(prev, disk{}, paths...)
}

// ReloadFS is like the function [ReloadFS], but decodes data as [Loader].Data specifies. If prev is
// nil, ReloadFS is like the method LoadFS. ReloadFS is safe for concurrent use if fsys is.
func (o Loader) ReloadFS(prev *buff.Catalog, fsys fs.FS, paths ...string) (*buff.Catalog, error) {
	if o.Data != nil {
		if k := reflect.TypeOf(o.Data).Kind(); k != reflect.Struct && k != reflect.Map {
			panic(fmt.Sprintf("catalog: Loader.Data is a %T, and must be a struct or a map", o.Data))
		}
	}
	l := newLoader()
	l.data, l.extraTags = o.Data, o.Tags
	l.read(fsys, paths, l.parse)
	return l.catalog(prev)
}

// data reads a definition's field "data", which holds game-specific data.
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

// decode decodes a node into a value of the game's type. If a method of that type panics, decode
// returns an error.
func decode(n ast.Node, into any) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errors.New("the decoder panicked: " + recovered.Text(v))
		}
	}()
	return yaml.NodeToValue(n, into, yaml.Strict())
}

func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return text
}
