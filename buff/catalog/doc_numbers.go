// # Attributes
//
// Attributes are the numbers that every owner has. They are defined in a single file of a
// catalog. A game numbers them in the order of that file. They cannot change while the game runs;
// a reload can add new ones.
//
//	attributes:
//	  max_health: {base: 1000, min: 1}
//	  health:     {base: 1000, min: 0, max: max_health, at_min: kill}
//	  speed:      {base: 5, min: 0, max: 12, aggregate: {strongest: 1}}
//
//	base       0, a number             the base of a new owner
//	min, max   a number, or the name of another attribute: limits of the value; if a max falls
//	           below the base, the base is cut down to it permanently
//	aggregate  sum                     several modifiers of one op: all count
//	           max | min               only the greatest, or the least
//	           {strongest: N}          only the N that are farthest from 0
//	at_min     nothing | kill          the owner dies if the base falls to min, or if a min that
//	                                   is an attribute rises to the base
//	damage_taken  a school             multiplies the damage of the school that the owner takes
//
// With fire_taken: {base: 1, damage_taken: school.fire} and a value of 0.5, an owner takes half of
// the damage of school.fire and of the schools below it, such as school.fire.magic; with 0 or less
// it takes none. If several attributes match a school, all of them multiply. The value at the
// moment of the damage counts, before rounding and shields.
//
// # Curves
//
// A curve is a number for each level, with straight lines between the given levels. It starts at
// level 1 or 0; above its last level it keeps the last number. A list starts at level 1.
//
//	curves:
//	  venom_dmg: {1: 10, 10: 55, 60: 900}
//	  stun_time: [2, 2.5, 3]
//
// # Numbers
//
// A field of type number is a number, or a map with one of these fields:
//
//	const: 5                that number
//	curve: venom_dmg        the curve at the level of the application
//	attr: power             an attribute: (attribute + pre) * coef + post
//	caller: dmg             the parameter of the application with that name
//	formula: 5 + 2 * level  the value of the formula
//
// and optional fields:
//
//	of        owner | source        with attr: the owner of the attribute
//	pre       0, a number           with attr
//	coef      1, a number           with attr, not 0
//	post      0, a number           with attr
//	default   a number              with attr, caller and formula: if the source does not exist
//	                                or the application lacks the parameter. Without a default
//	                                such an application is denied; it never counts as 0
//	snapshot  cast | apply | pulse  with attr, caller and formula: time of the evaluation
//	          run                   in an action, with attr and formula: when the action runs
//
// For example, 40 % of the power of the source plus 5, or 25 if the source has left:
//
//	{attr: power, of: source, coef: 0.4, post: 5, default: 25}
//
// With "snapshot: cast", attributes of the source are read when the source applies the buff; with
// "snapshot: apply", they are read when the application reaches the owner. In both cases they are
// read again when the buff is applied again. With "snapshot: pulse", an attribute of the owner is
// read again at each pulse; this is not possible for attributes of the source and for formulas.
//
// Fields of type number are params.NAME, the field "value" of modifiers, shield.pool, period, haste,
// duration_scale, the base of variables, the fields of apply, and the fields "by" and "value" of
// actions.
//
// # Formulas
//
//	formula: 5 + 0.4 * level
//	formula: "owner.health < 0.3 * owner.max_health ? 60 : 20"
//	formula: max(10, source.power * curve.venom_coef - owner.armour)
//
// A formula that contains a colon or starts with a bracket or quote must be quoted. Long formulas
// are easier to read as a block after a |.
//
//	level, magnitude          of the application
//	stacks                    the stacks that count where the number is used, as with per_stack
//	amount                    of the act in on.act, of the absorbed damage in on.absorb, and the
//	                          stacks without room in on.overflow
//	left, age                 of the buff, in seconds: until its end, and since its start
//	absorbed                  the damage that the shield of the buff has absorbed
//	var.NAME                  a variable of the buff
//	owner.NAME, source.NAME   an attribute; owner["fire-power"] if it is not a plain name
//	caller.NAME               a parameter of the application
//	curve.NAME                the curve at the level
//	+ - * / %                 5 / 2 is 2.5; % is the remainder
//	< <= > >= == !=           1 < level < 10 is possible
//	and, or, not              between comparisons
//	a ? b : c                 b if a holds, otherwise c
//	min max floor ceil abs round
//	                          min and max take any number of arguments
//	let x = a; b              b, with x defined as a
//
// There are no powers, texts or lists. A formula is checked when it is loaded: it is evaluated with
// all attributes at their bases, at levels 0, 1 and 60, and a division by zero is an error. If it
// divides by zero later, the application is denied. A formula is evaluated when a buff is applied,
// and takes less than a microsecond. A formula that reads "stacks" is evaluated again where the
// number is used, with all other inputs as they were at the application. If the formula then has no
// value, a modifier keeps its present value, and a change does nothing except emit Faulted.
//
// With "timers: each" and "timers: queue", every application has its own numbers. With "timers:
// each", a number with per_stack is the sum over the stacks that count. Any other number is taken
// from the strongest stack or, if several are equally strong, from the youngest of them.
//
// Only actions can read amount, left, age, absorbed and var.NAME. Such a formula is evaluated when
// the action runs, with the stacks, level and magnitude of the event, and reads attributes of the
// source as with "snapshot: apply". If an input is missing and has no default, the action
// does nothing, and an event of kind Faulted is emitted. In such a formula, "magnitude" is still
// the magnitude of the application. A buff that the act applies has the amount as its magnitude:
//
//	on:
//	  act:
//	    damaged:
//	      - change: {attr: rage, by: {formula: 0.1 * amount}}
//	      - {apply: sting, to: target}  # in sting: {formula: 0.3 * magnitude}
//
// # modifiers
//
// A modifier changes an attribute while the buff is present and in effect. When it ends, the
// attribute has exactly its former value.
//
//	modifiers:
//	  - {attr: speed, op: mul_add, value: 0.3}
//	  - {attr: power, value: {curve: might}, per_stack: true}
//
//	attr       an attribute, required
//	op         add           + value
//	           mul_add       + 30 % for 0.3; two of them are + 60 %
//	           mul_compound  + 30 % for 0.3; two of them are + 69 %
//	           final_add     + value, after the multiplications
//	           override      replaces the result with the value; the newest wins
//	channel    0, from 0 to 9: a channel starts with the result of the previous one
//	value      a number, required
//	per_stack  false | true  the value counts once for each stack
//
// # tags, groups, handlers, acts, icons
//
// If any file of a catalog has one of these lists, definitions may only use the names in the
// lists, so that a misspelt name is an error and not a new name. Tags above a listed tag are
// allowed too: debuff.poison.dot allows debuff.poison and debuff. Acts are the names in on.act,
// interrupt and charges.consume_on; damaged and dealt need not be declared.
//
//	tags: [debuff.poison.dot, state.stunned]
//	handlers: [cry]
//
// # slots, dr
//
// Settings shared by many definitions can be defined once at the top, with a name. A definition
// then refers to them by that name, as in "slot: debuff" and "dr: stun".
//
//	slots: {debuff: {limit: 16, evict: oldest}}
//	dr: {stun: {steps: [1, 0.5, 0.25, 0], reset: 15s, scope: target}}
package catalog
