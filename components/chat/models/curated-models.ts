import { CURATED_ROLES, type CuratedIds, type CuratedRole } from '@/lib/catalogue/domain/curated-roles'
import { estimateEverydayMessage } from '@/lib/exchange/client/outgoing'
import type { ChatModel } from '../chat-model'
import { factsOf } from './model-facts'

/**
 * Shares of the paid models ordered by price. The most expensive few are left to people who know why they want them.
 */
const SHARES: Readonly<Record<CuratedRole, readonly [from: number, to: number]>> = {
  quick: [0, 0.25],
  balanced: [0.4, 0.7],
  best: [0.75, 0.95],
}
/** A smaller window does not hold a longer document. */
const WINDOW_TOKENS_MIN = 32_000

/**
 * One model for each role: the operator's choice if it is offered, else among models of that price the most capable
 * one, and among equals the newest. Free models, image models, and models that are being withdrawn or have no known
 * price are not recommended.
 */
export function curateModels(
  models: readonly ChatModel[],
  operatorIds: CuratedIds,
): ReadonlyMap<CuratedRole, ChatModel> {
  const priced = models
    .flatMap(model => {
      const price = estimateEverydayMessage(model)
      const isFit = !model.draws && factsOf(model).withdrawnOn === null && price !== null && price > 0n
      return isFit ? [{ model, price }] : []
    })
    .sort((left, right) => Number(left.price - right.price) || (left.model.id < right.model.id ? -1 : 1))
    .map(({ model }) => model)
  const chosen = new Map<CuratedRole, ChatModel>()
  const isLeft = (model: ChatModel) => ![...chosen.values()].includes(model)
  for (const role of CURATED_ROLES) {
    const named = models.find(({ id }) => id === operatorIds[role])
    if (named && isLeft(named)) chosen.set(role, named)
  }
  for (const role of CURATED_ROLES.filter(each => !chosen.has(each))) {
    const [from, to] = SHARES[role]
    const candidates = priced.slice(Math.floor(priced.length * from), Math.ceil(priced.length * to))
    const best = candidates.filter(isLeft).sort(byMerit)[0]
    if (best) chosen.set(role, best)
  }
  return chosen
}

function byMerit(left: ChatModel, right: ChatModel): number {
  return (
    meritOf(right) - meritOf(left) ||
    factsOf(right).createdAtSeconds - factsOf(left).createdAtSeconds ||
    (left.id < right.id ? -1 : 1)
  )
}

function meritOf(model: ChatModel): number {
  const { abilities } = factsOf(model)
  const useful = ['tools', 'pictures', 'documents', 'reasoning'] as const
  const isRoomy = (model.windowTokens ?? 0) >= WINDOW_TOKENS_MIN
  return useful.filter(ability => abilities.has(ability)).length + (isRoomy ? 1 : 0)
}
