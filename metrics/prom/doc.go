// Package prom tells Prometheus about an engine: a [prometheus.Collector] that asks the
// loop at each scrape. It is a module of its own, so that a game that imports the engine
// does not link a metrics library.
//
//	metrics := prom.New(eng)
//	defer metrics.Close()
//	registry.MustRegister(metrics)
//
// What is paid is what the engine's Watch costs while it is open: docs/inspect.md has the
// figures. A scrape waits for the end of the next Tick, two seconds at most; if the loop does
// not tick, bufftick_up is 0 and the rest is missing.
//
//	bufftick_up                              1 if the loop has answered
//	bufftick_frames_total                    Ticks
//	bufftick_frame_seconds                   how long they took, or the frames of the game
//	bufftick_frame_budget_seconds            what they may take: Options.Trace.SlowFrame, if it is set
//	bufftick_deadlines                       waiting on the wheel
//	bufftick_deadlines_fired_total           that came due
//	bufftick_events_total{kind}              facts
//	bufftick_event_lateness_seconds          from when they were due to their frame
//	bufftick_denied_total{buff,reason}       applications refused
//	bufftick_buff_events_total{buff,kind}    facts, by definition
//	bufftick_buff_live{buff}                 instances that run
//	bufftick_buff_handlers_total{buff}       handlers that have returned, estimated from some
//	bufftick_buff_handler_seconds_total{buff}  and how long they took
//	bufftick_owners, bufftick_buffs          who is there, what they carry
//	bufftick_workers                         and
//	bufftick_handler_seconds_total           what they work, estimated from some turns
//	bufftick_stuck_owners                    whose handlers have held a worker for a second of the game
//	bufftick_waiting_owners                  who was not served because of them
//	bufftick_busy_owners                     whose turn was not over
//	bufftick_behind_seconds                  time that is still to be worked off
//	bufftick_lost_seconds_total              time that Ticks have dropped
//	bufftick_inbox_commands, _inbox_limit    of other goroutines
//	bufftick_inbox_refused_total             of them, refused: the inbox or a producer's share was full
//	bufftick_mailbox_messages                for busy owners
//	bufftick_refused_total                   commands refused for want of room
//	bufftick_undelivered_total               commands that found nobody
//	bufftick_dropped_total                   due, and no longer so when they were to run
//	bufftick_despawn_dropped_total           timeouts that went with their owner
//	bufftick_pool_refused_total              times that the pool had no worker
//	bufftick_faults_total                    panics of handlers and of what else the game gives
//
// What is counted by kind, lateness and denial, and the times, begins when New was called.
// By definition there are series for 100 of them at most, the first of which something came; the label of
// all others together is "(others)". What has no definition is "(timeouts)", or, of attributes that the game
// changes by itself and of deaths and revivals, "(game)".
// For several engines in one registry give each a label of its own, as the example Zones shows: prometheus.WrapRegistererWith.
// dashboard.json is a dashboard for Grafana, alerts.yaml rules for Prometheus.
package prom
