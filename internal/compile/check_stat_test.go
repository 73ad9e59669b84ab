package compile_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/stretchr/testify/require"
)

func attribute(name string) define.Attribute {
	return define.Attribute{Attribute: stat.Attribute{Name: name}}
}

func curve(t testing.TB, points ...define.Point) *define.Curve {
	c, err := define.NewCurve("c", points...)
	require.NoError(t, err)
	return c
}

func ofAttr(name string, of define.Whose, when define.Snapshot) define.Number {
	return define.Number{From: define.FromAttr, Attr: name, Of: of, Snapshot: when}
}

// statFaults is like faultsOf, in a catalog with the attributes health and power.
func statFaults(t *testing.T, specs ...buff.Spec) (found []string) {
	t.Helper()
	_, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{attribute("health"), attribute("power")}, Specs: specs})
	if err == nil {
		return nil
	}
	return strings.Split(strings.ReplaceAll(err.Error(), `buff "p": `, ""), "\n")
}

func TestCheckAttributes(t *testing.T) {
	for _, c := range []struct {
		list []define.Attribute
		want string
	}{
		{[]define.Attribute{attribute("a"), attribute("a")}, "attributes.a.name: defined twice: it is also attribute 1"},
		{[]define.Attribute{attribute("")}, "attributes[0].name: missing"},
		{[]define.Attribute{{Attribute: stat.Attribute{Name: "a", Max: stat.By("b")}}}, `attributes.a.max: no attribute "b"`},
		{[]define.Attribute{{Attribute: stat.Attribute{Name: "a"}, AtMin: define.AtMinKill}}, "attributes.a.at_min: kill needs a min"},
		{[]define.Attribute{{Attribute: stat.Attribute{Name: "a"}, DamageTaken: "school..fire"}}, "attributes.a.damage_taken: a tag is words with dots between them, and none may be empty"},
		{[]define.Attribute{{Attribute: stat.Attribute{Name: "a"}, AtMin: 9}}, "attributes.a.at_min: define.AtMin(9) is not one of the rules"},
		{make([]define.Attribute, stat.MaxAttributes+1), "attributes: there are 1025 attributes, at most 1024 are possible"},
	} {
		_, err := buff.Build(buff.Definitions{Attributes: c.list})
		require.ErrorIs(t, err, buff.ErrSpec)
		require.EqualError(t, err, c.want)
	}
	c, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{attribute("a"), attribute("b")}})
	require.NoError(t, err)
	next, err := c.Rebuild(buff.Definitions{Attributes: []define.Attribute{attribute("c"), attribute("b"), attribute("a")}})
	require.NoError(t, err)
	names := []string{}
	for _, a := range next.Attributes().All() {
		names = append(names, a.Name)
	}
	require.Equal(t, []string{"a", "b", "c"}, names, "those that were there keep their numbers")
	changed := attribute("b")
	changed.Base = 5
	_, err = c.Rebuild(buff.Definitions{Attributes: []define.Attribute{changed}})
	require.ErrorIs(t, err, buff.ErrAttributes)
	require.ErrorIs(t, err, buff.ErrSpec)
	require.ErrorContains(t, err, "attributes.a: taken away")
	require.ErrorContains(t, err, "attributes.b: changed")
	_, err = c.Rebuild(buff.Definitions{Attributes: []define.Attribute{attribute("a"), attribute("b"), attribute("b")}})
	require.NotErrorIs(t, err, buff.ErrAttributes)
	require.ErrorContains(t, err, "attributes.b.name: defined twice")
	b, ok := c.Attr("b")
	require.True(t, ok)
	require.Equal(t, "b", c.Attributes().At(b).Name)
	_, ok = c.Attr("c")
	require.False(t, ok)
}

// TestCheckNumber checks that all fields that are a Number have the same rules.
func TestCheckNumber(t *testing.T) {
	formula := func(reads ...define.Read) define.Number {
		return define.Number{From: define.FromFormula, Formula: &testFormula{text: "f", reads: reads}}
	}
	with := func(n define.Number, change func(*define.Number)) define.Number { change(&n); return n }
	snapshot := func(n define.Number, s define.Snapshot) define.Number { n.Snapshot = s; return n }
	for _, c := range []struct {
		n    define.Number
		want []string
	}{
		{define.Const(3), nil},
		{define.Const(math.NaN()), []string{".const: must be finite, not NaN"}},
		{define.Const(1.1e300), []string{".const: must be finite, not 1.1e+300"}},
		{define.Caller("x").Or(math.Inf(1)), []string{".default: must be finite, not +Inf"}},
		{define.Caller("x"), nil},
		{define.Caller(""), []string{".caller: missing: an application could not give what it needs"}},
		{snapshot(define.Caller("x"), define.SnapshotPulse), []string{".snapshot: a pulse has no caller"}},
		{snapshot(define.Const(1), define.SnapshotApply), []string{".snapshot: apply means nothing for what stands in the definition"}},
		{snapshot(define.Caller("x"), 7), []string{".snapshot: define.Snapshot(7) is not one of the rules"}},
		{define.Number{From: 9}, []string{": define.From(9) is nowhere that a number comes from"}},

		{define.Number{From: define.FromCurve}, []string{".curve: missing"}},
		{define.Number{From: define.FromCurve, Curve: &define.Curve{}}, []string{".curve: has no points"}},
		{define.Number{From: define.FromCurve, Curve: curve(t, define.Point{Level: 1, Value: 2})}, nil},
		{define.Number{From: define.FromCurve, Curve: curve(t, define.Point{Level: 2, Value: 2})}, []string{
			`.curve: "c" begins at level 2, and must have a point at 1 or below`,
		}},
		{define.Number{From: define.FromCurve, Curve: curve(t, define.Point{}), Default: true}, []string{
			".default: means nothing, since the number is always known",
		}},

		{ofAttr("power", define.OfOwner, define.SnapshotPulse), nil},
		{ofAttr("power", define.OfSource, define.SnapshotApply), nil},
		{ofAttr("", define.OfSource, 0), []string{".attr: missing"}},
		{ofAttr("might", define.OfSource, 0), []string{`.attr: no attribute "might"`}},
		{ofAttr("power", 5, 0), []string{".of: define.Whose(5) is not one of the rules"}},
		{ofAttr("power", define.OfSource, define.SnapshotPulse), []string{".snapshot: a pulse reads only its owner, not the source"}},
		{with(ofAttr("power", 0, 0), func(n *define.Number) { n.Pre, n.Coef, n.Post = math.NaN(), math.Inf(1), math.Inf(-1) }), []string{
			".pre: must be finite, not NaN", ".coef: must be finite, not +Inf", ".post: must be finite, not -Inf",
		}},

		{formula(define.Read{Name: "power"}, define.Read{Kind: define.ReadCaller, Name: "x"}), nil},
		{define.Number{From: define.FromFormula}, []string{".formula: missing"}},
		{formula(define.Read{Name: "might"}, define.Read{Kind: define.ReadCaller}), []string{
			`.formula: no attribute "might"`, ".formula: it reads what a caller gives without a name",
		}},
		{snapshot(formula(), define.SnapshotPulse), []string{".snapshot: a formula is worked out when the buff is applied, never in a pulse"}},
	} {
		for field, put := range map[string]func(*buff.Spec){
			"params.a":           func(s *buff.Spec) { s.Params = []define.Param{{Name: "a", Value: c.n}} },
			"modifiers[0].value": func(s *buff.Spec) { s.Modifiers = []define.Modifier{{Attr: "health", Value: c.n}} },
			"on.pulse[0].damage.by": func(s *buff.Spec) {
				s.On.Pulse = []define.Action{{Do: define.DoDamage, Change: &define.Change{Attr: "health", By: c.n}}}
			},
			"duration_scale": func(s *buff.Spec) { s.DurationScale = &c.n },
			"shield.pool":    func(s *buff.Spec) { s.Shield = define.Shield{On: true, By: &c.n} },
		} {
			want := []string(nil)
			if once := strings.HasPrefix(field, "d") || strings.HasPrefix(field, "s"); once && c.n.Snapshot == define.SnapshotPulse {
				want = append(want, field+".snapshot: pulse is too late: it is asked for when the buff is applied")
			}
			for _, w := range c.want {
				want = append(want, field+w)
			}
			require.Equal(t, want, statFaults(t, timed(put)), "%+v", c.n)
		}
	}
	require.Equal(t, []string{"modifiers[0].value.snapshot: pulse needs a period"}, statFaults(t, timed(func(s *buff.Spec) {
		s.Period, s.Modifiers = 0, []define.Modifier{{Attr: "health", Value: ofAttr("power", 0, define.SnapshotPulse)}}
	})))
}

func TestCheckModifiers(t *testing.T) {
	modifiers := func(list ...define.Modifier) buff.Spec { return timed(func(s *buff.Spec) { s.Modifiers = list }) }
	for _, c := range []struct {
		spec buff.Spec
		want []string
	}{
		{modifiers(define.Modifier{Attr: "health", Op: stat.Override}, define.Modifier{Attr: "health", Op: stat.Override, Channel: 1}), nil},
		{modifiers(define.Modifier{Attr: "health", Op: stat.Override}, define.Modifier{Attr: "health", Op: stat.Override}), []string{
			`modifiers[1]: there is an override of "health" in channel 0 already`,
		}},
		{modifiers(define.Modifier{}), []string{"modifiers[0].attr: missing"}},
		{modifiers(define.Modifier{Attr: "x", Op: 9, Channel: 10}), []string{
			"modifiers[0].op: stat.Op(9) is not one of the rules", "modifiers[0].channel: must be from 0 to 9, not 10", `modifiers[0].attr: no attribute "x"`,
		}},
	} {
		require.Equal(t, c.want, statFaults(t, c.spec))
	}
	require.Equal(t, "modifiers: 65 are more than 64", statFaults(t, modifiers(make([]define.Modifier, define.MaxModifiers+1)...))[0])
	require.Equal(t, []string{`modifiers[0].attr: no attribute "health"`}, faultsOf(t, modifiers(define.Modifier{Attr: "health"})), "without attributes none is known")
}

func TestCheckChanges(t *testing.T) {
	do := func(list ...define.Action) buff.Spec { return instant(func(s *buff.Spec) { s.On.Exec = list }) }
	change := func(c define.Change) *define.Change { return &c }
	require.Nil(t, statFaults(t, do(
		define.Action{Do: define.DoChange, Change: change(define.Change{Attr: "health", By: define.Const(-3)})},
		define.Action{Do: define.DoDamage, Change: change(define.Change{Attr: "health", By: ofAttr("power", define.OfSource, 0), School: "magic.fire"})},
	)))
	require.Equal(t, []string{
		"on.exec[0].change: what it changes is missing", "on.exec[1].damage: what it changes is missing", "on.exec[2].change.attr: missing",
		"on.exec[2].change.school: is for damage",
		"on.exec[3].damage.school[0]: a tag is words with dots between them, and none may be empty",
	}, statFaults(t, do(
		define.Action{Do: define.DoChange}, define.Action{Do: define.DoDamage}, define.Action{Do: define.DoChange, Change: change(define.Change{School: "x"})},
		define.Action{Do: define.DoDamage, Change: change(define.Change{Attr: "health", School: "a..b"})},
	)))
}

func TestCheckSpans(t *testing.T) {
	seconds := func(list ...float64) *define.Curve {
		var points []define.Point
		for i, v := range list {
			points = append(points, define.Point{Level: i, Value: v})
		}
		return curve(t, points...)
	}
	for _, c := range []struct {
		spec buff.Spec
		want []string
	}{
		{timed(func(s *buff.Spec) { s.Duration, s.DurationBy = 0, seconds(0.001, 9600*3600) }), nil},
		{timed(func(s *buff.Spec) { s.DurationBy = seconds(1) }), []string{"duration: there are two: 1s and a curve"}},
		{timed(func(s *buff.Spec) { s.Duration, s.DurationBy = 0, seconds(1, 0, -1) }), []string{
			`duration.curve: "c" is 0 s at level 1, want from 1ms to 9600h0m0s`, `duration.curve: "c" is -1 s at level 2, want from 1ms to 9600h0m0s`,
		}},
		{timed(func(s *buff.Spec) { s.Period, s.PeriodBy = 0, seconds(0.05, 0.049) }), []string{
			`period.curve: "c" is 0.049 s at level 1, want from 50ms to 9600h0m0s`,
		}},
		{timed(func(s *buff.Spec) {
			s.Period, s.PeriodBy, s.On.Pulse = 0, seconds(1), []define.Action{{Do: define.DoKill}}
		}), nil},
		{timed(func(s *buff.Spec) { s.PeriodBy = seconds(1) }), []string{"period: there are two: 100ms and a curve"}},
		{timed(func(s *buff.Spec) { s.Duration, s.DurationBy = 0, curve(t, define.Point{Level: 5, Value: 1}) }), []string{
			`duration.curve: "c" begins at level 5, and must have a point at 1 or below`,
		}},
		{endless(func(s *buff.Spec) { s.DurationBy = seconds(1) }), []string{"duration: infinite has no duration, but a curve was given"}},
		{timed(func(s *buff.Spec) {
			s.Duration, s.DurationBy, s.Stack.Refresh, s.Stack.RefreshCap = 0, seconds(1, 3), define.RefreshExtend, 2*time.Second
		}), []string{
			"stack.refresh_cap: 2s is below the duration of 3s",
			"stack.refresh: extend has no effect with by none: each application is a buff of its own; say by: source or target",
		}},
		{timed(func(s *buff.Spec) { s.DurationScale = &define.Number{Const: -1} }), []string{"duration_scale: must not be below zero, and is -1"}},
		{endless(func(s *buff.Spec) { s.DurationScale = &define.Number{} }), nil},
		{endless(func(s *buff.Spec) { s.DurationScale = &define.Number{Const: 0.5} }), []string{
			"duration_scale: a number above zero has no effect with duration infinite: there is no end to scale; only a scale that comes to 0 refuses an application",
		}},
		{timed(func(s *buff.Spec) { s.Shield = define.Shield{On: true, Pool: 2, By: &define.Number{Const: -1}} }), []string{
			"shield.pool: there are two: 2, and a number that is worked out",
		}},
		{timed(func(s *buff.Spec) { s.Shield = define.Shield{On: true, By: &define.Number{Const: -1}} }), []string{
			"shield.pool: must not be below zero, and is -1",
		}},
		{timed(func(s *buff.Spec) { s.Shield = define.Shield{By: &define.Number{}} }), []string{"shield: is not On"}},
	} {
		require.Equal(t, c.want, statFaults(t, c.spec))
	}
}

func TestCheckLinks(t *testing.T) {
	linked := func(id string, links ...string) buff.Spec {
		return buff.Spec{ID: id, Duration: time.Second, Links: links}
	}
	require.Nil(t, statFaults(t, linked("p", "q", "r"), linked("q", "r"), linked("r")))
	require.Equal(t, []string{
		`links[0]: no definition "x"`, "links[1]: a buff may not be its own link",
		`links[2]: "i" is instant: there would be nothing to take away; use on.apply`, `links[4]: "q" is in the list already`,
	}, statFaults(t, linked("p", "x", "p", "i", "q", "q"), buff.Spec{ID: "i", Kind: define.Instant}, linked("q")))
	require.Equal(t, []string{"links: they form a cycle: p, q, r, p"}, statFaults(t, linked("p", "q"), linked("q", "r"), linked("r", "p")))
	require.Equal(t, "links: 65 are more than 64", statFaults(t, linked("p", make([]string, define.MaxLinks+1)...))[0])
}

// TestCheckOthers checks errors in fields that no other test covers.
func TestCheckOthers(t *testing.T) {
	require.Equal(t, []string{
		"reload: define.ReloadRule(3) is not one of the rules", "client.sync: define.Sync(9) is not one of the rules",
		"save.compensate: the name of a class must not have spaces or control characters", "on_area: adopt is not possible here",
	}, faultsOf(t, timed(func(s *buff.Spec) {
		s.Reload, s.Client.Sync, s.Save.Compensate, s.OnArea = 3, 9, "a b", define.FateAdopt
	})))
	found := statFaults(t, instant(func(s *buff.Spec) {
		s.DurationScale, s.Modifiers, s.Links, s.Reload = &define.Number{Const: 1}, []define.Modifier{{Attr: "health"}}, []string{"q"}, define.ReloadEnd
		s.Shield.By, s.PeriodBy = &define.Number{}, curve(t, define.Point{Value: 1})
	}), buff.Spec{ID: "q", Duration: time.Second})
	require.Equal(t, []string{
		"period: an instant buff is never carried, so it cannot pulse",
		"duration_scale: an instant buff is never carried, so it has no duration",
		"shield: an instant buff is never carried, so it cannot absorb",
		"modifiers: an instant buff is never carried, so it changes attributes by its actions",
		"links: an instant buff is never carried, so nothing can go with it: use on.exec",
		"reload: an instant buff is never carried, so there are no running instances",
	}, found)
}

// TestStatsAreCopied checks that a catalog does not change if its caller changes what it has
// passed.
func TestStatsAreCopied(t *testing.T) {
	scale, pool, links := define.Const(1), define.Const(9), []string{"q"}
	modifiers, exec := []define.Modifier{{Attr: "health"}}, &define.Change{Attr: "health", By: define.Const(1)}
	attributes := []define.Attribute{attribute("health")}
	c, err := buff.Build(buff.Definitions{Attributes: attributes, Specs: []buff.Spec{
		{
			ID: "p", Duration: time.Second, DurationScale: &scale, Shield: define.Shield{On: true, By: &pool}, Modifiers: modifiers, Links: links,
			On: define.Hooks{Apply: []define.Action{{Do: define.DoChange, Change: exec}}},
		}, {ID: "q", Duration: time.Second},
	}})
	require.NoError(t, err)
	scale.Const, pool.Const, links[0], modifiers[0].Attr, exec.Attr, attributes[0].Name = 0, 0, "x", "x", "x", "x"
	s := c.Spec("p")
	require.Equal(t, []any{1.0, 9.0, "q", "health", "health"}, []any{s.DurationScale.Const, s.Shield.By.Const, s.Links[0], s.Modifiers[0].Attr, s.On.Apply[0].Change.Attr})
	_, ok := c.Attr("health")
	require.True(t, ok)
}
