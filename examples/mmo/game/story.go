package game

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// story prints the important events for viewers: bosses that appear, rage and die, players that die
// and the causes of their deaths, and raids that are wiped out. It depends only on events, so the
// same game prints the same lines.
type story struct {
	*world
	lines  []line // lines about the current frame
	second wheel.Time
	said   int           // number of lines printed in this second
	named  int           // number of lines about deaths of players printed in this second
	more   [subjects]int // number of lines omitted in this second, by subject
	grim   []*raid       // raids of the players that died in this frame; may have duplicates
	told   bool
	out    func(...string)
	colour bool
	digits int // number of digits in the number of a raid
}

// subject is the subject of a line.
type subject uint8

const (
	coming subject = iota
	turning
	raging
	dying
	wiping
	falling
	subjects // number of subjects
)

// The variable "paints" has the terminal codes for the colours of the subjects. The variable
// "titles" has the names of the subjects for the line about omitted lines.
var (
	paints = [subjects]string{"\x1b[36m", "\x1b[33m", "\x1b[1;33m", "\x1b[31m", "\x1b[1;31m", "\x1b[1;32m"}
	titles = [subjects]string{"bosses appeared", "phases begun", "bosses enraged", "players fallen", "raids wiped out", "bosses killed"}
)

const (
	faint = "\x1b[2m"
	plain = "\x1b[0m"
)

// Limits on the number of lines per second of game time.
const (
	storyLines = 10 // maximum number of lines
	storyFalls = 2  // maximum number of lines about deaths of players
)

type line struct {
	at      wheel.Time
	raid    *raid
	subject subject
	text    string
}

func newStory(w *world, out func(...string), colour bool) *story {
	return &story{world: w, out: out, colour: colour, digits: len(fmt.Sprint(len(w.raids)))}
}

func (s *story) tell(at wheel.Time, r *raid, what subject, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	// Each line starts with a capital letter, as in "The Pale Stag falls".
	s.lines = append(s.lines, line{at, r, what, strings.ToUpper(text[:1]) + text[1:]})
}

// add handles an event of the frame. The world must have handled the event already.
func (s *story) add(e buff.Event) {
	switch {
	case e.Kind != buff.Applied:
	case e.Owner >= firstBoss:
		s.addBoss(&s.raids[e.Owner-firstBoss], e)
	case is(e.Spec, s.ghost):
		p := &s.players[e.Owner-1]
		s.tell(e.At, p.raid, dying, "%s falls%s", s.who(p.id), s.to(p.id))
		s.grim = append(s.grim, p.raid)
	}
}

func (s *story) addBoss(r *raid, e buff.Event) {
	boss := s.who(r.boss)
	switch {
	case is(e.Spec, s.life):
		s.tell(e.At, r, coming, "%s appears with %.0f health; %d players fight it", boss, r.most, r.standing())
	case is(e.Spec, s.enrage):
		s.tell(e.At, r, raging, "%s has had enough: %s", boss, title(e.Spec))
	case is(e.Spec, s.fallen):
		s.tell(e.At, r, falling, "%s falls%s, after %.1f s; %d of %d are standing", boss, s.to(r.boss),
			float64(e.At-r.came)/1000, r.standing(), len(r.members))
	default:
		for _, p := range s.phases {
			if is(e.Spec, p.spec) {
				s.tell(e.At, r, turning, "%s is down to %.0f %%: %s, and %s on all", boss, 100*p.share, title(e.Spec), title(s.plague))
			}
		}
	}
}

// standing returns the number of players of a raid that are logged in and alive.
func (r *raid) standing() (n int) {
	for _, p := range r.members {
		if p.here() {
			n++
		}
	}
	return n
}

// to returns the cause of a death, such as " to a Venom of its own". It returns "" if the cause is
// unknown, for example because a handler of the unit is running.
func (s *story) to(id buff.OwnerID) string {
	u, ok := s.eng.Data(id).(*unit)
	if !ok || s.eng.Busy(id) || u.fate.spec == nil {
		return ""
	}
	switch by := s.who(u.fate.by); {
	case u.fate.by == id:
		return " to a " + title(u.fate.spec) + " of its own"
	case by != "":
		return " to " + by + "'s " + title(u.fate.spec)
	}
	return " to " + title(u.fate.spec)
}

// who returns the name of a unit.
func (s *story) who(id buff.OwnerID) string {
	switch {
	case id >= firstBoss && id-firstBoss < buff.OwnerID(len(s.raids)):
		return bossName(int(id - firstBoss))
	case id >= 1 && id <= buff.OwnerID(len(s.players)):
		return playerName(int(id-1), s.players[id-1].class)
	}
	return ""
}

// title returns the name of a buff for players.
func title(s *buff.Spec) string { return cmp.Or(s.Name, s.ID) }

// frame prints the lines of the frame, sorted by time. The events of a frame are sorted by player.
func (s *story) frame() {
	for i, r := range s.grim {
		if r.fights && !r.fell && r.standing() == 0 && !slices.Contains(s.grim[:i], r) {
			s.tell(s.last(r), r, wiping, "wiped out: all %d players are down, and %s has %.0f %% left", len(r.members), s.who(r.boss), 100*r.health/r.most)
		}
	}
	slices.SortStableFunc(s.lines, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	var out []string
	for _, l := range s.lines {
		out = append(out, s.turn(l.at)...)
		if s.said == storyLines || l.subject == dying && s.named == storyFalls {
			s.more[l.subject]++
			continue
		}
		s.said++
		if l.subject == dying {
			s.named++
		}
		out = append(out, s.line(l))
	}
	out = append(out, s.turn(s.now)...)
	if s.lines, s.grim = s.lines[:0], s.grim[:0]; len(out) > 0 {
		s.told = true
		s.out(out...)
	}
}

// last returns the time of a raid's last death in this frame.
func (s *story) last(r *raid) (at wheel.Time) {
	for _, l := range s.lines {
		if l.raid == r && l.subject == dying {
			at = max(at, l.at)
		}
	}
	return at
}

// turn starts a new second if the given time is after the current second. In this case it returns
// the line about the lines that were omitted in the previous second, or nil if none were omitted.
func (s *story) turn(at wheel.Time) []string {
	if at/1000 <= s.second {
		return nil
	}
	more := s.rest()
	s.second, s.said, s.named, s.more = at/1000, 0, 0, [subjects]int{}
	return more
}

// rest returns the line about the lines omitted in this second, or nil if none were omitted.
func (s *story) rest() []string {
	var parts []string
	for i, n := range s.more {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", titles[i], n))
		}
	}
	if parts == nil {
		return nil
	}
	text := fmt.Sprintf("%13s %*s and in the same second: %s", "", len("raid ")+s.digits, "", strings.Join(parts, ", "))
	return []string{s.paint(faint, text)}
}

func (s *story) line(l line) string {
	return fmt.Sprintf("%s  %s  %s", s.paint(faint, fmt.Sprint(l.at)),
		s.paint(faint, fmt.Sprintf("raid %*d", s.digits, l.raid.boss-firstBoss+1)), s.paint(paints[l.subject], l.text))
}

func (s *story) paint(with, text string) string {
	if !s.colour {
		return text
	}
	return with + text + plain
}

// end prints the line about the lines that were omitted in the last second, if any.
func (s *story) end() {
	if more := s.rest(); more != nil {
		s.out(more...)
	}
}
