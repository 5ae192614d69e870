'use client'

import { type Messages, useMessages, useTranslations } from 'next-intl'
import text from '@/components/ui/text.module.css'

/** Always rendered, so that screen readers announce the error when it appears. */
export function AuthError({ error }: { error: string | null }) {
  const errorText = useAuthErrorText()
  return (
    <p role="alert" className={text.smallProblem} hidden={error === null}>
      {error !== null && errorText(error)}
    </p>
  )
}

type ErrorKey = keyof Messages['auth']['errors']

/** The sentence for a key of `auth.errors`; a general one for unknown keys. */
export function useAuthErrorText(): (key: string) => string {
  const t = useTranslations('auth.errors')
  const { auth } = useMessages()
  return key => t(isErrorKey(key, auth.errors) ? key : 'unexpected')
}

function isErrorKey(key: string, errors: Messages['auth']['errors']): key is ErrorKey {
  return Object.hasOwn(errors, key)
}
