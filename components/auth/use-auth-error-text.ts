'use client'

import { type Messages, useMessages, useTranslations } from 'next-intl'

type ErrorKey = keyof Messages['auth']['errors']

/** The sentence for a key of `auth.errors`; the general one for keys that there are none of. */
export function useAuthErrorText(): (key: string) => string {
  const t = useTranslations('auth.errors')
  const { auth } = useMessages()
  return key => t(isErrorKey(key, auth.errors) ? key : 'unexpected')
}

function isErrorKey(key: string, errors: Messages['auth']['errors']): key is ErrorKey {
  return Object.hasOwn(errors, key)
}
