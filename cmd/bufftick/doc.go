// Command bufftick runs buffs on the tick engine, from files: scenarios written by designers,
// and recordings of real fights.
//
//	bufftick run      FILE...               print the logs of scenarios
//	bufftick run      -check FILE...        compare the logs with the expected ones
//	bufftick preview  ID -f PATH            show the timeline of a buff, as text or as a picture
//	bufftick validate PATH...               report errors and warnings in definitions
//	bufftick convert  PATH...               convert definitions to CSV, YAML or JSON
//	bufftick new      RECIPE                copy a recipe to start with
//	bufftick schema                         print the JSON Schema of definitions, for editors
//	bufftick cut      FILE                  print the saved zones of a game, and damage
//	bufftick cut      -compact FILE         remove the free space of a file
//	bufftick replay   TRACE -spells FILE    compare when the engine and a real game end buffs
//
// It has no clock: a scenario that covers a day runs at once. Flags may have one dash or two
// and may follow the arguments; bufftick COMMAND -help describes them. The exit code is 1 if
// there is an error or a difference, 2 if the command line is wrong, otherwise 0.
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
// The definitions under buffs are those of package catalog. A step has "at", its time from the
// start in whole ms or as a span (5s), never before the previous step; "owner", by default p1;
// and one of these verbs with its options:
//
//	tick: true           lets time pass
//	show: NAMES          prints attributes and tags of the owner, one or a list, as they are
//	                     after the previous steps: "5000 value speed=210 state.stunned=false"
//	apply: BUFF          source (a), stacks, duration, magnitude, level, key,
//	                     scale: RATIO of the duration, params: {NAME: NUMBER}
//	remove: BUFF
//	kill: true           the owner dies, by source: NAME; revive: true
//	source_gone: NAME    a source of buffs leaves
//	timeout: NAME        is due after: SPAN
//	save: true           the owner leaves, until load: true
//
//	extend: BUFF         moves its end by: SPAN, which may be negative, but
//	                     not beyond at_most: SPAN from now
//	compensate: QUERY    moves the ends on all owners by: SPAN
//	set_remaining: BUFF  sets its remaining time to: SPAN
//	set_period: BUFF     changes its period to: SPAN, by its haste rule
//	pause: true          stops the owner's time until resume: true
//	rate: RATIO          sets the rate of the owner's time
//	pause_buff: BUFF     stops the time of one buff until resume_buff: BUFF
//	rate_buff: BUFF      sets the rate of its time to: RATIO
//
//	zone: N              the owner enters a zone
//	pause_zone: N        stops the time of all owners in it until resume_zone: N
//	rate_zone: N         sets the rate of their time to: RATIO
//	near: OWNER          the step's owner enters the area of all auras of OWNER,
//	                     until far: OWNER; needs "seen: true", since the frames
//	                     determine when an aura looks for members
//
//	inhibit: BUFF        suppresses its effect until release: BUFF
//	tag: TAG             gives the owner a tag until untag: TAG
//	immune: TAG          makes it immune until vulnerable: TAG; with
//	                     purge: true, its buffs with the tag are removed
//
//	dispel: QUERY        removes all matching buffs; with most: N, that many portions
//	                     (dispel.per); of a BUFF one portion, or stacks: N
//	steal: QUERY         moves the buffs to: OWNER, for at_most: SPAN
//	interrupt: ACT       the owner performs an act that ends buffs
//	consume: ACT         the owner performs an act that uses charges
//	happened: ACT        the game reports an act by the owner, or on it: buffs react,
//	                     use charges, and end; target: OWNER, amount: N
//	use: BUFF            uses charges: N of it (1)
//	absorb: N            damage of a school: TAG meets the shields
//
//	base: ATTRIBUTE      sets its base, to: NUMBER
//	change: ATTRIBUTE    adds to its base, by: NUMBER
//	damage: ATTRIBUTE    reduces its base, after the shields, by: NUMBER of a school: TAG
//
// A BUFF is an ID: the oldest instance of it on the owner; if there is none, the step does
// nothing. A QUERY is an ID too, or a map with buff, tag, type, polarity, source, grade
// (basic), most (all) and newest: true. Tags and acts that no definition mentions have no
// effect. A RATIO is 2, 0.25 or "1/3".
//
// A step runs after all events that are due at its instant. If the last line of the expected log is
// after the last step, the run continues up to that line.
//
// The log has one line for each event, sorted by time, and at the same instant by owner. It
// contains deaths and revivals ("die", "revive") only with "life: true". The flags -frame,
// -workers and -sync never change the log. With "seen: true" each step ends a frame, and there are
// no other frames. The line of a pulse that ran late then says when it ran, such as "seen=8000".
// A definition with "catchup: skip" or "catchup: coalesce" needs "seen: true", because these rules
// are about the pulses of one frame. An action "to: source" or "to: target" of a hook other than
// on.act also needs it, because such an action runs at the end of a frame. If the script never
// spawns the owner that such an action is for, the log says "miss". Go handlers that definitions
// name exist and do nothing.
//
// All errors of a file are printed at once, each with file, line, column and a caret. A file
// that cannot be parsed stops everything; a scenario with errors fails alone. "bufftick
// validate" checks scenarios without running them, and reports warnings about their
// definitions. With -check:
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
//	dose undose     the current number of stacks; a dose also refreshes
//	dispel break    another unit removed the oldest buff of that spell
//	death           of the target, which ends its buffs
//	remove          the end, which is compared, see below
//	tick            a pulse, which is not used
//
// The table of spells has the columns spell, name, kind, duration_ms and refresh, which is restart,
// pandemic or another value of package buff. A spell that is not in the table lasts until the
// recording removes it, so that the load is realistic.
//
// Every line is sent to the engine at its time, after the events due then. The engine decides
// when a buff of the table ends, and that end is compared with the recorded one:
//
//	match   within 100 ms of each other
//	early   the recorded end is before the engine's, because of a dispel or something that is
//	        not in the recording; the engine is then told to end the buff
//	late    the engine ended the buff, but it was still active more than 100 ms later
//
// Late ends are errors of the engine or of the table, and are printed with their lines. "When
// the recorder wrote again" means that the trace has no line between the two ends. If the table
// says that a refresh carries over the remaining time, but a buff ended early, exactly one duration
// after its last refresh, the table may be wrong. Such ends are counted by spell.
//
// An end is not compared if the recording does not contain it, if the buff was active before the
// recording began, or if the buff outlived a recorded death, which it cannot in the engine. If the
// recording shows that a death was not real, the buff starts again at its next refresh. If one
// source has several buffs of one spell on a unit, the trace does not show which of them ended; the
// engine has only one of them.
//
// The last lines of the report are the speed of this machine: commands per second, and the
// duration of a Tick.
package main
