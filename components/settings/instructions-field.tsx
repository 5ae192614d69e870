'use client'

import { useTranslations } from 'next-intl'
import { Field } from '@/components/ui/field'
import { TextArea } from '@/components/ui/text-input'
import { useStore } from '@/components/ui/use-store'
import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { SYSTEM_PROMPT_LENGTH_MAX } from '@/lib/local/domain/steering'
import { instructionsStore } from '@/lib/local/instructions'

/** Instructions for every chat, and their length. */
export function InstructionsField() {
  const t = useTranslations('settings')
  const instructions = useStore(instructionsStore)
  return (
    <Field
      label={t('instructions')}
      hint={
        <>
          {t('instructionsHint')}{' '}
          {instructions !== null && t('instructionsTokens', { count: estimateTokens(instructions) })}
        </>
      }
    >
      {control => (
        <TextArea
          {...control}
          dir="auto"
          rows={4}
          maxLength={SYSTEM_PROMPT_LENGTH_MAX}
          value={instructions ?? ''}
          onChange={event => {
            const text = event.currentTarget.value
            if (text === '') instructionsStore.remove()
            else instructionsStore.write(text)
          }}
        />
      )}
    </Field>
  )
}
