// Package stat says what attributes an owner has, such as health, attack and speed, and how buffs modify them.
//
// Each attribute has a base, and modifiers lie on it; its value is worked out from both. The base is changed for
// good, by damage, healing or a level gained: buff.SetBase, buff.AddBase, buff.Damage. A modifier lies there
// as long as the buff that put it there, and what it did is gone with it: no value is ever changed in place and
// changed back, so nothing is left over.
//
// A game defines its attributes in its files, or as buff.Definitions.Attributes. The engine answers for an owner
// with Engine.Attribute, Engine.Attributes and Engine.Modifiers. A [Schema] never changes, and any goroutine may
// read it.
//
// # How a value is worked out
//
// A modifier acts in one of ten channels. The first channel starts from the base, each
// other one from the result of the one before. Within a channel:
//
//	step   op             what is done to the running number
//	1      add            + all of them
//	2      mul_add        × (1 + all of them), so that two of +50 % make × 2
//	3      mul_compound   × (1 + each of them), the least first, so that two of +50 % make × 2.25
//	4      final_add      + all of them
//	5      override       the newest one is the channel's result, whatever stood there
//
// After the last channel the number is brought within the attribute's limits: down to
// Max, then up to Min, so that Min wins where both cannot be had. A limit is a constant
// or the value of another attribute. Without modifiers the number is the base, bit for
// bit.
//
// "All of them", in steps 1, 2 and 4, is the attribute's [Aggregate]: the sum as a rule;
// or the greatest only, the least only, or the sum of the n strongest. Each of the three
// steps of each channel chooses for itself.
//
// # Example
//
// Attack has a base of 100 and a limit of 340. The story, step by step, is
// testdata/order.txt.
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
// # What the order of events cannot change
//
// A value depends on the base, on which modifiers are there, and, among overrides of one
// channel, on which is newest. It does not depend on the order in which the others came,
// on those that have come and gone, or on when values were asked for:
//
//   - A value is worked out anew from the base and the modifiers, which are first put in
//     an order of their own: by channel, step and size.
//   - A sum is exact and rounded once, at its end, with the number it is added to. So
//     ten of +10 % are + 100 %, and 1e16 + 1 - 1e16 is 1.
//   - A product is rounded at once, by an explicit conversion. So no compiler may fuse it
//     with a sum, and every processor has the same bits.
//   - There is no negative zero: a 0 has one pattern of bits.
//
// So when the last modifier has gone, every attribute's value is its base, bit for bit,
// brought within limits.
//
// # Limits that are attributes
//
// If a maximum falls below a base, the base is set to the maximum, for good: health healed up to
// 120 under a maximum of 120 is 100 when the maximum falls to 100, and stays 100 when it is 120
// again. That is done after each command and each due event, so a buff that replaces another one
// with the same maximum costs nothing. So an attribute with such a maximum is for what is spent and
// refilled, as health and mana are; a cap of a speed that comes and goes is a modifier.
//
// A minimum that rises above a base lifts the value as long as it stays, and not the base. With
// at_min: kill it counts as reached, and the owner dies.
//
// A base that buff.SetBase put above its maximum stays until the maximum changes or the base does:
// a game may set health and its maximum in any order. A change, also by 0, begins from the limited base.
//
// Bases are different: damage and healing are plain additions to what is there, and their order is
// part of history.
//
// # Bounds
//
// A value, base, modifier or limit is a number of at most [MaxValue] on either side of
// zero; infinities and NaN are refused. A running number beyond MaxValue is set to it, and
// [View.Overflow] says so. [MaxAttributes] bounds a Schema, and [MaxModifiers] what lies on
// one owner.
package stat
