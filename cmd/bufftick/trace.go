package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// lastRecord is the maximum length of a trace: a week, in ms.
const lastRecord = 7 * 24 * 3600 * 1000

// Limits on input, including pipes.
const (
	maxTrace   = 32 << 20  // bytes of a recording or of a table of spells
	maxRecords = 1_000_000 // lines in a recording
	maxNames   = 10_000    // owners of buffs
	maxSpells  = 10_000    // different spells in a recording
)

// traceLine is one line of a trace.
type traceLine struct {
	line   int
	at     wheel.Time
	event  string
	source string
	target string
	spell  spellID
	name   string
	stacks int // for a dose or undose: the current number of stacks; otherwise 0
}

// spellID identifies a spell. The number alone is not enough, because a buff and a debuff may have
// the same number.
type spellID struct {
	number string
	kind   string // buff or debuff; "" if unknown
}

// spell is one row of the table.
type spell struct {
	id       spellID
	name     string
	duration time.Duration
	refresh  define.Refresh
}

// The columns of the two files, and the known events. A "tick" event is a pulse, which is not sent
// to the engine.
var (
	traceColumns = []string{"ms", "event", "source", "target", "spell", "name", "kind", "stacks"}
	spellColumns = []string{"spell", "name", "kind", "duration_ms", "refresh"}
	traceEvents  = []string{"apply", "refresh", "dose", "undose", "remove", "tick", "break", "dispel", "death"}
)

// readTrace reads a trace, whose lines must be in time order.
func readTrace(file string) ([]traceLine, error) {
	var all []traceLine
	err := eachRow(file, traceColumns, func(line int, row []string) error {
		r, err := parseRecord(row)
		if err != nil {
			return err
		}
		if len(all) > 0 && r.at < all[len(all)-1].at {
			return fmt.Errorf("ms: %d is before the line above, %d", r.at, all[len(all)-1].at)
		}
		if len(all) == maxRecords {
			return fmt.Errorf("more than %d lines in one recording", maxRecords)
		}
		r.line = line
		all = append(all, r)
		return nil
	})
	return all, err
}

func parseRecord(row []string) (traceLine, error) {
	r := traceLine{event: row[1], source: row[2], target: row[3], spell: spellID{number: row[4]}, name: row[5]}
	ms, err := strconv.ParseInt(row[0], 10, 64)
	switch {
	case err != nil || ms < 0 || ms > lastRecord:
		return r, fmt.Errorf("ms: want a whole number from 0 to %d, not %q", int64(lastRecord), short(row[0]))
	case !slices.Contains(traceEvents, r.event):
		return r, fmt.Errorf("event: unknown word %q: want one of %s", short(r.event), strings.Join(traceEvents, ", "))
	case r.source == "" || r.target == "":
		return r, errors.New("source or target: missing")
	}
	r.at = wheel.Time(ms)
	if dosed := r.event == "dose" || r.event == "undose"; dosed || row[7] != "" {
		n, err := strconv.Atoi(row[7])
		if err != nil || n < 1 || n > define.MaxStacks {
			return r, fmt.Errorf("stacks: want a whole number from 1 to %d, not %q", define.MaxStacks, short(row[7]))
		}
		if dosed {
			r.stacks = n
		}
	}
	switch r.event {
	case "death":
		return r, nil
	case "tick", "break", "dispel": // in these lines, the column "kind" is not the kind of the buff
	default:
		if r.spell.kind, err = kindOf(row[6]); err != nil {
			return r, err
		}
	}
	return r, checkNumber(r.spell.number)
}

// checkNumber checks the number of a spell, which becomes part of the ID of its definition.
func checkNumber(number string) error {
	switch {
	case number == "":
		return errors.New("spell: missing")
	case strings.ContainsFunc(number, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		return fmt.Errorf("spell: %q must not have spaces or control characters", short(number))
	}
	return nil
}

func kindOf(word string) (string, error) {
	if word != "buff" && word != "debuff" {
		return "", fmt.Errorf("kind: unknown word %q: want buff or debuff", short(word))
	}
	return word, nil
}

// readSpells reads the table of spells.
func readSpells(file string) (map[spellID]spell, error) {
	table := map[spellID]spell{}
	err := eachRow(file, spellColumns, func(_ int, row []string) error {
		s := spell{id: spellID{number: row[0]}, name: row[1]}
		err := checkNumber(s.id.number)
		if err != nil {
			return err
		}
		if s.id.kind, err = kindOf(row[2]); err != nil {
			return err
		}
		ms, err := strconv.ParseInt(row[3], 10, 64)
		if limit := define.MaxDuration.Milliseconds(); err != nil || ms < 1 || ms > limit {
			return fmt.Errorf("duration_ms: want a whole number from 1 to %d, not %q", limit, short(row[3]))
		}
		s.duration = time.Duration(ms) * time.Millisecond
		if err := s.refresh.UnmarshalText([]byte(row[4])); err != nil {
			return fmt.Errorf("refresh: %w", err)
		}
		if _, ok := table[s.id]; ok {
			return fmt.Errorf("spell: %q is listed twice", short(s.id.number))
		}
		table[s.id] = s
		return nil
	})
	return table, err
}

// eachRow calls f for each row of a CSV file except the first row, which must contain the names of
// the columns. Errors start with the file and the line.
func eachRow(file string, columns []string, f func(line int, row []string) error) error {
	in, err := os.Open(file)
	if err != nil {
		return unread(file, err)
	}
	defer in.Close()
	rows := csv.NewReader(&bounded{in, maxTrace})
	rows.FieldsPerRecord = -1 // the fields are counted below, with a better error message
	rows.ReuseRecord = true
	first := true
	for {
		row, err := rows.Read()
		var malformed *csv.ParseError
		switch {
		case err == io.EOF && first:
			return fmt.Errorf("%s:1: the file is empty: want the columns %s", file, strings.Join(columns, ","))
		case err == io.EOF:
			return nil
		case errors.As(err, &malformed):
			return fmt.Errorf("%s:%d:%d: %w", file, malformed.Line, malformed.Column, malformed.Err)
		case err != nil:
			return unread(file, err)
		}
		line, _ := rows.FieldPos(0)
		switch {
		case first:
			if row[0] = strings.TrimPrefix(row[0], "\ufeff"); !slices.Equal(row, columns) {
				return fmt.Errorf("%s:%d: want the columns %s, not %s", file, line, strings.Join(columns, ","), short(strings.Join(row, ",")))
			}
			first = false
		case len(row) != len(columns):
			return fmt.Errorf("%s:%d: %d fields, want %d: %s", file, line, len(row), len(columns), strings.Join(columns, ","))
		default:
			if err := f(line, row); err != nil {
				return fmt.Errorf("%s:%d: %w", file, line, err)
			}
		}
	}
}

// bounded is a reader that fails after the number of bytes in the field "left".
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left == 0 {
		if n, err := io.ReadFull(b.r, make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, fmt.Errorf("more than %d bytes in one file", maxTrace)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// unread returns an error for a file that cannot be read. The message starts with the file's name.
func unread(file string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: cannot be read: %w", cmp.Or(file, `""`), err)
}

// short truncates text for a message.
func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
