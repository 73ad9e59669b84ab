// Package verb defines the operations of a buff.Command, such as verb.Apply and verb.Kill. Code
// that creates commands does not need this package, because package buff has a constructor for each
// command. Code that executes, records or inspects commands reads Command.Verb.
package verb
