'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import useSWR from 'swr'
import { useRequest } from '@/components/request/use-request'
import { useErrorText } from '@/components/shell/use-error-text'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import { TextInput } from '@/components/ui/text-input'
import { listPaymentMethods, type TopUpOrder } from '@/lib/api/client/top-ups'
import type { PaymentMethodOffer } from '@/lib/api/contracts/invoices'
import { formatMoney } from '@/lib/money/format-money'
import { type AmountProblem, amountToText, parseAmount } from '@/lib/money/typed-amount'
import { AmountReadings } from './amount-readings'
import { MethodChoice } from './method-choice'
import styles from './payment-form.module.css'

const AMOUNT_DEFAULT_USD = 5
/**
 * Dollars, from a first try to a few months of regular use. The larger ones are for methods that take no small amounts.
 */
const PRESETS = [1, 5, 10, 20, 50, 100, 200]
const PRESET_COUNT = 4
/** Longer than any amount, in any language. */
const AMOUNT_LENGTH_MAX = 40

interface PaymentFormProps {
  note?: string
  /** From the address; null for what it does not say. */
  amountUsd: number | null
  methodName: string | null
  /** @throws ApiCallError */
  onOrder: (order: TopUpOrder) => Promise<void>
}

/** Asks for the amount and the payment method. The server decides which methods there are, and their limits. */
export function PaymentForm({ note, amountUsd, methodName: wantedMethodName, onOrder }: PaymentFormProps) {
  const t = useTranslations('topUp')
  const common = useTranslations('common')
  const locale = useLocale()
  const errorText = useErrorText()
  const methods = useSWR<PaymentMethodOffer[], unknown>('/topup/payment-methods', listPaymentMethods)
  const request = useRequest()
  const [givenText, setGivenText] = useState(() =>
    amountUsd === null ? null : amountToText(amountUsd, locale),
  )
  const [methodName, setMethodName] = useState(wantedMethodName)
  const [problem, setProblem] = useState<AmountProblem | null>(null)
  const [readingsUsd, setReadingsUsd] = useState<readonly number[]>([])
  /** Pressed before the methods were known. */
  const [isWanted, setWanted] = useState(false)
  const amountField = useRef<HTMLInputElement>(null)
  const submitButton = useRef<HTMLButtonElement>(null)
  const method = methods.data?.find(offer => offer.method === methodName) ?? methods.data?.[0] ?? null
  const amountText = givenText ?? amountToText(usualAmountUsd(method), locale)

  const changeAmount = (text: string) => {
    setGivenText(text)
    setProblem(null)
    setReadingsUsd([])
  }
  const submit = () => {
    // Enter in the field comes here even while the button waits.
    if (request.busy) return
    if (!method) return setWanted(true)
    const parsed = parseAmount(amountText, method.limits.USD, locale)
    if ('problem' in parsed) {
      setProblem(parsed.problem)
      // To the field to correct; on a phone the button is a screen below it.
      amountField.current?.focus()
      return
    }
    if ('readingsUsd' in parsed) return setReadingsUsd(parsed.readingsUsd)
    const order = { methodName: method.method, amountUsd: parsed.amountUsd }
    void request
      .run(() => onOrder(order))
      .then(result => {
        // What went wrong is said above the button, a screen below the field in which Enter was pressed.
        if (result === null && document.activeElement === amountField.current) submitButton.current?.focus()
      })
  }
  const submitWanted = useEffectEvent(submit)
  const isDue = isWanted && method !== null
  useEffect(() => {
    if (!isDue) return
    setWanted(false)
    submitWanted()
  }, [isDue])

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
  const chooseReading = (usd: number) => {
    changeAmount(amountToText(usd, locale))
    submitButton.current?.focus()
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
      <AmountPresets amountText={amountText} limits={method?.limits.USD} onChoose={changeAmount} />
      <Field
        label={t('amount')}
        hint={limits ? t('limits', limits) : common('loading')}
        error={
          readingsUsd.length > 0
            ? common('amountProblem.ambiguous', { count: readingsUsd.length })
            : problem === 'malformed'
              ? common('amountProblem.malformed')
              : problem && limits && t(`problem.${problem}`, limits)
        }
      >
        {control => (
          <div className={styles.amount}>
            <span className={styles.dollar} aria-hidden="true">
              $
            </span>
            <TextInput
              {...control}
              ref={amountField}
              inputMode="decimal"
              autoComplete="off"
              maxLength={AMOUNT_LENGTH_MAX}
              value={amountText}
              onChange={event => changeAmount(event.currentTarget.value)}
              className={styles.amountInput}
            />
          </div>
        )}
      </Field>
      <AmountReadings readingsUsd={readingsUsd} onChoose={chooseReading} />
      <MethodChoice methods={methods.data ?? null} chosen={method?.method ?? null} onChoose={setMethodName} />
      <p className={text.problem} role="alert">
        {request.errorCode && errorText(request.errorCode)}
      </p>
      <Button ref={submitButton} type="submit" loading={request.busy || isWanted}>
        {t('continue')}
      </Button>
      {note && <p className={text.hint}>{note}</p>}
    </form>
  )
}

/** The amount that is filled in until the person changes it. */
function usualAmountUsd(method: PaymentMethodOffer | null): number {
  const { min, max } = method?.limits.USD ?? { min: AMOUNT_DEFAULT_USD, max: AMOUNT_DEFAULT_USD }
  return Math.min(Math.max(AMOUNT_DEFAULT_USD, min), max)
}

interface AmountPresetsProps {
  amountText: string
  limits: { min: number; max: number } | undefined
  onChoose: (amountText: string) => void
}

function AmountPresets({ amountText, limits, onChoose }: AmountPresetsProps) {
  const t = useTranslations('topUp')
  const locale = useLocale()
  const dollars = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    maximumFractionDigits: 0,
  })
  const { min, max } = limits ?? { min: 0, max: Number.POSITIVE_INFINITY }
  const presets = PRESETS.filter(preset => preset >= min && preset <= max).slice(0, PRESET_COUNT)
  return (
    <div role="group" aria-label={t('presets')} className={styles.presets}>
      {presets.map(preset => (
        <button
          key={preset}
          type="button"
          className={styles.preset}
          aria-pressed={amountText.trim() === amountToText(preset, locale)}
          onClick={() => onChoose(amountToText(preset, locale))}
        >
          {dollars.format(preset)}
        </button>
      ))}
    </div>
  )
}
