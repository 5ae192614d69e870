'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import useSWR from 'swr'
import { ensureCredit } from '@/components/credit/ensure-credit'
import { RequestProblem } from '@/components/request/request-problem'
import { useRequest } from '@/components/request/use-request'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { focusAfterRender, SUBMIT_BUTTON } from '@/components/ui/focus'
import layout from '@/components/ui/layout.module.css'
import { Switch } from '@/components/ui/switch'
import text from '@/components/ui/text.module.css'
import { TextInput } from '@/components/ui/text-input'
import { useStore } from '@/components/ui/use-store'
import { listPaymentMethods } from '@/lib/api/client/top-ups'
import type { PaymentMethodOffer } from '@/lib/api/contracts/invoices'
import { creditIdFirstSegment } from '@/lib/local/credit-id'
import { walletRecord } from '@/lib/local/wallet/wallet-stores'
import { formatMoney } from '@/lib/money/format-money'
import { amountToText, parseAmount } from '@/lib/money/typed-amount'
import { isAllowed, type WalletRules } from '@/lib/payments/domain/wallet-rules'
import { canPayByItself, readTopUps, recordTopUpEvent } from './top-ups'

const AMOUNTS = ['belowCents', 'addCents', 'dayCents'] as const
type Amounts = Record<(typeof AMOUNTS)[number], number>

/** The suggested rules: small enough to try, with a limit that is soon reached. */
const PROPOSED: Amounts = { belowCents: 50, addCents: 100, dayCents: 500 }
const ANY_AMOUNT = { min: 0.01, max: 10_000 }

/** When the wallet tops up by itself, by how much, and how much per day at most. */
export function WalletRulesForm() {
  const t = useTranslations('wallet')
  const common = useTranslations('common')
  const locale = useLocale()
  const methods = useSWR<PaymentMethodOffer[], unknown>('/topup/payment-methods', listPaymentMethods)
  const lightning = methods.data?.find(({ method }) => method === 'btc-lightning')
  const isUnknown = methods.error !== undefined && !methods.data
  const { rules } = readTopUps(useStore(walletRecord))
  const [texts, setTexts] = useState(() => {
    const textOf = (name: keyof Amounts) => amountToText((rules ?? PROPOSED)[name] / 100, locale)
    return { belowCents: textOf('belowCents'), addCents: textOf('addCents'), dayCents: textOf('dayCents') }
  })
  const [asksFirst, setAsksFirst] = useState(rules?.asksFirst ?? false)
  const [problem, setProblem] = useState<keyof Amounts | 'order' | 'storage' | null>(null)
  const [isSaved, setSaved] = useState(false)
  const { busy, errorCode, run } = useRequest()
  if (!canPayByItself()) return <p className={text.note}>{t('noLocks')}</p>
  if (methods.data && !lightning?.usd_per_bitcoin) return <p className={text.note}>{t('noRate')}</p>

  const save = async () => {
    setSaved(false)
    const amounts = { ...PROPOSED }
    for (const name of AMOUNTS) {
      const limits = name === 'addCents' ? (lightning?.limits.USD ?? ANY_AMOUNT) : ANY_AMOUNT
      const read = parseAmount(texts[name], limits, locale)
      if (!('amountUsd' in read)) {
        setProblem(name)
        return focusAfterRender('form [aria-invalid]')
      }
      amounts[name] = Math.round(read.amountUsd * 100)
    }
    const usdPerBitcoin = lightning?.usd_per_bitcoin
    if (!isAllowed(amounts) || !usdPerBitcoin) {
      setProblem('order')
      return showReason()
    }
    const creditSegment = creditIdFirstSegment(await ensureCredit())
    const allowed: WalletRules = { ...amounts, asksFirst, usdPerBitcoin, creditSegment }
    const isWritten = (await recordTopUpEvent({ type: 'allowed', rules: allowed })) !== null
    setProblem(isWritten ? null : 'storage')
    setSaved(isWritten)
    if (!isWritten) showReason()
  }
  // It is above the button, which on a phone is a screen below a field in which Enter was pressed.
  const showReason = () => focusAfterRender(`#wallet form ${SUBMIT_BUTTON}`)
  const turnOff = async () => {
    setSaved(false)
    await recordTopUpEvent({ type: 'allowed', rules: null })
  }
  const limits = lightning?.limits.USD
  const addHint =
    limits &&
    t('addHint', { minimum: formatMoney(limits.min, locale), maximum: formatMoney(limits.max, locale) })
  const hints = { belowCents: undefined, addCents: addHint, dayCents: t('dayHint') }
  return (
    <form
      className={layout.stack}
      onSubmit={event => {
        event.preventDefault()
        void run(save).then(result => result === null && showReason())
      }}
    >
      <h3 className={text.text}>{t('byItself')}</h3>
      <p className={text.mutedText}>{t('byItselfLead')}</p>
      {AMOUNTS.map(name => (
        <Field key={name} label={t(name)} hint={hints[name]} error={problem === name && t('amountProblem')}>
          {control => (
            <TextInput
              {...control}
              inputMode="decimal"
              autoComplete="off"
              value={texts[name]}
              onChange={event => setTexts({ ...texts, [name]: event.currentTarget.value })}
            />
          )}
        </Field>
      ))}
      <Switch label={t('asksFirst')} hint={t('asksFirstHint')} checked={asksFirst} onChange={setAsksFirst} />
      <p role="alert" className={text.problem}>
        {isUnknown && t('methodsFailed')}
        {problem === 'order' && t('orderProblem')}
        {problem === 'storage' && t('storageProblem')}
      </p>
      <RequestProblem errorCode={errorCode} />
      <div className={layout.row}>
        {/* One button in both states, so that it keeps the focus when a retry has succeeded. */}
        <Button
          type={isUnknown ? 'button' : 'submit'}
          loading={busy || (!methods.data && methods.isValidating)}
          onClick={isUnknown ? () => void methods.mutate() : undefined}
        >
          {isUnknown ? common('retry') : rules ? common('save') : t('allow')}
        </Button>
        {rules && (
          <Button variant="quiet" onClick={() => void turnOff()}>
            {t('turnOff')}
          </Button>
        )}
      </div>
      <p role="status" className={text.result}>
        {isSaved && common('saved')}
      </p>
    </form>
  )
}
