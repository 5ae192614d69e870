'use client'

import { useLocale, useTranslations } from 'next-intl'
import { type FormEvent, useRef, useState } from 'react'
import { AmountReadings } from '@/components/credit/top-up/amount-readings'
import { RequestProblem } from '@/components/request/request-problem'
import { useRequest } from '@/components/request/use-request'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { focusAfterRender, SUBMIT_BUTTON } from '@/components/ui/focus'
import layout from '@/components/ui/layout.module.css'
import { SelectField } from '@/components/ui/select-field'
import { TextArea, TextInput } from '@/components/ui/text-input'
import { RESET_PERIODS } from '@/lib/api/client/keys'
import type { Key, KeySettings } from '@/lib/api/contracts/keys'
import { KEY_LABEL_LENGTH_MAX } from '@/lib/api/domain/api-limits'
import styles from './key-form.module.css'
import {
  EMPTY_KEY_FORM,
  HOST_CHOICES,
  type KeyAmountProblem,
  type KeyFormProblems,
  keyAmountToText,
  keyFormValues,
  parseKeyForm,
} from './key-rules'

interface KeyFormProps {
  /** The key to change; null for a new one. */
  before: Key | null
  submitLabel: string
  onSubmit: (change: KeySettings) => Promise<void>
}

export function KeyForm({ before, submitLabel, onSubmit }: KeyFormProps) {
  const t = useTranslations('keys')
  const common = useTranslations('common')
  const locale = useLocale()
  const { busy, errorCode, run } = useRequest()
  const [values, setValues] = useState(before ? keyFormValues(before, locale) : EMPTY_KEY_FORM)
  const [problems, setProblems] = useState<KeyFormProblems>({})
  const change = (part: Partial<typeof values>) => {
    setValues({ ...values, ...part })
    setProblems({})
  }

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const parsed = parseKeyForm(values, { before, locale, nowMs: Date.now() })
    if ('problems' in parsed) {
      setProblems(parsed.problems)
      // The button is a screen below the field to correct.
      return focusAfterRender('dialog [aria-invalid]')
    }
    // What went wrong is said above the button, a screen below a field in which Enter was pressed.
    if ((await run(() => onSubmit(parsed.change))) === null) focusAfterRender(`dialog ${SUBMIT_BUTTON}`)
  }

  const amount = (name: AmountName, label: string, hint: string) => (
    <AmountField
      key={name}
      label={label}
      hint={hint}
      value={values[`${name}Text`]}
      problem={problems[name]}
      onChange={text => change({ [`${name}Text`]: text })}
    />
  )

  return (
    <form noValidate className={layout.stack} onSubmit={event => void submit(event)}>
      <Field label={common('name')} hint={t('labelHint')}>
        {control => (
          <TextInput
            {...control}
            autoComplete="off"
            dir="auto"
            maxLength={KEY_LABEL_LENGTH_MAX}
            placeholder={t('defaultLabel')}
            value={values.label}
            onChange={event => change({ label: event.currentTarget.value })}
          />
        )}
      </Field>
      <div className={styles.pair}>
        {amount('limit', t('limit'), t('limitHint'))}
        <SelectField
          label={t('resetPeriod')}
          hint={t('resetPeriodHint', { time: utcMidnight(locale) })}
          disabled={values.limitText.trim() === ''}
          choices={RESET_PERIODS}
          nameOf={period => t(`reset.${period}`)}
          value={values.resetPeriod}
          onChange={resetPeriod => change({ resetPeriod })}
        />
      </div>
      <SelectField
        label={t('routing.hosts')}
        hint={t('routing.hostsHint')}
        choices={HOST_CHOICES}
        nameOf={choice => t(`routing.${choice}`)}
        value={values.hosts}
        onChange={hosts => change({ hosts })}
      />
      <div className={styles.pair}>
        {amount('promptPrice', t('routing.prompt'), t('routing.priceHint'))}
        {amount('completionPrice', t('routing.completion'), t('routing.priceHint'))}
      </div>
      {amount('maxCharge', t('allowed.maxCharge'), t('allowed.maxChargeHint'))}
      <Field label={t('allowed.models')} hint={t('allowed.modelsHint')}>
        {control => (
          <TextArea
            {...control}
            dir="ltr"
            rows={2}
            spellCheck={false}
            value={values.modelsText}
            onChange={event => change({ modelsText: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label={t('lastDay')} hint={t('lastDayHint')} error={problems.expiry && t('expiryPast')}>
        {control => (
          <TextInput
            {...control}
            type="date"
            value={values.lastDay}
            onChange={event => change({ lastDay: event.currentTarget.value })}
          />
        )}
      </Field>
      <RequestProblem errorCode={errorCode} />
      <div>
        <Button type="submit" loading={busy}>
          {submitLabel}
        </Button>
      </div>
    </form>
  )
}

/** The time on the person's own clock at which days of UTC begin. */
function utcMidnight(locale: string): string {
  return new Date(new Date().setUTCHours(0, 0, 0, 0)).toLocaleTimeString(locale, { timeStyle: 'short' })
}

type AmountName = 'limit' | 'promptPrice' | 'completionPrice' | 'maxCharge'

interface AmountFieldProps {
  label: string
  hint: string
  value: string
  problem: KeyAmountProblem | undefined
  onChange: (text: string) => void
}

/** An amount in dollars. If it is ambiguous, its possible meanings are offered. */
function AmountField({ label, hint, value, problem, onChange }: AmountFieldProps) {
  const t = useTranslations('keys.limitProblem')
  const amountText = useTranslations('common.amountProblem')
  const locale = useLocale()
  const fieldRef = useRef<HTMLInputElement>(null)
  const readingsUsd = typeof problem === 'object' ? problem : []
  const choose = (usd: number) => {
    onChange(keyAmountToText(usd, locale))
    fieldRef.current?.focus()
  }
  return (
    <div className={layout.stack}>
      <Field
        label={label}
        hint={hint}
        error={
          typeof problem === 'object'
            ? amountText('ambiguous', { count: problem.length })
            : problem === 'malformed'
              ? amountText('malformed')
              : problem && t(problem)
        }
      >
        {control => (
          <TextInput
            {...control}
            ref={fieldRef}
            inputMode="decimal"
            autoComplete="off"
            value={value}
            onChange={event => onChange(event.currentTarget.value)}
          />
        )}
      </Field>
      <AmountReadings readingsUsd={readingsUsd} size="small" onChoose={choose} />
    </div>
  )
}
