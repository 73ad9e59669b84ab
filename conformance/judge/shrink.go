package judge

import "strings"

// Shrink returns a smaller draft that still fails, according to the given function. It removes
// steps and words one by one, and keeps each removal after which the draft still fails.
func (d *Draft) Shrink(fails func(*Draft) bool) *Draft {
	for again := true; again; {
		again = false
		for i := len(d.Script) - 1; i >= 0; i-- {
			if c := d.copy(); len(d.Script) > 1 {
				c.Script = append(c.Script[:i:i], c.Script[i+1:]...)
				if fails(c) {
					d, again = c, true
				}
			}
		}
		for i := range d.Script {
			for _, key := range sortedKeys(d.Script[i]) {
				switch key {
				case "source", "stacks", "duration", "magnitude", "level", "key", "purge", "at_most", "school", "params", "scale", "target", "amount", "why":
					c := d.copy()
					delete(c.Script[i], key)
					if fails(c) {
						d, again = c, true
					}
				}
			}
		}
		for _, id := range sortedKeys(d.Buffs) {
			c := d.copy()
			delete(c.Buffs, id)
			if fails(c) {
				d, again = c, true
				continue
			}
			if less, ok := d.shrinkMap(fails, func(c *Draft) map[string]any { return c.Buffs[id] }); ok {
				d, again = less, true
			}
		}
	}
	return d
}

// shrinkMap removes fields of one map of the draft, and of the maps nested in that map, as long as
// the draft still fails.
func (d *Draft) shrinkMap(fails func(*Draft) bool, of func(*Draft) map[string]any) (*Draft, bool) {
	shrunk := false
	for _, key := range sortedKeys(of(d)) {
		c := d.copy()
		delete(of(c), key)
		if fails(c) {
			d, shrunk = c, true
			continue
		}
		if _, ok := of(d)[key].(map[string]any); ok {
			if less, ok := d.shrinkMap(fails, func(c *Draft) map[string]any { return of(c)[key].(map[string]any) }); ok {
				d, shrunk = less, true
			}
		}
	}
	return d, shrunk
}

func (d *Draft) copy() *Draft {
	c := &Draft{Buffs: map[string]map[string]any{}, Templates: d.Templates, Seen: d.Seen, Dead: d.Dead, Life: d.Life, Pair: d.Pair, Story: d.Story}
	for id, b := range d.Buffs {
		c.Buffs[id] = clone(b)
	}
	for _, st := range d.Script {
		c.Script = append(c.Script, clone(st))
	}
	return c
}

// Shape returns the words and steps of a draft, without their values. If two drafts of the same
// shape fail, the cause is usually the same.
func (d *Draft) Shape() string {
	words := map[string]bool{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		words[path] = true
		if m, ok := v.(map[string]any); ok {
			for k := range m {
				walk(path+"."+k, m[k])
			}
		} else if s, ok := v.(string); ok && path != "duration" && path != "period" {
			words[path+" "+s] = true
		}
	}
	for _, b := range d.Buffs {
		for k, v := range b {
			walk(k, v)
		}
	}
	for _, st := range d.Script {
		for k := range st {
			words["- "+k] = true
		}
	}
	return strings.Join(sortedKeys(words), ", ")
}
