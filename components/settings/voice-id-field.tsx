'use client'

import { useTranslations } from 'next-intl'
import { Field } from '@/components/ui/field'
import { TextInput } from '@/components/ui/text-input'
import { useStore } from '@/components/ui/use-store'
import { useTyped } from '@/components/ui/use-typed'
import { DEFAULT_SETTINGS } from '@/lib/local/settings/settings'
import { settingsStore } from '@/lib/local/settings/settings-store'

interface VoiceIdFieldProps {
  label: string
  disabled: boolean
}

/** The voice's id at the provider; an empty field means the default voice. */
export function VoiceIdField({ label, disabled }: VoiceIdFieldProps) {
  const t = useTranslations('settings')
  const { settings } = useStore(settingsStore)
  const { shown } = useTyped(settings.defaultTtsVoice, text =>
    settingsStore.update({ defaultTtsVoice: text.trim() || DEFAULT_SETTINGS.defaultTtsVoice }),
  )
  return (
    <Field label={label} hint={t('defaultTtsVoiceHint')}>
      {control => (
        <TextInput
          {...control}
          mono
          maxLength={100}
          spellCheck={false}
          autoComplete="off"
          disabled={disabled}
          {...shown}
        />
      )}
    </Field>
  )
}
