//go:build !bufftickpoison

package slots

const poisonTag = false
