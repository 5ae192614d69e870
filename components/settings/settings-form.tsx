'use client'

import { useTranslations } from 'next-intl'
import layout from '@/components/ui/layout.module.css'
import { Switch } from '@/components/ui/switch'
import { useStore } from '@/components/ui/use-store'
import { LowBalanceSetting } from '@/components/usage/low-balance/low-balance-setting'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { AppearanceFields } from './appearance-fields'
import { ContextField } from './context-field'
import { InstructionsField } from './instructions-field'
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
