'use client'

import type { Route } from 'next'
import NextLink from 'next/link'
import { usePathname as useFullPathname, useRouter } from 'next/navigation'
import { useLocale } from 'next-intl'
import { type ComponentProps, useCallback, useState } from 'react'
import { getPathname, plainPath, prefixedPath } from './locale-path'
import { rememberLocale } from './remember-locale'
import type { Locale } from './routing'

/**
 * The small part of `next-intl/navigation` that this app uses. That module adds rewritten paths, domains and three
 * prefix modes to every page, at three times the size.
 */
interface LinkProps extends Omit<ComponentProps<typeof NextLink>, 'href' | 'locale'> {
  /** Written without a language, beginning with "/". */
  href: string
  /** A language other than the page's. */
  locale?: Locale
}

/**
 * A link that keeps the current language, or switches to another one. A page is fetched ahead once somebody points at its
 * link: Next would ask twice for each one in view, which is most of a server's work for a visit.
 */
export function Link({ href, locale, onClick, ...rest }: LinkProps) {
  const current = useLocale()
  const [isPointedAt, setPointedAt] = useState(false)
  const pointAt = () => setPointedAt(true)
  if (locale === undefined) {
    return (
      <NextLink
        prefetch={isPointedAt ? null : false}
        onPointerEnter={pointAt}
        onFocus={pointAt}
        {...rest}
        href={getPathname({ locale: current, href }) as Route}
        onClick={onClick}
      />
    )
  }
  return (
    <NextLink
      {...rest}
      href={prefixedPath(locale, href) as Route}
      prefetch={false}
      onClick={event => {
        rememberLocale(locale)
        onClick?.(event)
      }}
    />
  )
}

/** The page's address without its language. */
export function usePathname(): string {
  return plainPath(useLocale(), useFullPathname())
}

/** Replaces the page by the same in another language. */
export function useLanguageSwitch(): (locale: Locale, href: string) => void {
  const router = useRouter()
  return useCallback(
    (locale, href) => {
      rememberLocale(locale)
      router.replace(prefixedPath(locale, href) as Route)
    },
    [router],
  )
}
