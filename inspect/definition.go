package inspect

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
)

// fileNames maps fields to their names in definition files.
var fileNames = strings.NewReplacer(
	"duration_by", "duration", "period_by", "period", "charges.refresh", "charges.on_refresh", "shield.by", "shield.pool",
	"on.remove_any", "on.remove.any", "save.offline_expire", "save.offline_expire",
	"save.offline_cap", "save.offline_pulses.all", "catchup_max", "catchup.coalesce", "stack.expire_n", "stack.expire", "stack.refresh_pct", "stack.refresh_share", "save.offline", "save.offline_pulses",
	"haste_by", "haste", "period_from", "period", "on.act_by_source", "on.act.by", "require.from_source", "require.apply.from",
)

// fileSyntax converts a field of a Spec to the syntax of definition files. For example, Stack.By
// becomes stack.by.
func fileSyntax(name, value string) (string, string) {
	words := strings.Split(name, ".")
	for i, w := range words {
		// Keep the keys of a map, such as params, which are names chosen by the game.
		if i == 0 || words[0] != "Params" && words[0] != "Vars" {
			words[i] = snake(w)
		}
	}
	switch name = fileNames.Replace(strings.Join(words, ".")); name {
	case "kind":
		return "duration", value
	case "client.hide":
		return "client.show", "false"
	case "dispel.keep":
		return "dispel.stealable", "false"
	case "shield.on":
		return "shield", "yes"
	case "chance", "dispel.resist":
		return name, shares(value, 1000)
	case "stack.refresh_share", "shield.share":
		return name, shares(value, 100)
	}
	if strings.HasPrefix(name, "dr.steps") {
		return name, shares(value, 100)
	}
	return name, value
}

var whole = regexp.MustCompile(`-?\d+`)

// shares converts the numbers of parts in a text to shares from 0 to 1.
func shares(text string, parts int) string {
	return whole.ReplaceAllStringFunc(text, func(n string) string {
		v, err := strconv.Atoi(n)
		if err != nil {
			return n
		}
		return strconv.FormatFloat(float64(max(v, 0))/float64(parts), 'g', -1, 64) // define.ChanceNever is below 0
	})
}

// snake converts OnSourceGone to on_source_gone, and DR to dr.
func snake(word string) string {
	var b strings.Builder
	lower := false // whether the previous letter was lower case
	for _, r := range word {
		if unicode.IsUpper(r) && lower {
			b.WriteByte('_')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// numberText formats a number of a definition.
func numberText(n *define.Number) string {
	text := ""
	switch n.From {
	case define.FromConst:
		return strconv.FormatFloat(n.Const, 'g', -1, 64)
	case define.FromCurve:
		text = "curve " + n.Curve.Name()
	case define.FromAttr:
		text = fmt.Sprintf("attr %s of %v", n.Attr, n.Of)
		for _, part := range []struct {
			is   float64
			text string
		}{{n.Pre, "pre"}, {n.Coef, "coef"}, {n.Post, "post"}} {
			if part.is != 0 {
				text += fmt.Sprintf(", %s %g", part.text, part.is)
			}
		}
	case define.FromCaller:
		text = "caller " + n.Caller
	case define.FromFormula:
		text = fmt.Sprint(n.Formula)
	}
	if n.Default {
		text += fmt.Sprintf(", default %g", n.Const)
	}
	if n.Snapshot != 0 {
		text += fmt.Sprintf(", snapshot %v", n.Snapshot)
	}
	return text
}

// actionText formats an action of a definition, without its target.
func actionText(a *define.Action) string {
	text := a.Do.String()
	for _, name := range []string{a.Name, a.Var} {
		if name != "" {
			text += " " + name
		}
	}
	if q := a.Query; q != nil {
		for _, of := range []struct{ word, value string }{{"buff", q.ID}, {"type", q.Type}, {"tag", q.Tag}} {
			if of.value != "" {
				text += " " + of.word + " " + of.value
			}
		}
	}
	if a.By != nil {
		text += " by " + numberText(a.By)
	}
	if a.OneOf > 0 {
		text = fmt.Sprintf("one of %d: %s", a.OneOf, text)
	}
	if a.Weight > 0 {
		text += fmt.Sprintf(", weight %d", a.Weight)
	}
	if a.Reason != reason.None {
		text += ", reason " + a.Reason.String()
	}
	if c := a.Change; c != nil {
		text += fmt.Sprintf(" %s by %s", c.Attr, numberText(&c.By))
		if c.PerStack {
			text += " per stack"
		}
		if c.School != "" {
			text += ", school " + c.School
		}
	}
	return text
}

// span formats a duration without zero parts: 1h, not 1h0m0s.
func span(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// maxFields is the maximum number of fields shown.
const maxFields = 100

// headline is the set of fields that are shown above the other fields.
var headline = map[string]bool{"ID": true, "Note": true}

// walk calls emit for every non-zero field of a struct, except the fields in headline. The name of
// a nested field starts with the name of its parent.
func walk(v reflect.Value, path string, emit func(name, value string)) {
	for i := range v.NumField() {
		f, x := v.Type().Field(i), v.Field(i)
		if !f.IsExported() || x.IsZero() || path == "" && headline[f.Name] {
			continue
		}
		field(x, path+f.Name, emit)
	}
}

func field(x reflect.Value, name string, emit func(name, value string)) {
	switch v := x.Interface().(type) {
	case time.Duration:
		emit(name, span(v))
		return
	case define.Number:
		emit(name, numberText(&v))
		return
	case *define.Number:
		emit(name, numberText(v))
		return
	case *define.Curve:
		emit(name, "curve "+v.Name())
		return
	case define.Action:
		emit(name, actionText(&v))
		return
	case fmt.Stringer:
		emit(name, v.String())
		return
	}
	switch x.Kind() {
	case reflect.Pointer:
		field(x.Elem(), name, emit)
	case reflect.Struct:
		walk(x, name+".", emit)
	case reflect.Slice:
		if x.Type().Elem().Kind() != reflect.Struct {
			emit(name, strings.Trim(fmt.Sprint(x.Interface()), "[]"))
			return
		}
		for i := range x.Len() {
			switch v := x.Index(i).Interface().(type) {
			case define.Param:
				emit(name+"."+v.Name, numberText(&v.Value))
			case define.Var:
				variable(&v, name+"."+v.Name, emit)
			default:
				field(x.Index(i), name+"."+strconv.Itoa(i), emit)
			}
		}
	case reflect.Map:
		for _, key := range slices.SortedFunc(slices.Values(x.MapKeys()), func(a, b reflect.Value) int {
			return cmp.Compare(fmt.Sprint(a.Interface()), fmt.Sprint(b.Interface()))
		}) {
			field(x.MapIndex(key), name+"."+fmt.Sprint(key.Interface()), emit)
		}
	default:
		emit(name, fmt.Sprint(x.Interface()))
	}
}

// variable calls emit for the fields of a variable.
func variable(v *define.Var, name string, emit func(name, value string)) {
	emit(name+".base", numberText(&v.Base))
	for _, limit := range []struct {
		word string
		v    *float64
	}{{"min", v.Min}, {"max", v.Max}} {
		if limit.v != nil {
			emit(name+"."+limit.word, strconv.FormatFloat(*limit.v, 'g', -1, 64))
		}
	}
	field(reflect.ValueOf(v.AtMin), name+".at_min", emit)
	field(reflect.ValueOf(v.AtMax), name+".at_max", emit)
}
