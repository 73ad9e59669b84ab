package definition

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
)

// The structs describe the format of a file for the schema: only their fields, types and tags
// matter. The description of a field is its line in the documentation of the package or, without
// such a line, its tag.

type fileFormat struct {
	Schema     string                     `json:"$schema,omitempty" jsonschema:"this schema, for editors"`
	Version    one                        `json:"version,omitempty" jsonschema:"the version of the format; only 1 is known"`
	Attributes map[string]attributeFormat `json:"attributes,omitempty" jsonschema:"the numbers that every owner has, by their names; they stand in one file of a catalog"`
	Curves     map[string]curve           `json:"curves,omitempty" jsonschema:"numbers by level: a map from levels, or a list from level 1 on; between two levels a straight line"`
	Tags       []tag                      `json:"tags,omitempty" jsonschema:"the tags that there are, with those above them; if no file has such a list, any will do"`
	Groups     []name                     `json:"groups,omitempty" jsonschema:"the names of groups that there are"`
	Handlers   []name                     `json:"handlers,omitempty" jsonschema:"the Go handlers that there are"`
	Acts       []name                     `json:"acts,omitempty" jsonschema:"the acts of owners that there are"`
	Icons      []name                     `json:"icons,omitempty" jsonschema:"the icons that there are"`
	Slots      map[string]slotsFormat     `json:"slots,omitempty" jsonschema:"classes of slots, which definitions name by slot: CLASS"`
	DR         map[string]returnsFormat   `json:"dr,omitempty" jsonschema:"groups of diminishing returns, which definitions name by dr: GROUP"`
	Dead       define.DeadRule            `json:"dead,omitempty" jsonschema:"the word dead of all definitions that do not say one; files may not disagree"`
	Templates  map[string]any             `json:"templates,omitempty" jsonschema:"fields for definitions that extend them, by their IDs; they are not buffs themselves"`
	Buffs      map[string]specFormat      `json:"buffs,omitempty" jsonschema:"the definitions by their IDs; an ID stands once in all files of a catalog"`
}

type attributeFormat struct {
	Base      float64      `json:"base,omitempty" jsonschema:"what a new owner has; 0 if left out"`
	Min       statLimit    `json:"min,omitempty" jsonschema:"the least: a number, or the name of an attribute"`
	Max       statLimit    `json:"max,omitempty" jsonschema:"the most: a number, or the name of an attribute"`
	Aggregate aggregate    `json:"aggregate,omitempty" jsonschema:"which modifiers count where several are added: all, the greatest, the least, or the strongest N"`
	AtMin     define.AtMin `json:"at_min,omitempty" jsonschema:"kill: the owner dies when a change brings it down to min"`

	DamageTaken tag `json:"damage_taken,omitempty" jsonschema:"a school: damage of it that the owner takes is multiplied by the attribute, before shields"`
}

type slotsFormat struct {
	Limit slots        `json:"limit" jsonschema:"how many slots an owner has"`
	Evict define.Evict `json:"evict,omitempty" jsonschema:"what goes when one more comes"`
}

type returnsFormat struct {
	Steps []share      `json:"steps" jsonschema:"share of the duration for the first, the second and so on; after the last, the last"`
	Reset span         `json:"reset" jsonschema:"so long after its last end the group begins anew"`
	Scope define.Scope `json:"scope,omitempty" jsonschema:"counted for the owner, or for owner and source"`
}

// numberFormat is a map that gives the source of a number.
type numberFormat struct {
	Const    float64         `json:"const,omitempty" jsonschema:"always this number; stands alone"`
	Curve    name            `json:"curve,omitempty" jsonschema:"the value of this curve at the level of the application; stands alone"`
	Attr     name            `json:"attr,omitempty" jsonschema:"this attribute: (attribute + pre) * coef + post"`
	Of       define.Whose    `json:"of,omitempty" jsonschema:"whose attribute; the owner's is the default"`
	Pre      float64         `json:"pre,omitempty" jsonschema:"added to the attribute before coef"`
	Coef     float64         `json:"coef,omitempty" jsonschema:"by what the attribute is multiplied; 1 is the default, 0 is refused"`
	Post     float64         `json:"post,omitempty" jsonschema:"added to the attribute after coef"`
	Caller   name            `json:"caller,omitempty" jsonschema:"what the application gives under this name"`
	Formula  formulaText     `json:"formula,omitempty" jsonschema:"evaluated from level, stacks, magnitude, in actions also amount, left, age, absorbed and var.NAME, owner.ATTRIBUTE, source.ATTRIBUTE, caller.NAME and curve.NAME, by + - * / %, comparisons, and, or, not, a ? b : c, min, max, floor, ceil, abs and round"`
	Default  float64         `json:"default,omitempty" jsonschema:"the number if the source or the application's number is not there; without it such an application is refused"`
	Snapshot define.Snapshot `json:"snapshot,omitempty" jsonschema:"when it is asked for: at the cast, when the application comes to the owner, or at each pulse"`
}

// periodFormat is a number without a constant and without snapshot.
type periodFormat struct {
	Attr    name         `json:"attr,omitempty" jsonschema:"this attribute: (attribute + pre) * coef + post, in seconds"`
	Of      define.Whose `json:"of,omitempty" jsonschema:"whose attribute; the owner's is the default"`
	Pre     float64      `json:"pre,omitempty" jsonschema:"added to the attribute before coef"`
	Coef    float64      `json:"coef,omitempty" jsonschema:"by what the attribute is multiplied; 1 is the default, 0 is refused"`
	Post    float64      `json:"post,omitempty" jsonschema:"added to the attribute after coef"`
	Caller  name         `json:"caller,omitempty" jsonschema:"what the application gives under this name, in seconds"`
	Curve   name         `json:"curve,omitempty" jsonschema:"seconds, by the level of the application"`
	Formula formulaText  `json:"formula,omitempty" jsonschema:"evaluated as in any other number, in seconds"`
	Default float64      `json:"default,omitempty" jsonschema:"the number if the source or the application's number is not there; without it such an application is refused"`
}

// hasteFormat is a number with a mode.
type hasteFormat struct {
	Mode    define.Haste `json:"mode,omitempty" jsonschema:"when a running buff reads the number again"`
	Attr    name         `json:"attr,omitempty" jsonschema:"this attribute: (attribute + pre) * coef + post"`
	Of      define.Whose `json:"of,omitempty" jsonschema:"whose attribute; the owner's is the default"`
	Pre     float64      `json:"pre,omitempty" jsonschema:"added to the attribute before coef"`
	Coef    float64      `json:"coef,omitempty" jsonschema:"by what the attribute is multiplied; 1 is the default, 0 is refused"`
	Post    float64      `json:"post,omitempty" jsonschema:"added to the attribute after coef"`
	Caller  name         `json:"caller,omitempty" jsonschema:"what the application gives under this name"`
	Curve   name         `json:"curve,omitempty" jsonschema:"the value of this curve at the level of the application"`
	Formula formulaText  `json:"formula,omitempty" jsonschema:"evaluated as in any other number"`
	Default float64      `json:"default,omitempty" jsonschema:"the number if the source or the application's number is not there; without it such an application is refused"`
}

type modifierFormat struct {
	Attr     name      `json:"attr" jsonschema:"the attribute that is changed while the buff has its effect"`
	Op       stat.Op   `json:"op,omitempty" jsonschema:"what is done with it; 0.3 means +30 % for mul_add and mul_compound"`
	Channel  channel   `json:"channel,omitempty" jsonschema:"from 0 to 9; a channel works on the result of the one before"`
	Value    magnitude `json:"value" jsonschema:"the number"`
	PerStack bool      `json:"per_stack,omitempty" jsonschema:"the number counts once for each stack"`
}

type changeFormat struct {
	Attr     name      `json:"attr" jsonschema:"the attribute of which the base is changed for good"`
	By       magnitude `json:"by" jsonschema:"what is added to it"`
	PerStack bool      `json:"per_stack,omitempty" jsonschema:"once for each stack"`
}

type damageFormat struct {
	Attr     name      `json:"attr" jsonschema:"the attribute that is damaged"`
	By       magnitude `json:"by" jsonschema:"how much, in whole points, half up; shields take theirs first"`
	PerStack bool      `json:"per_stack,omitempty" jsonschema:"once for each stack"`
	School   tag       `json:"school,omitempty" jsonschema:"the tag of the damage, for shields"`
}

type clientFormat struct {
	Icon     name        `json:"icon,omitempty"`
	Show     bool        `json:"show,omitempty"`
	Priority int         `json:"priority,omitempty"`
	Sync     define.Sync `json:"sync,omitempty"`
}

type specFormat struct {
	Name          string               `json:"name,omitempty"`
	Extends       name                 `json:"extends,omitempty"`
	Note          string               `json:"note,omitempty"`
	Tags          []tag                `json:"tags,omitempty"`
	Grants        []tag                `json:"grants,omitempty"`
	Polarity      define.Polarity      `json:"polarity,omitempty"`
	Duration      duration             `json:"duration"`
	MinDuration   span                 `json:"min_duration,omitempty"`
	MaxDuration   span                 `json:"max_duration,omitempty"`
	DurationScale magnitude            `json:"duration_scale,omitempty"`
	Clock         define.Clock         `json:"clock,omitempty"`
	Period        period               `json:"period,omitempty"`
	First         define.First         `json:"first,omitempty"`
	Tail          define.Tail          `json:"tail,omitempty"`
	Align         define.Align         `json:"align,omitempty"`
	Haste         haste                `json:"haste,omitempty"`
	HasteDuration bool                 `json:"haste_duration,omitempty"`
	Catchup       catchup              `json:"catchup,omitempty"`
	Stack         stackFormat          `json:"stack,omitempty"`
	Group         groupFormat          `json:"group,omitempty"`
	Slot          slotOrName           `json:"slot,omitempty"`
	PerSource     perSourceFormat      `json:"per_source,omitempty"`
	Require       requireFormat        `json:"require,omitempty"`
	Inhibition    define.Inhibition    `json:"inhibition,omitempty"`
	Dead          define.DeadRule      `json:"dead,omitempty"`
	Immune        define.ImmuneRule    `json:"immune,omitempty"`
	Immunity      immunityFormat       `json:"immunity,omitempty"`
	Chance        share                `json:"chance,omitempty"`
	DR            drOrName             `json:"dr,omitempty"`
	Dispel        dispelFormat         `json:"dispel,omitempty"`
	Interrupt     []name               `json:"interrupt,omitempty"`
	Charges       chargesFormat        `json:"charges,omitempty"`
	Shield        shieldFormat         `json:"shield,omitempty"`
	Aura          auraFormat           `json:"aura,omitempty"`
	Modifiers     []modifierFormat     `json:"modifiers,omitempty"`
	Links         []name               `json:"links,omitempty"`
	Params        map[string]magnitude `json:"params,omitempty"`
	Vars          map[string]variable  `json:"vars,omitempty"`
	OnDeath       deathFate            `json:"on_death,omitempty"`
	OnSourceGone  sourceFate           `json:"on_source_gone,omitempty"`
	OnArea        faultFate            `json:"on_area,omitempty"`
	OnFault       faultFate            `json:"on_fault,omitempty"`
	Save          saveFormat           `json:"save,omitempty"`
	Reload        define.ReloadRule    `json:"reload,omitempty"`
	Client        clientFormat         `json:"client,omitempty"`
	Data          map[string]any       `json:"data,omitempty"`
	On            onFormat             `json:"on,omitempty"`
}

type stackFormat struct {
	By           define.By         `json:"by,omitempty"`
	Limit        limit             `json:"limit,omitempty"`
	Initial      stacks            `json:"initial,omitempty"`
	Timers       define.Timers     `json:"timers,omitempty"`
	Effective    stacks            `json:"effective,omitempty"`
	Refresh      define.Refresh    `json:"refresh,omitempty"`
	RefreshShare aboveZero         `json:"refresh_share,omitempty"`
	RefreshCap   span              `json:"refresh_cap,omitempty"`
	Phase        define.Phase      `json:"phase,omitempty"`
	Overflow     define.Overflow   `json:"overflow,omitempty"`
	Expire       expire            `json:"expire,omitempty"`
	Decay        span              `json:"decay,omitempty"`
	Level        define.LevelRule  `json:"level,omitempty"`
	Thresholds   []thresholdFormat `json:"thresholds,omitempty"`
}

type thresholdFormat struct {
	At      stacks  `json:"at" jsonschema:"how many stacks set it off, coming from below"`
	Apply   name    `json:"apply,omitempty" jsonschema:"the ID of what is applied then"`
	Consume consume `json:"consume,omitempty" jsonschema:"how many stacks are used up then"`
}

type groupFormat struct {
	Name     name             `json:"name"`
	Priority int              `json:"priority,omitempty"`
	Rule     define.GroupRule `json:"rule,omitempty"`
}

type slotFormat struct {
	Class name         `json:"class"`
	Limit slots        `json:"limit"`
	Evict define.Evict `json:"evict,omitempty"`
}

type perSourceFormat struct {
	Limit count  `json:"limit" jsonschema:"how many one source may have on all owners"`
	Evict oldest `json:"evict,omitempty" jsonschema:"which one gives way"`
}

type requireFormat struct {
	Apply   applyFormat   `json:"apply,omitempty"`
	Ongoing tagTestFormat `json:"ongoing,omitempty"`
	Remove  tagTestFormat `json:"remove,omitempty"`
}

type applyFormat struct {
	tagTestFormat
	From fromSource `json:"from,omitempty" jsonschema:"source: only tags granted by buffs of the source of the application"`
	If   string     `json:"if,omitempty" jsonschema:"a formula; zero denies the application"`
	Why  string     `json:"why,omitempty" jsonschema:"the reason of that denial: requirement (default) or cost"`
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
	Group name         `json:"group"`
	Steps []share      `json:"steps"`
	Reset span         `json:"reset"`
	Scope define.Scope `json:"scope,omitempty"`
}

type dispelFormat struct {
	Type      name         `json:"type,omitempty"`
	Grade     define.Grade `json:"grade,omitempty"`
	Per       define.Per   `json:"per,omitempty"`
	Resist    share        `json:"resist,omitempty"`
	Stealable bool         `json:"stealable,omitempty"`
}

type chargesFormat struct {
	N         stacks            `json:"n"`
	ConsumeOn []name            `json:"consume_on,omitempty"`
	OnRefresh define.ChargeRule `json:"on_refresh,omitempty"`
	Recharge  span              `json:"recharge,omitempty"`
}

type shieldFormat struct {
	Pool     pool   `json:"pool,omitempty"`
	Priority int    `json:"priority,omitempty"`
	Schools  []tag  `json:"schools,omitempty"`
	Attrs    []name `json:"attrs,omitempty"`

	Share     aboveZero         `json:"share,omitempty"`
	Cap       count             `json:"cap,omitempty"`
	Floor     count             `json:"floor,omitempty"`
	OnRefresh define.ShieldRule `json:"on_refresh,omitempty"`
}

type auraFormat struct {
	Apply    name   `json:"apply"`
	Radius   above  `json:"radius"`
	Interval span   `json:"interval"`
	Linger   linger `json:"linger,omitempty"`
}

type saveFormat struct {
	Mode          define.SaveMode      `json:"mode,omitempty"`
	IfRemaining   span                 `json:"if_remaining,omitempty"`
	OfflinePulses offline              `json:"offline_pulses,omitempty"`
	OfflineExpire define.OfflineExpire `json:"offline_expire,omitempty"`
	Compensate    name                 `json:"compensate,omitempty"`
}

type onFormat struct {
	Apply    []actionFormat       `json:"apply,omitempty"`
	Refresh  []actionFormat       `json:"refresh,omitempty"`
	Pulse    []actionFormat       `json:"pulse,omitempty"`
	Exec     []actionFormat       `json:"exec,omitempty"`
	Death    []actionFormat       `json:"death,omitempty"`
	Absorb   []actionFormat       `json:"absorb,omitempty"`
	Overflow []actionFormat       `json:"overflow,omitempty"`
	Act      map[string]reactions `json:"act,omitempty"`
	Remove   removeFormat         `json:"remove,omitempty"`
	When     whenFormat           `json:"when,omitempty"`
}

type whenFormat struct {
	If string         `json:"if" jsonschema:"a formula of the owner's attributes, such as owner.health < 300"`
	Do []actionFormat `json:"do" jsonschema:"the actions"`
}

type reactionFormat struct {
	By fromSource     `json:"by" jsonschema:"source: only if the other owner of the act is the buff's source"`
	Do []actionFormat `json:"do" jsonschema:"the actions"`
}

type applyWithFormat struct {
	ID        name      `json:"id" jsonschema:"the definition"`
	Magnitude magnitude `json:"magnitude,omitempty" jsonschema:"its magnitude; by default that of the event"`
	Duration  seconds   `json:"duration,omitempty" jsonschema:"its duration in seconds; by default that of the definition"`
	Stacks    magnitude `json:"stacks,omitempty" jsonschema:"its stacks; by default those of the definition"`
	Level     magnitude `json:"level,omitempty" jsonschema:"its level; by default that of the event"`
}

// queryFormat selects buffs of one owner.
type queryFormat struct {
	Type     name            `json:"type,omitempty" jsonschema:"buffs with this dispel type"`
	Tag      tag             `json:"tag,omitempty" jsonschema:"buffs with this tag, or one below it, in tags or grants"`
	Polarity define.Polarity `json:"polarity,omitempty" jsonschema:"buffs with this polarity"`
	Most     stacks          `json:"most,omitempty" jsonschema:"maximum number of buffs; unlimited by default"`
	Newest   bool            `json:"newest,omitempty" jsonschema:"the newest buffs first, instead of the oldest"`
}

// fromFormat is the field of the actions that can be restricted to one source.
type fromFormat struct {
	From fromSource `json:"from,omitempty" jsonschema:"source: only buffs by the source of the action"`
}

type dispelActionFormat struct {
	queryFormat
	Buff   name   `json:"buff,omitempty" jsonschema:"buffs of this definition"`
	Grade  grade  `json:"grade,omitempty" jsonschema:"the highest grade that is removed"`
	Stacks stacks `json:"stacks,omitempty" jsonschema:"stacks of each portion; by default what the definition's dispel.per says"`
	fromFormat
}

type removeActionFormat struct {
	Buff   idOrQuery `json:"buff" jsonschema:"the definition, or a query"`
	Stacks stacks    `json:"stacks,omitempty" jsonschema:"number of stacks; all by default"`
	fromFormat
}

type extendFormat struct {
	Buff   idOrQuery `json:"buff" jsonschema:"the definition, or a query"`
	By     seconds   `json:"by" jsonschema:"seconds, or a span; may be negative"`
	AtMost span      `json:"at_most,omitempty" jsonschema:"limit of the remaining time"`
	fromFormat
}

type useFormat struct {
	Buff    name   `json:"buff" jsonschema:"the definition"`
	Charges stacks `json:"charges,omitempty" jsonschema:"number of charges; one by default"`
	fromFormat
}

type rateFormat struct {
	Buff  name      `json:"buff" jsonschema:"the definition"`
	Value magnitude `json:"value" jsonschema:"the rate of the buff's time, from 0.01 to 10"`
	fromFormat
}

type varFormat struct {
	Base  magnitude      `json:"base,omitempty" jsonschema:"value of a new buff; 0 by default"`
	Min   float64        `json:"min,omitempty" jsonschema:"lower limit"`
	Max   float64        `json:"max,omitempty" jsonschema:"upper limit"`
	AtMin []actionFormat `json:"at_min,omitempty" jsonschema:"actions when a change brings the variable to min"`
	AtMax []actionFormat `json:"at_max,omitempty" jsonschema:"actions when a change brings the variable to max"`
}

type setFormat struct {
	Var   name      `json:"var" jsonschema:"a variable of this buff"`
	Value magnitude `json:"value" jsonschema:"its new value"`
}

type addFormat struct {
	Var name      `json:"var" jsonschema:"a variable of this buff"`
	By  magnitude `json:"by" jsonschema:"the number to add"`
}

type bearersFormat struct {
	Bearers name `json:"bearers" jsonschema:"the definition of the buff"`
}

type actionFormat struct {
	Call    name               `json:"call,omitempty" jsonschema:"the Go handler of this name"`
	Apply   idOrApply          `json:"apply,omitempty" jsonschema:"the definition with this ID is applied to the owner"`
	Remove  idOrRemove         `json:"remove,omitempty" jsonschema:"the oldest buff of the definition with this ID is removed, or buffs that a query selects"`
	Extend  extendFormat       `json:"extend,omitempty" jsonschema:"moves the ends of buffs"`
	Use     idOrUse            `json:"use,omitempty" jsonschema:"uses charges of the buff of the definition with this ID"`
	Rate    rateFormat         `json:"rate,omitempty" jsonschema:"sets the rate of a buff's time"`
	Dispel  dispelActionFormat `json:"dispel,omitempty" jsonschema:"dispels buffs"`
	OneOf   []alternative      `json:"one_of,omitempty" jsonschema:"one of these actions runs, chosen by their weights"`
	Nothing yes                `json:"nothing,omitempty" jsonschema:"an alternative of one_of that does nothing"`
	Weight  weight             `json:"weight,omitempty" jsonschema:"how often this alternative of one_of is chosen, compared with the others; 1 is the default"`
	Revive  yes                `json:"revive,omitempty" jsonschema:"the owner is revived"`
	Kill    yes                `json:"kill,omitempty" jsonschema:"the owner dies"`
	Change  changeFormat       `json:"change,omitempty" jsonschema:"a number is added to an attribute for good: healing is a change above zero"`
	Damage  damageFormat       `json:"damage,omitempty" jsonschema:"an attribute loses so much, after the shields"`
	To      wordOrBearers      `json:"to,omitempty" jsonschema:"whom it is for; target is, in on.act, who else was in what happened; bearers are all owners with a buff of that definition from the same source"`
	Reason  reason.Reason      `json:"reason,omitempty" jsonschema:"why it is removed; cancelled is the default"`
	If      string             `json:"if,omitempty" jsonschema:"a formula that is true or false; if it is false when the action runs, the action is skipped"`
	IfTags  tagTestFormat      `json:"if_tags,omitempty" jsonschema:"tags; if this fails when the action runs, the action is skipped"`
	Set     setFormat          `json:"set,omitempty" jsonschema:"sets a variable of this buff"`
	Add     addFormat          `json:"add,omitempty" jsonschema:"adds to a variable of this buff"`
}
