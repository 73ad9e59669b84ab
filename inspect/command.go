package inspect

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff"
)

// argKind is the kind of argument of a verb.
type argKind uint8

const (
	nothing argKind = iota
	aDefinition
	aBuff
	aTag
	anAct
	anAttribute
	aQuery
	aNumber
)

// verbLine is a verb of the text form of commands, with the kind of its argument and its options.
type verbLine struct {
	verb     string
	argument argKind
	options  []string
}

// verbLines are the verbs offered for completion. They are the verbs of buff.ParseCommand.
var verbLines = []verbLine{
	{"apply", aDefinition, []string{"source=", "stacks=", "level=", "key=", "magnitude=", "duration=", "scale="}},
	{"remove", aBuff, []string{"stacks=", "why="}},
	{"remove_oldest", aDefinition, []string{"stacks=", "why="}},
	{"extend", aBuff, []string{"by=", "at_most="}},
	{"set_remaining", aBuff, []string{"to="}},
	{"set_period", aBuff, []string{"to="}},
	{"inhibit", aBuff, nil},
	{"release", aBuff, nil},
	{"use", aBuff, []string{"charges="}},
	{"pause", nothing, nil},
	{"resume", nothing, nil},
	{"rate", aNumber, nil},
	{"pause_buff", aBuff, nil},
	{"resume_buff", aBuff, nil},
	{"rate_buff", aBuff, []string{"to="}},
	{"area", aNumber, nil},
	{"tag", aTag, nil},
	{"untag", aTag, nil},
	{"immune", aTag, []string{"purge"}},
	{"vulnerable", aTag, nil},
	{"dispel", aQuery, []string{"tag=", "polarity=", "source=", "most=", "stacks=", "newest"}},
	{"compensate", aQuery, []string{"by="}},
	{"interrupt", anAct, nil},
	{"consume", anAct, nil},
	{"absorb", aNumber, []string{"school="}},
	{"base", anAttribute, []string{"to="}},
	{"change", anAttribute, []string{"by="}},
	{"damage", anAttribute, []string{"by=", "school="}},
	{"kill", nothing, nil},
	{"revive", nothing, nil},
}

const (
	maxCommand     = 1000 // bytes of a command line
	maxCompletions = 20
)

// unsafe checks that commands are allowed, and parses the id of the player.
func (in *Inspector) unsafe(player string) (id buff.OwnerID, no *refusal) {
	if !in.opts.Unsafe {
		return 0, &refusal{http.StatusForbidden, "commands require Options.Unsafe"}
	}
	id, ok := parseID(player)
	if !ok {
		return 0, &refusal{http.StatusBadRequest, "a player id has up to 20 digits"}
	}
	return id, nil
}

// carried returns a player's buffs, or nil if they cannot be read.
func (in *Inspector) carried(r *http.Request, id buff.OwnerID) []buff.Instance {
	o, err := in.find(r, id)
	if err != nil || o.Unseen {
		return nil
	}
	return o.Buffs
}

// command executes a command line for a player and responds with the result. In the command line,
// a buff can be named by its handle or by the id of its definition. The id means the player's
// oldest buff of that definition.
func (in *Inspector) command(w http.ResponseWriter, r *http.Request, a actionJSON) {
	id, no := in.unsafe(a.Player)
	if no == nil && len(a.Text) > maxCommand {
		no = &refusal{http.StatusBadRequest, "the command is too long"}
	}
	if no != nil {
		refuse(w, *no)
		return
	}
	names := buff.Names{Catalog: in.eng.Catalog(), Self: id, Buff: func(owner buff.OwnerID, name string) (buff.Handle, error) {
		return handleIn(in.carried(r, owner), name)
	}}
	c, err := buff.ParseCommand(a.Text, names)
	if err != nil {
		refuse(w, refusal{http.StatusBadRequest, shown(err.Error(), 400, "")})
		return
	}
	if in.opts.Do != nil {
		if no := in.do(c); no != nil {
			refuse(w, *no)
			return
		}
		serveJSON(w, saidJSON{Said: "passed to the game"})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	result, err := in.eng.Inbox().Ask(ctx, c)
	if err != nil {
		refuse(w, refusal{http.StatusServiceUnavailable, line(err.Error())})
		return
	}
	serveJSON(w, saidJSON{Said: line(result.String())})
}

// saidJSON is the result of a command.
type saidJSON struct {
	Said string `json:"said"`
}

// handleIn returns the handle of the buff with the given name, which is a handle in text form or
// the id of a definition.
func handleIn(carried []buff.Instance, name string) (buff.Handle, error) {
	for _, b := range carried {
		if b.Handle.String() == name || b.Spec.ID == name {
			return b.Handle, nil
		}
	}
	return 0, fmt.Errorf("the player has no buff %.100q", name)
}

// completionsJSON lists command lines that start with the requested text.
type completionsJSON struct {
	Lines []string `json:"lines"`
}

// serveCompletions responds with completions of a command line.
func (in *Inspector) serveCompletions(w http.ResponseWriter, r *http.Request, query url.Values) {
	id, no := in.unsafe(query.Get("player"))
	if no == nil && !in.trusts(r) {
		no = &refusal{http.StatusUnauthorized, "the token is missing or wrong"}
	}
	if no != nil {
		refuse(w, *no)
		return
	}
	text := query.Get("complete")
	c := completer{catalog: in.eng.Catalog(), carried: func() []buff.Instance { return in.carried(r, id) }}
	serveJSON(w, completionsJSON{c.lines(text[:min(len(text), maxCommand)])})
}

// completer completes command lines.
type completer struct {
	catalog *buff.Catalog
	carried func() []buff.Instance
}

// lines returns up to maxCompletions lines that complete the last word of text, best first.
func (c *completer) lines(text string) []string {
	at := strings.LastIndexByte(text, ' ') + 1
	before, word := text[:at], text[at:]
	out := []string{}
	for _, w := range c.words(strings.Fields(before)) {
		if len(out) < maxCompletions && strings.HasPrefix(w, word) && w != word {
			out = append(out, before+w)
		}
	}
	return out
}

// words returns the possible next words.
func (c *completer) words(before []string) (out []string) {
	if len(before) == 0 {
		for _, v := range verbLines {
			out = append(out, v.verb)
		}
		return out
	}
	at := slices.IndexFunc(verbLines, func(v verbLine) bool { return v.verb == before[0] })
	if at < 0 {
		return nil
	}
	v := verbLines[at]
	if len(before) == 1 {
		out = c.arguments(v.argument)
	}
	for _, o := range append(slices.Clone(v.options), "owner=") {
		if !slices.ContainsFunc(before[1:], func(w string) bool { return strings.HasPrefix(w, o) }) && (len(before) > 1 || v.argument == nothing || v.argument == aQuery) {
			out = append(out, o)
		}
	}
	return out
}

// arguments returns the possible arguments of the given kind.
func (c *completer) arguments(what argKind) (out []string) {
	switch what {
	case aDefinition, aQuery:
		for s := range c.catalog.All() {
			out = append(out, s.ID)
		}
	case aBuff:
		for _, b := range c.carried() {
			if !slices.Contains(out, b.Spec.ID) {
				out = append(out, b.Spec.ID)
			}
		}
	case aTag:
		for s := range c.catalog.All() {
			for _, tag := range s.Tags {
				if !slices.Contains(out, tag) {
					out = append(out, tag)
				}
			}
		}
	case anAttribute:
		if schema := c.catalog.Attributes(); schema != nil {
			for _, a := range schema.All() {
				out = append(out, a.Name)
			}
		}
	}
	return out
}
