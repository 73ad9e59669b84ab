// Package reason lists the reasons for which a buff ends, an application is denied, a pulse is
// suppressed or a handler is reported as failed. Event.Why, Command.Reason and Result.Why of package
// buff are Reasons, and the keys of Hooks.Remove in package define.
package reason
