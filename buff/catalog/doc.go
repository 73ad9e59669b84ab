// Package catalog loads definitions of buffs from YAML, JSON or CSV files. It returns a checked
// [buff.Catalog], or all the errors of all the files, each with its line and a caret under the
// column.
//
//	buffs/poison.yaml ─┐              ┌─▸ *buff.Catalog   if all files are valid
//	buffs/food.json   ─┼─▸ Load ──────┤
//	buffs/boss.yaml   ─┘              └─▸ Errors          otherwise
//
// [LoadFS] does the same for embedded files, [Parse] for a text, and [Reload] for a catalog that
// replaces another one while the game runs.
//
// The package is strict: an unknown field or word, a number without a unit, and a field that is
// duplicated or empty are errors. It does not depend on the engine, keeps no state between calls,
// watches no files and reads no clock. All functions are safe for concurrent use.
//
// # A file
//
//	version: 1
//	attributes:
//	  health: {base: 1000, min: 0, max: 1000, at_min: kill}
//	  speed: {base: 5, min: 0}
//	buffs:
//	  venom:
//	    duration: 12s
//	    period: 3s
//	    stack: {by: source, limit: 5, refresh: pandemic}
//	    modifiers: [{attr: speed, op: mul_add, value: -0.1, per_stack: true}]
//	    on:
//	      pulse: [{damage: {attr: health, by: 35, per_stack: true}}]
//	      remove: {dispelled: [{apply: backlash}]}
//	  backlash:
//	    duration: instant
//	    on: {exec: [{damage: {attr: health, by: 50}}, {call: cry}]}
//
// Venom lasts 12 s. At 3, 6, 9 and 12 s it subtracts 35 points of health for each stack, and its
// owner is 10 % slower for each stack. Each source that applies it has a separate instance, with up
// to five stacks. Applying it again adds a stack and restarts the 12 s; up to 30 % of the duration
// is carried over from the time that was left. If it is dispelled, it applies backlash, which
// subtracts 50 points and calls the game's handler "cry".
//
// A file can contain:
//
//	version         1, the version of the format, and the default
//	attributes      the numbers that every owner has
//	curves          numbers by level
//	tags, groups, handlers, acts, icons
//	                lists of the names that definitions may use
//	slots           classes of slots, for all definitions
//	dr              groups of diminishing returns, for all definitions
//	dead            allow or deny: the default of the field dead
//	templates       fields for definitions that extend them
//	buffs           a map from IDs to definitions
//	$schema         any text, for editors
//
// The sections other than "buffs" are explained after the fields of a definition. An ID is any
// non-empty text without spaces, and is unique in all the files of a catalog.
//
// # The fields of a definition
//
// Only "duration" is required, unless it is inherited. The first word of a choice is its default.
//
//	name            text                      for people
//	note            text                      for people
//	extends         an ID                     takes the fields of a template or of another definition
//	tags            list of tags              kind of buff, such as debuff.poison
//	grants          list of tags              tags of its owner while it is in effect
//	polarity        neutral                   for queries: neither good nor bad
//	                positive | negative       good or bad for its owner
//	duration        instant                   executes at once and is never added to the owner
//	                infinite                  until something removes it
//	                a span                    that long, at most 9600h
//	                {curve: NAME}             seconds, by the level of the application
//	duration_scale  a number, from 0          factor of the duration. At 0 the application is denied
//	                                          with reason resist
//	min_duration    a span                    shortest duration after scaling and diminishing returns
//	max_duration    a span                    longest duration after scaling and diminishing returns
//	clock           online | uptime | wall    while its owner is away it is paused, runs while the
//	                                          server runs, or always runs
//	period          a span | {curve: NAME}    time between pulses, from 50ms; default: no pulses
//	                a number, as a map        seconds, evaluated at an application and a refresh; not
//	                                          with timers queue
//	first           none | start | every      pulses at once: never, at the start, or also at refreshes
//	tail            none                      the last part of a period does not pulse
//	                partial                   it pulses at the end, for its fraction of a period
//	                fit                       the duration is rounded to whole periods; when joining
//	                                          a buff, to periods of that buff
//	align           start | owner             periods are counted from the start of the buff, or from
//	                                          the zero of its owner's time, for a common rhythm
//	haste           snapshot                  a new period applies from the next refresh
//	                next                      from the pulse after the next one
//	                rescale                   at once: the time until the next pulse is scaled
//	                {mode, attr, of}          the period is divided by a number, see Numbers: read at
//	                                          an application and a refresh (mode: snapshot), also at
//	                                          each pulse (next), or followed at once (rescale)
//	haste_duration  false | true              haste also scales the duration
//	catchup         all                       several pulses in one late frame: each runs
//	                coalesce                  one runs, with their count
//	                {coalesce: N}             one runs, with a count of at most N, from 2
//	                skip                      only the last one runs
//	stack           see below                 rules for further applications
//	group           see below                 buffs that exclude each other
//	slot            a name | see below        a limited number of slots on each owner
//	per_source      {limit: N}                at most N of one source, on all owners; the oldest ends
//	                                          (evict: oldest, the only word)
//	require         see below                 tags that its owner must have, or must not have
//	inhibition      keep | reset | execute    when a requirement holds again, the next pulse is in
//	                                          phase, one period later, or at once
//	immune          suppress                  when its owner becomes immune: it has no effect
//	                remove                    it is removed
//	                ignore                    it stays in effect
//	dead            allow | deny              an application to a dead owner: accepted, or denied
//	immunity        {tags, type, polarity}    its owner is immune to buffs with one of these in their
//	                                          tags (not in grants), of that dispel type, and positive
//	                                          or negative; at least one is required
//	chance          1, from 0 to 1            chance that an application succeeds
//	dr              a name | see below        each further application is shorter
//	dispel          see below                 how it can be dispelled or stolen
//	interrupt       list of texts             acts of its owner that end it: move, damaged
//	charges         see below                 a limited number of uses
//	shield          see below                 it absorbs damage
//	aura            see below                 it applies a buff to owners around its own
//	modifiers       see below                 changes of attributes while it is in effect
//	links           list of IDs               applied with it by its source, each once, and
//	                                          removed with the last buff that applied it
//	params          see below                 numbers for handlers
//	vars            see below                 variables of the buff
//	on_death        remove | keep | pause     when the owner dies; pause: until it is revived
//	on_source_gone  keep | remove | adopt     when the source leaves; adopt: its owner becomes its
//	                                          source
//	on_area         keep | remove             when the owner moves to another area
//	on_fault        keep | remove             when one of its handlers panics
//	save            see below                 when the owner leaves
//	reload          keep                      when a new version is loaded: it keeps the old one
//	                                          until it is refreshed or ends
//	                migrate                   it switches at once and keeps its phase
//	                end                       it ends
//	client          see below                 for game clients
//	data            a map                     data of the game, such as a cast time; see Loader
//	on              see below                 actions
//
// Haste as a map is the rate of the pulses: with {attr: haste, of: source, mode: next} and a haste
// of 1.3 a period of 3s is 2308ms. If the attribute is 0.3, write pre: 1. The charges that come
// back follow it too. Only an attribute of the owner can be followed at once. The rate is kept from
// 0.001 to 1000. The command SetPeriod cannot change such a period. A rate is not possible with
// timers queue.
//
// A span is a number with a unit, as in 12s, 1500ms, 30m, 36h or 1h30m, in whole milliseconds.
// A share or a chance is a number from 0 to 1, as in 0.25, never a percentage.
// Zero and negative spans are errors; use duration: infinite for a buff without end. A tag is at
// most 16 words joined by dots, from the general to the particular. A number is a constant, or a
// map that describes its origin: see Numbers below.
//
// The fields first, tail, align, haste, haste_duration and catchup need a period. An instant buff
// can only have name, note, tags, polarity, require.apply, chance, dispel.type, params, client,
// data and on.exec.
//
// # Templates
//
// A definition with "extends" takes all fields of a template or of another definition, in any file
// of the catalog. Its own fields win. Maps are merged by key, and lists are replaced; so is a number
// that gives its origin. A template is not a buff, and needs no duration:
//
//	templates:
//	  dot: {period: 3s, polarity: negative, stack: {by: source, refresh: pandemic}}
//	buffs:
//	  venom: {extends: dot, duration: 12s, stack: {limit: 5}}
//	  plague: {extends: venom, tags: [debuff.disease]}
//
// An error in an inherited field shows the line where the field is written.
//
// # stack: repeated applications
//
//	by              none                      joins none: every application is a buff
//	                source                    joins the buff of the same source
//	                target                    joins the buff on the owner
//	                key                       joins the buff with the same key
//	limit           1, from 1 to 32767        maximum number of stacks
//	                unlimited                 32767
//	initial         1, from 1 to limit        stacks that an application adds
//	timers          shared                    all stacks end together
//	                each                      the stacks of each application have their own end,
//	                                          shield and charges, used in the order of the ends
//	                queue                     the strongest application runs, the others wait, each
//	                                          with its own duration, numbers, shield and charges;
//	                                          when it ends or is used up, the next one runs
//	effective       from 1                    only that many have an effect, the strongest by level
//	                                          and then by magnitude: that many stacks with timers
//	                                          each, otherwise that many buffs on one owner
//	refresh         restart                   the end: now + duration
//	                none                      unchanged
//	                extend                    later by the duration
//	                pandemic                  now + duration + min(time left, refresh_share of duration)
//	                max                       now + duration, if that is later
//	                residual_tick             now + duration + the time until the next pulse
//	refresh_share   0.3, from 0.01 to 1       only with refresh pandemic: part of the duration
//	refresh_cap     a span                    only with refresh extend: longest time until the end
//	phase           keep | reset | execute    the next pulse: in phase, one period from now, or now
//	overflow        allow                     at the limit: the buff is refreshed
//	                deny                      denied
//	                clear                     denied, and the whole buff is removed
//	                replace_oldest            the oldest stack is removed
//	expire          all | one | half | N      stacks that end with the duration: all, one, half, N
//	decay           a span                    with expire one, half or N: the remaining stacks end
//	                                          after it, instead of a full duration
//	level           ignore                    the level of the last application counts
//	                higher_wins               a lower one is denied; a higher one replaces the end
//	                                          and the numbers, with any refresh and overflow
//	                segregate                 each level is a separate buff
//	                sum                       levels are added
//	thresholds      list                      {at: 5, apply: ID, consume: all}: at five stacks, apply
//	                                          that definition and remove stacks; consume can be all,
//	                                          true or a number
//
// With "timers: each" and "timers: queue", the limit is at most 256, which is also the default for
// queue. The duration must then be a span, and expire and phase must have their defaults. With
// "timers: each", tail must not be partial.
//
// # group, slot, require, dr, dispel: conditions and limits
//
//	group
//	  name          text, required            the buffs of one group exclude each other
//	  priority      0, a whole number         higher is stronger
//	  rule          always                    a new one replaces the others
//	                never                     denied if there is another
//	                higher                    replaces lower priorities, denied otherwise
//	                equal_or_higher           replaces equal and lower priorities, denied otherwise
//	                same_source_only          replaces those of its source; the others stay
//	                hide                      all stay, and only the highest has an effect
//	slot
//	  class         text, required            limit and evict must be the same in a class
//	  limit         from 1 to 4096, required  slots of each owner
//	  evict         reject                    if all are taken: the new one is denied
//	                oldest                    the oldest is removed
//	                lowest_priority           the one with the lowest group.priority is removed; a
//	                                          new one that is lower still is denied
//	                soonest_to_end            the one that ends first is removed
//	require
//	  apply         {all, any, none, from, if, why}
//	                                          lists of tags, and a formula: if it fails, applications
//	                                          are denied. With from: source, only tags count that
//	                                          buffs of the application's source grant
//	  ongoing       {all, any, none}          while it fails, the buff has no effect
//	  remove        {all, any, none}          when it holds, the buff is removed
//	dr
//	  group         text, required            steps, reset and scope must be the same in a group
//	  steps         list, required            shares of the duration, from 0 to 1, for the first,
//	                                          the second application and so on; the last one repeats
//	  reset         a span, required          time from the group's last end until steps start again
//	  scope         target | pair             counted by owner, or by owner and source
//	dispel
//	  type          text                      poison, magic, curse
//	  grade         basic | strong | death    strength that a dispel needs
//	                undispellable             no dispel is strong enough
//	  per           all | stack | charge      unit that a dispel removes; charge needs charges. A
//	                                          dispel without most always removes the whole buff
//	  resist        0, from 0 to 1            chance that a dispel or steal fails
//	  stealable     true | false              whether it can be stolen; a buff applied by an aura
//	                                          cannot
//
// # charges, shield, aura, params, save, client: other properties
//
//	charges
//	  n             from 1 to 32767, required the last use ends the buff
//	  consume_on    list of texts             acts of its owner that use one
//	  on_refresh    reset | keep | add        a further application: refilled, unchanged, n more
//	  recharge      a span, from 50ms         a used charge comes back after it, one at a time; then
//	                                          the last use does not end the buff, and without a
//	                                          charge it is hidden
//	shield
//	  pool          a number, or unlimited    damage that it absorbs, rounded down; without it, the
//	                                          magnitude of the application
//	  priority      0, a whole number         the highest absorbs first; among equals, the oldest
//	  schools       list of tags              damage that it absorbs; without it, all
//	  attrs         list of attributes        attributes that it protects; without it, those with
//	                                          at_min: kill, or all if there are none of these
//	  share         1, from 0.01 to 1         part of a hit that it can absorb, rounded half up; the
//	                                          rest meets the next shield
//	  cap           a whole number, from 1    most points that it absorbs of a hit
//	  floor         a whole number, from 1    of damage to an attribute, it absorbs only what would
//	                                          bring the attribute below this value
//	  on_refresh    fill | add | reset | keep a further application: its pool if that is more, both
//	                                          together, its pool, unchanged
//	aura
//	  apply         an ID, required           the buff of the owners in range
//	  radius        a number, required        range
//	  interval      a span, required          time between two searches for owners, from 50ms
//	  linger        0s, a span                time until an owner that left loses the buff
//	params
//	  NAME          a number                  for handlers, by that name
//	vars
//	  NAME          a number, or {base, min, max, at_min, at_max}
//	                                          a number of each buff, which starts at base: see
//	                                          Variables
//	save
//	  mode          always | never            whether it is saved
//	                if_remaining              only if at least if_remaining is left
//	  if_remaining  a span                    required with mode if_remaining, otherwise an error
//	  offline_pulses  none                    pulses that were due while the owner was away are lost
//	                coalesce                  one at the return, with their count
//	                all | {all: N}            each at the return, at most N, from 1 to 100000; without
//	                                          it, at most 100
//	  offline_expire  notify | silent         if it ended while the owner was away: reported at the
//	                                          return, or not
//	                run                       reported, and on.remove runs; a buff that this applies
//	                                          starts when this one ended, if the clock is the same
//	  compensate    text                      a class of buffs that can be extended together
//	client
//	  icon          text                      name of its picture
//	  show          true | false              whether players see it
//	  priority      0, a whole number         higher is displayed first
//	  sync          all | owner | none        clients that receive it: all that see its owner, only
//	                                          its owner's, or none
//	                source | party            only its source's, or those of its owner and of the
//	                                          owner's party
//
// "shield: {}" is a shield with all the defaults. With "clock: wall", save.mode cannot be "never".
//
// For require, the tags of an owner are those granted by its buffs and those added by the game. The
// field "tags" of its buffs does not count. The formula "if", such as owner.mana >= 30, is evaluated
// for each application except a stolen one, with attributes as they are then; zero denies it with
// the reason "requirement", or, with "why: cost", "cost". An application that is denied by an immunity uses no
// charge of the buff that grants the immunity. For the field "dr", every application counts,
// including refreshes.
//
// # on: actions
//
// The field "on" has lists of actions, executed in order:
//
//	apply           a new buff starts
//	refresh         a further application changed its end, stacks, level or numbers; with
//	                stack.refresh restart, any further application
//	pulse           a pulse; needs a period
//	exec            an instant buff is executed; only for instant buffs
//	overflow        an application at the stack limit, with any stack.overflow
//	act             an act of the owner: a map from the act to a list. The game reports acts
//	                under its own names: hit, healed, cast. For damage that passed the shields, the
//	                engine reports damaged to the victim and dealt to the source. A map
//	                {by: source, do: [...]} is a list that runs only if the other owner of the
//	                act is the source of the buff
//	death           its owner died; runs before any buff is removed for the death, for each buff that
//	                is in effect, the oldest first
//	absorb          its shield absorbed a part of a hit: amount is that many points. It does not run
//	                in the chain of a reaction to damage; needs a shield
//	when            a condition on the owner begins to hold: a map {if: FORMULA, do: [...]}
//	remove          it ended: a map from the reason to a list. The reasons: expired,
//	                cancelled, dispelled, stolen, replaced, overflow, consumed, broken,
//	                death, source_gone, immunity, condition, out_of_aura, interrupt,
//	                unload, reload, fault. The list "any" runs for every reason, after the
//	                list of that reason
//
// The condition of on.when, such as "owner.health < 0.3 * owner.max_health", reads attributes of the
// owner, level, stacks and magnitude. It is tested after each command and due event. The first test of a
// buff, also of one that returns with its owner, only notes whether it holds. A hidden buff notes it,
// too, but its actions do not run.
//
// An action is a map with exactly one of the fields below. It acts on the owner, unless the map
// also has the field "to". With "to: source", it acts on the owner that applied the buff. With
// "to: target", it acts on the other owner of the act (in on.act), on the killer (in on.death), on
// the source of the damage (in on.absorb), or, in on.remove for the reasons cancelled, dispelled,
// stolen, consumed, broken, death and interrupt, on the owner that did it, such as the dispeller.
// With "to: {bearers: ID}", it acts on all owners, possibly including its own, that have a buff of
// that definition from the same source, at the end of the frame; if there are none, it does nothing.
// An action on another owner is executed at the end of the frame. If that owner does not exist, or
// is the game itself, the action does nothing and an event of kind Missed ("miss" in a log) is
// emitted.
//
//	call: NAME      calls the Go handler of that name
//	apply: ID       applies that definition to the owner; as a map, with numbers in place of the
//	                event's magnitude and level and of the definition's duration, in seconds, and
//	                stacks: {id: ID, magnitude: 5, duration: 3, stacks: 2, level: 1}
//	remove: ID      removes the oldest buff of that definition by the same source, or, if there
//	                is none, the oldest of all; reason: cancelled is the default
//	remove: {buff: ID, stacks: 2, from: source}
//	                the same, for two stacks, and only if the source applied the buff
//	extend: {buff: ID, by: 2s, at_most: 10s}
//	                moves the end of such a buff; by is a number of seconds or a span, and may be
//	                negative; at_most limits the remaining time and never shortens a buff
//	use: ID         uses a charge of such a buff; as a map {buff: ID, charges: 2}
//	rate: {buff: ID, value: 1.5}
//	                sets the rate of the time of such a buff, from 0.01 to 10 in hundredths
//	dispel: {type: curse, tag: debuff, polarity: negative, grade: basic, most: 1, newest: true, stacks: 1}
//	                dispels the buffs that match all fields, as the command does
//	kill: true      kills the owner; revive: true revives it
//	change: {attr: health, by: 20}
//	                adds a number to the attribute permanently; healing is a positive number
//	damage: {attr: health, by: 20, school: fire}
//	                rounds a number to whole points, half up, lets the shields against that
//	                school absorb their part, and subtracts the rest; school is an optional tag
//
//	set: {var: NAME, value: 5}
//	add: {var: NAME, by: 5}
//	                sets a variable of this buff, or adds a number to it: see Variables
//
// Instead of an ID, the field "buff" of remove and extend can be a query: {tag: cooldown}, with any
// of the fields type, tag, polarity, most and newest. The action then concerns all matching buffs.
// If there is no such buff, these actions have no effect. "from: source" is possible in all of them.
//
//	one_of: [{weight: 3, apply: gold}, {apply: gem}, {weight: 6, nothing: true}]
//	                runs one of these actions, chosen by a roll when the list starts, in proportion
//	                to their weights; the default weight is 1
//
// Any action can also have conditions: "if", a formula that is true or false, such as owner.gold >=
// 100, and "if_tags", a map with all, any and none. They are evaluated when the action runs, after
// the earlier actions of the list. If one fails, the action is skipped, without an event. A formula
// with "snapshot: run" is evaluated at the same time. An action on another owner evaluates both when
// the list starts. Neither can read caller.NAME.
//
// The source of a buff that an action applies is the source of the acting buff, not its owner. A
// passive buff that the game applies without a source therefore gives its procs none: source.power
// has no value then. Apply such a buff with its owner as source.
//
// The field "by" is a number. It counts once or, with "per_stack: true", once for each stack. If a
// pulse covers only a fraction of a period, the number is multiplied by that fraction; if several
// pulses were merged into one, it is multiplied by their number. The same factor applies to instant
// buffs that the pulse applies, and to instant buffs that these apply. It therefore makes no
// difference whether a buff changes an attribute itself or through an instant buff. In an instant
// buff applied by a pulse, per_stack and stacks refer to the stacks that pulsed; any other instant
// buff has one stack. Actions at a removal or an act, and the pulses of an applied buff, are not
// multiplied.
//
// # Variables
//
// A variable is a number of each buff: a bank of stored damage, a counter, a charge of energy.
//
//	vars: {bank: {base: 0, min: 0, max: 500, at_max: [{apply: burst}, {set: {var: bank, value: 0}}]}}
//	on: {act: {damaged: [{add: {var: bank, by: {formula: 0.4 * amount}}}]}}
//
// A new buff has the base, within min and max. Further applications, saves and steals keep the
// variable, and it ends with the buff. Formulas of actions read it as var.bank, and see what earlier
// actions of the list have changed. A change that brings it to max or to min runs at_max or at_min.
// In a pulse, "add" adds the part of its number for the part of a period that the pulse covers.
// Variables need timers: shared, and a definition has at most 8.
//
// # Order of actions
//
// The actions of a list run in order. Their consequences run after the whole list, in the same
// order (breadth first). So
//
//	spree: {duration: instant, on: {exec: [{apply: buy_sword}, {apply: buy_shield}]}}
//
// first checks whether each of the two purchases is possible; only then are both paid. If the
// second purchase must be checked after the first is paid, make it the last action of the first:
//
//	buy_sword: {…, on: {apply: [{change: {attr: gold, by: -100}}, {apply: sword}, {apply: buy_shield}]}}
//
// In detail, for one event or command:
//
//   - The numbers of a definition are evaluated when it is applied, before its first action. A
//     number of an action with "snapshot: run", or one that reads amount, left, age, absorbed or
//     var.NAME, is evaluated when the action runs, after the earlier actions of the list.
//   - The modifiers and tags of an applied buff are active at once, for the next action of
//     the list. Its links and its own actions (on.apply, on.exec) wait until the list has
//     run.
//   - If an act happens, all buffs with actions for it react, the oldest first, and the
//     actions of all of them run as one list.
//   - After 16 rounds or 10,000 commands, the remaining actions are dropped, and an event is
//     emitted.
//
// The format reserves words that the engine does not implement yet: numbers from a handler, and
// stack.refresh, stack.expire and stack.by by a handler. They are rejected as "not supported
// yet", never ignored.
//
// # Errors
//
// An error gives the position, the definition and the field, and then shows the line:
//
//	buffs/poison.yaml:7:14: buff "venom": stack.limit: must be at least 1, not 0
//	   7 |       limit: 0
//	     |              ^
//
// Load returns all errors as [Errors], in the order of the files and lines. Errors that only
// follow from another error are not reported. If one file is not valid YAML, the other files are
// still checked.
//
// A word or field of an earlier version of the format is an error that names the present one.
// "bufftick validate -fix" rewrites them in the files, and changes nothing else.
//
// # Warnings
//
// "bufftick validate" loads files like Load and also warns about definitions that are valid but
// probably a mistake. Warnings do not stop a load. A warning looks like an error, with "warning:"
// before the text and the name of the rule after it. Scenarios are checked too. The rules:
//
//	never-pulses     the period is longer than the duration, and there is no other pulse; or
//	                 on.pulse is an empty list and there is no period
//	lost-tail        the duration is not a multiple of the period, and tail is none
//	lost-beat        refresh none with phase reset: further applications only delay pulses
//	lost-level       level sum with refresh none: at the stack limit the level does not rise
//	no-damage        a damage action with a number below half a point, or below zero
//	off-frame        period or aura.interval is not a multiple of the game's frame
//	beyond-wheel     the duration is longer than 12h, so that its end is in the overflow tier
//	no-chance        chance is 0
//	limit-unreached  applications are too rare for stack.limit, or stack.by is none
//	waits-offline    a negative buff of a minute or more, or with an explicit save.mode, and a
//	                 clock that stops while its owner is away
//	runs-offline     a positive buff with clock wall
//	tie              two buffs of one group have the same priority, with rule higher or hide
//	endless          infinite with modifiers, and the files never end it: no dispel.type,
//	                 interrupt, charges, shield, require.remove, group or slot, no other
//	                 definition, and none of the fields on_death, on_area and on_source_gone
//	one-stack        per_stack on a buff that never has more than one stack
//	unused           neither the game nor another definition applies it; checked only if
//	                 -applied lists the definitions that the game applies
//	loop             it applies itself in the same instant, directly or through others, and no
//	                 chance, requirement, group, slot or dr in the loop can deny it
//	reads-early      an action reads an attribute, a tag or a buff before an earlier action of
//	                 its list changes it: see Order of actions
//	asks-together    several buffs react to one act and share a cooldown that has no effect: the
//	                 buffs that they apply require that a tag is missing, and all are checked
//	                 before any of them grants it
//	wrong-way        a negative buff multiplies an attribute by more than 1, or a positive one by
//	                 less: op mul_compound with 0.7 is ×1.7, and ×0.7 is -0.3. Not checked for an
//	                 attribute that increases the damage to its owner
//	act-magnitude    a number of on.act reads magnitude instead of amount
//	not-granted      a requirement for a tag that definitions have in tags and none in grants
//
// # In an editor
//
// [Schema] returns a JSON Schema of the format, and "bufftick schema" prints it. An editor with
// YAML support then completes fields and words, shows their meaning and marks errors while you
// type, if the first line of a file names the schema:
//
//	# yaml-language-server: $schema=./bufftick.schema.json
//
// The schema checks one field at a time. Dependencies between fields or files, such as
// references, are checked only by Load and "bufftick validate".
//
// # Subset of YAML
//
// Only maps, lists and scalars are accepted. Anchors, aliases, merge keys, tags, directives and
// further documents in a file are rejected. JSON is a subset of YAML and is read in the same way.
// A file is UTF-8; a byte order mark and Windows line endings are accepted.
//
// # Limits and cost
//
// A file has at most 1 MiB and 32 levels of nesting. A catalog has at most 1000 files, 8 MiB in
// total, and 10,000 definitions. Each limit has its own error. Any input is loaded or rejected in
// less than a second, with less than 64 MiB of memory. Loading takes 20 to 80 µs for each
// definition and allocates a few hundred bytes for each byte of text; only the catalog is
// retained.
//
// # Order
//
// The definitions in the catalog are in the order in which they were read: the paths in the given
// order, the files of a folder by name, and each file from top to bottom.
package catalog
