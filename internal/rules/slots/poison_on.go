//go:build bufftickpoison

package slots

const poisonTag = true
