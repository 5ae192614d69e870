'use client'

import text from '@/components/ui/text.module.css'
import { useAuthErrorText } from './use-auth-error-text'

/** Always on the page, so that screen readers hear the error appear. */
export function AuthError({ error }: { error: string | null }) {
  const errorText = useAuthErrorText()
  return (
    <p role="alert" className={text.smallProblem} hidden={error === null}>
      {error !== null && errorText(error)}
    </p>
  )
}
