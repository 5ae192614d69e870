'use client'

import { useMessages, useTranslations } from 'next-intl'
import type { CallErrorCode } from '@/lib/http/domain/error-codes'

/** The sentence for an error code, which says what happened and what to do; a general one for a newer server's codes. */
export function useErrorText(): (code: CallErrorCode) => string {
  const t = useTranslations('errors')
  const { errors } = useMessages()
  return code => t(Object.hasOwn(errors, code) ? code : 'unknown')
}
