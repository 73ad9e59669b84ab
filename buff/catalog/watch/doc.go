// Package watch loads a folder of definitions anew whenever somebody has saved one of its
// files, so that a game server takes new buffs while it runs.
//
//	w, err := watch.Folder("buffs", eng.Catalog())
//	...
//	for { // the loop
//		select {
//		case c := <-w.Changes():
//			if c.Err != nil {
//				log.Print(c.Err) // what is wrong, with file, line and caret; the old set stays
//				break
//			}
//			report, err := eng.Reload(c.Catalog)
//			...
//		default:
//		}
//		eng.Tick(frame)
//	}
//
// All the work is done by a goroutine of the Watch: the loop only looks into a channel.
// What comes out of it is either a whole, checked catalog that takes the place of the one
// before, or an error that says all that is wrong; nothing is ever half loaded.
//
// # When it loads
//
// Once at the start, for what has changed since the first catalog was loaded, and then
// whenever files were written, made, renamed or removed and nothing more has happened for
// 100 ms: editors save in several steps, and a copy of forty files is one change. While
// something happens all the time, it loads every 500 ms. Files that are no definitions,
// such as an editor's swap files and a .schema.json, make no difference.
//
// A set that says the same as the one before is not handed out, nor is an error that has
// been told already.
//
// The channel holds one change. A newer one takes its place, and is made from the catalog
// that was taken last.
//
// # When the folder goes
//
// A folder that is removed or renamed is an error like others: the old set stays. When
// there is a folder of that name again, it is loaded and watched on, as long as its parent
// can be read. This also covers a folder that is a symbolic link and is pointed elsewhere.
//
// Network file systems often do not tell of changes that other machines make.
package watch
