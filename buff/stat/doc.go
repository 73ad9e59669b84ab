// Package stat defines the attributes of an owner, such as health, attack and speed, and how
// modifiers change them.
//
// Each attribute has a base value, and its current value is computed from the base and the active
// modifiers. Damage, healing and level gains change the base permanently: see buff.SetBase,
// buff.AddBase and buff.Damage. A modifier is active as long as the buff that added it. Modifiers
// never change the base, so a modifier leaves no trace when it is removed.
//
// A game defines its attributes in its files, or as buff.Definitions.Attributes.
// Engine.Attribute, Engine.Attributes and Engine.Modifiers return the current values of an owner.
// A [Schema] is immutable and safe for concurrent use.
//
// # How a value is computed
//
// A modifier acts in one of ten channels. The first channel starts from the base, and every other
// channel from the result of the previous one. The steps of a channel are:
//
//	step   op             change of the running number
//	1      add            + all of them
//	2      mul_add        × (1 + all of them): two modifiers of +50 % give × 2
//	3      mul_compound   × (1 + each of them), the least first: two of +50 % give × 2.25
//	4      final_add      + all of them
//	5      override       replaced by the newest override
//
// After the last channel, the number is limited to Max and then to Min, so Min wins if Min is
// greater than Max. A limit is a constant or the value of another attribute. Without modifiers the
// number equals the base, bit for bit.
//
// "All of them", in steps 1, 2 and 4, depends on the attribute's [Aggregate]: usually it is the
// sum of all modifiers; otherwise only the greatest, the least, or the sum of the n strongest. The
// aggregate applies to each of the three steps of each channel separately.
//
// # Example
//
// Attack has a base of 100 and a limit of 340. The file testdata/order.txt of internal/rules/sheet
// shows the same example step by step.
//
//	channel   op             modifiers       running number
//	                                         100
//	0         add            +20 +30         150     100 + 50
//	0         mul_add        +50 % +50 %     300     150 × 2
//	0         mul_compound   +50 % -50 %     225     300 × 0.5 × 1.5
//	0         final_add      +5              230     225 + 5
//	1         mul_add        +50 %           345     230 × 1.5
//	          limit                          340
//
// # Independence of order
//
// A value depends on the base, on the set of active modifiers and, among overrides of one
// channel, on which is the newest. It does not depend on the order in which the other modifiers
// were added, on modifiers that have been removed, or on earlier reads:
//
//   - Every read computes the value from the base and the modifiers, sorted by channel, step
//     and size.
//   - A sum is exact and rounded once, after it is added to the running number. So ten
//     modifiers of +10 % give exactly +100 %, and 1e16 + 1 - 1e16 is 1.
//   - A product is rounded at once, by an explicit conversion. So no compiler fuses it with a
//     sum, and all processors compute the same bits.
//   - There is no negative zero, so 0 has a single bit pattern.
//
// When the last modifier is removed, the value of every attribute equals its base, bit for bit,
// within the limits.
//
// # Limits given by attributes
//
// If a maximum falls below a base, the base is cut down to it permanently: health 120 under a
// maximum of 120 becomes 100 when the maximum falls to 100, and stays 100 when the maximum is 120
// again. This happens after each command and each due event, so a buff that replaces another with
// the same maximum does not cut the base. Use a maximum given by an attribute for attributes that
// are spent and refilled, such as health and mana. To cap a speed temporarily, use a modifier.
//
// A minimum that rises above a base raises the value while it lasts, but not the base. With the
// setting "at_min: kill", the minimum then counts as reached, and the owner dies.
//
// A base that buff.SetBase sets above its maximum stays there until the maximum or the base
// changes, so that a game can set health and its maximum in any order. Any change of the base,
// even by 0, starts from the limited base.
//
// The independence of order does not hold for changes of a base: damage and healing are plain
// additions, so their order matters.
//
// # Limits of numbers
//
// Values, bases, modifiers and limits are numbers from -[MaxValue] to [MaxValue]; infinities and
// NaN are rejected. A running number beyond MaxValue is set to MaxValue, and [View.Overflow] is
// true. [MaxAttributes] limits a Schema, and [MaxModifiers] the modifiers of one owner.
package stat
