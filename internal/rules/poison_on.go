//go:build bufftickpoison

package rules

var poison = true
