'use client'

import { type Messages, useMessages, useTranslations } from 'next-intl'

type ErrorKey = keyof Messages['errors']

/** The sentence for an API error code, which says what happened and what to do; a general one for unknown codes. */
export function useErrorText(): (code: string) => string {
  const t = useTranslations('errors')
  const { errors } = useMessages()
  return code => t(isErrorKey(code, errors) ? code : 'unknown')
}

function isErrorKey(code: string, errors: Messages['errors']): code is ErrorKey {
  return Object.hasOwn(errors, code)
}
