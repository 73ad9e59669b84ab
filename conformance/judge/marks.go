package judge

// marks counts, by the name of the rule, how often each rule had an effect. It contains rules that
// random scenarios easily miss. A test requires that each of these rules has an effect.
type marks map[string]int

// mark records that a rule had an effect.
func (w *world) mark(rule string) {
	if w.marks != nil {
		w.marks[rule]++
	}
}

// Rules returns the names of the rules that [Scenario.PlayMarked] counts.
func Rules() []string { return rules }

// The names of the rules. Each name starts with the topic of the rule.
const (
	markUnsavedHead    = "links: not saved, as no head is saved"
	markUnsavedStacks  = "links: an unsaved head takes its stacks along"
	markLinkThere      = "links: a refresh leaves a link that is there"
	markLinkAgain      = "links: a refresh applies a link that has gone"
	markLastHead       = "links: one of several heads ends"
	markStolenHead     = "links: passed over by a steal"
	markStolenAura     = "auras: passed over by a steal"
	markHiddenCharges  = "hidden: keeps its charges"
	markHiddenShield   = "hidden: absorbs nothing"
	markQueueNext      = "queue: the next application runs after a spent one"
	markQueueHaste     = "queue: haste scales a waiting application"
	markEachSpent      = "each: an application is spent, others are left"
	markEachNumbers    = "each: applications with different numbers count together"
	markNeutral        = "query: neutral leaves out positive and negative"
	markStealStacks    = "query: some stacks are stolen"
	markDispelStacks   = "query: stacks of a dispel"
	markCompensateMost = "query: compensate leaves out by most"
	markRemoveStacks   = "remove: some stacks by command"
	markRemoveSource   = "remove: the instance of the same source is not the oldest"
	markPartialAway    = "away: a partial pulse at an end"
	markRateNext       = "haste: an attribute gives the next period"
	markRateRescales   = "haste: an attribute rescales a period"
	markFitHaste       = "fit: rounds to another period than the definition's"
	markApplyLive      = "numbers: snapshot apply reads what cast did not"
	markCastChain      = "numbers: snapshot cast reads what the source had before"
	markLiveStacks     = "numbers: stacks in a formula have changed"
	markAmount         = "numbers: a formula reads the amount of an act"
	markCondition      = "numbers: the formula of require.apply denies"
	markIf             = "conditions: if skips an action"
	markIfTags         = "conditions: if_tags skips an action"
	markVarMax         = "variables: at_max"
	markVarMin         = "variables: at_min"
	markRemoveQuery    = "actions: remove by query"
	markReplacesItself = "pulse: removes and applies its own definition"
	markCascade        = "guard: a cascade of 16 rounds"
	markGrantsImmune   = "immunity: not against what a buff only grants"
	markScale          = "duration: scale of an application"
	markMiss           = "actions: for another owner that is not there"
	markMaxFell        = "limits: a maximum falls below the base"
	markMinRose        = "limits: a minimum rises to the base and kills"
	markWhen           = "when: begins to hold"
	markWhenHidden     = "when: begins to hold while the buff is hidden"
	markDamageTaken    = "damage: multiplied by an attribute"
	markZeroClamps     = "limits: a change by 0 brings the base within them"
	markAreaSaved      = "areas: an owner comes back into an area"
	markAreaSame       = "areas: entering the same area again"
	markLowest         = "slots: the newcomer has the lowest priority"
	markStealKeeps     = "steal: does not shorten what the thief has"
	markStealResist    = "steal: resisted"
	markStealCharges   = "steal: charges that are left join those of the thief"
	markReplaces       = "levels: a higher level replaces"
	markReplacesDeny   = "levels: deny does not refuse a higher level"
	markLevelShows     = "levels: decide before the magnitude"
	markNoPool         = "shield: refused without a pool"
	markRefreshNothing = "refresh: on.refresh not run as nothing changed"
	markChain          = "chain: starts at an end while away"
	markChainEnds      = "chain: ends before the return"
	markChainJoins     = "chain: joins with what is left"
	markShare          = "share: an instant in the chain of a partial or joined pulse"
	markShareStacks    = "share: per_stack in an instant of a pulse"
	markShareTimed     = "share: a timed buff in the chain of a partial or joined pulse"
	markInfiniteScale  = "duration_scale: refuses an infinite buff"
	markShieldAttr     = "shield: does not stand before an attribute"
	markShieldNamed    = "shield: names the attribute"
	markSmallDamage    = "damage: below half a point"
	markDamaged        = "damage: a buff reacts to damaged"
	markDealt          = "damage: a buff reacts to dealt"
	markDamageUses     = "damage: uses charges or interrupts"
	markRequireFrom    = "requirement: tags of another source do not count"
	markBearer         = "actions: for an owner with a mark of the source"
	markRemover        = "removals: an action for the owner that removed the buff"
	markBySource       = "acts: by another owner than the source"
	markDamageQuiet    = "damage: no reaction within a reaction"
	markDeath          = "death: on.death"
	markShieldFloor    = "shield: floor"
	markAbsorb         = "absorb: on.absorb"
	markAbsorbQuiet    = "absorb: not in the chain of a reaction to damage"
	markRevived        = "death: revived and logged"
)

var rules = []string{
	markUnsavedHead, markUnsavedStacks, markLinkThere, markLinkAgain, markLastHead, markStolenHead, markStolenAura, markHiddenCharges, markHiddenShield, markQueueNext, markQueueHaste,
	markEachSpent, markEachNumbers, markNeutral, markStealStacks, markDispelStacks, markCompensateMost, markRemoveStacks, markRemoveSource, markPartialAway, markFitHaste, markRateNext, markRateRescales,
	markApplyLive, markCastChain, markLiveStacks, markAmount, markCondition, markIf, markIfTags, markReplacesItself, markCascade, markGrantsImmune, markScale, markMiss, markMaxFell, markMinRose, markWhen, markWhenHidden, markDamageTaken, markZeroClamps,
	markAreaSaved, markAreaSame, markLowest, markStealKeeps, markStealResist, markStealCharges, markReplaces, markReplacesDeny, markLevelShows, markNoPool, markRefreshNothing, markChain,
	markChainEnds, markChainJoins, markShare, markShareStacks, markShareTimed, markInfiniteScale, markShieldAttr, markShieldNamed, markSmallDamage, markDamaged, markDealt,
	markDamageUses, markRequireFrom, markBySource, markRemover, markBearer, markDamageQuiet, markShieldFloor, markAbsorb, markAbsorbQuiet, markDeath, markRevived,
}
