//go:build !bufftickpoison

package rules

// poison reports whether freed memory is overwritten with invalid values, and checked to be
// unchanged when it is used again. It is true in the tests of this package and with the build tag
// bufftickpoison.
var poison = false
