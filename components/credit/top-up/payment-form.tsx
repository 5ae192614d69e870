'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import useSWR from 'swr'
import { useRequest } from '@/components/account/use-request'
import { useErrorText } from '@/components/shell/use-error-text'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import { TextInput } from '@/components/ui/text-input'
import { listPaymentMethods, type TopUpOrder } from '@/lib/api/client/top-ups'
import type { PaymentMethodOffer } from '@/lib/api/contracts/invoices'
import { formatMoney } from '@/lib/money/format-money'
import { MethodChoice } from './method-choice'
import styles from './payment-form.module.css'
import { type AmountProblem, parseAmount } from './payment-rules'

const AMOUNT_DEFAULT = '5'
/** Dollars: from a first try to a few months of regular use. */
const PRESETS = ['1', '5', '10', '20'] as const

interface PaymentFormProps {
  note?: string
  /** @throws ApiCallError */
  onOrder: (order: TopUpOrder) => Promise<void>
}

/** The amount and the way to pay it; the server decides which ways there are, and their limits. */
export function PaymentForm({ note, onOrder }: PaymentFormProps) {
  const t = useTranslations('topUp')
  const common = useTranslations('common')
  const locale = useLocale()
  const errorText = useErrorText()
  const methods = useSWR<PaymentMethodOffer[], unknown>('/topup/payment-methods', listPaymentMethods)
  const request = useRequest()
  const [amountText, setAmountText] = useState(AMOUNT_DEFAULT)
  const [methodName, setMethodName] = useState<PaymentMethodOffer['method'] | null>(null)
  const [problem, setProblem] = useState<AmountProblem | null>(null)
  const method = methods.data?.find(offer => offer.method === methodName) ?? methods.data?.[0] ?? null

  if (methods.error !== undefined && !methods.data) {
    return (
      <div className={styles.notice} role="alert">
        <p>{t('methodsFailed')}</p>
        <Button variant="quiet" onClick={() => void methods.mutate()}>
          {common('retry')}
        </Button>
      </div>
    )
  }
  if (methods.data?.length === 0) return <p className={styles.notice}>{t('noMethods')}</p>

  const limits = method && {
    minimum: formatMoney(method.limits.USD.min, locale),
    maximum: formatMoney(method.limits.USD.max, locale),
  }
  const changeAmount = (text: string) => {
    setAmountText(text)
    setProblem(null)
  }
  const submit = () => {
    if (!method) return
    const parsed = parseAmount(amountText, method.limits.USD)
    if ('problem' in parsed) return setProblem(parsed.problem)
    void request.run(() => onOrder({ methodName: method.method, amountUsd: parsed.amountUsd }))
  }
  return (
    <form
      className={layout.looseStack}
      noValidate
      onSubmit={event => {
        event.preventDefault()
        submit()
      }}
    >
      <AmountPresets amountText={amountText} onChoose={changeAmount} />
      <Field
        label={t('amount')}
        hint={limits ? t('limits', limits) : common('loading')}
        error={problem && limits ? t(`problem.${problem}`, limits) : undefined}
      >
        {control => (
          <div className={styles.amount}>
            <span className={styles.dollar} aria-hidden="true">
              $
            </span>
            <TextInput
              {...control}
              inputMode="decimal"
              autoComplete="off"
              value={amountText}
              onChange={event => changeAmount(event.currentTarget.value)}
              className={styles.amountInput}
            />
          </div>
        )}
      </Field>
      <MethodChoice methods={methods.data ?? null} chosen={method?.method ?? null} onChoose={setMethodName} />
      <p className={text.problem} role="alert">
        {request.errorCode && errorText(request.errorCode)}
      </p>
      <Button type="submit" loading={request.busy} disabled={!method}>
        {t('continue')}
      </Button>
      {note && <p className={text.hint}>{note}</p>}
    </form>
  )
}

interface AmountPresetsProps {
  amountText: string
  onChoose: (amountText: string) => void
}

function AmountPresets({ amountText, onChoose }: AmountPresetsProps) {
  const t = useTranslations('topUp')
  const locale = useLocale()
  const dollars = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    maximumFractionDigits: 0,
  })
  return (
    <div role="group" aria-label={t('presets')} className={styles.presets}>
      {PRESETS.map(preset => (
        <button
          key={preset}
          type="button"
          className={styles.preset}
          aria-pressed={amountText.trim() === preset}
          onClick={() => onChoose(preset)}
        >
          {dollars.format(Number(preset))}
        </button>
      ))}
    </div>
  )
}
