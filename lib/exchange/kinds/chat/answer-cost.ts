import { cost } from '@/lib/catalogue/domain/cost'
import type { Model, TokenUsage } from '@/lib/catalogue/domain/model'
import type { UsageDetail } from '@/lib/ledger/domain/usage'
import { maxNano, type Nano } from '@/lib/money/nano'
import type { ChatPlan } from './plan'
import { withinLimits } from './price-limits'

/** As the upstream reports it; null if it does not. */
export interface AnsweredBy {
  model: string | null
  serviceTier: string | null
}

/** What hosts add to the name of a model: the date or the number of the version that answered. */
const VERSION = /^[-@](\d{3,8}|\d{4}-\d{2}-\d{2})$/

/** None if the name is none of the request's. */
function modelsNamed({ models }: Pick<ChatPlan, 'models'>, name: string | null): readonly Model[] {
  const exact = models.filter(({ id }) => id === name)
  if (exact.length > 0) return exact
  return models.filter(({ id }) => name?.startsWith(id) && VERSION.test(name.slice(id.length)))
}

/**
 * The cost of counts by the prices of the model that answered; of the dearest one if its name is none of the
 * request's.
 */
export function costOfAnswer(
  plan: ChatPlan,
  { model, serviceTier }: AnsweredBy,
  usage: TokenUsage,
  at: Date,
): Nano {
  const named = modelsNamed(plan, model)
  const candidates = named.length > 0 ? named : plan.models
  // The payer owes nothing for a tier that was not requested.
  const tier = serviceTier === plan.serviceTier ? serviceTier : null
  return candidates
    .map(({ prices }) => cost({ prices: withinLimits(plan, prices), usage, at, serviceTier: tier }))
    .reduce(maxNano, 0n)
}

/** What a charge was priced by, if not by the first model at its usual tier. */
export function otherPrices(plan: ChatPlan, { model, serviceTier }: AnsweredBy): UsageDetail['pricedAs'] {
  const [first, ...others] = plan.models
  const isFirst = others.length === 0 || modelsNamed(plan, model).includes(first)
  const tier = serviceTier === plan.serviceTier ? serviceTier : null
  if (isFirst && tier === null) return undefined
  return { isOtherModel: !isFirst, serviceTier: tier }
}
