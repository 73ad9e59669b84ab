// Package view is what an engine shows of itself to those who look on: an inspector, a collector of metrics, a page with
// graphs. A game that plays needs none of it but [Stats], [Stuck] and [Fault], which a frame and the options name.
//
//	what                             how it comes
//	a View, with the owners followed Engine.Watch().Next: see [Watch]
//	counts by definition             Engine.Watch().Specs
//	who has a buff                   Engine.Watch().Holders
//	Stats                            Engine.Stats, and in each View
//	Stuck                            Frame.Stuck, and in each View
//	Fault                            Options.OnFault
//	ReloadReport                     Engine.Reload
//
// Nothing here changes an engine, and nothing but [Watch] is more than data: any goroutine may read it.
package view
