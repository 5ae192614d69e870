'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/select'
import { TextInput } from '@/components/ui/text-input'
import { useStore } from '@/components/ui/use-store'
import { useTyped } from '@/components/ui/use-typed'
import { DEFAULT_SETTINGS } from '@/lib/local/settings/settings'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { chooseVoice, voicesOf } from '@/lib/speech/domain/choose-voice'
import type { OfferedVoice, SpeechOffer } from '@/lib/speech/domain/speech-offer'

/** The option that opens a field for a voice that is not in the list; no voice has this id. */
const OTHER = ''

/**
 * Selects one of the service's voices, or any voice by its id, for ids that are not listed and services without a list.
 */
export function VoiceField({ offer, disabled }: { offer: SpeechOffer; disabled: boolean }) {
  const t = useTranslations('settings')
  const locale = useLocale()
  const [isOtherChosen, setOtherChosen] = useState(false)
  const { defaultTtsVoice, ttsProvider } = useStore(settingsStore).settings
  const voices = voicesOf(offer, ttsProvider).map(({ voice }) => voice)
  if (voices.length === 0) {
    return <VoiceIdField label={t('defaultTtsVoice')} disabled={disabled} />
  }
  const reader = chooseVoice(offer, { voiceId: defaultTtsVoice, provider: ttsProvider })
  // The voice that reads instead is shown, unless the person has chosen one that is missing.
  const isMissing =
    reader?.voiceId !== defaultTtsVoice && defaultTtsVoice !== DEFAULT_SETTINGS.defaultTtsVoice
  const shownId = isMissing ? defaultTtsVoice : (reader?.voiceId ?? defaultTtsVoice)
  return (
    <>
      <Field
        label={t('defaultTtsVoice')}
        hint={isMissing && reader?.voice && t('voiceInstead', { voice: reader.voice.name })}
      >
        {control => (
          <Select
            {...control}
            value={isOtherChosen ? OTHER : shownId}
            disabled={disabled}
            onChange={event => {
              const voiceId = event.currentTarget.value
              setOtherChosen(voiceId === OTHER)
              if (voiceId !== OTHER) settingsStore.update({ defaultTtsVoice: voiceId })
            }}
          >
            {isMissing && (
              <option value={defaultTtsVoice}>{t('voiceNotOffered', { voice: defaultTtsVoice })}</option>
            )}
            {voices.map(voice => (
              <option key={voice.id} value={voice.id}>
                {labelOf(voice, locale)}
              </option>
            ))}
            <option value={OTHER}>{t('voiceOther')}</option>
          </Select>
        )}
      </Field>
      {isOtherChosen && <VoiceIdField label={t('voiceId')} disabled={disabled} />}
    </>
  )
}

interface VoiceIdFieldProps {
  label: string
  disabled: boolean
}

/** The voice's id at the provider; an empty field means the default voice. */
function VoiceIdField({ label, disabled }: VoiceIdFieldProps) {
  const t = useTranslations('settings')
  const { settings } = useStore(settingsStore)
  const { shown } = useTyped({
    stored: settings.defaultTtsVoice,
    textOf: voiceId => voiceId,
    read: text => text.trim() || DEFAULT_SETTINGS.defaultTtsVoice,
    store: voiceId => settingsStore.update({ defaultTtsVoice: voiceId }),
  })
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

/** A host may send any text as a language; text that is no language code is shown unchanged. */
const LANGUAGE_CODE = /^[a-z]{2,3}(-[a-z]{2})?$/i

function labelOf({ name, language }: OfferedVoice, locale: string): string {
  if (language === '') return name
  const names = new Intl.DisplayNames(locale, { type: 'language' })
  return `${name} · ${LANGUAGE_CODE.test(language) ? names.of(language) : language}`
}
