package load

import "runtime"

func processors() int { return runtime.GOMAXPROCS(0) }

// workers returns the maximum number of handlers that run at the same time.
func workers(env *Env) int {
	if env.Workers > 0 {
		return env.Workers
	}
	return processors()
}
