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

/** The sentence for a key of `auth.errors`, which may be followed by a number of seconds; a general one for others. */
export function useAuthErrorText(): (error: string) => string {
  const t = useTranslations('auth.errors')
  const { auth } = useMessages()
  return error => {
    const [key = '', seconds] = error.split(' ')
    return t(isErrorKey(key, auth.errors) ? key : 'unexpected', { seconds: Number(seconds) || 0 })
  }
}

function isErrorKey(key: string, errors: Messages['auth']['errors']): key is ErrorKey {
  return Object.hasOwn(errors, key)
}
