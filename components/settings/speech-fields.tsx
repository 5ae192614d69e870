'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useSpeechOffer } from '@/components/speech/use-audio-offer'
import { SelectField } from '@/components/ui/select-field'
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
        <SelectField
          label={t('ttsProvider')}
          disabled={!audioEnabled}
          choices={speechServices(offer.models)}
          nameOf={one => (one === OWN_SERVICE ? t('ttsOwn') : (SERVICE_NAMES[one] ?? capitalized(one)))}
          value={service}
          onChange={chooseService}
        />
      )}
      {offer && <VoiceField offer={offer} disabled={!audioEnabled} />}
      <SelectField
        label={t('defaultPlaybackSpeed')}
        disabled={!audioEnabled}
        choices={withStored(SPEEDS, defaultPlaybackSpeed)}
        nameOf={speed => `${new Intl.NumberFormat(locale).format(speed)}×`}
        value={defaultPlaybackSpeed}
        onChange={speed => settingsStore.update({ defaultPlaybackSpeed: speed })}
      />
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
