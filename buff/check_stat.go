package buff

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bufftick/bufftick/buff/stat"
)

// attributes checks the attributes of the owners and keeps them. An error names its
// attribute as "attributes.health".
func (k *checker) attributes(list []Attribute) {
	c := k.catalog
	c.attributes = slices.Clone(list)
	if len(list) == 0 {
		return
	}
	attrs := make([]stat.Attribute, len(list))
	for i := range list {
		attrs[i] = list[i].Attribute
	}
	schema, err := stat.NewSchema(attrs...)
	if wrong := (stat.SchemaErrors)(nil); errors.As(err, &wrong) {
		for _, e := range wrong {
			k.errs = append(k.errs, &SpecError{Field: attributeField(list, e), Text: e.Text})
		}
	}
	c.schema = schema
}

func attributeField(list []Attribute, e *stat.SchemaError) string {
	field := "attributes"
	if e.Index < len(list) {
		field = "attributes." + list[e.Index].Name
		if list[e.Index].Name == "" {
			field = fmt.Sprintf("attributes[%d]", e.Index)
		}
	}
	if e.Field != "" {
		field += "." + e.Field
	}
	return field
}
