// Package page embeds the web page of the arena. The page needs no other files, except client.js
// and predict.js of package replicate/js, which the server adds.
//
//	index.html  style.css
//	main.js     entry point: input, and the loop of frames
//	link.js     the WebSocket, with simulated lag and loss, and the clock
//	world.js    positions of units, interpolated between two messages
//	scene.js    the canvas: the ground, heroes, spells
//	buffs.js    rows of buffs, each with a ring for the remaining time
//	ground.js   the ground
//	figures.js  heroes and the King
//	icons.js    the icons of buffs and abilities, all drawn as paths
//	pictures.js cached pictures, which are drawn once and then copied
package page

import "embed"

// Files holds the files of the page.
//
//go:embed *.html *.css *.js
var Files embed.FS
