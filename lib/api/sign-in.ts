import 'server-only'
import { z } from 'zod'
import { beginBody, beginSignIn } from '@/lib/auth/server/begin-sign-in'
import { completeSignIn, finishCodeSignIn, finishMailedLink } from '@/lib/auth/server/finish-sign-in'
import {
  deleteLinkedCredit,
  getLinkedCredit,
  type LinkedCreditServices,
  linkBody,
  putLinkedCredit,
  unlinkBody,
} from '@/lib/auth/server/linked-credit'
import { signOutByForm } from '@/lib/auth/server/sign-out'
import type { Services } from '@/lib/composition'
import { parseCredential } from '@/lib/http/credential'
import { route } from './route'

/** A redirect, which is all that a browser needs. */
const redirects = { status: 303, answerHeaders: { location: 'A page of this site.' } } as const

const linkedCreditSchema = z
  .object({
    credit_id: z.string().nullable(),
    state: z.enum(['found', 'none', 'unreadable']),
  })
  .meta({ id: 'LinkedCredit' })

const linkedCredit = {
  path: '/api/account/credit',
  caller: 'session',
  answer: linkedCreditSchema,
} as const

/** Optional, and for this site's own pages: clients with a credential need none of it. */
export const signInRoutes = [
  route(
    {
      method: 'POST',
      path: '/auth/begin',
      summary: 'Begin to sign in',
      caller: 'public',
      bodiesByType: { 'application/json': beginBody },
      status: 204,
    },
    ({ request }) => beginSignIn(request),
  ),
  route(
    {
      method: 'GET',
      path: '/auth/callback',
      summary: 'End a sign-in with a provider',
      caller: 'public',
      ...redirects,
    },
    ({ request }) => finishCodeSignIn(request),
  ),
  route(
    { method: 'GET', path: '/auth/confirm', summary: 'Follow a mailed link', caller: 'public', ...redirects },
    ({ request }) => finishMailedLink(request),
  ),
  route(
    {
      method: 'POST',
      path: '/auth/complete',
      summary: 'Tell of a sign-in that the browser made by itself, and learn whether it is believed here',
      caller: 'public',
      status: 204,
    },
    ({ request }) => completeSignIn(request),
  ),
  route(
    {
      method: 'POST',
      path: '/auth/sign-out',
      summary: 'Sign out, here or everywhere',
      caller: 'session',
      bodiesByType: {
        'application/x-www-form-urlencoded': z.object({
          scope: z.enum(['local', 'global']).optional(),
          return_path: z.string().optional(),
        }),
      },
      ...redirects,
    },
    ({ request }) => signOutByForm(request),
  ),
  route(
    { ...linkedCredit, method: 'GET', summary: 'Get the credit that is linked to the account' },
    ({ request, services }) => getLinkedCredit(request, linkServices(services)),
  ),
  route(
    {
      ...linkedCredit,
      method: 'POST',
      summary: 'Link a credit to the account',
      bodiesByType: { 'application/json': linkBody },
    },
    ({ request, services }) => putLinkedCredit(request, linkServices(services)),
  ),
  route(
    {
      ...linkedCredit,
      method: 'DELETE',
      summary: 'Unlink the credit; it stays as it is',
      bodiesByType: { 'application/json': unlinkBody },
    },
    ({ request, services }) => deleteLinkedCredit(request, linkServices(services)),
  ),
]

/** Here, and only here, a session meets a credit; neither the ledger nor the chat knows of sessions. */
function linkServices({ creditLinks, ledger }: Services): LinkedCreditServices {
  return {
    links: creditLinks,
    isKnownCredit: async creditId => {
      const credential = parseCredential(creditId)
      return credential !== null && (await ledger.getBalance({ credential })) !== null
    },
  }
}
