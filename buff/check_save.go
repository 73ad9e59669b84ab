package buff

import "github.com/bufftick/bufftick/buff/define"

// save checks what is kept when the owner leaves.
func (k *checker) save(s *Spec) {
	v := &s.Save
	k.whole("save.if_remaining", v.IfRemaining)
	switch given := v.IfRemaining != 0; {
	case given && v.Mode != define.SaveIfRemaining:
		k.failf("save.if_remaining", "is for mode ifRemaining, not %v", v.Mode)
	case !given && v.Mode == define.SaveIfRemaining:
		k.failf("save.if_remaining", "missing: mode ifRemaining needs it")
	}
	if !isWord(v.Compensate) {
		k.failf("save.compensate", "the name of a class must not have spaces or control characters")
	}
	if s.Clock == define.Wall && v.Mode == define.SaveNever {
		k.failf("save.mode", "never means nothing with clock wall, which goes on while the owner is away")
	}
	if v.Offline != define.OfflineNone && !s.pulses() {
		k.failf("save.offline_pulses", "%v needs a period", v.Offline)
	}
	switch {
	case v.OfflineCap == 0:
	case v.Offline != define.OfflineAll:
		k.failf("save.offline_pulses.all", "is the most that all gives, not %v", v.Offline)
	default:
		k.within("save.offline_pulses.all", v.OfflineCap, 1, maxCount)
	}
}
