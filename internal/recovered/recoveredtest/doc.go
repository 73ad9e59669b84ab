// Package recoveredtest lists the ways in which a function of the game can fail to return, for
// tests of its callers.
package recoveredtest
