package engine_test

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// poison is carried in most cases: 5 s long, a pulse every 2 s.
var poison = buff.Spec{ID: "p", Duration: 5 * time.Second, Period: 2 * time.Second, Tags: []string{"fire.venom"}, Haste: buff.HasteRescale}

// with returns a copy of a definition that change has been at.
func with(s buff.Spec, change func(s *buff.Spec)) buff.Spec {
	change(&s)
	return s
}

// untouched is what becomes of poison if nothing befalls it.
var untouched = []string{"1: 2000 pulse p x1", "1: 4000 pulse p x1", "1: 5000 remove p why=expired"}

var verbCases = append(statCases, []verbCase{
	{
		name: "Extend", carries: []buff.Spec{poison},
		loop: func(x *scene, _ buff.OwnerID, h buff.Handle) buff.Result { return x.Extend(h, time.Second) },
		handler: func(_ *scene, c *engine.Context, _ buff.OwnerID, h buff.Handle) {
			c.Extend(h, time.Second)
		},
		inbox: func(_ *scene, in *engine.Inbox, _ buff.OwnerID, h buff.Handle) error {
			return in.Extend(h, time.Second)
		},
		want: []string{
			"1: 1000 refresh p x1 end=6000", "1: 2000 pulse p x1", "1: 4000 pulse p x1", "1: 6000 pulse p x1", "1: 6000 remove p why=expired",
		},
	},
	{
		name: "ExtendUpTo", carries: []buff.Spec{poison},
		loop: func(x *scene, _ buff.OwnerID, h buff.Handle) buff.Result {
			return x.ExtendUpTo(h, time.Minute, 4500*time.Millisecond)
		},
		handler: func(_ *scene, c *engine.Context, _ buff.OwnerID, h buff.Handle) {
			c.ExtendUpTo(h, time.Minute, 4500*time.Millisecond)
		},
		inbox: func(_ *scene, in *engine.Inbox, _ buff.OwnerID, h buff.Handle) error {
			return in.ExtendUpTo(h, time.Minute, 4500*time.Millisecond)
		},
		want: []string{"1: 1000 refresh p x1 end=5500", "1: 2000 pulse p x1", "1: 4000 pulse p x1", "1: 5500 remove p why=expired"},
	},
	{
		name: "SetRemaining", carries: []buff.Spec{poison},
		loop: func(x *scene, _ buff.OwnerID, h buff.Handle) buff.Result {
			return x.SetRemaining(h, 1500*time.Millisecond)
		},
		handler: func(_ *scene, c *engine.Context, _ buff.OwnerID, h buff.Handle) {
			c.SetRemaining(h, 1500*time.Millisecond)
		},
		inbox: func(_ *scene, in *engine.Inbox, _ buff.OwnerID, h buff.Handle) error {
			return in.SetRemaining(h, 1500*time.Millisecond)
		},
		want: []string{"1: 1000 refresh p x1 end=2500", "1: 2000 pulse p x1", "1: 2500 remove p why=expired"},
	},
	{
		name: "SetPeriod", carries: []buff.Spec{poison},
		loop: func(x *scene, _ buff.OwnerID, h buff.Handle) buff.Result {
			return x.SetPeriod(h, 3*time.Second)
		},
		handler: func(_ *scene, c *engine.Context, _ buff.OwnerID, h buff.Handle) {
			c.SetPeriod(h, 3*time.Second)
		},
		inbox: func(_ *scene, in *engine.Inbox, _ buff.OwnerID, h buff.Handle) error {
			return in.SetPeriod(h, 3*time.Second)
		},
		want: []string{"1: 1000 period p next=2500", "1: 2500 pulse p x1", "1: 5000 remove p why=expired"},
	},
	{
		name: "Pause", carries: []buff.Spec{poison}, byOwner: true,
		loop:    func(x *scene, of buff.OwnerID, _ buff.Handle) buff.Result { return x.Pause(of) },
		handler: func(_ *scene, c *engine.Context, of buff.OwnerID, _ buff.Handle) { c.Pause(of) },
		inbox:   func(_ *scene, in *engine.Inbox, of buff.OwnerID, _ buff.Handle) error { return in.Pause(of) },
		want:    nil,
	},
	{
		name: "Resume", carries: []buff.Spec{poison}, byOwner: true, notOwn: true,
		before:  func(x *scene) { x.Pause(1) },
		loop:    func(x *scene, of buff.OwnerID, _ buff.Handle) buff.Result { return x.Resume(of) },
		handler: func(_ *scene, c *engine.Context, of buff.OwnerID, _ buff.Handle) { c.Resume(of) },
		inbox:   func(_ *scene, in *engine.Inbox, of buff.OwnerID, _ buff.Handle) error { return in.Resume(of) },
		want:    []string{"1: 3000 pulse p x1", "1: 5000 pulse p x1", "1: 6000 remove p why=expired"},
	},
	{
		name: "SetRate", carries: []buff.Spec{poison}, byOwner: true,
		loop: func(x *scene, of buff.OwnerID, _ buff.Handle) buff.Result {
			return x.SetRate(of, buff.Ratio{Num: 3, Den: 2})
		},
		handler: func(_ *scene, c *engine.Context, of buff.OwnerID, _ buff.Handle) {
			c.SetRate(of, buff.Ratio{Num: 3, Den: 2})
		},
		inbox: func(_ *scene, in *engine.Inbox, of buff.OwnerID, _ buff.Handle) error {
			return in.SetRate(of, buff.Ratio{Num: 3, Den: 2})
		},
		want: []string{"1: 1667 pulse p x1", "1: 3000 pulse p x1", "1: 3667 remove p why=expired"},
	},
	{
		name: "PauseBuff", carries: []buff.Spec{poison, {ID: "other", Duration: 2 * time.Second}},
		loop:    func(x *scene, _ buff.OwnerID, h buff.Handle) buff.Result { return x.PauseBuff(h) },
		handler: func(_ *scene, c *engine.Context, _ buff.OwnerID, h buff.Handle) { c.PauseBuff(h) },
		inbox:   func(_ *scene, in *engine.Inbox, _ buff.OwnerID, h buff.Handle) error { return in.PauseBuff(h) },
		want:    []string{"1: 2000 remove other why=expired"},
	},
	{
		name: "ResumeBuff", carries: []buff.Spec{poison},
		before:  func(x *scene) { x.PauseBuff(x.h) },
		loop:    func(x *scene, _ buff.OwnerID, h buff.Handle) buff.Result { return x.ResumeBuff(h) },
		handler: func(_ *scene, c *engine.Context, _ buff.OwnerID, h buff.Handle) { c.ResumeBuff(h) },
		inbox:   func(_ *scene, in *engine.Inbox, _ buff.OwnerID, h buff.Handle) error { return in.ResumeBuff(h) },
		want:    []string{"1: 3000 pulse p x1", "1: 5000 pulse p x1", "1: 6000 remove p why=expired"},
	},
	{
		name: "SetBuffRate", carries: []buff.Spec{poison},
		loop: func(x *scene, _ buff.OwnerID, h buff.Handle) buff.Result {
			return x.SetBuffRate(h, buff.Ratio{Num: 1, Den: 2})
		},
		handler: func(_ *scene, c *engine.Context, _ buff.OwnerID, h buff.Handle) {
			c.SetBuffRate(h, buff.Ratio{Num: 1, Den: 2})
		},
		inbox: func(_ *scene, in *engine.Inbox, _ buff.OwnerID, h buff.Handle) error {
			return in.SetBuffRate(h, buff.Ratio{Num: 1, Den: 2})
		},
		want: []string{"1: 3000 pulse p x1", "1: 7000 pulse p x1", "1: 9000 remove p why=expired"},
	},
	{
		name: "Inhibit", carries: []buff.Spec{poison},
		loop:    func(x *scene, _ buff.OwnerID, h buff.Handle) buff.Result { return x.Inhibit(h) },
		handler: func(_ *scene, c *engine.Context, _ buff.OwnerID, h buff.Handle) { c.Inhibit(h) },
		inbox:   func(_ *scene, in *engine.Inbox, _ buff.OwnerID, h buff.Handle) error { return in.Inhibit(h) },
		want:    []string{"1: 1000 hide p", "1: 2000 suppressed p", "1: 4000 suppressed p", "1: 5000 remove p why=expired"},
	},
	{
		name: "Release", carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.Inhibition = buff.InhibitionExecute })},
		before:  func(x *scene) { x.Inhibit(x.h) },
		loop:    func(x *scene, _ buff.OwnerID, h buff.Handle) buff.Result { return x.Release(h) },
		handler: func(_ *scene, c *engine.Context, _ buff.OwnerID, h buff.Handle) { c.Release(h) },
		inbox:   func(_ *scene, in *engine.Inbox, _ buff.OwnerID, h buff.Handle) error { return in.Release(h) },
		want: []string{
			"1: 1000 show p", "1: 1000 pulse p x1", "1: 3000 pulse p x1", "1: 5000 pulse p x1", "1: 5000 remove p why=expired",
		},
	},
	{
		name: "AddTag", byOwner: true,
		carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.Require.Ongoing.None = []string{"state"} }), {ID: "later", Kind: buff.Infinite, Tags: []string{"state.wet"}}},
		loop:    func(x *scene, of buff.OwnerID, _ buff.Handle) buff.Result { return x.AddTag(of, x.tag("state.wet")) },
		handler: func(x *scene, c *engine.Context, of buff.OwnerID, _ buff.Handle) { c.AddTag(of, x.tag("state.wet")) },
		inbox: func(x *scene, in *engine.Inbox, of buff.OwnerID, _ buff.Handle) error {
			return in.AddTag(of, x.tag("state.wet"))
		},
		want: []string{"1: 1000 hide p", "1: 2000 suppressed p", "1: 4000 suppressed p", "1: 5000 remove p why=expired"},
	},
	{
		name: "DropTag", byOwner: true,
		carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.Require.Ongoing.None = []string{"wet"} })},
		before:  func(x *scene) { x.AddTag(1, x.tag("wet")) },
		loop:    func(x *scene, of buff.OwnerID, _ buff.Handle) buff.Result { return x.DropTag(of, x.tag("wet")) },
		handler: func(x *scene, c *engine.Context, of buff.OwnerID, _ buff.Handle) { c.DropTag(of, x.tag("wet")) },
		inbox: func(x *scene, in *engine.Inbox, of buff.OwnerID, _ buff.Handle) error {
			return in.DropTag(of, x.tag("wet"))
		},
		want: append([]string{"1: 1000 show p"}, untouched...),
	},
	{
		name: "Immunize", carries: []buff.Spec{poison}, byOwner: true,
		loop:    func(x *scene, of buff.OwnerID, _ buff.Handle) buff.Result { return x.Immunize(of, x.tag("fire"), true) },
		handler: func(x *scene, c *engine.Context, of buff.OwnerID, _ buff.Handle) { c.Immunize(of, x.tag("fire"), true) },
		inbox: func(x *scene, in *engine.Inbox, of buff.OwnerID, _ buff.Handle) error {
			return in.Immunize(of, x.tag("fire"), true)
		},
		want: []string{"1: 1000 remove p why=immunity"},
	},
	{
		name: "Expose", carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.Period = 500 * time.Millisecond; s.Duration = 1500 * time.Millisecond })},
		byOwner: true,
		before:  func(x *scene) { x.Immunize(1, x.tag("fire"), false) },
		loop:    func(x *scene, of buff.OwnerID, _ buff.Handle) buff.Result { return x.Expose(of, x.tag("fire")) },
		handler: func(x *scene, c *engine.Context, of buff.OwnerID, _ buff.Handle) { c.Expose(of, x.tag("fire")) },
		inbox: func(x *scene, in *engine.Inbox, of buff.OwnerID, _ buff.Handle) error {
			return in.Expose(of, x.tag("fire"))
		},
		want: []string{
			"1: 500 suppressed p why=immune", "1: 1000 suppressed p why=immune", "1: 1500 pulse p x1", "1: 1500 remove p why=expired",
		},
	},
	{
		name: "Dispel", byOwner: true,
		carries: []buff.Spec{
			with(poison, func(s *buff.Spec) { s.Dispel = buff.Dispel{Type: "magic", Grade: buff.GradeStrong} }),
			{ID: "q", Kind: buff.Infinite, Dispel: buff.Dispel{Type: "magic"}},
			{ID: "r", Kind: buff.Infinite, Dispel: buff.Dispel{Type: "curse"}},
		},
		loop: func(x *scene, of buff.OwnerID, _ buff.Handle) buff.Result {
			return x.Dispel(of, buff.Query{Type: "magic"})
		},
		handler: func(_ *scene, c *engine.Context, of buff.OwnerID, _ buff.Handle) {
			c.Dispel(of, buff.Query{Type: "magic"})
		},
		inbox: func(_ *scene, in *engine.Inbox, of buff.OwnerID, _ buff.Handle) error {
			return in.Dispel(of, buff.Query{Type: "magic"})
		},
		want: append([]string{"1: 1000 remove q why=dispelled"}, untouched...),
	},
	{
		name: "Steal", byOwner: true,
		carries: []buff.Spec{poison, {ID: "q", Kind: buff.Infinite, Dispel: buff.Dispel{Keep: true}}, {ID: "r", Duration: 2500 * time.Millisecond}},
		loop: func(x *scene, of buff.OwnerID, _ buff.Handle) buff.Result {
			return x.Steal(of, 3, buff.Query{}, 3*time.Second)
		},
		handler: func(_ *scene, c *engine.Context, of buff.OwnerID, _ buff.Handle) {
			c.Steal(of, 3, buff.Query{}, 3*time.Second)
		},
		inbox: func(_ *scene, in *engine.Inbox, of buff.OwnerID, _ buff.Handle) error {
			return in.Steal(of, 3, buff.Query{}, 3*time.Second)
		},
		want: []string{
			"1: 1000 remove p why=stolen", "1: 1000 remove r why=stolen", "3: 1000 apply p x1 end=4000", "3: 1000 apply r x1 end=2500",
			"3: 2500 remove r why=expired", "3: 3000 pulse p x1", "3: 4000 remove p why=expired",
		},
	},
	{
		name: "Interrupt", byOwner: true,
		carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.Interrupt = []string{"move", "hit"} }), {ID: "q", Duration: 2 * time.Second, Interrupt: []string{"hit"}}},
		loop:    func(x *scene, of buff.OwnerID, _ buff.Handle) buff.Result { return x.Interrupt(of, x.act("move")) },
		handler: func(x *scene, c *engine.Context, of buff.OwnerID, _ buff.Handle) { c.Interrupt(of, x.act("move")) },
		inbox: func(x *scene, in *engine.Inbox, of buff.OwnerID, _ buff.Handle) error {
			return in.Interrupt(of, x.act("move"))
		},
		want: []string{"1: 1000 remove p why=interrupt", "1: 2000 remove q why=expired"},
	},
	{
		name: "Consume", byOwner: true,
		carries: []buff.Spec{
			with(poison, func(s *buff.Spec) { s.Charges = buff.Charges{N: 2, ConsumeOn: []string{"cast"}} }),
			{ID: "q", Kind: buff.Infinite, Charges: buff.Charges{N: 1, ConsumeOn: []string{"cast"}}},
		},
		loop:    func(x *scene, of buff.OwnerID, _ buff.Handle) buff.Result { return x.Consume(of, x.act("cast")) },
		handler: func(x *scene, c *engine.Context, of buff.OwnerID, _ buff.Handle) { c.Consume(of, x.act("cast")) },
		inbox: func(x *scene, in *engine.Inbox, of buff.OwnerID, _ buff.Handle) error {
			return in.Consume(of, x.act("cast"))
		},
		want: append([]string{"1: 1000 remove q why=consumed"}, untouched...),
	},
	{
		name:    "ConsumeCharges",
		carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.Charges.N = 3 })},
		loop:    func(x *scene, _ buff.OwnerID, h buff.Handle) buff.Result { return x.ConsumeCharges(h, 3) },
		handler: func(_ *scene, c *engine.Context, _ buff.OwnerID, h buff.Handle) { c.ConsumeCharges(h, 3) },
		inbox:   func(_ *scene, in *engine.Inbox, _ buff.OwnerID, h buff.Handle) error { return in.ConsumeCharges(h, 3) },
		want:    []string{"1: 1000 remove p why=consumed"},
	},
	{
		name: "Absorb", byOwner: true, onlyOwn: true,
		carries: []buff.Spec{
			with(poison, func(s *buff.Spec) { s.Shield = buff.Shield{On: true, Pool: 100} }),
			{ID: "q", Kind: buff.Infinite, Shield: buff.Shield{On: true, Priority: 1, Schools: []string{"fire"}}}, // of 70
		},
		loop: func(x *scene, of buff.OwnerID, _ buff.Handle) buff.Result {
			rest, err := x.Absorb(of, 169, x.tag("fire"))
			return buff.Result{Amount: rest, Err: err}
		},
		handler: func(x *scene, c *engine.Context, _ buff.OwnerID, _ buff.Handle) { c.Absorb(169, x.tag("fire")) },
		inbox: func(x *scene, in *engine.Inbox, of buff.OwnerID, _ buff.Handle) error {
			return in.Absorb(of, 169, x.tag("fire"))
		},
		want: append([]string{"1: 1000 remove q why=broken"}, untouched...),
	},
	{
		name: "Revive", byOwner: true,
		carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.OnDeath = buff.FatePause })},
		before:  func(x *scene) { x.Kill(1) },
		loop:    func(x *scene, of buff.OwnerID, _ buff.Handle) buff.Result { return x.Revive(of) },
		handler: func(_ *scene, c *engine.Context, of buff.OwnerID, _ buff.Handle) { c.Revive(of) },
		inbox:   func(_ *scene, in *engine.Inbox, of buff.OwnerID, _ buff.Handle) error { return in.Revive(of) },
		want:    []string{"1: 3000 pulse p x1", "1: 5000 pulse p x1", "1: 6000 remove p why=expired"},
	},
}...)
