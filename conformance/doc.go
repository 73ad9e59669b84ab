// Package conformance compares the engine with package judge, an interpreter of the rules that was
// written from the specification alone and shares no code with the engine. Both play the same
// random scenarios and must produce the same logs. Other tests check that commands issued by
// several goroutines have the same effect as some sequential order of these commands.
//
//	go test .                       a few thousand scenarios
//	go test . -law.scenarios 100000 as many scenarios as given
//	go test . -histories 5000       more tests with several goroutines
package conformance
