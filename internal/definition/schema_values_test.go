package definition

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/google/jsonschema-go/jsonschema"
)

// Types for values that have no Go type. removeFormat is a map with the actions of each reason.
type (
	one           int
	count         int
	stacks        int
	slots         int
	aboveZero     float64
	share         float64
	weight        int
	alternative   struct{}
	above         float64
	name          string
	tag           string
	span          string
	linger        string
	formulaText   string
	statLimit     string
	aggregate     string
	curve         string
	magnitude     string
	pool          string
	period        string
	haste         string
	slotOrName    string
	idOrApply     string
	reactions     string
	idOrRemove    string
	idOrUse       string
	idOrQuery     string
	wordOrBearers string
	variable      string
	seconds       string
	fromSource    string
	grade         string
	drOrName      string
	channel       int
	oldest        string
	side          string
	deathFate     string
	sourceFate    string
	faultFate     string
	duration      string
	limit         string
	expire        string
	consume       string
	catchup       string
	offline       string
	yes           bool
	removeFormat  struct{}
)

const spanPattern = `^\+?(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`

// formatTypes returns the schemas of the values.
func formatTypes() map[reflect.Type]*jsonschema.Schema {
	types := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[one]():         within(1, 1),
		reflect.TypeFor[count]():       within(1, 0),
		reflect.TypeFor[stacks]():      within(1, define.MaxStacks),
		reflect.TypeFor[slots]():       within(1, buff.MaxPerOwner),
		reflect.TypeFor[aboveZero]():   {Type: "number", ExclusiveMinimum: new(float64), Maximum: jsonschema.Ptr(1.0)},
		reflect.TypeFor[share]():       {Type: "number", Minimum: new(float64), Maximum: jsonschema.Ptr(1.0)},
		reflect.TypeFor[weight]():      within(1, define.MaxWeight),
		reflect.TypeFor[alternative](): {Ref: "#/definitions/action"},
		reflect.TypeFor[above]():       {Type: "number", ExclusiveMinimum: new(float64)},
		reflect.TypeFor[name]():        {Type: "string", MinLength: jsonschema.Ptr(1)},
		reflect.TypeFor[tag]():         {Type: "string", Pattern: `^[^.\s]+(\.[^.\s]+){0,15}$`},
		reflect.TypeFor[span]():        {Type: "string", Pattern: spanPattern},
		reflect.TypeFor[yes]():         {Type: "boolean", Enum: []any{true}},
		reflect.TypeFor[formulaText](): {Type: "string", MinLength: jsonschema.Ptr(1), MaxLength: jsonschema.Ptr(maxFormula)},
		reflect.TypeFor[channel]():     within(0, stat.MaxChannel),
		reflect.TypeFor[magnitude]():   {Ref: "#/definitions/number"},
		reflect.TypeFor[pool]():        anyOf(within(1, 0), oneOf("unlimited"), &jsonschema.Schema{Ref: "#/definitions/number"}),
		reflect.TypeFor[seconds]():     anyOf(&jsonschema.Schema{Type: "string", Pattern: strings.Replace(spanPattern, `^\+?`, `^[+-]?`, 1)}, &jsonschema.Schema{Ref: "#/definitions/number"}),
		reflect.TypeFor[grade]():       oneOf("basic", "strong", "death"),
		reflect.TypeFor[fromSource]():  oneOf("source"),
		reflect.TypeFor[statLimit]():   anyOf(&jsonschema.Schema{Type: "number"}, &jsonschema.Schema{Type: "string", MinLength: jsonschema.Ptr(1)}),
		reflect.TypeFor[aggregate]():   anyOf(oneOf("sum", "max", "min"), upTo("strongest", 1, "so many of the strongest")),
		reflect.TypeFor[curve]():       curveSchema(),
		reflect.TypeFor[oldest]():      oneOf(define.EvictOldest.String()),
		reflect.TypeFor[side]():        oneOf(define.Positive.String(), define.Negative.String()),

		reflect.TypeFor[deathFate]():  oneOf("remove", "keep", "pause"),
		reflect.TypeFor[sourceFate](): oneOf("keep", "remove", "adopt"),
		reflect.TypeFor[faultFate]():  oneOf("keep", "remove"),

		reflect.TypeFor[linger]():   anyOf(&jsonschema.Schema{Type: "string", Pattern: strings.Replace(spanPattern, "+$", "+$|^0$", 1)}, within(0, 0.5)),
		reflect.TypeFor[duration](): anyOf(oneOf("instant", "infinite"), &jsonschema.Schema{Type: "string", Pattern: spanPattern}, byCurve()),
		reflect.TypeFor[limit]():    anyOf(within(1, define.MaxStacks), oneOf("unlimited")),
		reflect.TypeFor[expire]():   anyOf(oneOf("all", "one", "half"), within(1, define.MaxStacks)),
		reflect.TypeFor[consume]():  anyOf(oneOf("all"), within(1, define.MaxStacks), &jsonschema.Schema{Type: "boolean", Enum: []any{true}}),
		reflect.TypeFor[catchup]():  anyOf(words[define.Catchup](), upTo("coalesce", 2, "the most pulses that it counts for")),
		reflect.TypeFor[offline]():  anyOf(words[define.Offline](), upTo("all", 1, "the most pulses")),

		reflect.TypeFor[removeFormat](): removeSchema(),
		reflect.TypeFor[actionFormat](): {Ref: "#/definitions/action"},

		reflect.TypeFor[define.AtMin]():         words[define.AtMin](),
		reflect.TypeFor[define.Whose]():         words[define.Whose](),
		reflect.TypeFor[define.Snapshot]():      words[define.Snapshot](),
		reflect.TypeFor[define.ReloadRule]():    words[define.ReloadRule](),
		reflect.TypeFor[define.Sync]():          words[define.Sync](),
		reflect.TypeFor[stat.Op]():              words[stat.Op](),
		reflect.TypeFor[define.Polarity]():      words[define.Polarity](),
		reflect.TypeFor[define.Clock]():         words[define.Clock](),
		reflect.TypeFor[define.First]():         words[define.First](),
		reflect.TypeFor[define.Tail]():          words[define.Tail](),
		reflect.TypeFor[define.Align]():         words[define.Align](),
		reflect.TypeFor[define.Haste]():         words[define.Haste](),
		reflect.TypeFor[define.By]():            words[define.By](),
		reflect.TypeFor[define.Timers]():        words[define.Timers](),
		reflect.TypeFor[define.Refresh]():       words[define.Refresh](),
		reflect.TypeFor[define.Phase]():         words[define.Phase](),
		reflect.TypeFor[define.Overflow]():      words[define.Overflow](),
		reflect.TypeFor[define.LevelRule]():     words[define.LevelRule](),
		reflect.TypeFor[define.GroupRule]():     words[define.GroupRule](),
		reflect.TypeFor[define.Evict]():         words[define.Evict](),
		reflect.TypeFor[define.Inhibition]():    words[define.Inhibition](),
		reflect.TypeFor[define.ImmuneRule]():    words[define.ImmuneRule](),
		reflect.TypeFor[define.DeadRule]():      oneOf("allow", "deny"),
		reflect.TypeFor[define.Scope]():         words[define.Scope](),
		reflect.TypeFor[define.Grade]():         words[define.Grade](),
		reflect.TypeFor[define.Per]():           words[define.Per](),
		reflect.TypeFor[define.ChargeRule]():    words[define.ChargeRule](),
		reflect.TypeFor[define.ShieldRule]():    words[define.ShieldRule](),
		reflect.TypeFor[define.SaveMode]():      words[define.SaveMode](),
		reflect.TypeFor[define.OfflineExpire](): words[define.OfflineExpire](),
		reflect.TypeFor[reason.Reason]():        oneOf(reasons()...),
	}
	types[reflect.TypeFor[wordOrBearers]()] = anyOf(oneOf("owner", "source", "target"), mapOf[bearersFormat](types))
	types[reflect.TypeFor[idOrQuery]()] = nameOr[queryFormat](types)
	types[reflect.TypeFor[slotOrName]()] = nameOr[slotFormat](types)
	types[reflect.TypeFor[reactions]()] = listOr[reactionFormat](types)
	types[reflect.TypeFor[idOrApply]()] = nameOr[applyWithFormat](types)
	types[reflect.TypeFor[idOrRemove]()] = nameOr[removeActionFormat](types)
	types[reflect.TypeFor[idOrUse]()] = nameOr[useFormat](types)
	types[reflect.TypeFor[drOrName]()] = nameOr[drFormat](types)
	types[reflect.TypeFor[period]()] = spanOrNumber(types)
	types[reflect.TypeFor[haste]()] = wordOrHaste(types)
	types[reflect.TypeFor[variable]()] = anyOf(&jsonschema.Schema{Type: "number"}, mapOf[varFormat](types))
	return types
}

// words returns all words of a rule.
func words[E interface {
	~uint8
	fmt.Stringer
}]() *jsonschema.Schema {
	var list []string
	for e := E(0); !strings.Contains(e.String(), "("); e++ {
		list = append(list, e.String())
	}
	return oneOf(list...)
}

// reasons returns the words of the reasons that end a buff.
func reasons() (list []string) {
	for r := reason.None + 1; r.Removes(); r++ {
		list = append(list, r.String())
	}
	return list
}

func oneOf(words ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
	return s
}

// within is a whole number in a range. With a most of 0 there is no upper bound.
func within(least, most float64) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "integer", Minimum: &least}
	if most > 0 {
		s.Maximum = &most
	}
	return s
}

func anyOf(list ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{AnyOf: list} }

// upTo is a map of one field that is a number.
func upTo(field string, least float64, text string) *jsonschema.Schema {
	n := within(least, 100_000)
	n.Description = text
	return &jsonschema.Schema{
		Type: "object", Required: []string{field}, Properties: map[string]*jsonschema.Schema{field: n},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}

// removeSchema is a map with a list of actions for each reason.
func removeSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	add := func(name, text string) {
		s.Properties[name] = &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#/definitions/action"}, Description: text}
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
	for _, r := range reasons() {
		add(r, "what is done if it ended for the reason "+r)
	}
	add("any", "what is done whatever the reason, after its own list")
	return s
}

// listOr is a list of actions, or the map that the struct T describes.
func listOr[T any](types map[reflect.Type]*jsonschema.Schema) *jsonschema.Schema {
	s := nameOr[T](types)
	s.AnyOf[0] = &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#/definitions/action"}}
	return s
}

// nameOr is a name, or the map that the struct T describes.
func nameOr[T any](types map[reflect.Type]*jsonschema.Schema) *jsonschema.Schema {
	return anyOf(&jsonschema.Schema{Type: "string", MinLength: jsonschema.Ptr(1)}, mapOf[T](types))
}

// mapOf is the map that the struct T describes.
func mapOf[T any](types map[reflect.Type]*jsonschema.Schema) *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		panic(err)
	}
	return s
}

// spanOrNumber is a span, or the map of a number.
func spanOrNumber(types map[reflect.Type]*jsonschema.Schema) *jsonschema.Schema {
	s := nameOr[periodFormat](types)
	s.AnyOf[0] = &jsonschema.Schema{Type: "string", Pattern: spanPattern}
	return s
}

// wordOrHaste is a word, or the map of a rate.
func wordOrHaste(types map[reflect.Type]*jsonschema.Schema) *jsonschema.Schema {
	s := nameOr[hasteFormat](types)
	s.AnyOf[0] = words[define.Haste]()
	return s
}

// byCurve is a span by level.
func byCurve() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Required: []string{"curve"},
		Properties: map[string]*jsonschema.Schema{
			"curve": {Type: "string", MinLength: jsonschema.Ptr(1), Description: "seconds, by the level of the application"},
		},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}

// curveSchema is a map from levels to numbers, or a list.
func curveSchema() *jsonschema.Schema {
	number := &jsonschema.Schema{Type: "number"}
	return anyOf(
		&jsonschema.Schema{Type: "object", MinProperties: jsonschema.Ptr(1), PropertyNames: &jsonschema.Schema{Pattern: `^(0|[1-9][0-9]{0,4})$`}, AdditionalProperties: number},
		&jsonschema.Schema{Type: "array", MinItems: jsonschema.Ptr(1), Items: number},
	)
}
