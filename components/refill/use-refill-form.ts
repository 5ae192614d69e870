'use client'

import { useState } from 'react'
import useSWR from 'swr'
import { useRequest } from '@/components/account/use-request'
import { type Invoice, parseInvoice } from '@/components/credit/top-up/invoice'
import { type AmountProblem, parseAmount } from '@/components/credit/top-up/parse-amount'
import {
  type MethodId,
  type PaymentMethod,
  parsePaymentMethods,
} from '@/components/credit/top-up/payment-method'
import { ApiCallError, callApiForJson } from '@/lib/http/client/call-api'
import { createRefillInvoice } from '@/lib/payments/client/refill-invoices'

const AMOUNT_DEFAULT = '5'

/** The amount and the way to pay it; the server decides which ways there are, and their limits. */
export function useRefillForm(token: string, onCreated: (invoice: Invoice) => void) {
  const methods = useSWR<PaymentMethod[], unknown>('/topup/payment-methods', loadMethods)
  const request = useRequest()
  const [amountText, setAmountText] = useState(AMOUNT_DEFAULT)
  const [methodId, setMethodId] = useState<MethodId | null>(null)
  const [problem, setProblem] = useState<AmountProblem | null>(null)
  const method = methods.data?.find(({ id }) => id === methodId) ?? methods.data?.[0] ?? null

  const submit = async () => {
    if (!method) return
    const parsed = parseAmount(amountText, method)
    if ('problem' in parsed) return setProblem(parsed.problem)
    await request.run(async () => {
      const answer = await createRefillInvoice(token, { methodId: method.id, amountUsd: parsed.amountUsd })
      const invoice = parseInvoice(answer)
      if (!invoice) throw new ApiCallError('unknown')
      onCreated(invoice)
    })
  }

  return {
    methods: methods.data ?? null,
    methodsFailed: methods.error !== undefined,
    reloadMethods: () => void methods.mutate(),
    method,
    chooseMethod: setMethodId,
    amountText,
    changeAmount: (text: string) => {
      setAmountText(text)
      setProblem(null)
    },
    problem,
    creating: request.busy,
    errorCode: request.errorCode,
    submit,
  }
}

async function loadMethods(path: string): Promise<PaymentMethod[]> {
  return parsePaymentMethods(await callApiForJson({ method: 'GET', path }))
}
