// Package prom exports metrics of an engine to Prometheus. Its [prometheus.Collector] reads the
// state of the engine from the loop at each scrape. It is a separate module, so that a game that
// imports the engine does not link a metrics library.
//
//	metrics := prom.New(eng)
//	defer metrics.Close()
//	registry.MustRegister(metrics)
//
// While a Collector exists, the engine's Watch is open; docs/inspect.md gives its cost. A scrape
// waits for the end of the next Tick, at most two seconds. If the loop does not tick, bufftick_up
// is 0 and the other metrics are missing.
//
//	bufftick_up                              1 if the loop has answered, otherwise 0
//	bufftick_frames_total                    Ticks so far
//	bufftick_frame_seconds                   duration of Ticks, or of the game's frames
//	bufftick_frame_budget_seconds            maximum duration: Options.Trace.SlowFrame, if set
//	bufftick_deadlines                       deadlines waiting on the wheel
//	bufftick_deadlines_fired_total           deadlines fired
//	bufftick_events_total{kind}              events by kind
//	bufftick_event_lateness_seconds          delay between an event's time and its frame
//	bufftick_denied_total{buff,reason}       applications refused
//	bufftick_buff_events_total{buff,kind}    events by definition
//	bufftick_buff_live{buff}                 active instances
//	bufftick_buff_handlers_total{buff}       handlers that have returned, estimated from a sample
//	bufftick_buff_handler_seconds_total{buff}  duration of these handlers
//	bufftick_owners, bufftick_buffs          owners and their buffs
//	bufftick_workers                         workers
//	bufftick_handler_seconds_total           working time of workers, estimated from a sample
//	bufftick_stuck_owners                    owners whose handler has run for a second of game time
//	bufftick_waiting_owners                  owners for which stuck owners left no worker
//	bufftick_busy_owners                     owners whose turn was not over
//	bufftick_behind_seconds                  game time still to be processed
//	bufftick_lost_seconds_total              game time that Ticks have dropped
//	bufftick_inbox_commands, _inbox_limit    waiting commands from other goroutines, and their maximum
//	bufftick_inbox_refused_total             commands refused because the inbox or a share was full
//	bufftick_mailbox_messages                messages that wait for busy owners
//	bufftick_refused_total                   commands refused because of a limit
//	bufftick_undelivered_total               commands whose owner did not exist
//	bufftick_dropped_total                   deadlines that were obsolete when they were due
//	bufftick_despawn_dropped_total           timeouts removed with their owner
//	bufftick_pool_refused_total              times that the pool had no worker
//	bufftick_faults_total                    panics of handlers and other functions of the game
//
// The counters by kind, lateness and denial, and the durations, start at zero when New is called.
// The first 100 definitions with an event have their own series. All other definitions share the
// label "(others)". Timeouts have the label "(timeouts)". Attribute changes, deaths and revivals
// by the game itself have the label "(game)". For several engines in one registry, give each
// engine its own label with prometheus.WrapRegistererWith, as in the example named Zones.
// dashboard.json is a dashboard for Grafana, and alerts.yaml contains alert rules for Prometheus.
package prom
