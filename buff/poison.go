//go:build !bufftickpoison

package buff

// poison makes freed memory invalid, and checks that it is unchanged when it is used again. It is
// on in the tests of this package and with the build tag bufftickpoison.
var poison = false
