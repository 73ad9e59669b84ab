// # Tables
//
// A file with the extension .csv is a table as saved by a spreadsheet: a row for each definition
// and a column for each field. It defines the same buffs as YAML, with the same checks, and can
// be in the same folder as other files:
//
//	##var,id,duration,period,stack.by,stack.limit,tags,on.pulse
//	##,who,lives,beats,,,what it is,
//	,venom,12s,3s,source,5,debuff.poison;debuff.dot,{call: hurt}
//	,stun,1500ms,,,,state.stunned,
//
// The first row has the names of the fields; the column "id" has the ID. Nested fields are written
// with dots: stack.limit, on.remove.expired, params.dmg. If the first row starts with ##var, as in
// tables for Luban, the first column is reserved for marks and has no field. A row that starts with
// ## is a comment, or a row of types or groups for other programs. A column whose name starts with
// # is a comment too. A column without a name must have no values.
//
// A cell is a value as in YAML, except that a cell of a text field is always a text: a name may
// be 1984, and may contain colons and brackets. In other fields, quotes turn a number into a
// text: "7". An empty cell leaves its field out; "" is the empty text. A text that a spreadsheet
// would take for a formula, because it starts with = + - or @ and is not a number, is written in
// such quotes: "=A1".
//
// A list is written a;b;c. A list with one element is written as that element. A list or map
// within a map, or any field without a column of its own, is written in the brackets of YAML:
// [{call: hurt}, {apply: stun}] or {curve: venom_dmg}. As usual in CSV, a cell that contains a
// comma is put in quotes, and a quote in it is doubled.
//
// One row can set the whole field "stack", and another row "stack.limit", but no row can set both.
// Sections other than definitions, such as attributes or curves, cannot be in a table; put them in
// a YAML file in the same folder. "bufftick convert" converts between the two forms.
//
// Columns are separated by commas, semicolons or tabs. The separator is detected from the
// characters around "id" in the first row. A cell that contains the separator is put in quotes. If
// the separator is a semicolon, lists need quotes too: "a;b;c". Decimal numbers are written with a
// point: 0.5.
//
// A table is UTF-8. It has at most 500 columns, 10,000 characters in a cell and 200,000 non-empty
// cells, and the limits of all files apply.
package catalog
