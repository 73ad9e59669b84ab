// Package view has the types through which other code observes an engine: an inspector, a metrics
// collector, a page with graphs. A game needs only [Stats], [Stuck] and [Fault], which
// engine.Frame and engine.Options use.
//
//	type                              source
//	View, with the followed owners    Engine.Watch().Next: see Watch
//	SpecStats                         Engine.Watch().Specs
//	Holders                           Engine.Watch().Holders
//	Stats                             Engine.Stats, and in each View
//	Stuck                             Frame.Stuck, and in each View
//	Fault                             Options.OnFault
//	ReloadReport                      Engine.Reload
//
// No value of these types can change an engine. All types except [Watch] are plain data, which any
// goroutine may read.
package view
