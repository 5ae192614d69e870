'use client'

import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ForeignFrame } from '@/components/ui/foreign-frame'
import type { AuthResult } from '@/lib/auth/client/auth-result'
import styles from './auth.module.css'
import { useAuth } from './use-auth'

export interface Captcha {
  /** To be put where the person acts; null until there is need of it, and where none is configured. */
  frame: ReactNode
  /** Shows it, before the first call needs it. */
  prepare: () => void
  /** Makes a call with what the captcha has told, or says that it has told nothing yet. */
  withToken: <Data>(
    call: (captchaToken: string | undefined) => Promise<AuthResult<Data>>,
  ) => Promise<AuthResult<Data>>
}

/** As long as those of the services that there are, and some more. */
const TOKEN_LENGTH_MAX = 8192
const HEIGHT_PX_DEFAULT = 80
const HEIGHT_PX_MAX = 640

/**
 * The operator's captcha: a page of another origin in a frame, where the service's script may run. It tells
 * `{type: 'captcha', token, height}`, each if it has changed; a token is good for one call, after which it is
 * told `{type: 'captcha_reset'}`. Nothing of it is loaded before somebody begins to sign in.
 */
export function useCaptcha(): Captcha {
  const t = useTranslations('auth')
  const address = useAuth().settings.captchaFrameUrl
  const frameRef = useRef<HTMLIFrameElement>(null)
  const tokenRef = useRef<string | null>(null)
  const [isPrepared, setPrepared] = useState(false)
  const [heightPx, setHeightPx] = useState(HEIGHT_PX_DEFAULT)

  useEffect(() => {
    if (!isPrepared || address === undefined) return
    const hear = ({ source, origin, data }: MessageEvent) => {
      if (source !== frameRef.current?.contentWindow || origin !== new URL(address).origin) return
      const { type, token, height } = Object(data)
      if (type !== 'captcha') return
      if (token !== undefined) tokenRef.current = isToken(token) ? token : null
      if (Number.isFinite(height)) setHeightPx(Math.min(Math.max(height, 1), HEIGHT_PX_MAX))
    }
    window.addEventListener('message', hear)
    return () => window.removeEventListener('message', hear)
  }, [isPrepared, address])

  return {
    frame: isPrepared && address !== undefined && (
      <ForeignFrame
        ref={frameRef}
        className={styles.captcha}
        height={heightPx}
        title={t('captchaTitle')}
        address={address}
      />
    ),
    prepare: () => setPrepared(true),
    async withToken(call) {
      if (address === undefined) return call(undefined)
      setPrepared(true)
      const token = tokenRef.current
      if (token === null) return { data: null, error: 'captchaMissing' }
      tokenRef.current = null
      try {
        return await call(token)
      } finally {
        frameRef.current?.contentWindow?.postMessage({ type: 'captcha_reset' }, new URL(address).origin)
      }
    },
  }
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= TOKEN_LENGTH_MAX
}
