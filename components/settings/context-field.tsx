'use client'

import { useTranslations } from 'next-intl'
import { Field } from '@/components/ui/field'
import { TextInput } from '@/components/ui/text-input'
import { useStore } from '@/components/ui/use-store'
import { useTyped } from '@/components/ui/use-typed'
import {
  isMaxContext,
  MAX_CONTEXT_HIGHEST_TOKENS,
  MAX_CONTEXT_LOWEST_TOKENS,
  maxContextStore,
} from '@/lib/local/max-context'

const STEP_TOKENS = 256

/** How much of a conversation is sent along: more is remembered, and costs more. */
export function ContextField() {
  const t = useTranslations('settings')
  const { isRefused, shown } = useTyped({
    stored: useStore(maxContextStore),
    textOf: String,
    read: text => (isMaxContext(Number(text)) ? Number(text) : undefined),
    store: tokens => maxContextStore.write(String(tokens)),
  })
  return (
    <Field
      label={t('maxContext')}
      hint={t('maxContextHint')}
      error={isRefused && t('maxContextError', { lowest: MAX_CONTEXT_LOWEST_TOKENS })}
    >
      {control => (
        <TextInput
          {...control}
          type="number"
          inputMode="numeric"
          min={MAX_CONTEXT_LOWEST_TOKENS}
          max={MAX_CONTEXT_HIGHEST_TOKENS}
          step={STEP_TOKENS}
          {...shown}
        />
      )}
    </Field>
  )
}
