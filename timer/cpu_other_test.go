//go:build !linux

package timer_test

import "time"

func cpu() time.Duration { return 0 }
