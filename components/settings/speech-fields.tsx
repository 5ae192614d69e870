'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useSpeechOffer } from '@/components/speech/use-audio-offer'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/select'
import { Switch } from '@/components/ui/switch'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { OWN_SERVICE, readingService, speechServices, voicesOf } from '@/lib/speech/domain/choose-voice'
import { VoiceField } from './voice-field'

/** The services' own spelling; others are shown by the name in their models' ids. */
const SERVICE_NAMES: Readonly<Record<string, string>> = { elevenlabs: 'ElevenLabs', openai: 'OpenAI' }
const SPEEDS: readonly number[] = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]

/** The settings for reading aloud, if this site offers it. */
export function SpeechFields() {
  const t = useTranslations('settings')
  const locale = useLocale()
  const { settings } = useStore(settingsStore)
  const offer = useSpeechOffer()
  const { audioEnabled, ttsProvider, defaultPlaybackSpeed } = settings
  const service = offer && readingService(offer.models, ttsProvider)
  const chooseService = (chosen: string) => {
    // Voices belong to a service, so another service needs another voice.
    const voiceId = offer && voicesOf(offer, chosen)[0]?.voiceId
    settingsStore.update({ ttsProvider: chosen, ...(voiceId ? { defaultTtsVoice: voiceId } : {}) })
  }
  if (service === null) return <p className={text.note}>{t('speechNotOffered')}</p>
  return (
    <>
      <Switch
        label={t('audioEnabled')}
        hint={t('audioEnabledHint')}
        checked={audioEnabled}
        onChange={enabled => settingsStore.update({ audioEnabled: enabled })}
      />
      <Switch
        label={t('autoPlayTts')}
        hint={t('autoPlayTtsHint')}
        checked={settings.autoPlayTts}
        disabled={!audioEnabled}
        onChange={autoPlayTts => settingsStore.update({ autoPlayTts })}
      />
      {offer && service && (
        <Field label={t('ttsProvider')}>
          {control => (
            <Select
              {...control}
              value={service}
              disabled={!audioEnabled}
              onChange={event => chooseService(event.currentTarget.value)}
            >
              {speechServices(offer.models).map(one => (
                <option key={one} value={one}>
                  {one === OWN_SERVICE ? t('ttsOwn') : (SERVICE_NAMES[one] ?? capitalized(one))}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {offer && <VoiceField offer={offer} disabled={!audioEnabled} />}
      <Field label={t('defaultPlaybackSpeed')}>
        {control => (
          <Select
            {...control}
            value={defaultPlaybackSpeed}
            disabled={!audioEnabled}
            onChange={event =>
              settingsStore.update({ defaultPlaybackSpeed: Number(event.currentTarget.value) })
            }
          >
            {withStored(SPEEDS, defaultPlaybackSpeed).map(speed => (
              <option key={speed} value={speed}>
                {new Intl.NumberFormat(locale).format(speed)}×
              </option>
            ))}
          </Select>
        )}
      </Field>
    </>
  )
}

function capitalized(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

/** A value that another version stored stays selectable. */
function withStored<Value>(choices: readonly Value[], stored: Value): readonly Value[] {
  return choices.includes(stored) ? choices : [...choices, stored]
}
