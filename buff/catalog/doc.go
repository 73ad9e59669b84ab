// Package catalog reads buffs as designers write them: YAML or JSON in, a checked
// [buff.Catalog] out, or every mistake of every file at once, each with its line
// and a caret under the place.
//
//	buffs/poison.yaml ─┐              ┌─▸ *buff.Catalog   all of it, or
//	buffs/food.json   ─┼─▸ Load ──────┤
//	buffs/boss.yaml   ─┘              └─▸ Errors          nothing, and why
//
// [LoadFS] does the same for files that a program embeds, [Parse] for a text, and
// [ParseNode] for definitions that stand among other things in a larger file.
//
// It guesses nothing: an unknown field or word, a number without a unit, a field
// given twice or left empty are errors. It knows nothing of the engine, keeps no
// state between calls, watches no file and reads no clock. Any goroutine may call
// any of its functions.
//
// # A file
//
//	version: 1
//	buffs:
//	  venom:
//	    duration: 12s
//	    period: 3s
//	    stack: {by: source, limit: 5, refresh: pandemic}
//	    on:
//	      pulse: [{call: hurt}]
//	      remove: {dispelled: [{apply: backlash}]}
//	  backlash:
//	    duration: instant
//	    on: {exec: [{call: hurt}]}
//
// Venom lives for 12 s and hurts at 3, 6, 9 and 12 s. Each source that applies it
// has its own, of up to five stacks; applying it again adds a stack, and to the new
// 12 s up to 30 % of the old. Taken off by a dispel, it strikes back once.
//
// version may be left out; only 1 is known. buffs maps an ID to each definition. An
// ID is any text that is not empty, and stands once in all the files of a catalog.
//
// # The fields of a definition
//
// Only duration is required. The first word of a choice is the default.
//
//	name            text                      for people
//	note            text                      for people
//	tags            list of texts             what it is: debuff.poison
//	duration        instant                   works at once, is never carried
//	                infinite                  lives until something removes it
//	                a span                    lives that long, at most 9600h
//	clock           online                    which time counts; one word so far
//	period          a span                    time between pulses, from 50ms; none: no pulses
//	first           none | start | every      a pulse at once: never, at the start, at refreshes too
//	tail            none | partial            a pulse at the end for the part of a period
//	stack           see below
//	on_death        remove | keep             when the owner dies
//	on_source_gone  keep | remove             when the source leaves
//	on_fault        keep | remove             when a handler of it panics
//	on              see below
//
// A span is a number and a unit, as in 12s, 1500ms, 30m, 36h or 1h30m, of whole
// milliseconds. Zero and less are errors: for ever is said by name.
//
// stack says what a second application does:
//
//	by              none | source | target    what it joins: nothing, what the same source
//	                                          applied, whatever is there
//	limit           1, from 1 to 32767        how many stacks there may be
//	initial         1, from 1 to limit        how many an application brings
//	timers          shared                    one end for all stacks; one word so far
//	refresh         restart                   the end: now + duration
//	                none                      stays
//	                extend                    later by the duration
//	                pandemic                  now + duration + refresh_pct of the duration at most
//	                max                       now + duration, if that is later
//	refresh_pct     30, from 1 to 100         only with refresh pandemic
//	phase           keep | reset | execute    the beat of the pulses: kept, from now, a pulse now
//	overflow        allow                     at the limit: refreshed all the same
//	                deny                      refused
//	                clear                     refused, and the whole buff goes
//	                replace-oldest            the oldest stack goes
//	overflow_apply  list of IDs               applied at the limit, whatever overflow says
//	expire          all | one                 the end takes everything, or one stack
//
// on holds lists of actions, done in order:
//
//	apply           a new buff began
//	refresh         a further application changed its end
//	pulse           a pulse; needs a period
//	exec            an instant buff does its work; only for those
//	overflow        an application met the limit
//	remove          it ended: a map from the reason to a list. The reasons: expired,
//	                cancelled, dispelled, stolen, replaced, overflow, consumed, broken,
//	                death, source_gone, immunity, condition, out_of_aura, interrupt,
//	                unload, reload, fault; any is done for each, after its own list
//
// An action is a map with exactly one of these:
//
//	call: NAME      the Go handler of that name
//	apply: ID       that definition is applied to the owner
//	remove: ID      the oldest buff of that definition is removed; reason: cancelled is
//	                the default
//	kill: true      the owner dies
//
// The format has more fields and words than the engine does so far, such as group,
// modifiers or save. These are refused as "not supported yet", never passed over: a
// definition means what it says or does not load.
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
// # What YAML is for
//
// Of YAML's parts only maps, lists and values are read. Anchors, aliases, merge
// keys, tags, directives and a second document in a file are refused. JSON is a part
// of YAML and is read the same way. A file is UTF-8; a byte order mark and Windows
// line ends do no harm.
//
// # Limits and cost
//
// A file has at most [MaxFileSize] bytes and 32 levels, a catalog at most
// [MaxFiles] files and [MaxDefinitions] definitions; each has its own error.
// Loading costs 20 to 80 µs for a definition and allocates a few hundred bytes for
// each byte of text, of which only the catalog stays.
//
// # Order
//
// The definitions stand in the catalog in the order in which they were read: the
// paths as they were given, the files of a folder by name, each from top to bottom.
package catalog
