package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/definition"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/bolt"
	"github.com/bufftick/bufftick/store/record"
)

// cutCmd is "bufftick cut".
type cutCmd struct {
	File         string
	Zone         string
	Verify, JSON bool
	Compact      bool
	Catalogs     []string
}

func (c *cutCmd) flags(f *flags) {
	f.StringVar(&c.Zone, "zone", "", "`NAME` of the only zone to print.")
	f.BoolVar(&c.Verify, "verify", false, "Print only damage, and one line per zone.")
	f.BoolVar(&c.JSON, "json", false, "Print each zone as a JSON object on one line. The game's own data is in base64.")
	f.BoolVar(&c.Compact, "compact", false, "Rewrite a file of store/bolt without its free space. Print its size before and after.")
	f.listVar(&c.Catalogs, "f", "`PATH` of definitions, a file or a folder: report saved buffs without a definition.")
}

func (*cutCmd) help() string {
	return `FILE is a file of store/bolt, or a file with one cut. A cut is the state of a zone at the end
of a frame. The file must not be open in a game at the same time. It is only read, except with
-compact: a smaller file with the same zones replaces it, if it has free space. The disk needs
room for both. If the program is killed, FILE is the old or the new file, and complete. FILE.compact
may be left over; the next -compact removes it.

Examples:

    bufftick cut world.db
    bufftick cut -verify world.db
    bufftick cut -zone arena -f buffs/ world.db
    bufftick cut -json world.db > world.json
    bufftick cut -compact world.db

The exit code is 1 if there is damage or a definition is missing, 2 if the command line is
wrong, otherwise 0.`
}

// run prints the cuts of the file.
func (c *cutCmd) run(args []string, stdout, _ io.Writer) error {
	c.File = args[0]
	if c.Compact {
		return c.compact(stdout)
	}
	var cat *buff.Catalog
	if len(c.Catalogs) > 0 {
		var err error
		if cat, err = definition.Load(c.Catalogs...); err != nil {
			return err
		}
	}
	cuts, warning, err := c.read()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	bad := 0
	if warning != "" && !c.JSON {
		fmt.Fprintf(&out, "%s: %s\n", c.File, warning)
	}
	for _, x := range cuts {
		bad += c.print(&out, x, cat)
	}
	if _, err := stdout.Write(out.Bytes()); err != nil {
		return err
	}
	if bad > 0 {
		return errFailed
	}
	return nil
}

// compact removes the free space from the file.
func (c *cutCmd) compact(stdout io.Writer) error {
	if c.Zone != "" || c.Verify || c.JSON || len(c.Catalogs) > 0 {
		return usageError{errors.New("bufftick: -compact rewrites the whole file and has no other flags; see bufftick cut -help")}
	}
	before, after, err := bolt.Compact(c.File)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s: %d bytes before, %d now\n", c.File, before, after)
	return err
}

// readCut is a zone of the file, or the error that occurred when the zone was read.
type readCut struct {
	zone     string
	cut      *store.Cut // nil if err is set
	arriving []store.Arrival
	err      error
}

// read returns the zones of the file.
func (c *cutCmd) read() (cuts []readCut, warning string, err error) {
	f, err := os.Open(c.File)
	if err != nil {
		return nil, "", fmt.Errorf("bufftick: %w", err)
	}
	defer f.Close()
	head := make([]byte, len(record.FileMagic))
	if _, err := io.ReadFull(f, head); err == nil && string(head) == record.FileMagic {
		b, err := io.ReadAll(io.MultiReader(bytes.NewReader(head), f))
		if err != nil {
			return nil, "", fmt.Errorf("bufftick: %s: %w", c.File, err)
		}
		cut, err := record.ParseCut(b)
		if err != nil {
			return nil, "", record.At(err, c.File, "")
		}
		return []readCut{{zone: cut.Zone, cut: cut}}, "", nil
	}
	s, err := bolt.Open(c.File, bolt.Options{ReadOnly: true})
	if err != nil {
		return nil, "", err
	}
	defer s.Close()
	zones, err := s.Zones()
	if err != nil {
		return nil, "", err
	}
	for _, zone := range zones {
		if c.Zone != "" && zone != c.Zone {
			continue
		}
		cut, err := s.Load(context.Background(), zone)
		if errors.Is(err, store.ErrEmpty) {
			err = nil
		}
		x := readCut{zone: zone, cut: cut, err: err}
		if err == nil {
			x.arriving, x.err = s.Arrivals(context.Background(), []string{zone})
		}
		cuts = append(cuts, x)
	}
	if len(cuts) == 0 && c.Zone != "" {
		return nil, "", fmt.Errorf("bufftick: %s: there is no zone %q, but %q", c.File, c.Zone, zones)
	}
	return cuts, s.Warning(), nil
}

// savedBuff contains those fields of a saved buff that are printed. The function buff.BlobJSON
// returns all fields.
type savedBuff struct {
	ID     string `json:"buff"`
	Source uint64 `json:"source"`
	Stacks int    `json:"stacks"`
	Left   *int64 `json:"left_ms"`
}

// print prints one zone and returns the number of errors in it.
func (c *cutCmd) print(out *bytes.Buffer, x readCut, cat *buff.Catalog) (bad int) {
	if x.err != nil {
		fmt.Fprintln(out, x.err)
		return 1
	}
	if c.JSON {
		return printCutJSON(out, x)
	}
	if x.cut.Frame == 0 {
		fmt.Fprintf(out, "zone %q: no cut, epoch %d\n", x.zone, x.cut.Epoch)
		return c.printArriving(out, x, cat)
	}
	older := 0
	for k := range x.cut.Owners {
		if x.cut.Owners[k].Older {
			older++
		}
	}
	m := x.cut.Clocks.Moment
	fmt.Fprintf(out, "zone %q: frame %d, epoch %d, %s, %d of them older, %s\n",
		x.cut.Zone, x.cut.Frame, x.cut.Epoch, counted(len(x.cut.Owners), "owner"), older, counted(len(x.cut.Commands), "command"))
	if !c.Verify {
		fmt.Fprintf(out, "  now %v, wall %s, uptime %v\n", m.Now,
			time.UnixMilli(m.Wall).UTC().Format("2006-01-02T15:04:05.000Z"), time.Duration(m.Uptime)*time.Millisecond)
		for _, z := range x.cut.Clocks.Areas {
			fmt.Fprintf(out, "  area %d: rate %d/%d, paused %v\n", z.Number, z.Rate.Num, z.Rate.Den, z.Paused)
		}
	}
	for k := range x.cut.Owners {
		o, state := &x.cut.Owners[k], ""
		if o.Older {
			state = ", older: it was busy"
		}
		if parked(o) {
			state += ", parked"
		}
		bad += c.printOwner(out, o, state, cat)
	}
	return bad + c.printArriving(out, x, cat)
}

// parked reports whether an owner has logged out.
func parked(o *store.Owner) bool {
	_, parked, _, err := store.SplitData(o.Data)
	return err == nil && parked
}

// printArriving prints the owners that are moving to a zone. The store returns at most
// store.MostArrivals of them.
func (c *cutCmd) printArriving(out *bytes.Buffer, x readCut, cat *buff.Catalog) (bad int) {
	if n := len(x.arriving); n > 0 && c.Verify {
		more := ""
		if n == store.MostArrivals {
			more = " or more"
		}
		fmt.Fprintf(out, "  %s%s on the way to it\n", counted(n, "owner"), more)
	}
	for k := range x.arriving {
		bad += c.printOwner(out, &x.arriving[k].Owner, ", on its way to this zone", cat)
	}
	return bad
}

func (c *cutCmd) printOwner(out *bytes.Buffer, o *store.Owner, state string, cat *buff.Catalog) (bad int) {
	if !c.Verify {
		fmt.Fprintf(out, "owner %d: frame %d%s, blob %d bytes, data %d bytes\n", o.ID, o.Frame, state, len(o.Blob), len(o.Data))
	}
	buffs, err := savedBuffs(o.Blob)
	if err != nil {
		fmt.Fprintf(out, "owner %d: %v\n", o.ID, err)
		return 1
	}
	for _, b := range buffs {
		if cat != nil && cat.Spec(b.ID) == nil {
			fmt.Fprintf(out, "owner %d: %s: no definition\n", o.ID, b.ID)
			bad++
		} else if !c.Verify {
			left := "no end"
			if b.Left != nil {
				left = (time.Duration(*b.Left) * time.Millisecond).String() + " left"
			}
			fmt.Fprintf(out, "  %s x%d, %s, source %d\n", b.ID, b.Stacks, left, b.Source)
		}
	}
	return bad
}

// savedBuffs returns the buffs in a blob. The blob of an owner without buffs may be empty.
func savedBuffs(blob []byte) ([]savedBuff, error) {
	if len(blob) == 0 {
		return nil, nil
	}
	text, err := buff.BlobJSON(blob)
	if err != nil {
		return nil, err
	}
	var b struct {
		Buffs []savedBuff `json:"buffs"`
	}
	err = json.Unmarshal(text, &b)
	return b.Buffs, err
}

// cutJSON and ownerJSON are the JSON form of a zone.
type cutJSON struct {
	Zone     string            `json:"zone"`
	Epoch    uint64            `json:"epoch"`
	Frame    uint64            `json:"frame"`
	Now      int64             `json:"now_ms"`
	Wall     int64             `json:"wall_ms"`
	Uptime   int64             `json:"uptime_ms"`
	Areas    []store.AreaClock `json:"areas,omitempty"`
	Owners   []ownerJSON       `json:"owners"`
	Arriving []ownerJSON       `json:"arriving,omitempty"` // owners that are moving to this zone
	Commands []string          `json:"commands,omitempty"` // commands in hexadecimal
	Data     []byte            `json:"data,omitempty"`
}

type ownerJSON struct {
	ID     buff.OwnerID    `json:"id"`
	Frame  uint64          `json:"frame"`
	Older  bool            `json:"older,omitempty"`
	Parked bool            `json:"parked,omitempty"`
	Blob   json.RawMessage `json:"blob,omitempty"`
	Damage string          `json:"damage,omitempty"` // what is wrong with the blob; empty if it is valid
	Data   []byte          `json:"data,omitempty"`
}

func printCutJSON(out *bytes.Buffer, x readCut) (bad int) {
	c := x.cut
	m := c.Clocks.Moment
	z := cutJSON{
		Zone: c.Zone, Epoch: c.Epoch, Frame: c.Frame, Now: int64(m.Now), Wall: m.Wall, Uptime: m.Uptime,
		Areas: c.Clocks.Areas, Owners: make([]ownerJSON, 0, len(c.Owners)), Data: c.Data,
	}
	for _, id := range c.Commands {
		z.Commands = append(z.Commands, fmt.Sprintf("%x", id))
	}
	add := func(list []ownerJSON, o *store.Owner) []ownerJSON {
		j := ownerJSON{ID: o.ID, Frame: o.Frame, Older: o.Older, Parked: parked(o), Data: o.Data}
		if len(o.Blob) > 0 {
			text, err := buff.BlobJSON(o.Blob)
			if err != nil {
				j.Damage = err.Error()
				bad++
			}
			j.Blob = text
		}
		return append(list, j)
	}
	for k := range c.Owners {
		z.Owners = add(z.Owners, &c.Owners[k])
	}
	for k := range x.arriving {
		z.Arriving = add(z.Arriving, &x.arriving[k].Owner)
	}
	if err := json.NewEncoder(out).Encode(z); err != nil {
		fmt.Fprintln(out, err)
		bad++
	}
	return bad
}
