package buff

// cross does the thresholds that the stacks of an instance have reached from below, since
// they were that many.
func (s *Set) cross(t *Turn, at uint16, was int16) {
	i := &s.slots[at]
	for _, h := range i.spec.thresholds {
		if int32(was) >= h.at || int32(i.stacks) < h.at {
			continue
		}
		if h.apply != nil {
			t.Issue(s, Command{Verb: Apply, Application: Application{
				Spec: t.Catalog.newest(h.apply), Source: i.source, Magnitude: i.magnitude, Level: int(i.level), Captured: t.inherit(s.keptOf(i)),
			}})
		}
		if h.consume != 0 {
			t.Issue(s, Command{Verb: Remove, Handle: s.handle(at), Stacks: int(max(h.consume, 0)), Reason: Consumed})
		}
	}
}
