import 'server-only'
import { z } from 'zod'
import { ApiError } from '@/lib/http/api-error'
import { newRefillToken } from '@/lib/payments/server/refill-token'
import {
  createRefillLinkBody,
  newRefillLinkSchema,
  refillLinkSchema,
  refillPayeeSchema,
} from './contracts/refill'
import { unixSecondsOf } from './contracts/values'
import { NO_STORE, route } from './route'
import { invoiceLookUp, invoiceRequest, orderInvoice, showInvoice } from './top-ups'

/** An account has one link at most, by which others pay into it. */
export const refillRoutes = [
  route(
    {
      method: 'GET',
      path: '/topup/refill/link',
      summary: 'Get when the refill link was created and what it is for, but never its token',
      description: '204 if there is none.',
      caller: 'credit_id',
      answer: refillLinkSchema,
      answersByStatus: { 204: null },
    },
    async ({ services: { refillLinks }, caller: { accountId } }) => {
      const link = await refillLinks.get({ accountId })
      if (!link) return new Response(null, { status: 204, headers: NO_STORE })
      return { created_at: unixSecondsOf(link.createdAt), name: link.name }
    },
  ),
  route(
    {
      method: 'POST',
      path: '/topup/refill/link',
      summary: 'Create a refill link; its token is shown only in this answer',
      description: 'An earlier link stops working.',
      caller: 'credit_id',
      body: createRefillLinkBody,
      status: 201,
      answer: newRefillLinkSchema,
    },
    async ({ services: { refillLinks }, caller: { accountId }, body: { name } }) => {
      const { token, tokenHash } = newRefillToken()
      const link = await refillLinks.create({ accountId, tokenHash, name })
      return { created_at: unixSecondsOf(link.createdAt), name: link.name, token }
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/topup/refill/link',
      summary: 'Revoke the refill link',
      caller: 'credit_id',
      answer: z.object({ revoked: z.literal(true) }),
    },
    async ({ services: { refillLinks }, caller: { accountId } }) => {
      const { revoked } = await refillLinks.revoke({ accountId })
      if (!revoked) throw new ApiError('not_found', 'This account has no refill link.')
      return { revoked: true as const }
    },
  ),
  route(
    {
      method: 'GET',
      path: '/topup/refill',
      summary: 'Get what a refill link is for, unless it is revoked',
      description: 'Send the link’s token (`rf-…`) as the bearer.',
      caller: 'refill_link',
      answer: refillPayeeSchema,
    },
    async ({ caller: { name } }) => ({ name }),
  ),
  route(
    {
      method: 'POST',
      path: '/topup/refill/create/{method}',
      summary: 'Create an invoice for the account that a refill link pays into',
      description: 'Send the link’s token (`rf-…`) as the bearer.',
      caller: 'refill_link',
      ...invoiceRequest,
    },
    async ({ request, services, caller: { accountId }, params: { method: methodId }, body }) =>
      orderInvoice(request, services, { ...body, accountId, methodId, returnPath: '/refill' }),
  ),
  route(
    {
      method: 'GET',
      path: '/topup/refill/status/{invoice_id}',
      summary: 'Get the state of an invoice of the account that a refill link pays into',
      caller: 'refill_link',
      ...invoiceLookUp,
    },
    async ({ services, caller: { accountId }, params: { invoice_id: invoiceId } }) =>
      showInvoice(services, { accountId, invoiceId }),
  ),
]
