//go:build bufftickpoison

package buff

var poison = true
