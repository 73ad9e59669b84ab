// Command bufftick runs buffs on the tick engine. Its input files are scenarios written by
// designers and recordings of real fights.
//
//	bufftick run      FILE...               print the logs of scenarios
//	bufftick run      -check FILE...        compare the logs with the expected logs
//	bufftick preview  ID -f PATH            show the timeline of a buff, as text or as a picture
//	bufftick validate PATH...               report errors and warnings in definitions
//	bufftick convert  PATH...               convert definitions to CSV, YAML or JSON
//	bufftick new      RECIPE                copy a recipe to start with
//	bufftick gen      PATH...               print a Go file with constants for their names
//	bufftick schema                         print the JSON Schema of definitions, for editors
//	bufftick studio   DIR                   edit definitions in the browser, with their timelines
//	bufftick cut      FILE                  print the saved zones of a game, and damage
//	bufftick cut      -compact FILE         remove the free space of a file
//	bufftick replay   TRACE -spells FILE    compare when the engine and a real game end buffs
//
// The command does not wait for a clock, so a scenario that covers a day runs at once. Flags may
// have one dash or two and may follow the arguments; bufftick COMMAND -help describes them. The
// exit code is 1 if there is an error or a difference, 2 if the command line is wrong, otherwise 0.
//
// # Scenarios
//
// A scenario file is YAML or JSON, and contains one scenario or a list of them:
//
//	id: poison
//	name: a poison that is dispelled
//	buffs:
//	  venom: {duration: 10s, period: 3s}
//	script:
//	  - {at: 0, apply: venom}
//	  - {at: 7000, dispel: venom}
//	want:
//	  - 0 apply venom x1 end=10000
//	  - 3000 pulse venom x1
//	  - 6000 pulse venom x1
//	  - 7000 remove venom why=dispelled
//
// The definitions under "buffs" have the format of package catalog. Instead, "load: ../buffs" reads
// them from a file or a folder; the path is relative to the scenario. A step has the field "at",
// which is its time from the start, in whole ms or as a span (5s). It must not be before the
// previous step. The field "owner" is p1 by default. A step also has one of these verbs with its
// options:
//
//	tick: true           lets time pass
//	show: NAMES          prints an attribute or tag of the owner, or a list of them, as they are
//	                     after the previous steps: "5000 value speed=210 state.stunned=false"
//	apply: BUFF          source (a), stacks, duration, magnitude, level, key,
//	                     scale: RATIO multiplies the duration, params: {NAME: NUMBER}
//	remove: BUFF
//	kill: true           the owner dies, killed by source: NAME, until revive: true
//	source_gone: NAME    a source of buffs leaves
//	timeout: NAME        starts a timeout that is due after: SPAN
//	save: true           the owner leaves, until load: true
//
//	extend: BUFF         moves its end by: SPAN, which may be negative, but
//	                     to no later than at_most: SPAN from now
//	compensate: QUERY    moves the ends on all owners by: SPAN
//	set_remaining: BUFF  sets its remaining time to: SPAN
//	set_period: BUFF     changes its period to: SPAN, by its haste rule
//	pause: true          stops the owner's time until resume: true
//	rate: RATIO          sets the rate of the owner's time
//	pause_buff: BUFF     stops the time of one buff until resume_buff: BUFF
//	rate_buff: BUFF      sets the rate of its time to: RATIO
//
//	area: N              the owner enters an area
//	pause_area: N        stops the time of all owners in the area until resume_area: N
//	rate_area: N         sets the rate of the time of all owners in the area to: RATIO
//	near: OWNER          the step's owner enters the range of all auras of OWNER,
//	                     until far: OWNER; needs "frame: SPAN", because the frames
//	                     determine when an aura searches for members
//
//	inhibit: BUFF        suppresses its effect until release: BUFF
//	tag: TAG             gives the owner a tag until untag: TAG
//	immune: TAG          makes the owner immune until vulnerable: TAG; with
//	                     purge: true, its buffs with the tag are removed
//
//	dispel: QUERY        removes all matching buffs; with most: N, at most N portions
//	                     (dispel.per); of a BUFF one portion, or stacks: N
//	steal: QUERY         moves the buffs to: OWNER, for at_most: SPAN
//	interrupt: ACT       the owner performs an act that ends buffs
//	consume: ACT         the owner performs an act that uses charges
//	happened: ACT        the game reports an act by the owner, or on the owner: buffs
//	                     react, use charges, and end; target: OWNER, amount: N
//	use: BUFF            uses charges: N of the buff (1)
//	absorb: N            the shields absorb N points of damage of a school: TAG
//
//	base: ATTRIBUTE      sets its base, to: NUMBER
//	change: ATTRIBUTE    adds to its base, by: NUMBER
//	damage: ATTRIBUTE    reduces its base, after the shields, by: NUMBER of a school: TAG
//
// A BUFF is the ID of a definition. It means the oldest instance of this definition on the owner;
// if there is none, the step does nothing. A QUERY is also an ID, or a map with the fields buff,
// tag, type, polarity, source, most (all) and newest: true; dispel and steal also have grade
// (basic). Tags and acts that no definition mentions have no effect. A RATIO is a number such as 2,
// 0.25 or "1/3". Defaults are in parentheses.
//
// A step runs after all events that are due at its time. If the last line of the expected log is
// later than the last step, the run continues until the time of that line.
//
// The log has one line for each event, sorted by time and then by owner. It contains deaths and
// revivals ("die", "revive") only with "life: true". The flags -frame, -workers and -sync never
// change the log. A log that depends on the length of frames needs "frame: SPAN" in the scenario:
// then a frame ends at each multiple of the span and at each step, and all players that the script
// names exist. Auras need it, because they search at the end of a frame, and so does an action "to:
// source" or "to: target" of a hook other than on.act, because it runs then. With "seen: true"
// instead, only the steps end frames, and only the owners of steps exist; the line of a pulse that
// ran late says when it ran, such as "seen=8000". A definition with "catchup: skip" or "catchup:
// coalesce" needs one of the two. If the target of an action does not exist, the log says "miss".
// The Go handlers that definitions name do nothing.
//
// All errors in a file are printed at once, each with file, line, column and a caret. If a file
// cannot be parsed, no scenario is run. A scenario with errors does not stop the other scenarios.
// "bufftick validate" checks scenarios without running them, and reports warnings about their
// definitions. With -check, "bufftick run" prints:
//
//	ok   poison a poison that is dispelled
//	FAIL shield a shield that is spent
//	     @@ line 2 @@
//	       4000 pulse shield x1
//	     - 5000 remove shield why=broken
//	     + 6000 remove shield why=expired
//	1 of 2 agree
//
// # Traces
//
// A trace is a recording of a game: comma-separated values with the columns ms, event, source,
// target, spell, name, kind (buff or debuff) and stacks, in time order. Source, target and
// spell together identify one buff on one unit.
//
//	apply refresh   the buff is active, with its whole duration left
//	dose undose     the buff now has the number of stacks in the line; a dose also refreshes it
//	dispel break    another unit removed the oldest buff of that spell
//	death           the target died, which ends its buffs
//	remove          the buff ended; this end is compared, see below
//	tick            a pulse of the buff, which is ignored
//
// The table of spells has the columns spell, name, kind, duration_ms and refresh. The column
// refresh has the value restart, pandemic or another refresh rule of package buff. To make the load
// realistic, the replay also includes spells that are not in the table; their buffs last until the
// recording removes them.
//
// Every line is sent to the engine at its time, after all events that are due at this time. The
// engine decides when a buff of the table ends, and this end is compared with the recorded end:
//
//	match   the two ends are within 100 ms
//	early   the recorded end is before the engine's, because of a dispel or something that is
//	        not in the recording; the buff is then removed from the engine
//	late    the engine ended the buff, but it was still active more than 100 ms later
//
// Late ends are errors of the engine or of the table, and are printed with their lines. "When
// the recorder wrote again" means that the trace has no line between the two ends. If the table
// says that a refresh carries over the remaining time, but a buff ended early, exactly one duration
// after its last refresh, the table may be wrong. Such ends are counted for each spell.
//
// An end is not compared if the recording does not contain it, or if the buff was active before the
// recording began. It is also not compared if the buff outlived a recorded death, because the
// engine ends the buff at the death. If the recording shows that a death was not real, the buff
// starts again at its next refresh. If one source has several buffs of one spell on a unit, the
// trace does not show which of them ended; the engine has only one of them.
//
// The last line of the report is the speed of this machine, in commands per second.
package main
