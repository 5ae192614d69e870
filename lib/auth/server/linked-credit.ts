import 'server-only'
import { z } from 'zod'
import { ApiError } from '@/lib/http/api-error'
import { readJson } from '@/lib/http/read-body'
import type { CreditLinks } from './credit-links'
import { requireSameOrigin } from './require-same-origin'
import { requireSecondFactor, requireUser } from './require-user'
import { createRouteAuth } from './route-client'
import { supabaseSettings } from './supabase-settings'

/**
 * Provided by the composition: the links, if the operator set a key for them, and whether the ledger knows a credit.
 */
export interface LinkedCreditServices {
  links: CreditLinks | null
  isKnownCredit(creditId: string): Promise<boolean>
}

const creditId = z.uuid().transform(text => text.toLowerCase())
export const linkBody = z.object({ credit_id: creditId, replaces: creditId.nullable().default(null) })
export const unlinkBody = z.object({
  credit_id: creditId
    .nullish()
    .describe(
      'The linked credit as it was shown: null if it could not be opened. Another one stays linked. Without this field, whatever is linked is unlinked.',
    ),
})

/** The linked credit, for use on this device as well; `credit_id: null` if none is linked. */
export async function getLinkedCredit(request: Request, services: LinkedCreditServices): Promise<Response> {
  const { links, userId } = await begin(request, services)
  const found = await links.find(userId)
  return answer({ credit_id: found.outcome === 'found' ? found.creditId : null, state: found.outcome })
}

/** @throws ApiError conflict if another credit is linked and `replaces` does not name it */
export async function putLinkedCredit(request: Request, services: LinkedCreditServices): Promise<Response> {
  const { links, userId } = await begin(request, services)
  const body = await readJson(request, linkBody)
  if (!(await services.isKnownCredit(body.credit_id))) {
    throw new ApiError('unprocessable', 'There is no such credit.', { param: 'credit_id' })
  }
  const { outcome } = await links.link({ userId, creditId: body.credit_id, replaces: body.replaces })
  if (outcome === 'conflict') throw anotherLinked()
  return answer({ credit_id: body.credit_id, state: 'found' })
}

/**
 * Removes the link only; the credit itself is unchanged.
 * @throws ApiError conflict if another credit is linked than the one that the request names
 */
export async function deleteLinkedCredit(
  request: Request,
  services: LinkedCreditServices,
): Promise<Response> {
  const { links, userId } = await begin(request, services)
  const body = await readJson(request, unlinkBody)
  const { outcome } = await links.unlink({ userId, creditId: body.credit_id })
  if (outcome === 'conflict') throw anotherLinked()
  return answer({ credit_id: null, state: 'none' })
}

function anotherLinked(): ApiError {
  return new ApiError('conflict', 'Another credit is linked to this account.')
}

/**
 * The request is authorised by a cookie, so it must come from our own page, and anybody with a second factor must have
 * used it.
 */
async function begin(request: Request, services: LinkedCreditServices) {
  const settings = supabaseSettings()
  if (!settings || !services.links) throw new ApiError('not_found', 'Credits cannot be linked here.')
  requireSameOrigin(request)
  const person = await requireUser(await createRouteAuth(settings, request))
  requireSecondFactor(person)
  return { links: services.links, userId: person.user.id }
}

function answer(body: { credit_id: string | null; state: string }): Response {
  return Response.json(body, { headers: { 'cache-control': 'private, no-store' } })
}
