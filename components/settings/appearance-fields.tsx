'use client'

import { useLocale, useTranslations } from 'next-intl'
import { LANGUAGE_NAMES } from '@/components/shell/language-names'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/select'
import { useStore } from '@/components/ui/use-store'
import { routing } from '@/lib/i18n/routing'
import { settingsStore, type ThemeChoice } from '@/lib/local/settings/settings-store'

const THEME_CHOICES: readonly ThemeChoice[] = ['system', 'light', 'dark']

/** Theme and language. The shell (components/shell) applies both at once. */
export function AppearanceFields() {
  const t = useTranslations('settings')
  const locale = useLocale()
  const { themeChoice, chosenLanguage } = useStore(settingsStore)
  return (
    <>
      <Field label={t('theme')}>
        {control => (
          <Select
            {...control}
            value={themeChoice}
            onChange={event => {
              const chosen = THEME_CHOICES.find(choice => choice === event.currentTarget.value)
              if (chosen) settingsStore.chooseTheme(chosen)
            }}
          >
            {THEME_CHOICES.map(choice => (
              <option key={choice} value={choice}>
                {t(`themes.${choice}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('language')}>
        {control => (
          <Select
            {...control}
            value={chosenLanguage ?? locale}
            onChange={event => {
              const language = routing.locales.find(choice => choice === event.currentTarget.value)
              if (language) settingsStore.update({ language })
            }}
          >
            {routing.locales.map(language => (
              <option key={language} value={language} lang={language}>
                {LANGUAGE_NAMES[language]}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </>
  )
}
