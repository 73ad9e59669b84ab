// Package reason lists the reasons why a buff ends, an application is denied, a pulse is suppressed
// or a handler is reported as failed. [Reason] is the type of Event.Why, Command.Reason and
// Result.Why in package buff, and of the keys of Hooks.Remove in package define.
package reason
