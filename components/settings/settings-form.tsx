'use client'

import { useTranslations } from 'next-intl'
import { Field } from '@/components/ui/field'
import layout from '@/components/ui/layout.module.css'
import { Switch } from '@/components/ui/switch'
import { TextArea } from '@/components/ui/text-input'
import { useStore } from '@/components/ui/use-store'
import { LowBalanceSetting } from '@/components/usage/low-balance/low-balance-setting'
import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { SYSTEM_PROMPT_LENGTH_MAX } from '@/lib/local/domain/steering'
import { instructionsStore } from '@/lib/local/instructions'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { AppearanceFields } from './appearance-fields'
import { ContextField } from './context-field'
import styles from './settings-form.module.css'
import { SpeechFields } from './speech-fields'
import { SpendingFields } from './spending-fields'

/** All settings of this browser. Changes take effect at once; there is no save button. */
export function SettingsForm() {
  const t = useTranslations('settings')
  const { settings } = useStore(settingsStore)
  return (
    <div className={layout.sections}>
      <fieldset className={styles.group}>
        <legend className={styles.legend}>{t('appearance')}</legend>
        <AppearanceFields />
      </fieldset>
      <fieldset className={styles.group}>
        <legend className={styles.legend}>{t('chat')}</legend>
        <Switch
          label={t('enterToSend')}
          hint={t('enterToSendHint')}
          checked={settings.enterToSend}
          onChange={enterToSend => settingsStore.update({ enterToSend })}
        />
        <Switch
          label={t('showNewChatOnStartup')}
          hint={t('showNewChatOnStartupHint')}
          checked={settings.showNewChatOnStartup}
          onChange={showNewChatOnStartup => settingsStore.update({ showNewChatOnStartup })}
        />
        <SpendingFields />
        <LowBalanceSetting />
        <ContextField />
        <InstructionsField />
      </fieldset>
      <fieldset className={styles.group}>
        <legend className={styles.legend}>{t('speech')}</legend>
        <SpeechFields />
      </fieldset>
    </div>
  )
}

/** Instructions for every chat, and their length. */
function InstructionsField() {
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
