'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { useSpeechOffer } from '@/components/speech/use-speech-offer'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/select'
import { useStore } from '@/components/ui/use-store'
import { DEFAULT_SETTINGS, DEFAULT_VOICE_NAME } from '@/lib/local/settings/settings'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { chooseVoice } from '@/lib/speech/domain/choose-voice'
import type { OfferedVoice, SpeechOffer } from '@/lib/speech/domain/speech-offer'
import { VoiceIdField } from './voice-id-field'

/** No voice's id: it opens the field for one that is not in the list. */
const OTHER = ''

/** One of the site's voices, or any by its id: for ids that are not listed, and where there is no list. */
export function VoiceField({ disabled }: { disabled: boolean }) {
  const t = useTranslations('settings')
  const offer = useSpeechOffer()
  const [isOtherChosen, setOtherChosen] = useState(false)
  const { defaultTtsVoice, ttsProvider } = useStore(settingsStore).settings
  const voices = offer?.voices ?? []
  if (!offer || voices.length === 0) {
    return <VoiceIdField label={t('defaultTtsVoice')} disabled={disabled} />
  }
  const isOffered = voices.some(({ id }) => id === defaultTtsVoice)
  const reader = readerName(offer, { voiceId: defaultTtsVoice, provider: ttsProvider })
  return (
    <>
      <Field
        label={t('defaultTtsVoice')}
        hint={!isOffered && reader !== null && t('voiceInstead', { voice: reader })}
      >
        {control => (
          <Select
            {...control}
            value={isOtherChosen ? OTHER : defaultTtsVoice}
            disabled={disabled}
            onChange={event => {
              const voiceId = event.currentTarget.value
              setOtherChosen(voiceId === OTHER)
              if (voiceId !== OTHER) settingsStore.update({ defaultTtsVoice: voiceId })
            }}
          >
            {!isOffered && (
              <option value={defaultTtsVoice}>
                {t('voiceNotOffered', { voice: knownName(defaultTtsVoice) })}
              </option>
            )}
            {voices.map(voice => (
              <option key={voice.id} value={voice.id}>
                {labelOf(voice)}
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

/** Who reads while the stored voice is not to be had here. */
function readerName(offer: SpeechOffer, wish: { voiceId: string; provider: string }): string | null {
  return chooseVoice(offer, wish)?.voice?.name ?? null
}

function knownName(voiceId: string): string {
  return voiceId === DEFAULT_SETTINGS.defaultTtsVoice ? DEFAULT_VOICE_NAME : voiceId
}

function labelOf({ name, language }: OfferedVoice): string {
  return language === '' ? name : `${name} · ${language}`
}
