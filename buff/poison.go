//go:build !bufftickpoison

package buff

// poison says that memory which is given back is spoiled, and looked at when it is taken again: so it is in the
// tests of this package, and with the build tag bufftickpoison.
var poison = false
