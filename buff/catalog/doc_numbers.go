// # Attributes
//
// Attributes are the numbers that every owner has. They stand in one file of a catalog,
// in the order in which a game counts them, and do not change while it runs; a reload may bring new ones.
//
//	attributes:
//	  max_health: {base: 1000, min: 1}
//	  health:     {base: 1000, min: 0, max: max_health, at_min: kill}
//	  speed:      {base: 5, min: 0, max: 12, aggregate: {strongest: 1}}
//
//	base       0, a number             what a new owner has
//	min, max   a number, or the name of another attribute: the value is kept within them; if
//	           a max falls below the base, the base is cut down to it for good
//	aggregate  sum                     several modifiers of one op: all count
//	           max | min               only the greatest, or the least
//	           {strongest: N}          only the N that are farthest from 0
//	at_min     nothing | kill          it comes down to min, or a min that is an attribute
//	                                   rises to it: the owner dies
//
// # Curves
//
// A curve is a number for each level, with straight lines between the levels that are
// written. It begins at level 1 or 0; above its last level the last number holds. A list
// begins at level 1.
//
//	curves:
//	  venom_dmg: {1: 10, 10: 55, 60: 900}
//	  stun_time: [2, 2.5, 3]
//
// # Numbers
//
// Where a field wants a number, one may stand there, or a map with one of these:
//
//	const: 5                that number
//	curve: venom_dmg        the curve at the level of the application
//	attr: power             an attribute: (attribute + pre) * coef + post
//	caller: dmg             what the application gives under that name
//	formula: 5 + 2 * level  what is worked out
//
// These may stand with some of them:
//
//	of        owner | source        with attr: whose attribute it is
//	pre       0, a number           with attr
//	coef      1, a number           with attr, not 0
//	post      0, a number           with attr
//	default   a number              with attr, caller and formula: if the source is not there
//	                                or the application does not give it. Without a default
//	                                such an application is refused; it never counts as 0
//	snapshot  cast | apply | pulse  with attr, caller and formula: when it is asked for
//
// So 40 % of the power of whoever applies it, and 5 more, but 25 if he has left, is
//
//	{attr: power, of: source, coef: 0.4, post: 5, default: 25}
//
// With snapshot cast, attributes of the source are read when it applies the buff; with
// apply, when the application comes to the owner. Both are asked anew when it is applied
// again. With pulse, an attribute of the owner is read anew at each pulse; an attribute of
// the source and a formula cannot be.
//
// Numbers stand in params.NAME, modifiers, shield.pool, duration_scale and the by of change
// and damage.
//
// # Formulas
//
//	formula: 5 + 0.4 * level
//	formula: "owner.health < 0.3 * owner.max_health ? 60 : 20"
//	formula: max(10, source.power * curve.venom_coef - owner.armour)
//
// A formula that has a colon or begins with a bracket or quote must be in quotes, and a
// long one is easier to read behind a | in lines of its own.
//
//	level, magnitude          of the application
//	stacks                    that count where the number is used, as with per_stack
//	amount                    of the act, in the change and damage of on.act
//	owner.NAME, source.NAME   an attribute; owner["fire-power"] for what is no plain name
//	caller.NAME               what the application gives under that name
//	curve.NAME                the curve at the level
//	+ - * / %                 5 / 2 is 2.5; % is what is left of a division
//	< <= > >= == !=           1 < level < 10 is possible
//	and, or, not              between comparisons
//	a ? b : c                 b if a holds, otherwise c
//	min max floor ceil abs round
//	                          min and max of any number of numbers
//	let x = a; b              b, in which x stands for a
//
// There are no powers, texts or lists. A formula is checked when it is loaded, and evaluated
// once with all attributes at their bases, at the levels 0, 1 and 60: one that divides by zero
// then is an error. If it does so later, the application is refused. A formula is evaluated when
// a buff is applied, and costs less than a microsecond. One that reads stacks is evaluated again
// where the number is used, with all other names as they were at the application: if it has no value
// then, a modifier keeps the value that it has, and a change does nothing but a Faulted.
//
// With timers each, and in a queue, every application has its own numbers. With timers each a number that
// says per_stack is the sum over the stacks that count, and any other number is that of the
// strongest stack, the youngest of equal ones.
//
// A formula with amount is evaluated when the act happens, with the stacks, level and magnitude
// that the buff has then. If it reads something that is missing and has no default, the action
// does nothing, and an event of the kind Faulted says so. In such a formula magnitude is still
// that of the application; a buff that the act applies has the amount as its magnitude:
//
//	on:
//	  act:
//	    damaged:
//	      - change: {attr: rage, by: {formula: 0.1 * amount}}
//	      - {apply: sting, to: target}  # in sting: {formula: 0.3 * magnitude}
//
// # modifiers
//
// A modifier changes an attribute as long as the buff is there and has its effect. What it
// did is gone with it, to the last bit.
//
//	modifiers:
//	  - {attr: speed, op: mul_add, value: 0.3}
//	  - {attr: power, value: {curve: might}, per_stack: true}
//
//	attr       an attribute, required
//	op         add           + value
//	           mul_add       + 30 % for 0.3; two of them are + 60 %
//	           mul_compound  + 30 % for 0.3; two of them are + 69 %
//	           final_add     + value, behind the multiplications
//	           override      it is the value, whatever stood there; the newest wins
//	channel    0, from 0 to 9: a channel begins with the result of the one before
//	value      a number, required
//	per_stack  false | true  the value counts once for each stack
//
// # tags, groups, handlers, acts, icons
//
// If a file of a catalog has one of these lists, a definition may only use what stands in
// one of them, so that a slip is an error and not a new name. A tag may also stand above
// one of the list: with debuff.poison.dot there are debuff.poison and debuff. Acts are the names
// in on.act, interrupt and charges.consume_on; damaged and dealt need not be declared.
//
//	tags: [debuff.poison.dot, state.stunned]
//	handlers: [cry]
//
// # slots, dr
//
// What many definitions share may stand once at the top, by its name. A definition then
// says only that name: slot: debuff, dr: stun.
//
//	slots: {debuff: {limit: 16, evict: oldest}}
//	dr: {stun: {steps: [100, 50, 25, 0], reset: 15s, scope: target}}
package catalog
