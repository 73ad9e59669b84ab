package judge

// Scenarios, their steps, and the lines of the log, as vectors/README.md describes them.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Scenario is a list of definitions, a script, and the log that the script must produce.
type Scenario struct {
	// ID and Name identify the scenario.
	ID, Name string
	// Want is the expected log, if the file has one.
	Want []string

	buffs      map[string]*definition
	attributes map[string]*attribute
	curves     map[string]curve
	acts       []string // the acts that the file declares
	steps      []step
	seen, life bool
	frame      int64 // if not 0, a frame also ends at each multiple of it
}

// step is one line of a script. Its kind depends on which fields are set.
type step struct {
	At    instant
	Owner string
	Show  names

	Tick, Kill, Revive, Pause, Resume, Save, Load bool

	Apply, Remove, Extend, Inhibit, Release, Immune, Vulnerable, Interrupt, Consume, Happened, Use, Timeout, Tag, Untag, Near, Far string

	Area       *int64
	PauseArea  *int64 `json:"pause_area"`
	ResumeArea *int64 `json:"resume_area"`
	RateArea   *int64 `json:"rate_area"`

	Rate       *ratio
	RateBuff   string `json:"rate_buff"`
	Steal      json.RawMessage
	Compensate json.RawMessage

	SetPeriod    string          `json:"set_period"`
	SetRemaining string          `json:"set_remaining"`
	SourceGone   string          `json:"source_gone"`
	PauseBuff    string          `json:"pause_buff"`
	ResumeBuff   string          `json:"resume_buff"`
	Dispel       json.RawMessage `json:"dispel"`
	Base         string
	Change       string
	Damage       string
	Absorb       *int64

	Target    string
	Why       string
	Amount    int64
	Source    string
	Stacks    int
	Duration  *span
	Magnitude int64
	Level     int
	Key       int64
	By, To    json.RawMessage
	AtMost    *span `json:"at_most"`
	After     span
	Purge     bool
	School    string
	Charges   int
	Scale     *ratio
	Params    map[string]float64

	query query
	named string // Source, if the file names it
}

// instant is a time in ms since the start. A file contains it as a number or as a span.
type instant int64

// UnmarshalJSON reads a number or a span.
func (i *instant) UnmarshalJSON(text []byte) error {
	var ms int64
	if err := json.Unmarshal(text, &ms); err != nil {
		var s span
		if err := s.UnmarshalJSON(text); err != nil {
			return err
		}
		ms = int64(s)
	}
	*i = instant(ms)
	return nil
}

// names is a list of names. In a file, a list of one name may be written as just the name.
type names []string

// UnmarshalJSON reads a name or a list.
func (n *names) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*n = names{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(n))
}

// query selects buffs for a dispel, a steal or a compensation.
type query struct {
	one      string // if not empty: the ID of a definition, which replaces the query
	ID       string `json:"buff"`
	Type     string
	Grade    string
	Tag      string
	Polarity string
	Source   string
	Most     int
	Newest   bool
}

// Decode reads a scenario, or a list of them, in JSON.
func Decode(text []byte) ([]*Scenario, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		raw = []json.RawMessage{text}
	}
	var all []*Scenario
	for _, r := range raw {
		s, err := decodeOne(r)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func decodeOne(text []byte) (*Scenario, error) {
	var f struct {
		ID, Name, Source, Note string
		Tags                   []string
		Dead                   string
		Groups, Handlers, Acts []string
		Icons                  []string
		Slots                  map[string]*slotWords
		DR                     map[string]*drWords
		Attributes             map[string]*attribute
		Curves                 map[string]curve
		Buffs, Templates       map[string]json.RawMessage
		Script                 []json.RawMessage
		Seen, Life             bool
		Frame                  instant
		Want                   []string
	}
	if err := strictly(text, &f); err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	s := &Scenario{ID: f.ID, Name: f.Name, Want: f.Want, seen: f.Seen, life: f.Life, frame: int64(f.Frame), attributes: f.Attributes, curves: f.Curves, acts: f.Acts, buffs: map[string]*definition{}}
	for id, raw := range f.Buffs {
		raw, err := whole(raw, f.Buffs, f.Templates)
		if err != nil {
			return nil, fmt.Errorf("scenario %s, buff %s: %w", f.ID, id, err)
		}
		d := &definition{ID: id, Dead: f.Dead}
		if err := strictly(raw, d); err != nil {
			return nil, fmt.Errorf("scenario %s, buff %s: %w", f.ID, id, err)
		}
		if d.Slot != nil && d.Slot.name != "" {
			d.Slot.slotWords = *f.Slots[d.Slot.name]
			d.Slot.Class = d.Slot.name
		}
		if d.DR != nil && d.DR.name != "" {
			d.DR.drWords = *f.DR[d.DR.name]
			d.DR.Group = d.DR.name
		}
		d.Duration.levels, d.Period.levels = f.Curves[d.Duration.curve], f.Curves[d.Period.curve]
		s.buffs[id] = d
	}
	for i, raw := range f.Script {
		st, err := decodeStep(raw)
		if err != nil {
			return nil, fmt.Errorf("scenario %s, step %d: %w", f.ID, i, err)
		}
		s.steps = append(s.steps, st)
	}
	if s.frame > 0 {
		s.steps = s.withFrames()
	}
	return s, nil
}

// withFrames returns the steps with a step at each multiple of the length of a frame, and at the
// last line of the expected log. These steps have no command: they only end a frame.
func (s *Scenario) withFrames() (all []step) {
	last := int64(0)
	for _, line := range s.Want {
		word, _, _ := strings.Cut(line, " ")
		if at, err := strconv.ParseInt(word, 10, 64); err == nil {
			last = max(last, at)
		}
	}
	next := s.frame
	until := func(at int64) {
		for ; next <= at; next += s.frame {
			all = append(all, step{At: instant(next), Tick: true})
		}
	}
	for _, st := range s.steps {
		until(int64(st.At))
		all = append(all, st)
	}
	until(last)
	return append(all, step{At: max(instant(last), all[len(all)-1].At), Tick: true})
}

func decodeStep(raw []byte) (st step, err error) {
	if err := strictly(raw, &st); err != nil {
		return st, err
	}
	for _, q := range []json.RawMessage{st.Dispel, st.Steal, st.Compensate} {
		if q != nil && json.Unmarshal(q, &st.query.one) != nil {
			if err := strictly(q, &st.query); err != nil {
				return st, err
			}
		}
	}
	st.Owner, st.named = or(st.Owner, "p1"), st.Source
	if st.Apply != "" {
		st.Source = or(st.Source, "a")
	}
	return st, nil
}

// Play runs the script and returns the log. A step at time t first runs a frame that ends at t,
// and then its command, so the command runs after all events that are due at t. While an owner is
// away or paused, it has no due events.
//
// If decided is false, the rules have no answer, and the log is undefined.
func (s *Scenario) Play() (log []string, decided bool) { return s.play(nil) }

// PlayMarked is like Play, and also returns how often each of the [Rules] had an effect.
func (s *Scenario) PlayMarked() (log []string, decided bool, marked map[string]int) {
	all := marks{}
	log, decided = s.play(all)
	return log, decided, all
}

func (s *Scenario) play(m marks) (log []string, decided bool) {
	w := &world{defs: s.buffs, acts: s.acts, attributes: s.attributes, curves: s.curves, near: map[[2]string]bool{}, members: map[member]bool{}, areas: map[int64]*pace{}, views: s.views(), marks: m}
	for _, name := range sortedKeys(s.attributes) {
		if at := s.attributes[name]; at.Max != nil && at.Max.name != "" || at.Min != nil && at.Min.name != "" {
			w.bounded = append(w.bounded, name)
		}
	}
	for _, st := range s.steps { // all owners exist from the start
		w.owner(st.Owner, s)
		if st.Steal != nil {
			w.owner(textOf(st.To), s)
		}
		if st.Target != "" {
			w.owner(st.Target, s)
		}
		for _, name := range []string{st.named, st.Near, st.Far} {
			if s.frame > 0 && name != "" {
				w.owner(name, s)
			}
		}
	}
	for _, st := range s.steps {
		w.run(int64(st.At))
		w.look(int64(st.At))
		w.deliver()
		o := w.owner(st.Owner, s)
		switch {
		case w.place(o, st):
		case st.Load:
			o.load()
		case !o.away:
			o.do(st)
		}
		w.deliver()
	}
	if len(s.steps) > 0 { // auras also search at the end of the last frame
		w.look(int64(s.steps[len(s.steps)-1].At))
		w.deliver()
	}
	return w.merged()
}

// run runs a frame of all owners, and delivers the posted commands.
func (w *world) run(to int64) {
	for _, o := range w.owners {
		if w.views {
			o.view = o.values()
		}
	}
	w.inFrame = true
	for _, o := range w.owners {
		o.reach(to)
	}
	w.inFrame = false
	w.deliverFrame()
}

// views reports whether any definition reads the source's attributes at the time of the
// application.
func (s *Scenario) views() bool {
	for _, d := range s.buffs {
		for _, a := range d.actions() {
			if a.If != nil {
				return true
			}
		}
		for _, n := range d.numbers() {
			if (n.Snapshot == "apply" || n.runs()) && (n.Of == "source" || n.Formula != nil) {
				return true
			}
		}
	}
	return false
}

// do runs the command of a step.
func (o *owner) do(st step) {
	o.own, o.by = o.clock.now(o.world), st.Target
	switch {
	case st.Damage != "":
		o.by = st.Source
	case st.Steal != nil:
		o.by = textOf(st.To)
	}
	named := cmp.Or(st.Remove, st.Extend, st.SetRemaining, st.SetPeriod, st.PauseBuff, st.ResumeBuff, st.RateBuff, st.Inhibit, st.Release, st.Use)
	act := cmp.Or(st.Interrupt, st.Consume, st.Happened)
	if named != "" && o.oldest(named) == nil || act != "" && !o.all.usesAct(act) && !slices.Contains(o.all.acts, act) { // no effect
		return
	}
	if !st.Tick && !st.Save && st.Show == nil && st.SourceGone == "" { // these steps are not commands for the owner
		o.reread()
	}
	switch {
	case st.Apply != "":
		a := application{
			id: st.Apply, source: st.Source, stacks: st.Stacks, magnitude: st.Magnitude, level: st.Level, key: st.Key, params: st.Params,
			chain: chain{known: o.all.knows(st.Source)},
		}
		if st.Scale != nil {
			a.scale = st.Scale.Rat
		}
		if st.Duration != nil {
			a.override, a.duration = true, int64(*st.Duration)
		}
		o.apply(a)
	case st.Remove != "":
		o.removeStacks(st.Remove, st.Stacks, or(st.Why, "cancelled"))
	case st.Extend != "":
		o.extend(st.Extend, spanOf(st.By), st.AtMost)
	case st.SetRemaining != "":
		o.setRemaining(st.SetRemaining, spanOf(st.To))
	case st.SetPeriod != "":
		o.setPeriod(st.SetPeriod, spanOf(st.To))
	case st.PauseBuff != "":
		o.pauseBuff(st.PauseBuff, true)
	case st.ResumeBuff != "":
		o.pauseBuff(st.ResumeBuff, false)
	case st.Dispel != nil:
		o.dispel(st.query, st.Stacks)
	case st.Timeout != "":
		o.timeout(st.Timeout, int64(st.After))
	case st.Pause, st.Resume:
		o.mine.held = st.Pause
		o.repace()
	case st.Rate != nil:
		o.mine.rate = st.Rate.Rat
		o.repace()
	case st.Area != nil:
		o.enters(*st.Area)
	case st.RateBuff != "":
		var to ratio
		if err := to.UnmarshalJSON(st.To); err != nil {
			panic(err)
		}
		o.rateBuff(st.RateBuff, to.Rat)
	case st.Steal != nil:
		o.steal(st.query, o.all.owner(textOf(st.To), nil), st.AtMost, st.Stacks)
	case st.Compensate != nil:
		o.all.compensate(st.query, spanOf(st.By))
		return
	case st.Show != nil:
		o.show(st.Show)
		return
	case st.Save:
		o.save()
		return
	default:
		o.change(st)
	}
	o.settle()
	o.rounds()
}

// show logs attributes with their modifiers, and whether the owner has tags.
func (o *owner) show(all names) {
	text := "value"
	for _, name := range all {
		if o.all.attributes[name] != nil {
			text += " " + name + "=" + strconv.FormatFloat(o.value(name), 'g', 12, 64)
		} else {
			text += fmt.Sprintf(" %s=%t", name, o.has(name))
		}
	}
	o.say("%s", text)
}

// change runs a step that changes the owner, not one of its buffs.
func (o *owner) change(st step) {
	switch {
	case st.Inhibit != "":
		o.inhibit(st.Inhibit, true)
	case st.Release != "":
		o.inhibit(st.Release, false)
	case st.Kill:
		o.kill("", "", chain{})
	case st.Revive:
		o.revive()
	case st.SourceGone != "":
		for _, o := range o.all.owners {
			o.sourceGone(st.SourceGone)
			o.settle()
			o.rounds()
			o.all.deliver()
		}
	case st.Immune != "":
		o.immunize(st.Immune, st.Purge)
	case st.Vulnerable != "":
		o.expose(st.Vulnerable)
	case st.Tag != "":
		o.tags[st.Tag]++ // tags from the game are counted
	case st.Untag != "":
		if o.tags[st.Untag]--; o.tags[st.Untag] <= 0 {
			delete(o.tags, st.Untag)
		}
	case st.Interrupt != "":
		o.interrupt(st.Interrupt)
	case st.Consume != "":
		o.consume(st.Consume)
	case st.Happened != "":
		o.happened(st.Happened, st.Target, st.Amount, false)
	case st.Use != "":
		o.use(st.Use, st.Charges)
	case st.Base != "":
		o.rebase("", st.Base, numberOf(st.To)-o.base(st.Base), numberOf(st.To), 0, nil)
	case st.Change != "":
		o.changes("", st.Change, numberOf(st.By))
	case st.Damage != "":
		o.damages("", st.Damage, numberOf(st.By), st.School, st.Source, chain{})
	case st.Absorb != nil:
		o.absorb(*st.Absorb, st.School)
	}
}
