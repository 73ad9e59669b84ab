// # Tables
//
// A file whose name ends in .csv is a table, as spreadsheets save it: a row for each
// definition, a column for each field. It makes the same definitions as YAML, with the
// same checks, and stands in a folder among the other files:
//
//	##var,id,duration,period,stack.by,stack.limit,tags,on.pulse
//	##,who,lives,beats,,,what it is,
//	,venom,12s,3s,source,5,debuff.poison;debuff.dot,{call: hurt}
//	,stun,1500ms,,,,state.stunned,
//
// The first row has the names of the fields; id is the ID. A field of a field is written
// with a dot: stack.limit, on.remove.expired, params.dmg. If that row begins with ##var,
// as tables for Luban do, the first column is for marks and has nothing else. A row that
// begins with ## is a comment, or a row of types or groups for other programs. So is a
// column without a name, which must be empty, and one whose name begins with #.
//
// A cell is a value as in YAML, but that what can only be a text is one whatever it looks
// like: a name may be 1984, and have colons and brackets in it. Elsewhere quotes make a
// text of a number: "7". An empty cell leaves its field out; so "" is the empty text. What a
// spreadsheet would take for a formula, since it begins with = + - or @ and is no number, is
// written in such quotes: "=A1".
//
// A list is written a;b;c, and one with a single element as that alone. A list or map in
// a map, or anything that has no column of its own, stands in the brackets of YAML:
// [{call: hurt}, {apply: stun}] or {curve: venom_dmg}. As everywhere in such tables, a cell
// with a comma in it is put in quotes, and a quote in it is then written twice.
//
// One row can have stack as a whole and another stack.limit, but none can have both.
// What is not a definition, such as attributes or curves, has no place in a table, and
// stands in a file of YAML beside it. "bufftick convert" makes one of the other.
//
// The columns are parted by commas, or by semicolons or tabs, as spreadsheets save them in many
// countries: by what the row of names has around its id. A cell with that sign in it is put
// in quotes; so is a list where it is the semicolon: "a;b;c". Numbers have a point: 0.5.
//
// A table is UTF-8. It has at most 500 columns, 10,000 characters in one cell
// and 200,000 cells with something in them, and the limits that all files have.
package catalog
