'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useRef } from 'react'
import { LANGUAGE_NAMES } from '@/components/shell/language-names'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/select'
import { useStore } from '@/components/ui/use-store'
import { type Locale, routing } from '@/lib/i18n/routing'
import { settingsStore, type ThemeChoice } from '@/lib/local/settings/settings-store'

const THEME_CHOICES: readonly ThemeChoice[] = ['system', 'light', 'dark']

/** The language that was last chosen here, until the page is there in it. */
let chosenHere: Locale | null = null

/** Theme and language. The shell (components/shell) applies both at once. */
export function AppearanceFields() {
  const t = useTranslations('settings')
  const locale = useLocale()
  const { themeChoice, chosenLanguage } = useStore(settingsStore)
  const languageRef = useRef<HTMLSelectElement>(null)
  useEffect(() => {
    if (chosenHere !== locale) return
    chosenHere = null
    // Another language replaces the whole document. Where a press of an arrow chooses, the next press must find the field.
    requestAnimationFrame(() => languageRef.current?.focus())
  }, [locale])
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
            ref={languageRef}
            value={chosenLanguage ?? locale}
            onChange={event => {
              const language = routing.locales.find(choice => choice === event.currentTarget.value)
              if (!language) return
              chosenHere = language
              settingsStore.update({ language })
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
