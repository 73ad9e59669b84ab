// Package catalog reads buffs as designers write them: YAML or JSON in, a checked
// [buff.Catalog] out, or every mistake of every file at once, each with its line
// and a caret under the place.
//
//	buffs/poison.yaml ─┐              ┌─▸ *buff.Catalog   all of it, or
//	buffs/food.json   ─┼─▸ Load ──────┤
//	buffs/boss.yaml   ─┘              └─▸ Errors          nothing, and why
//
// [LoadFS] does the same for files that a program embeds, [Parse] for a text, [Reload]
// for a catalog that takes the place of another while the game runs.
//
// It guesses nothing: an unknown field or word, a number without a unit, a field
// given twice or left empty are errors. It knows nothing of the engine, keeps no
// state between calls, watches no file and reads no clock. Any goroutine may call
// any of its functions.
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
// Venom lives for 12 s, and at 3, 6, 9 and 12 s it takes 35 points of health for each
// stack; its owner is 10 % slower for each. Each source that applies it has its own, of up
// to five stacks; applying it again adds a stack, and to the new 12 s up to 30 % of the
// old. Taken off by a dispel, it strikes back once, and the game's handler cry is called.
//
// A file may have:
//
//	version         1, the version of the format, and the default
//	attributes      the numbers that every owner has
//	curves          numbers by level
//	tags, groups, handlers, acts, icons
//	                lists of the names that there are
//	slots           classes of slots, for all definitions
//	dr              groups of diminishing returns, for all definitions
//	dead            allow or deny: the word dead of all definitions that do not say one
//	buffs           a map from IDs to definitions
//	$schema         anything: it is for editors
//
// All but buffs are explained behind the fields of a definition. An ID is any text
// without spaces that is not empty, and stands once in all the files of a catalog.
//
// # The fields of a definition
//
// Only duration is required. The first word of a choice is the default, and a field
// that is left out has it.
//
//	name            text                      for people
//	note            text                      for people
//	tags            list of tags              what it is: debuff.poison
//	grants          list of tags              what its owner has while it is in effect
//	polarity        neutral                   for queries: nothing in particular
//	                positive | negative       good or bad for its owner
//	duration        instant                   works at once, is never carried
//	                infinite                  lives until something removes it
//	                a span                    lives that long, at most 9600h
//	                {curve: NAME}             so many seconds, by the level of the application
//	duration_scale  a number, from 0          a factor of the duration; at 0 it is refused with the
//	                                          reason resist, also if the 0 stands for a condition that
//	                                          is not met: {formula: "owner.gold >= 100 ? 1 : 0"}
//	min_duration    a span                    what scaling and the like leave at least
//	max_duration    a span                    what they leave at most
//	clock           online | uptime | wall    while its owner is away it stands still, or goes
//	                                          on as long as the server runs, or goes on
//	period          a span | {curve: NAME}    time between pulses, from 50ms; none: no pulses
//	first           none | start | every      a pulse at once: never, at the start, at refreshes too
//	tail            none                      the last part of a period does nothing
//	                partial                   it pulses, with its fraction, when all of it is over
//	                fit                       there is none: the duration becomes whole periods; of what joins a
//	                                          buff, of the period that this has then
//	align           start | owner             periods are counted from its start, or from the zero
//	                                          of its owner's time: all of one period together
//	haste           snapshot                  a new period counts from the next refresh
//	                next                      from the pulse after the one to come
//	                rescale                   at once: what is left of this one is scaled
//	haste_duration  false | true              haste scales what is left of the duration too
//	catchup         all                       pulses of one late frame: each
//	                coalesce                  one that counts for them
//	                {coalesce: N}             one that counts for N at most, from 2
//	                skip                      the last one
//	stack           see below                 what a second application does
//	group           see below                 what it does not go together with
//	slot            a name | see below        places of which an owner has so many
//	per_source      {limit: N}                one source has N at most, on all owners; the oldest
//	                                          goes (evict: oldest, the only word)
//	require         see below                 what its owner must have, or not have
//	inhibition      keep | reset | execute    the beat, after a requirement failed for a time:
//	                                          kept, from now, a pulse now
//	immune          suppress                  an owner who becomes immune: no pulses, modifiers, tags, aura
//	                remove                    it is removed
//	                ignore                    nothing
//	dead            allow | deny              an application to a dead owner: done, or refused
//	immunity        {tags, type, polarity}    its owner is immune to buffs with one of these in
//	                                          their tags (not in their grants), that dispel
//	                                          type, and positive or negative; at least one
//	chance          1000, from 0 to 1000      per mille of the applications that succeed
//	dr              a name | see below        each of several applications is shorter
//	dispel          see below                 how it is taken off
//	interrupt       list of texts             what its owner does that ends it: move, damage
//	charges         see below                 so many uses
//	shield          see below                 it absorbs
//	aura            see below                 it applies another to those around
//	modifiers       see below                 what it does to attributes while it lasts
//	links           list of IDs               applied with it by its source, each once, and
//	                                          removed with the last buff that has brought it
//	params          see below                 numbers for handlers
//	on_death        remove | keep | pause     when the owner dies; pause: until it lives again
//	on_source_gone  keep | remove | adopt     when the source leaves; adopt: its owner takes the
//	                                          source's place
//	on_zone         keep | remove             when the owner goes to another zone
//	on_fault        keep | remove             when a handler of it panics
//	save            see below                 when the owner leaves
//	reload          keep                      a new version is loaded: it goes on as it is until it
//	                                          is refreshed or ends
//	                migrate                   it takes the new version at once, and keeps its beat
//	                end                       it ends
//	client          see below                 for game clients
//	data            a map                     the game's own: cast time, range; see Loader
//	on              see below                 what is done
//
// A span is a number and a unit, as in 12s, 1500ms, 30m, 36h or 1h30m, of whole
// milliseconds. Zero and less are errors: for ever is said by name. A tag is words with
// dots between them, from the general to the particular, at most 16. A number is one, or
// a map that says where it comes from: see Numbers below.
//
// first, tail, align, haste, haste_duration and catchup need a period. Of all these, an
// instant buff has name, note, tags, polarity, require.apply, chance, dispel.type, params,
// client and on.exec.
//
// # stack: what a second application does
//
//	by              none                      joins nothing: it is a buff of its own
//	                source                    joins what the same source applied
//	                target                    joins whatever is there
//	                key                       joins what has the same key
//	limit           1, from 1 to 32767        how many stacks there may be
//	                unlimited                 32767
//	initial         1, from 1 to limit        how many an application brings
//	timers          shared                    one end for all stacks
//	                each                      each application's have their own, and a shield and
//	                                          charges of their own, used in the order of the ends
//	                queue                     the strongest application runs, the others wait, each
//	                                          with its own duration, numbers, shield and charges;
//	                                          one that is spent gives way to the next
//	effective       from 1                    only that many count, the strongest by level, then
//	                                          by magnitude: of the stacks with timers each, else
//	                                          of the buffs on one owner
//	refresh         restart                   the end: now + duration
//	                none                      stays
//	                extend                    later by the duration
//	                pandemic                  now + duration + refresh_pct of the duration at most
//	                max                       now + duration, if that is later
//	                residual-tick             now + duration + what is left until the next pulse
//	refresh_pct     30, from 1 to 100         only with refresh pandemic
//	refresh_cap     a span                    only with refresh extend: the end is never further off
//	phase           keep | reset | execute    the beat of the pulses: kept, from now, a pulse now
//	overflow        allow                     at the limit: refreshed all the same
//	                deny                      refused
//	                clear                     refused, and the whole buff goes
//	                replace-oldest            the oldest stack goes
//	overflow_apply  list of IDs               applied at the limit, whatever overflow says
//	expire          all | one | half | N      the end takes everything, one stack, half of them, N
//	level           ignore                    the level of the application: the last one counts
//	                higherWins                a lower one is refused; a higher one replaces the end
//	                                          and the numbers, whatever refresh and overflow: deny say
//	                segregate                 each is a buff of its own
//	                sum                       they add up
//	thresholds      list                      {at: 5, apply: ID, consume: all}: so many stacks
//	                                          apply that, and are used up: all, true or a number
//
// With timers each or queue the limit is at most 256, and for queue that is the default;
// duration is a span, expire all and phase keep, and for each tail is not partial.
//
// # group, slot, require, dr, dispel: what it gets on with
//
//	group
//	  name          text, required            the buffs of one group are exclusive
//	  priority      0, a whole number         the higher, the stronger
//	  rule          always                    a new one replaces the others
//	                never                     is refused if there is another
//	                higher                    replaces those of lower priority, or is refused
//	                equalOrHigher             replaces those of the same priority, too
//	                sameSourceOnly            replaces those of its source; the others stay
//	                hide                      all stay, and only the highest has an effect
//	slot
//	  class         text, required            all definitions of a class say the same of it
//	  limit         from 1 to 4096, required  how many slots an owner has
//	  evict         reject                    one more is refused
//	                oldest                    or the oldest goes
//	                lowest-priority           or that of the lowest group.priority; what is lower still is refused
//	                soonest-to-end            or the one that ends first
//	require
//	  apply         {all, any, none}          lists of tags: if it fails, it is refused
//	  ongoing       {all, any, none}          while it fails, the buff has no effect
//	  remove        {all, any, none}          when it holds, the buff is removed
//	dr
//	  group         text, required            all definitions of a group say the same of it
//	  steps         list, required            percent of the duration, from 0 to 100, for the first,
//	                                          the second and so on; after the last, the last
//	  reset         a span, required          so long after its last end the group begins anew
//	  scope         target | pair             counted for its owner; for owner and source
//	dispel
//	  type          text                      poison, magic, curse
//	  grade         basic | strong | death    how strong a dispel must be
//	                undispellable             none is
//	  per           all | stack | charge      what one portion of a dispel takes; charge needs charges. A
//	                                          dispel without most takes all of it, whatever this says
//	  resist        0, from 0 to 1000         per mille of the dispels and steals that fail
//	  stealable     true | false              whether somebody else may take it over; what an
//	                                          aura applies nobody may
//
// # charges, shield, aura, params, save, client: what else it has
//
//	charges
//	  n             from 1 to 32767, required the last use ends it
//	  consume_on    list of texts             what its owner does that uses one
//	  on_refresh    reset | keep | add        a further application: full again, as they are, n more
//	shield
//	  pool          a number, from 1          how much it absorbs, rounded down; none: the
//	                                          magnitude of the application
//	  priority      0, a whole number         the highest absorbs first, then the oldest
//	  schools       list of tags              what it absorbs; none: everything
//	  attrs         list of attributes        before whose damage it stands; none: those with
//	                                          at_min: kill, or all if there are none of these
//	aura
//	  apply         an ID, required           what those around its owner have
//	  radius        a number, required        how far it reaches
//	  interval      a span, required          how often they are looked for, from 50ms
//	  linger        0s, a span                how long it stays with those who left
//	params
//	  NAME          a number                  for handlers, which find it under that name
//	save
//	  mode          always | never            whether it is kept
//	                ifRemaining               only if at least if_remaining is left
//	  if_remaining  a span                    required with that mode, and only there
//	  offline_pulses  none                    the pulses of the time away are lost
//	                coalesce                  one at the return counts for them
//	                all | {all: N}            each at the return, at most N, from 1 to 100000, or 100
//	  offline_expire  notify | silent         if it ended while away, that is reported at the return,
//	                                          or not
//	                run                       it is reported, and on.remove is done: what that applies
//	                                          by the same clock starts when it ended
//	  compensate    text                      a class of buffs: players get time back for all of it
//	client
//	  icon          text                      the name of its picture
//	  show          true | false              whether players see it
//	  priority      0, a whole number         the higher, the further in front
//	  sync          all | owner | none        which clients are told of it: of all who see its owner,
//	                                          the owner's own, none
//	                source | party            of its source; of its owner and its owner's party
//
// "shield: {}" is a shield with all the defaults. With clock wall, save.mode cannot be
// never.
//
// What an owner has, for require, are the grants of its buffs and what the game gives it; the
// tags of its buffs do not count. A buff that is refused for an immunity uses none of the
// charges of what makes immune. With dr each application counts, one that refreshes too.
//
// # on: what is done
//
// on holds lists of actions, done in order:
//
//	apply           a new buff began
//	refresh         a further application changed it: its end, stacks, level or numbers; with
//	                stack.refresh restart any
//	pulse           a pulse; needs a period
//	exec            an instant buff does its work; only for those
//	overflow        an application met the limit
//	act             an act of the owner: a map from the act to a list. The game reports acts
//	                by names of its own: hit, healed, cast. The engine reports damaged and
//	                dealt: damage that passed the shields, of the victim and of the source
//	death           its owner died, before anything is removed for that: each buff that has its
//	                effect, the oldest first
//	remove          it ended: a map from the reason to a list. The reasons: expired,
//	                cancelled, dispelled, stolen, replaced, overflow, consumed, broken,
//	                death, source_gone, immunity, condition, out_of_aura, interrupt,
//	                unload, reload, fault; any is done for each, after its own list
//
// An action is a map with exactly one of these, and, if it is not for the owner, to: source, who
// applied the buff, or in on.act to: target, the other owner of the act, and in on.death who killed. An action for another owner
// is carried out at the end of the frame. If that owner is not there, or is the game, nothing is done,
// and an event of the kind Missed ("miss" in a log) says so:
//
//	call: NAME      the Go handler of that name
//	apply: ID       that definition is applied to the owner
//	remove: ID      the oldest buff of that definition and of the same source is removed, or
//	                else the oldest of all; reason: cancelled is the default
//	kill: true      the owner dies
//	change: {attr: health, by: 20}
//	                a number is added to the attribute, for good: healing is above zero
//	damage: {attr: health, by: 20, school: fire}
//	                the attribute loses so many whole points, half up, of which the shields
//	                against that school take theirs first; school is a tag and may be left out
//
// by is a number, and counts once, or with per_stack: true once for each stack. In a pulse
// for a part of a period it counts in that part, and in one for several periods as often. The
// same holds for what such a pulse applies, and what that applies: there it does not matter
// whether a buff changes an attribute itself or through an instant. In an instant that a pulse
// has set off, per_stack and stacks count the stacks that pulsed; any other has one. What a buff
// does at its removal or at an act, and its own pulses, count in full.
//
// # Order of actions
//
// The actions of a list run in order. What they set off follows when the whole list has run, in the
// same order (breadth first). So
//
//	spree: {duration: instant, on: {exec: [{apply: buy_sword}, {apply: buy_shield}]}}
//
// asks for both purchases whether they may be made, and then both pay. If the second is to see what
// the first has paid, make it the last action of the first:
//
//	buy_sword: {…, on: {apply: [{change: {attr: gold, by: -100}}, {apply: sword}, {apply: buy_shield}]}}
//
// In detail, for one event or command:
//
//   - The numbers of a definition are evaluated when it is applied, before its first action.
//   - An applied buff has its modifiers and its tags at once, for the next action of the list. Its
//     links and its own actions (on.apply, on.exec) wait until the list has run.
//   - If an act happens, all buffs that have actions for it react, the oldest first, and the
//     actions of all of them run as one list.
//   - After 16 rounds or 10,000 commands the rest is dropped, and an event says so.
//
// The format has words that the engine does not know so far: numbers from a handler, and
// stack.refresh, stack.expire and stack.by by one. These are refused as "not supported
// yet", never passed over: a definition means what it says or does not load.
//
// # Errors
//
// An error names the place, the definition and the field, then shows the line:
//
//	buffs/poison.yaml:7:14: buff "venom": stack.limit: must be at least 1, not 0
//	   7 |       limit: 0
//	     |              ^
//
// Load returns all of them as [Errors], in the order of the files and lines. What
// merely follows from another error is not reported. If one file is no YAML, the
// others are checked all the same.
//
// # Warnings
//
// "bufftick validate" loads as Load does, and warns of definitions that are valid but probably a
// mistake. A warning refuses nothing. It looks like an error, with "warning:" before the text and the
// name of its rule after it. Scenarios are checked too. The rules:
//
//	never-pulses     the period is longer than the duration, and there is no other pulse; or
//	                 on.pulse is an empty list and there is no period
//	lost-tail        the duration is not whole periods, and tail is none
//	lost-beat        refresh none with phase reset: further applications only delay pulses
//	lost-level       level sum with refresh none: at the limit of stacks the level stays
//	no-damage        a damage action whose number is below half a point, or below zero
//	off-frame        period or aura.interval is not whole frames of the game
//	beyond-wheel     the duration is longer than 12h, and its end waits in the overflow tier
//	no-chance        chance is 0
//	limit-unreached  applications are too rare for stack.limit, or by is none
//	waits-offline    a negative buff of a minute or more, or with save.mode written out, whose
//	                 clock stops while its owner is away
//	runs-offline     a positive buff whose clock is wall
//	tie              two buffs of one group have the same priority, with rule higher or hide
//	endless          infinite with modifiers, and the files never end it: no dispel.type,
//	                 interrupt, charges, shield, require.remove, group or slot, no other
//	                 definition, and none of the fields on_death, on_zone and on_source_gone
//	one-stack        a per_stack of a buff that never has more than one stack
//	unused           neither the game nor another definition applies it; checked only if
//	                 -applied lists the definitions that the game applies
//	loop             it applies itself in the same instant, directly or through others, and no
//	                 chance, requirement, group, slot or dr in the loop may refuse it
//	reads-early      an action reads an attribute, a tag or a buff before an earlier action of
//	                 its list changes it: see Order of actions
//	asks-together    several buffs react to one act and share a cooldown that does not work: the
//	                 buffs that they apply require that a tag is missing, before any of them has
//	                 granted it
//	wrong-way        a negative buff multiplies an attribute by more than 1, or a positive one by
//	                 less: op mul_compound with 0.7 is ×1.7, and ×0.7 is -0.3. Not checked for an
//	                 attribute that increases the damage that its owner takes
//	act-magnitude    a number of on.act reads magnitude and not amount
//	dr-percent       no step of dr is above 1: steps are percent
//	not-granted      a requirement about a tag that definitions have in tags and none in grants
//
// # In an editor
//
// [Schema] is a JSON Schema of all this, and "bufftick schema" prints it. An editor that
// knows YAML then completes fields and words, shows what they mean and marks slips as
// they are typed, if the first line of a file names it:
//
//	# yaml-language-server: $schema=./bufftick.schema.json
//
// The schema sees one field at a time. What depends on other fields or files, such as
// references, only Load and "bufftick validate" see.
//
// # What YAML is for
//
// Of YAML's parts only maps, lists and values are read. Anchors, aliases, merge
// keys, tags, directives and a second document in a file are refused. JSON is a part
// of YAML and is read the same way. A file is UTF-8; a byte order mark and Windows
// line ends do no harm.
//
// # Limits and cost
//
// A file has at most 1 MiB and 32 levels, a catalog at most 1000 files of together 8 MiB
// and 10,000 definitions; each has its own error. Whatever a file holds, it is refused or read in less than a second, and needs
// less than 64 MiB.
// Loading costs 20 to 80 µs for a definition and allocates a few hundred bytes for
// each byte of text, of which only the catalog stays.
//
// # Order
//
// The definitions stand in the catalog in the order in which they were read: the
// paths as they were given, the files of a folder by name, each from top to bottom.
package catalog
