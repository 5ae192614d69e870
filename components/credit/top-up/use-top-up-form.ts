'use client'

import { useState } from 'react'
import useSWR from 'swr'
import { callApiForJson, errorCodeOf } from '@/lib/http/client/call-api'
import { createInvoice } from './create-invoice'
import type { Invoice } from './invoice'
import { type AmountProblem, parseAmount } from './parse-amount'
import { type MethodId, type PaymentMethod, parsePaymentMethods } from './payment-method'

const AMOUNT_DEFAULT = '5'

/** What the form shows and does; the server decides which methods there are and their limits. */
export function useTopUpForm(onCreated: (invoice: Invoice) => void) {
  const methods = useSWR<PaymentMethod[], unknown>('/topup/payment-methods', loadMethods)
  const [amountText, setAmountText] = useState(AMOUNT_DEFAULT)
  const [methodId, setMethodId] = useState<MethodId | null>(null)
  const [problem, setProblem] = useState<AmountProblem | null>(null)
  const [errorCode, setErrorCode] = useState<string | null>(null)
  const [creating, setCreating] = useState(false)
  const method = methods.data?.find(({ id }) => id === methodId) ?? methods.data?.[0] ?? null

  const changeAmount = (text: string) => {
    setAmountText(text)
    setProblem(null)
  }

  const submit = async () => {
    if (!method || creating) return
    const parsed = parseAmount(amountText, method)
    if ('problem' in parsed) return setProblem(parsed.problem)
    setErrorCode(null)
    setCreating(true)
    try {
      onCreated(await createInvoice({ methodId: method.id, amountUsd: parsed.amountUsd }))
    } catch (thrown) {
      setErrorCode(errorCodeOf(thrown))
    } finally {
      setCreating(false)
    }
  }

  return {
    methods: methods.data ?? null,
    methodsFailed: methods.error !== undefined,
    reloadMethods: () => methods.mutate(),
    method,
    chooseMethod: setMethodId,
    amountText,
    changeAmount,
    problem,
    errorCode,
    creating,
    submit,
  }
}

async function loadMethods(path: string): Promise<PaymentMethod[]> {
  return parsePaymentMethods(await callApiForJson({ method: 'GET', path }))
}
