// Package page is the arena in a browser: what stands in this folder, as it travels with a program.
// It has no dependency but client.js of package replicate, which the server puts beside it.
//
//	index.html  style.css
//	main.js     begins: what is pressed and clicked, and one frame after the other
//	link.js     the WebSocket, with the lag and the loss of the slider in it, and the clock
//	world.js    where everybody is, between two messages
//	scene.js    the canvas: the ground, heroes, what they cast
//	buffs.js    rows of buffs with their rings
//	ground.js   the ground
//	figures.js  heroes and the King
//	icons.js    the icons of buffs and abilities: all of them paths
//	pictures.js what is drawn once, and copied from then on
package page

import "embed"

// Files are the files of the page.
//
//go:embed *.html *.css *.js
var Files embed.FS
