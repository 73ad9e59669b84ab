package catalog

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/bufftick/bufftick/buff"
)

// The structs are the format of a file, for the schema: only their fields, types and
// tags count. A field has its description from its line in the documentation of the
// package, or, if it has none there, from its tag.

type fileFormat struct {
	Version one                   `json:"version,omitempty" jsonschema:"the version of the format; only 1 is known"`
	Buffs   map[string]specFormat `json:"buffs" jsonschema:"the definitions by their IDs; an ID stands once in all files of a catalog"`
}

type specFormat struct {
	Name          string                 `json:"name,omitempty"`
	Note          string                 `json:"note,omitempty"`
	Tags          []tag                  `json:"tags,omitempty"`
	Grants        []tag                  `json:"grants,omitempty"`
	Polarity      buff.Polarity          `json:"polarity,omitempty"`
	Duration      duration               `json:"duration"`
	MinDuration   span                   `json:"min_duration,omitempty"`
	MaxDuration   span                   `json:"max_duration,omitempty"`
	Clock         buff.Clock             `json:"clock,omitempty"`
	Period        span                   `json:"period,omitempty"`
	First         buff.First             `json:"first,omitempty"`
	Tail          buff.Tail              `json:"tail,omitempty"`
	Align         buff.Align             `json:"align,omitempty"`
	Haste         buff.Haste             `json:"haste,omitempty"`
	HasteDuration bool                   `json:"haste_duration,omitempty"`
	Catchup       catchup                `json:"catchup,omitempty"`
	Stack         stackFormat            `json:"stack,omitempty"`
	Group         groupFormat            `json:"group,omitempty"`
	Slot          slotFormat             `json:"slot,omitempty"`
	PerSource     perSourceFormat        `json:"per_source,omitempty"`
	Require       requireFormat          `json:"require,omitempty"`
	Inhibition    buff.Inhibition        `json:"inhibition,omitempty"`
	Immune        buff.ImmuneRule        `json:"immune,omitempty"`
	Immunity      immunityFormat         `json:"immunity,omitempty"`
	Chance        perMille               `json:"chance,omitempty"`
	DR            drFormat               `json:"dr,omitempty"`
	Dispel        dispelFormat           `json:"dispel,omitempty"`
	Interrupt     []name                 `json:"interrupt,omitempty"`
	Charges       chargesFormat          `json:"charges,omitempty"`
	Shield        shieldFormat           `json:"shield,omitempty"`
	Aura          auraFormat             `json:"aura,omitempty"`
	Params        map[string]paramFormat `json:"params,omitempty"`
	OnDeath       deathFate              `json:"on_death,omitempty"`
	OnSourceGone  sourceFate             `json:"on_source_gone,omitempty"`
	OnFault       faultFate              `json:"on_fault,omitempty"`
	Save          saveFormat             `json:"save,omitempty"`
	On            onFormat               `json:"on,omitempty"`
}

type stackFormat struct {
	By            buff.By           `json:"by,omitempty"`
	Limit         limit             `json:"limit,omitempty"`
	Initial       stacks            `json:"initial,omitempty"`
	Timers        buff.Timers       `json:"timers,omitempty"`
	Effective     stacks            `json:"effective,omitempty"`
	Refresh       buff.Refresh      `json:"refresh,omitempty"`
	RefreshPct    pct               `json:"refresh_pct,omitempty"`
	RefreshCap    span              `json:"refresh_cap,omitempty"`
	Phase         buff.Phase        `json:"phase,omitempty"`
	Overflow      buff.Overflow     `json:"overflow,omitempty"`
	OverflowApply []name            `json:"overflow_apply,omitempty"`
	Expire        expire            `json:"expire,omitempty"`
	Level         buff.LevelRule    `json:"level,omitempty"`
	Thresholds    []thresholdFormat `json:"thresholds,omitempty"`
}

type thresholdFormat struct {
	At      stacks  `json:"at" jsonschema:"how many stacks set it off, coming from below"`
	Apply   name    `json:"apply,omitempty" jsonschema:"the ID of what is applied then"`
	Consume consume `json:"consume,omitempty" jsonschema:"how many stacks are used up then"`
}

type groupFormat struct {
	Name     name           `json:"name"`
	Priority int            `json:"priority,omitempty"`
	Rule     buff.GroupRule `json:"rule,omitempty"`
}

type slotFormat struct {
	Class name       `json:"class"`
	Limit slots      `json:"limit"`
	Evict buff.Evict `json:"evict,omitempty"`
}

type perSourceFormat struct {
	Limit count  `json:"limit" jsonschema:"how many one source may have on all owners"`
	Evict oldest `json:"evict,omitempty" jsonschema:"which one gives way"`
}

type requireFormat struct {
	Apply   tagTestFormat `json:"apply,omitempty"`
	Ongoing tagTestFormat `json:"ongoing,omitempty"`
	Remove  tagTestFormat `json:"remove,omitempty"`
}

type tagTestFormat struct {
	All  []tag `json:"all,omitempty" jsonschema:"its owner has each of these tags"`
	Any  []tag `json:"any,omitempty" jsonschema:"its owner has at least one of these tags"`
	None []tag `json:"none,omitempty" jsonschema:"its owner has none of these tags"`
}

type immunityFormat struct {
	Tags     []tag `json:"tags,omitempty" jsonschema:"buffs with one of these tags, or one below"`
	Type     name  `json:"type,omitempty" jsonschema:"buffs with this dispel type"`
	Polarity side  `json:"polarity,omitempty" jsonschema:"buffs with this polarity"`
}

type drFormat struct {
	Group name       `json:"group"`
	Steps []percent  `json:"steps"`
	Reset span       `json:"reset"`
	Scope buff.Scope `json:"scope,omitempty"`
}

type dispelFormat struct {
	Type      name       `json:"type,omitempty"`
	Grade     buff.Grade `json:"grade,omitempty"`
	Per       buff.Per   `json:"per,omitempty"`
	Resist    perMille   `json:"resist,omitempty"`
	Stealable bool       `json:"stealable,omitempty"`
}

type chargesFormat struct {
	N         stacks          `json:"n"`
	ConsumeOn []name          `json:"consume_on,omitempty"`
	OnRefresh buff.ChargeRule `json:"on_refresh,omitempty"`
}

type shieldFormat struct {
	Pool     count `json:"pool,omitempty"`
	Priority int   `json:"priority,omitempty"`
	Schools  []tag `json:"schools,omitempty"`
}

type auraFormat struct {
	Apply    name   `json:"apply"`
	Radius   above  `json:"radius"`
	Interval span   `json:"interval"`
	Linger   linger `json:"linger,omitempty"`
}

type paramFormat struct {
	Const    float64 `json:"const,omitempty" jsonschema:"always this number; stands alone"`
	Caller   name    `json:"caller,omitempty" jsonschema:"what the application gives under this name"`
	Default  float64 `json:"default,omitempty" jsonschema:"the number if the application gives none; without it such an application is refused"`
	Snapshot cast    `json:"snapshot,omitempty" jsonschema:"when the number is taken"`
}

type saveFormat struct {
	Mode          buff.SaveMode      `json:"mode,omitempty"`
	IfRemaining   span               `json:"if_remaining,omitempty"`
	OfflinePulses offline            `json:"offline_pulses,omitempty"`
	OfflineExpire buff.OfflineExpire `json:"offline_expire,omitempty"`
}

type onFormat struct {
	Apply    []actionFormat `json:"apply,omitempty"`
	Refresh  []actionFormat `json:"refresh,omitempty"`
	Pulse    []actionFormat `json:"pulse,omitempty"`
	Exec     []actionFormat `json:"exec,omitempty"`
	Overflow []actionFormat `json:"overflow,omitempty"`
	Remove   removeFormat   `json:"remove,omitempty"`
}

type actionFormat struct {
	Call   name        `json:"call,omitempty" jsonschema:"the Go handler of this name"`
	Apply  name        `json:"apply,omitempty" jsonschema:"the definition with this ID is applied to the owner"`
	Remove name        `json:"remove,omitempty" jsonschema:"the oldest buff of the definition with this ID is removed"`
	Kill   yes         `json:"kill,omitempty" jsonschema:"the owner dies"`
	Reason buff.Reason `json:"reason,omitempty" jsonschema:"why it is removed; cancelled is the default"`
}

// Values that are no Go type by themselves. removeFormat is a map from each reason.
type (
	one          int
	count        int
	stacks       int
	slots        int
	pct          int
	percent      int
	perMille     int
	above        float64
	name         string
	tag          string
	span         string
	linger       string
	cast         string
	oldest       string
	side         string
	deathFate    string
	sourceFate   string
	faultFate    string
	duration     string
	limit        string
	expire       string
	consume      string
	catchup      string
	offline      string
	yes          bool
	removeFormat struct{}
)

const spanPattern = `^\+?(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`

// formatTypes are the schemas of the values.
func formatTypes() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[one]():      within(1, 1),
		reflect.TypeFor[count]():    within(1, 0),
		reflect.TypeFor[stacks]():   within(1, buff.MaxStacks),
		reflect.TypeFor[slots]():    within(1, buff.MaxPerOwner),
		reflect.TypeFor[pct]():      within(1, 100),
		reflect.TypeFor[percent]():  within(0, 100),
		reflect.TypeFor[perMille](): within(0, 1000),
		reflect.TypeFor[above]():    {Type: "number", ExclusiveMinimum: new(float64)},
		reflect.TypeFor[name]():     {Type: "string", MinLength: jsonschema.Ptr(1)},
		reflect.TypeFor[tag]():      {Type: "string", Pattern: `^[^.\s]+(\.[^.\s]+){0,15}$`},
		reflect.TypeFor[span]():     {Type: "string", Pattern: spanPattern},
		reflect.TypeFor[yes]():      {Type: "boolean", Enum: []any{true}},
		reflect.TypeFor[cast]():     oneOf("cast"),
		reflect.TypeFor[oldest]():   oneOf(buff.EvictOldest.String()),
		reflect.TypeFor[side]():     oneOf(buff.Positive.String(), buff.Negative.String()),

		reflect.TypeFor[deathFate]():  oneOf("remove", "keep", "pause"),
		reflect.TypeFor[sourceFate](): oneOf("keep", "remove", "adopt"),
		reflect.TypeFor[faultFate]():  oneOf("keep", "remove"),

		reflect.TypeFor[linger]():   anyOf(&jsonschema.Schema{Type: "string", Pattern: strings.Replace(spanPattern, "+$", "+$|^0$", 1)}, within(0, 0.5)),
		reflect.TypeFor[duration](): anyOf(oneOf("instant", "infinite"), &jsonschema.Schema{Type: "string", Pattern: spanPattern}),
		reflect.TypeFor[limit]():    anyOf(within(1, buff.MaxStacks), oneOf("unlimited")),
		reflect.TypeFor[expire]():   anyOf(oneOf("all", "one", "half"), within(1, buff.MaxStacks)),
		reflect.TypeFor[consume]():  anyOf(oneOf("all"), within(1, buff.MaxStacks), &jsonschema.Schema{Type: "boolean", Enum: []any{true}}),
		reflect.TypeFor[catchup]():  anyOf(words[buff.Catchup](), upTo("coalesce", 2, "the most pulses that it counts for")),
		reflect.TypeFor[offline]():  anyOf(words[buff.Offline](), upTo("all", 1, "the most pulses")),

		reflect.TypeFor[removeFormat](): removeSchema(),
		reflect.TypeFor[actionFormat](): {Ref: "#/definitions/action"},

		reflect.TypeFor[buff.Polarity]():      words[buff.Polarity](),
		reflect.TypeFor[buff.Clock]():         words[buff.Clock](),
		reflect.TypeFor[buff.First]():         words[buff.First](),
		reflect.TypeFor[buff.Tail]():          words[buff.Tail](),
		reflect.TypeFor[buff.Align]():         words[buff.Align](),
		reflect.TypeFor[buff.Haste]():         words[buff.Haste](),
		reflect.TypeFor[buff.By]():            words[buff.By](),
		reflect.TypeFor[buff.Timers]():        words[buff.Timers](),
		reflect.TypeFor[buff.Refresh]():       words[buff.Refresh](),
		reflect.TypeFor[buff.Phase]():         words[buff.Phase](),
		reflect.TypeFor[buff.Overflow]():      words[buff.Overflow](),
		reflect.TypeFor[buff.LevelRule]():     words[buff.LevelRule](),
		reflect.TypeFor[buff.GroupRule]():     words[buff.GroupRule](),
		reflect.TypeFor[buff.Evict]():         words[buff.Evict](),
		reflect.TypeFor[buff.Inhibition]():    words[buff.Inhibition](),
		reflect.TypeFor[buff.ImmuneRule]():    words[buff.ImmuneRule](),
		reflect.TypeFor[buff.Scope]():         words[buff.Scope](),
		reflect.TypeFor[buff.Grade]():         words[buff.Grade](),
		reflect.TypeFor[buff.Per]():           words[buff.Per](),
		reflect.TypeFor[buff.ChargeRule]():    words[buff.ChargeRule](),
		reflect.TypeFor[buff.SaveMode]():      words[buff.SaveMode](),
		reflect.TypeFor[buff.OfflineExpire](): words[buff.OfflineExpire](),
		reflect.TypeFor[buff.Reason]():        oneOf(reasons()...),
	}
}

// words returns all the words of a rule.
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
	for r := buff.NoReason + 1; r.Removes(); r++ {
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

// within is a whole number; a most of 0 is none.
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

// removeSchema has a list of actions for each reason.
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
