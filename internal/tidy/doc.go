// Package tidy holds the rules of the house, as tests: which package may import which,
// who may read a clock, how long a file may be, what must be documented. It has no code
// beside its tests, and they read the whole module, from its root.
//
//	house_test.go     what the source of the module is, and that each rule is held against it
//	rules_test.go     the rules of imports, clocks, waiting tests, length and names
//	docs_test.go      the rules of documentation
//	readme_test.go    the README's program is an Example, its links lead somewhere
//	guide_test.go     the programs of the guide print what it says
//	limits_test.go    docs/limits.md names a test in each row
//	promises_test.go  each promise of docs/promises.md has a test
//	words_test.go     nobody uses a word that docs/words.md has given up
//	surface_test.go   how many exported names a library has
//	planted_test.go   each rule fails on a small source that breaks it
package tidy
