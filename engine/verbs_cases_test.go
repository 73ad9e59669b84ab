package engine_test

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
)

// poison is used in most cases. It lasts 5 s and pulses every 2 s.
var poison = buff.Spec{ID: "p", Duration: 5 * time.Second, Period: 2 * time.Second, Tags: []string{"fire.venom"}, Haste: define.HasteRescale}

// with returns a changed copy of a definition.
func with(s buff.Spec, change func(s *buff.Spec)) buff.Spec {
	change(&s)
	return s
}

// untouched are the events of poison if nothing changes it.
var untouched = []string{"1: 2000 pulse p x1", "1: 4000 pulse p x1", "1: 5000 remove p why=expired"}

var verbCases = append(statCases, []verbCase{
	{
		name: "Extend", carries: []buff.Spec{poison},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.Extend(h, time.Second) },
		want: []string{
			"1: 1000 refresh p x1 end=6000", "1: 2000 pulse p x1", "1: 4000 pulse p x1", "1: 6000 pulse p x1", "1: 6000 remove p why=expired",
		},
	},
	{
		name: "ExtendUpTo", carries: []buff.Spec{poison},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.ExtendUpTo(h, time.Minute, 4500*time.Millisecond)
		},
		want: []string{"1: 1000 refresh p x1 end=5500", "1: 2000 pulse p x1", "1: 4000 pulse p x1", "1: 5500 remove p why=expired"},
	},
	{
		name: "SetRemaining", carries: []buff.Spec{poison},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.SetRemaining(h, 1500*time.Millisecond)
		},
		want: []string{"1: 1000 refresh p x1 end=2500", "1: 2000 pulse p x1", "1: 2500 remove p why=expired"},
	},
	{
		name: "SetPeriod", carries: []buff.Spec{poison},
		cmd:  func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.SetPeriod(h, 3*time.Second) },
		want: []string{"1: 1000 period p next=2500", "1: 2500 pulse p x1", "1: 5000 remove p why=expired"},
	},
	{
		name: "Pause", carries: []buff.Spec{poison}, byOwner: true,
		cmd:  func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.Pause(of) },
		want: nil,
	},
	{
		name: "Resume", carries: []buff.Spec{poison}, byOwner: true, notOwn: true,
		before: func(x *scene) { x.Do(buff.Pause(1)) },
		cmd:    func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.Resume(of) },
		want:   []string{"1: 3000 pulse p x1", "1: 5000 pulse p x1", "1: 6000 remove p why=expired"},
	},
	{
		name: "SetRate", carries: []buff.Spec{poison}, byOwner: true,
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.SetRate(of, buff.Ratio{Num: 3, Den: 2})
		},
		want: []string{"1: 1667 pulse p x1", "1: 3000 pulse p x1", "1: 3667 remove p why=expired"},
	},
	{
		name: "PauseBuff", carries: []buff.Spec{poison, {ID: "other", Duration: 2 * time.Second}},
		cmd:  func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.PauseBuff(h) },
		want: []string{"1: 2000 remove other why=expired"},
	},
	{
		name: "ResumeBuff", carries: []buff.Spec{poison},
		before: func(x *scene) { x.Do(buff.PauseBuff(x.h)) },
		cmd:    func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.ResumeBuff(h) },
		want:   []string{"1: 3000 pulse p x1", "1: 5000 pulse p x1", "1: 6000 remove p why=expired"},
	},
	{
		name: "SetBuffRate", carries: []buff.Spec{poison},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.SetBuffRate(h, buff.Ratio{Num: 1, Den: 2})
		},
		want: []string{"1: 3000 pulse p x1", "1: 7000 pulse p x1", "1: 9000 remove p why=expired"},
	},
	{
		name: "Inhibit", carries: []buff.Spec{poison},
		cmd:  func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.Inhibit(h) },
		want: []string{"1: 1000 hide p", "1: 2000 suppressed p", "1: 4000 suppressed p", "1: 5000 remove p why=expired"},
	},
	{
		name: "Release", carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.Inhibition = define.InhibitionExecute })},
		before: func(x *scene) { x.Do(buff.Inhibit(x.h)) },
		cmd:    func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.Release(h) },
		want: []string{
			"1: 1000 show p", "1: 1000 pulse p x1", "1: 3000 pulse p x1", "1: 5000 pulse p x1", "1: 5000 remove p why=expired",
		},
	},
	{
		name: "AddTag", byOwner: true,
		carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.Require.Ongoing.None = []string{"state"} }), {ID: "later", Kind: define.Infinite, Tags: []string{"state.wet"}}},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.AddTag(of, x.tag("state.wet"))
		},
		want: []string{"1: 1000 hide p", "1: 2000 suppressed p", "1: 4000 suppressed p", "1: 5000 remove p why=expired"},
	},
	{
		name: "DropTag", byOwner: true,
		carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.Require.Ongoing.None = []string{"wet"} })},
		before:  func(x *scene) { x.Do(buff.AddTag(1, x.tag("wet"))) },
		cmd:     func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.DropTag(of, x.tag("wet")) },
		want:    append([]string{"1: 1000 show p"}, untouched...),
	},
	{
		name: "Immunize", carries: []buff.Spec{poison}, byOwner: true,
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.Immunize(of, x.tag("fire"), true)
		},
		want: []string{"1: 1000 remove p why=immunity"},
	},
	{
		name: "DropImmunity", carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.Period = 500 * time.Millisecond; s.Duration = 1500 * time.Millisecond })},
		byOwner: true,
		before:  func(x *scene) { x.Do(buff.Immunize(1, x.tag("fire"), false)) },
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.DropImmunity(of, x.tag("fire"))
		},
		want: []string{
			"1: 500 suppressed p why=immune", "1: 1000 suppressed p why=immune", "1: 1500 pulse p x1", "1: 1500 remove p why=expired",
		},
	},
	{
		name: "Dispel", byOwner: true,
		carries: []buff.Spec{
			with(poison, func(s *buff.Spec) { s.Dispel = define.DispelRule{Type: "magic", Grade: define.GradeStrong} }),
			{ID: "q", Kind: define.Infinite, Dispel: define.DispelRule{Type: "magic"}},
			{ID: "r", Kind: define.Infinite, Dispel: define.DispelRule{Type: "curse"}},
		},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.Dispel(of, buff.Query{Type: "magic"})
		},
		want: append([]string{"1: 1000 remove q why=dispelled"}, untouched...),
	},
	{
		name: "Steal", byOwner: true,
		carries: []buff.Spec{poison, {ID: "q", Kind: define.Infinite, Dispel: define.DispelRule{Keep: true}}, {ID: "r", Duration: 2500 * time.Millisecond}},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.Steal(of, 3, buff.Query{}, 3*time.Second)
		},
		want: []string{
			"1: 1000 remove p why=stolen", "1: 1000 remove r why=stolen", "3: 1000 apply p x1 end=4000", "3: 1000 apply r x1 end=2500",
			"3: 2500 remove r why=expired", "3: 3000 pulse p x1", "3: 4000 remove p why=expired",
		},
	},
	{
		name: "Interrupt", byOwner: true,
		carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.Interrupt = []string{"move", "hit"} }), {ID: "q", Duration: 2 * time.Second, Interrupt: []string{"hit"}}},
		cmd:     func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.Interrupt(of, x.act("move")) },
		want:    []string{"1: 1000 remove p why=interrupt", "1: 2000 remove q why=expired"},
	},
	{
		name: "Consume", byOwner: true,
		carries: []buff.Spec{
			with(poison, func(s *buff.Spec) { s.Charges = define.Charges{N: 2, ConsumeOn: []string{"cast"}} }),
			{ID: "q", Kind: define.Infinite, Charges: define.Charges{N: 1, ConsumeOn: []string{"cast"}}},
		},
		cmd:  func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.Consume(of, x.act("cast")) },
		want: append([]string{"1: 1000 remove q why=consumed"}, untouched...),
	},
	{
		name: "Happened", byOwner: true,
		carries: []buff.Spec{
			with(poison, func(s *buff.Spec) {
				s.On.Act = map[string][]define.Action{"hit": {{Do: define.DoApply, Name: "later", To: define.ToTarget}, {Do: define.DoApply, Name: "later"}}}
			}),
			{ID: "q", Kind: define.Infinite, Charges: define.Charges{N: 1, ConsumeOn: []string{"hit"}}},
			{ID: "later", Duration: 500 * time.Millisecond},
		},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.Happened(of, x.act("hit"), 3, 30)
		},
		want: append(append([]string{
			"1: 1000 react p hit amount=30", "1: 1000 remove q why=consumed", "1: 1000 apply later x1 end=1500", "3: 1000 apply later x1 end=1500",
			"1: 1500 remove later why=expired",
		}, untouched...), "3: 1500 remove later why=expired"),
	},
	{
		name:    "ConsumeCharges",
		carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.Charges.N = 3 })},
		cmd:     func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.ConsumeCharges(h, 3) },
		want:    []string{"1: 1000 remove p why=consumed"},
	},
	{
		name: "Absorb", byOwner: true,
		carries: []buff.Spec{
			with(poison, func(s *buff.Spec) { s.Shield = define.Shield{On: true, Pool: 100} }),
			// with a pool of 70
			{ID: "q", Kind: define.Infinite, Shield: define.Shield{On: true, Priority: 1, Schools: []string{"fire"}}},
		},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.Absorb(of, 169, x.tag("fire"))
		},
		want: append([]string{"1: 1000 remove q why=broken"}, untouched...),
	},
	{
		name: "Revive", byOwner: true,
		carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.OnDeath = define.FatePause })},
		before:  func(x *scene) { x.Do(buff.Kill(1)) },
		cmd:     func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.Revive(of) },
		want:    []string{"1: 1000 revive", "1: 3000 pulse p x1", "1: 5000 pulse p x1", "1: 6000 remove p why=expired"},
	},
	{
		name: "Apply", byOwner: true, carries: []buff.Spec{poison, {ID: "later", Duration: 2 * time.Second}},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.Apply(of, buff.Application{Spec: x.cat.Spec("later"), Source: 2})
		},
		want: []string{
			"1: 1000 apply later x1 end=3000", "1: 2000 pulse p x1", "1: 3000 remove later why=expired", "1: 4000 pulse p x1", "1: 5000 remove p why=expired",
		},
	},
	{
		name: "Remove", carries: []buff.Spec{poison},
		cmd:  func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.Remove(h) },
		want: []string{"1: 1000 remove p why=cancelled"},
	},
	{
		name: "RemoveStacks", carries: []buff.Spec{poison},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.RemoveStacks(h, 1, reason.Dispelled)
		},
		want: []string{"1: 1000 remove p why=dispelled"},
	},
	{
		name: "RemoveSpec", byOwner: true, carries: []buff.Spec{poison},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.RemoveSpec(of, x.cat.Spec("p"), 0, reason.Stolen)
		},
		want: []string{"1: 1000 remove p why=stolen"},
	},
	{
		name: "Kill", byOwner: true, carries: []buff.Spec{poison},
		cmd:  func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.Kill(of) },
		want: []string{"1: 1000 die", "1: 1000 remove p why=death"},
	},
	{
		name: "AddTimeout", byOwner: true, carries: []buff.Spec{poison},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.AddTimeout(of, time.Second, "ring")
		},
		want: []string{"1: 2000 pulse p x1", "1: 2000 timeout ring", "1: 4000 pulse p x1", "1: 5000 remove p why=expired"},
	},
	{
		name: "Cancel", carries: []buff.Spec{poison},
		before: func(x *scene) { x.timeout = x.Do(buff.AddTimeout(1, 3*time.Second, "ring")).Timeout },
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			// another timeout, if the handle is another one
			return buff.Cancel(x.timeout ^ buff.TimeoutHandle(h^x.h))
		},
		want: untouched,
	},
	{
		name: "LoseSource", many: true, carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.OnSourceGone = define.FateRemove })},
		cmd:  func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.LoseSource(2) },
		want: []string{"1: 1000 remove p why=source_gone"},
	},
	{
		name: "Compensate", many: true, carries: []buff.Spec{poison},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.Compensate(buff.Query{Spec: x.cat.Spec("p")}, time.Second)
		},
		want: []string{
			"1: 1000 refresh p x1 end=6000", "1: 2000 pulse p x1", "1: 4000 pulse p x1", "1: 6000 pulse p x1", "1: 6000 remove p why=expired",
		},
	},
	{
		name: "SetArea", byOwner: true, waitsForNobody: true, carries: []buff.Spec{with(poison, func(s *buff.Spec) { s.OnArea = define.FateRemove })},
		cmd:  func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.SetArea(of, 5) },
		want: []string{"1: 1000 remove p why=interrupt"},
	},
	{
		name: "PauseArea", many: true, carries: []buff.Spec{poison},
		cmd:  func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.PauseArea(0) },
		want: nil,
	},
	{
		name: "ResumeArea", many: true, notOwn: true, carries: []buff.Spec{poison},
		before: func(x *scene) { x.Do(buff.SetArea(1, 5)); x.Do(buff.PauseArea(5)) },
		cmd:    func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command { return buff.ResumeArea(5) },
		want:   []string{"1: 3000 pulse p x1", "1: 5000 pulse p x1", "1: 6000 remove p why=expired"},
	},
	{
		name: "SetAreaRate", many: true, carries: []buff.Spec{poison},
		cmd: func(x *scene, of buff.OwnerID, h buff.Handle) buff.Command {
			return buff.SetAreaRate(0, buff.Ratio{Num: 3, Den: 2})
		},
		want: []string{"1: 1667 pulse p x1", "1: 3000 pulse p x1", "1: 3667 remove p why=expired"},
	},
}...)
