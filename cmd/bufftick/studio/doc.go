// Package studio implements the functions of "bufftick studio": a folder of definitions, checked
// while it is edited, with timelines, numbers and tests from the real engine.
//
//	page (ES modules) ──▸ backend.js ──▸ POST /api/METHOD ──▸ Studio.Call     package web
//	                              └────▸ WebAssembly ───────▸ Studio.Call     package wasm
//
// A [Studio] has one entry, [Studio.Call]: the name of a method and a JSON request in, a value for
// JSON out. Between calls it keeps only caches, so the same
// code runs on a server and in the browser. Requests contain the texts of edited files, which
// replace the texts in the [Store].
//
//	store.go      the files of a folder: Store, and Memory, a Store for the browser
//	studio.go     Studio, its methods, and the catalog of a folder
//	check.go      errors, warnings and names for completion
//	play.go       a script on the engine: events and state as a Timeline
//	timeline.go   lanes, levels and curves of a Timeline
//	numbers.go    damage, uptime and totals of many runs
//	tests.go      the scenarios of the folder, and a timeline kept as a scenario
//	recipes.go    new files from the cookbook
//
//	web/          the server, the files on disk, and the page
//	web/page/     the page; app.js is its main module
//	web/editor/   makes page/codemirror.js, the editor, from pinned npm packages
//	wasm/         main program of the page without a server
//
// The definition files of one folder are one catalog, as for package catalog. Scenarios may be in
// the same folder or another one. The timeline plays a scenario that consists of the folder's
// definitions and the script of the page, so that a kept scenario has the same log.
package studio
