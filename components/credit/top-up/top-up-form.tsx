'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useErrorText } from '@/components/shell/use-error-text'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { TextInput } from '@/components/ui/text-input'
import { formatMoney } from '@/lib/money/format-money'
import { AmountPresets } from './amount-presets'
import type { Invoice } from './invoice'
import { MethodChoice } from './method-choice'
import styles from './top-up-form.module.css'
import { useTopUpForm } from './use-top-up-form'

interface TopUpFormProps {
  onCreated: (invoice: Invoice) => void
}

export function TopUpForm({ onCreated }: TopUpFormProps) {
  const t = useTranslations('topUp')
  const common = useTranslations('common')
  const locale = useLocale()
  const errorText = useErrorText()
  const form = useTopUpForm(onCreated)
  const { method, problem } = form

  if (form.methodsFailed && !form.methods) {
    return (
      <div className={styles.notice} role="alert">
        <p>{t('methodsFailed')}</p>
        <Button variant="quiet" onClick={() => void form.reloadMethods()}>
          {common('retry')}
        </Button>
      </div>
    )
  }
  if (form.methods?.length === 0) return <p className={styles.notice}>{t('noMethods')}</p>

  const limits = method && {
    minimum: formatMoney(method.minimumUsd, locale),
    maximum: formatMoney(method.maximumUsd, locale),
  }
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={event => {
        event.preventDefault()
        void form.submit()
      }}
    >
      <AmountPresets amountText={form.amountText} onChoose={form.changeAmount} />
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
              value={form.amountText}
              onChange={event => form.changeAmount(event.currentTarget.value)}
              className={styles.amountInput}
            />
          </div>
        )}
      </Field>
      <MethodChoice methods={form.methods} chosenId={method?.id ?? null} onChoose={form.chooseMethod} />
      <p className={styles.error} role="alert">
        {form.errorCode && errorText(form.errorCode)}
      </p>
      <Button type="submit" loading={form.creating} disabled={!method}>
        {t('continue')}
      </Button>
      <p className={styles.note}>{t('note')}</p>
    </form>
  )
}
