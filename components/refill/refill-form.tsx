'use client'

import { useLocale, useTranslations } from 'next-intl'
import { RequestProblem } from '@/components/account/request-problem'
import { AmountPresets } from '@/components/credit/top-up/amount-presets'
import type { Invoice } from '@/components/credit/top-up/invoice'
import { MethodChoice } from '@/components/credit/top-up/method-choice'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { TextInput } from '@/components/ui/text-input'
import { formatMoney } from '@/lib/money/format-money'
import styles from './refill.module.css'
import { useRefillForm } from './use-refill-form'

interface RefillFormProps {
  token: string
  onCreated: (invoice: Invoice) => void
}

export function RefillForm({ token, onCreated }: RefillFormProps) {
  const t = useTranslations('topUp')
  const locale = useLocale()
  const form = useRefillForm(token, onCreated)
  const { method, problem } = form
  if (form.methodsFailed && !form.methods) {
    return <RequestProblem errorCode="network" onRetry={form.reloadMethods} />
  }
  if (form.methods?.length === 0) return <p className={styles.text}>{t('noMethods')}</p>
  const limits = method && {
    minimum: formatMoney(method.minimumUsd, locale),
    maximum: formatMoney(method.maximumUsd, locale),
  }
  return (
    <form
      noValidate
      className={styles.stack}
      onSubmit={event => {
        event.preventDefault()
        void form.submit()
      }}
    >
      <AmountPresets amountText={form.amountText} onChoose={form.changeAmount} />
      <Field
        label={t('amount')}
        hint={limits ? t('limits', limits) : undefined}
        error={problem && limits ? t(`problem.${problem}`, limits) : undefined}
      >
        {control => (
          <TextInput
            {...control}
            inputMode="decimal"
            autoComplete="off"
            value={form.amountText}
            onChange={event => form.changeAmount(event.currentTarget.value)}
          />
        )}
      </Field>
      {form.methods && (
        <MethodChoice methods={form.methods} chosenId={method?.id ?? null} onChoose={form.chooseMethod} />
      )}
      <RequestProblem errorCode={form.errorCode} />
      <div>
        <Button type="submit" loading={form.creating} disabled={!method}>
          {t('continue')}
        </Button>
      </div>
    </form>
  )
}
