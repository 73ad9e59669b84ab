// Package verb is what a buff.Command says is to be done: verb.Apply, verb.Kill. Who makes commands needs none of it,
// since package buff has a function for each; who carries them out, records them or looks into a recording reads
// Command.Verb.
package verb
