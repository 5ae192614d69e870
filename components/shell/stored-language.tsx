'use client'

import { useLocale } from 'next-intl'
import { useEffect } from 'react'
import { useStore } from '@/components/ui/use-store'
import { useLanguageSwitch, usePathname } from '@/lib/i18n/navigation'
import { settingsStore } from '@/lib/local/settings/settings-store'

/**
 * Switches to the language in the settings on load and when it is chosen, here or in another tab. The path is kept, as
 * specified.
 */
export function StoredLanguage() {
  const locale = useLocale()
  const pathname = usePathname()
  const switchLanguage = useLanguageSwitch()
  const { chosenLanguage } = useStore(settingsStore)
  useEffect(() => {
    if (!chosenLanguage || chosenLanguage === locale) return
    switchLanguage(chosenLanguage, `${pathname}${window.location.search}${window.location.hash}`)
  }, [chosenLanguage, locale, pathname, switchLanguage])
  return null
}
