'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useRef, useState } from 'react'
import { LANGUAGE_NAMES } from '@/components/shell/language-names'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/select'
import { SelectField } from '@/components/ui/select-field'
import { useStore } from '@/components/ui/use-store'
import { type Locale, routing } from '@/lib/i18n/routing'
import { settingsStore, type ThemeChoice } from '@/lib/local/settings/settings-store'

const THEME_CHOICES: readonly ThemeChoice[] = ['system', 'light', 'dark']

/** Between two presses of an arrow key, for somebody who listens to each language. */
const NEXT_KEY_MS_MAX = 1500

/** The language that was last chosen here, until the page is there in it. */
let chosenHere: Locale | null = null

/** Theme and language. The shell (components/shell) applies both at once. */
export function AppearanceFields() {
  const t = useTranslations('settings')
  const locale = useLocale()
  const { themeChoice, chosenLanguage } = useStore(settingsStore)
  const languageRef = useRef<HTMLSelectElement>(null)
  /** The language that the keys have reached in a closed field, where many browsers choose at each press. */
  const [reached, setReached] = useState<Locale | null>(null)
  const isByKeyRef = useRef(false)
  const waitingRef = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (chosenHere !== locale) return
    chosenHere = null
    // Another language replaces the whole document, and the next key must find the field.
    requestAnimationFrame(() => languageRef.current?.focus())
  }, [locale])
  const choose = (language: Locale) => {
    setReached(null)
    // On another page, or with the language that it has, this page is not replaced, and nothing has to find the field.
    chosenHere = languageRef.current && language !== locale ? language : null
    settingsStore.update({ language })
  }
  return (
    <>
      <SelectField
        label={t('theme')}
        choices={THEME_CHOICES}
        nameOf={choice => t(`themes.${choice}`)}
        value={themeChoice}
        onChange={settingsStore.chooseTheme}
      />
      <Field label={t('language')}>
        {control => (
          <Select
            {...control}
            ref={languageRef}
            value={reached ?? chosenLanguage ?? locale}
            onKeyDown={() => {
              isByKeyRef.current = true
            }}
            onPointerDown={() => {
              isByKeyRef.current = false
            }}
            onChange={event => {
              const language = routing.locales.find(choice => choice === event.currentTarget.value)
              if (!language) return
              clearTimeout(waitingRef.current)
              if (!isByKeyRef.current) return choose(language)
              setReached(language)
              waitingRef.current = setTimeout(() => choose(language), NEXT_KEY_MS_MAX)
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
