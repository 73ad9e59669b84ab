// Package long defines the flag -long for the tests of all packages. It scales tests that can run
// for any length of time, such as random tests:
//
//	go test ./...                                  small: everything within a minute or two
//	go test ./engine -long                         ten times as much (CI: -long=5)
//	go test ./engine -long=1000                    as in the nightly tests
//	go test ./engine -run TestSimulation -seed 17  repeat a failure
package long

import (
	"flag"
	"strconv"
)

var (
	factor scale = 1
	seed         = flag.Uint64("seed", 0, "first seed of random tests")
)

func init() {
	flag.Var(&factor, "long", "multiply the size of long tests by `N`; without a number by 10")
}

// scale is the flag.Value of -long. Without a number, -long means 10.
type scale int

func (s *scale) String() string   { return strconv.Itoa(int(*s)) }
func (s *scale) IsBoolFlag() bool { return true }

func (s *scale) Set(text string) error {
	if text == "true" {
		text = "10"
	}
	n, err := strconv.Atoi(text)
	if err == nil && n < 1 {
		err = strconv.ErrRange
	}
	*s = scale(n)
	return err
}

// On reports whether -long is set.
func On() bool { return factor > 1 }

// Times returns n multiplied by the value of -long.
func Times(n int) int { return n * int(factor) }

// Pick returns `small` or, if -long is set, `large`. Use it for sizes that must not grow in
// proportion to -long, because memory is limited.
func Pick[T any](small, large T) T {
	if On() {
		return large
	}
	return small
}

// Seed returns the value of -seed, which is the first seed of a random test.
func Seed() uint64 { return *seed }
