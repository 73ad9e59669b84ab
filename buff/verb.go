package buff

import (
	"errors"
	"fmt"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

// Errors of a [Command] that was brought from somewhere: of its binary form, of its text, and of
// [Command.Check].
var (
	// ErrCommand: it is no command, or one that no constructor could have made.
	ErrCommand = errors.New("buff: bad command")
	// ErrCommandVersion: its binary form is of a later version.
	ErrCommandVersion = errors.New("buff: a command of a version that is not known")
	// ErrFunc: it holds a Go function, which has no binary form.
	ErrFunc = errors.New("buff: a command with a function has no binary form")
	// ErrName: the catalog has no definition, tag, act or attribute of that name or number.
	ErrName = errors.New("buff: the catalog has no such name")
)

// Check returns what is wrong with a command for owners whose definitions are those of a catalog,
// nil if nothing is: [ErrCommand] if no constructor could have made it, [ErrName] if its tag or its
// attribute is not of the catalog; nil is one without any. Whether what it asks for can be done is not asked.
func (c *Command) Check(catalog *Catalog) error {
	if catalog == nil {
		catalog = &Catalog{}
	}
	switch {
	case c.Verb == 0 || c.Verb > verb.Last:
		return fmt.Errorf("%w: the verb %d", ErrCommand, c.Verb)
	case c.Verb == verb.Enter || c.Verb == verb.Leave || c.linked:
		return fmt.Errorf("%w: %v is the engine's own", ErrCommand, c.Verb)
	case (c.Verb == verb.Apply || c.Verb == verb.RemoveSpec) && c.Application.Spec == nil:
		return fmt.Errorf("%w: %v of no definition", ErrCommand, c.Verb)
	case c.Verb == verb.AddTimeout && c.Name == "" && c.Do == nil:
		return fmt.Errorf("%w: a timeout that calls nothing", ErrCommand)
	case c.Reason != NoReason && !c.Reason.Removes():
		return fmt.Errorf("%w: the reason %v, which does not end a buff", ErrCommand, c.Reason)
	case c.Whose == define.OfSource || c.Whose > define.OfZone:
		return fmt.Errorf("%w: a time that is neither a buff's nor an owner's nor a zone's: %d", ErrCommand, c.Whose)
	case c.Tag != 0 && catalog.TagName(c.Tag) == "":
		return fmt.Errorf("%w: %v with the tag number %d", ErrName, c.Verb, c.Tag)
	case c.Query.Tag != 0 && catalog.TagName(c.Query.Tag) == "":
		return fmt.Errorf("%w: %v with the tag number %d", ErrName, c.Verb, c.Query.Tag)
	}
	switch c.Verb {
	case verb.AddBase, verb.SetBase, verb.Damage:
		if s := catalog.Attributes(); s == nil || c.Attr == 0 || int(c.Attr) > s.Len() {
			return fmt.Errorf("%w: %v with the attribute number %d", ErrName, c.Verb, c.Attr)
		}
	}
	return nil
}
