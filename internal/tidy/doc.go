// Package tidy tests the rules that span packages: what a package may import, which files may read
// the wall clock, and that the documentation agrees with the code. The package contains only tests,
// which read the whole repository.
//
//	tree_test.go      loads the source and runs the rules
//	rules_test.go     imports, clocks, tests that wait, who may call a method
//	promises_test.go  each promise of docs/promises.md has a test
//	names_test.go     tests and transcripts named in the docs exist
//	readme_test.go    the README's program prints what the README shows
//	pages_test.go     links lead to files and headings; commands name existing things
//	prose_test.go     pages and comments are in ordinary English
//	guide_test.go     the programs of the guide print what the guide says
//	versions_test.go  docs/versioning.md states the formats that the code writes
//	size_test.go      no file of the repository is huge
package tidy
