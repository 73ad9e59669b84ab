// Package recoveredtest lists the ways in which a function of the game can fail to return, for
// tests of code that calls such functions.
package recoveredtest
