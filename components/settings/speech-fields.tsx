'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useSpeechOffer } from '@/components/speech/use-speech-offer'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/select'
import { Switch } from '@/components/ui/switch'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { VoiceField } from './voice-field'

const PROVIDERS: Readonly<Record<string, string>> = { elevenlabs: 'ElevenLabs' }
const SPEEDS: readonly number[] = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]

/** Reading aloud. */
export function SpeechFields() {
  const t = useTranslations('settings')
  const locale = useLocale()
  const { settings } = useStore(settingsStore)
  const hasNoSpeech = useSpeechOffer()?.models.length === 0
  const { audioEnabled, ttsProvider, defaultPlaybackSpeed } = settings
  return (
    <>
      {hasNoSpeech && <p className={text.note}>{t('speechNotOffered')}</p>}
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
      <Field label={t('ttsProvider')}>
        {control => (
          <Select
            {...control}
            value={ttsProvider}
            disabled={!audioEnabled}
            onChange={event => settingsStore.update({ ttsProvider: event.currentTarget.value })}
          >
            {withStored(Object.keys(PROVIDERS), ttsProvider).map(provider => (
              <option key={provider} value={provider}>
                {PROVIDERS[provider] ?? provider}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <VoiceField disabled={!audioEnabled} />
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

/** What another version stored stays a choice. */
function withStored<Value>(choices: readonly Value[], stored: Value): readonly Value[] {
  return choices.includes(stored) ? choices : [...choices, stored]
}
